// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that must not compile. Behind each stands what the compiler is to say of that line
// (check_wrong_calls).
#include <wstree/parallel.hpp>
#include <wstree/types/partitioner.h>

#include <list>
#include <optional>
#include <string>
#include <vector>

std::list<int> no_random_access;
std::vector<int> elements;
std::vector<std::string> strings;
std::vector<bool> bits;
const std::vector<int> constants;

int counter = 0;
struct {
} no_stage;
std::optional<int> source() { return {}; }
bool is_odd(int i) { return i % 2 != 0; }

// clang-format off
void call() {
#if APART
  wstree::stable_sort(bits); // wstree: threads cannot write to neighbours in a vector<bool>
  wstree::team::fold(wstree::sequential_order, 0, 9, 0, [](int a, int, int) { return a; }, wstree::plus()); // wstree: sequential_order has no meaning for fold
  wstree::tabulate(bits.rbegin(), bits.rend(), [](std::size_t) { return true; }); // wstree: threads cannot write to neighbours in a vector<bool>
#else
  wstree::count_if(no_random_access, is_odd); // wstree: the elements have to be two random-access iterators, two integers, or a
  wstree::count_if(elements.begin(), no_random_access.end(), is_odd); // wstree: the second argument is not the end
  wstree::count_if(elements, is_odd, is_odd, is_odd); // wstree: the arguments behind the elements are not those
  wstree::inclusive_scan(wstree::reproducible, strings, strings); // wstree: reproducible results need values that are trivially copyable
  wstree::find_first(elements, 3.0); // wstree: the predicate has to take an element, or its projection, and say yes or no
  wstree::count_if(elements, [](int, int) { return true; }); // wstree: the predicate has to take an element, or its projection, and say yes or no
  wstree::filter(elements, [](int i) { return std::to_string(i); }); // wstree: the predicate has to take an element, or its projection, and say yes or no
  wstree::reduce(elements, [](int i) { return i; }); // wstree: the operator of a reduction has to take two values and return one
  wstree::inclusive_scan(elements, 0.0, elements); // wstree: behind the elements stands where the sums go
  wstree::count_if(wstree::par().threads("four"), elements, is_odd); // wstree: threads() takes a number of threads
  wstree::inclusive_scan(elements, elements, [](int i) { return i; }); // wstree: the operator of a scan has to take two sums and return one
  wstree::transform(elements, bits, is_odd); // wstree: threads cannot write to neighbours in a vector<bool>
  wstree::for_each(static_cast<__int128>(0), static_cast<__int128>(9), [](auto) {}); // wstree: integers have at most 64 bits
  wstree::partitioner<__int128>(0, 9, 2); // wstree: integers have at most 64 bits
  wstree::fold(wstree::sequential_order, 0, 9, 0, [](int a, int, int) { return a; }, wstree::plus()); // wstree: sequential_order has no meaning for fold
  wstree::for_each(bits, [](std::vector<bool>::reference bit) { bit = true; }); // wstree: threads cannot write to neighbours in a vector<bool>
  wstree::transform(elements, bits.rbegin(), is_odd); // wstree: threads cannot write to neighbours in a vector<bool>
  wstree::for_each(5.0, is_odd); // wstree: for_each() takes a policy or none
  wstree::for_each(elements, [](const std::string&) {}); // wstree: the function of this call does not take what the call gives it
  wstree::fold(0, 9, 0, [](int a, int) { return a; }, wstree::plus()); // wstree: the function of a fold has to take an accumulator
  wstree::reduce(no_random_access, 0); // wstree: reduce() takes a policy or none
  wstree::tabulate(elements, [] { return 1; }); // wstree: the function of this call does not take what the call gives it
  wstree::fill(elements, std::string()); // wstree: what this call writes cannot be assigned
  wstree::copy(elements, no_random_access); // wstree: what is written to has to be an iterator or a range
  wstree::max_element(elements, [](int) { return true; }); // wstree: the comparison has to take two elements
  wstree::join(3); // wstree: join() takes functions without arguments
  wstree::sort(elements, [](int) { return true; }); // wstree: the comparison has to take two elements
  wstree::sort(constants); // wstree: this call changes the order of its elements
  wstree::for_each(0, 3.99, [](int) {}); // wstree: both ends of a range of numbers are integers
  wstree::for_each_chunk(wstree::par(), 0, 3.99, [](int, int) {}); // wstree: both ends of a range of numbers are integers
  wstree::transform_reduce(0, 3.99, 0, wstree::plus(), [](int i) { return i; }); // wstree: both ends of a range of numbers are integers
  wstree::team::for_each(0, 3.99F, [](int) {}); // wstree: both ends of a range of numbers are integers
  wstree::steps(0, 3.99, 1); // wstree: both ends of a range of numbers are integers
  wstree::nth_element(elements, 3); // wstree: behind the elements of this call stands a place among them
  wstree::rotate(wstree::par(), elements, 3); // wstree: behind the elements of this call stands a place among them
  wstree::reduce(elements, std::string()); // wstree: the initial value of a reduction has a type to which
  wstree::par().on(4); // wstree: on() takes a thread_pool that outlives the call, or resident_crew
  wstree::par().stop(4); // wstree: stop() takes a std::stop_token
  wstree::par().progress(counter); // wstree: progress() takes a std::atomic number
  wstree::pipeline(source, is_odd); // wstree: pipeline() takes a policy or none, the number of items
  wstree::pipeline(4, source, no_stage); // wstree: the last stage of a pipeline takes what the stage before it returns
  wstree::pipeline(4, source, is_odd, no_stage); // wstree: the last stage of a pipeline takes what the stage before it returns
  wstree::sort(0, 9); // wstree: what is written to has to be an iterator or a range
#endif
}
