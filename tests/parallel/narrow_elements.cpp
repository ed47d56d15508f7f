// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with warnings of conversions: elements whose sums have another type, and all headers in one file.
#include <wstree/parallel.hpp>
#include <wstree/parallel/wsrange.h>
#include <wstree/types/partitioner.h>
#include <wstree/types/thread_pool.h>
#include <wstree/types/work_stealing_queue.h>
#include <wstree/types/work_stealing_range.h>

#include <functional>
#include <vector>

template <class T> long calls() {
  const std::vector<T> in(100, T(1));
  std::vector<T> out(100);
  const auto same = [](T x) { return x; };
  const auto at_least = [](T x) { return x > T(0); };
  auto result = static_cast<long>(wstree::sum(in)) + static_cast<long>(wstree::sum(in, T(0)));
  result += wstree::reduce(in, T(0)) + wstree::reduce(in, std::plus<>{}).value_or(T(0));
  result += wstree::reduce(wstree::reproducible, in, T(0));
  result += wstree::reduce(wstree::reproducible, in, std::plus<>{}).value_or(T(0));
  result += wstree::reduce(wstree::sequential_order, in, T(0));
  result += wstree::transform_reduce(in, T(0), std::plus<>{}, same);
  result += wstree::transform_reduce(T(0), T(9), T(0), std::plus<>{}, same);
  result += wstree::transform_reduce(wstree::sequential_order, in, T(0), std::plus<>{}, same);
  result += wstree::inner_product(in, in, T(0));
  result += wstree::inclusive_scan(in, out) + wstree::inclusive_scan(in, out, std::plus<>{}, T(0));
  result += wstree::exclusive_scan(in, out, T(0));
  result += wstree::inclusive_scan(wstree::reproducible, in, out, wstree::plus{}, T(0));
  result += wstree::transform_inclusive_scan(in, out, std::plus<>{}, same);
  result += wstree::transform_exclusive_scan(in, out, T(0), std::plus<>{}, same);
  wstree::adjacent_difference(in, out);
  wstree::transform(in, out, same);
  wstree::fill(out, T(1));
  wstree::copy(in, out);
  wstree::for_each(wstree::par().schedule(wstree::wsrange), out, [](T& x) { x = T(3); });
  wstree::for_each(T(0), T(9), [](T) {});
  result += wstree::count_if(in, at_least) + wstree::count(T(0), T(9), T(2));
  result += static_cast<long>(wstree::filter(in, at_least).size() + wstree::pack_index(in, at_least).size());
  result += wstree::copy_if(in, out, at_least) - out.begin();
  result += wstree::max_element(in) - wstree::find(in, T(7));
  wstree::partitioner<T> parts(T(0), T(9), 2);
  for (const T x : parts[0]) result += x;
  return result;
}

/// What is written has another type than the elements.
void conversions() {
  std::vector<float> floats(9);
  std::vector<short> shorts(9);
  std::vector<int> ints(9);
  wstree::fill(floats, 0);
  wstree::fill(shorts, 1L);
  wstree::copy(ints, floats);
  wstree::tabulate(shorts, [](std::size_t i) { return i; });
  wstree::generate(floats, [] { return 1.0; });
  wstree::transform(ints, shorts, [](int i) { return i; });
  wstree::transform(ints, ints, floats, [](int a, int b) { return a + b; });
  wstree::copy_if(ints, shorts, [](int i) { return i == 0; });
  wstree::inclusive_scan(ints, shorts);
  wstree::exclusive_scan(shorts, floats, 0.0);
  wstree::for_each(wstree::par().threads(ints.size()).max_chunk(ints.size() - 1), ints, [](int) {});
}

int main() {
  conversions();
  return calls<short>() + calls<unsigned short>() + calls<signed char>() + calls<unsigned char>() == 0 ? 1
                                                                                                       : 0;
}
