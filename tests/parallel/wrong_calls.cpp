// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that must not compile; CMakeLists.txt has what the compiler is to say.
#include <wstree/parallel.hpp>
#include <wstree/types/partitioner.h>

#include <list>
#include <string>
#include <vector>

std::list<int> no_random_access;
std::vector<int> elements;
std::vector<std::string> strings;
std::vector<bool> bits;
const std::vector<int> constants;

bool is_odd(int i) { return i % 2 != 0; }

void call() {
#if WRONG_CALL == 1
  wstree::count_if(no_random_access, is_odd);
#elif WRONG_CALL == 2
  wstree::count_if(elements.begin(), no_random_access.end(), is_odd);
#elif WRONG_CALL == 3
  wstree::count_if(elements, is_odd, is_odd, is_odd);
#elif WRONG_CALL == 4
  wstree::inclusive_scan(wstree::reproducible, strings, strings);
#elif WRONG_CALL == 5
  wstree::find_first(elements, 3.0);
#elif WRONG_CALL == 6
  wstree::count_if(elements, [](int, int) { return true; });
#elif WRONG_CALL == 7
  wstree::filter(elements, [](int i) { return std::to_string(i); });
#elif WRONG_CALL == 8
  wstree::reduce(elements, [](int i) { return i; });
#elif WRONG_CALL == 9
  wstree::inclusive_scan(elements, 0.0, elements);
#elif WRONG_CALL == 10
  wstree::count_if(wstree::par().threads("four"), elements, is_odd);
#elif WRONG_CALL == 11
  wstree::inclusive_scan(elements, elements, [](int i) { return i; });
#elif WRONG_CALL == 12
  wstree::transform(elements, bits, is_odd);
#elif WRONG_CALL == 13
  wstree::for_each(static_cast<__int128>(0), static_cast<__int128>(9), [](auto) {});
#elif WRONG_CALL == 14
  wstree::partitioner<__int128>(0, 9, 2);
#elif WRONG_CALL == 15
  wstree::fold(
      wstree::sequential_order, 0, 9, 0, [](int a, int, int) { return a; }, wstree::plus());
#elif WRONG_CALL == 16
  wstree::team::fold(
      wstree::sequential_order, 0, 9, 0, [](int a, int, int) { return a; }, wstree::plus());
#elif WRONG_CALL == 17
  wstree::for_each(bits, [](std::vector<bool>::reference bit) { bit = true; });
#elif WRONG_CALL == 18
  wstree::tabulate(bits.rbegin(), bits.rend(), [](std::size_t) { return true; });
#elif WRONG_CALL == 19
  wstree::transform(elements, bits.rbegin(), is_odd);
#elif WRONG_CALL == 20
  wstree::for_each(no_random_access, is_odd);
#elif WRONG_CALL == 21
  wstree::for_each(elements, [](const std::string&) {});
#elif WRONG_CALL == 22
  wstree::fold(
      0, 9, 0, [](int a, int) { return a; }, wstree::plus());
#elif WRONG_CALL == 23
  wstree::reduce(no_random_access, 0);
#elif WRONG_CALL == 24
  wstree::tabulate(elements, [] { return 1; });
#elif WRONG_CALL == 25
  wstree::fill(elements, std::string());
#elif WRONG_CALL == 26
  wstree::copy(elements, no_random_access);
#elif WRONG_CALL == 27
  wstree::max_element(elements, [](int) { return true; });
#elif WRONG_CALL == 28
  wstree::join(3);
#elif WRONG_CALL == 29
  wstree::sort(elements, [](int) { return true; });
#elif WRONG_CALL == 30
  wstree::stable_sort(bits);
#elif WRONG_CALL == 31
  wstree::sort(constants);
#elif WRONG_CALL == 32
  wstree::sort(0, 9);
#endif
}
