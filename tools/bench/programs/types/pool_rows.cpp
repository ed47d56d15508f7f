// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Rows of the thread pool. Pools exist before and after: starting threads is not measured.
#include "rows.h"
#include <algorithm>
#include <thread>

#if defined(WSTREE_BENCH_PEER_TBB)
#include <oneapi/tbb/task_group.h>
#endif

namespace bench {
namespace {

template <class Group> void empty_tasks(Group&& group, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) group.run([] {});
}

template <class Make> std::uint64_t fib(const Make& make, std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t left = 0;
  auto&& group = make();
  group.run([&] { left = fib(make, n - 1); });
  const std::uint64_t right = fib(make, n - 2);
  group.wait();
  return left + right;
}

template <class Make> void quicksort(const Make& make, std::uint32_t* first, std::uint32_t* last) {
  if (last - first < 500) return std::sort(first, last);
  const std::uint32_t pivot = first[(last - first) / 2];
  std::uint32_t* const middle = std::partition(first, last, [pivot](std::uint32_t x) { return x < pivot; });
  std::uint32_t* const greater =
      std::partition(middle, last, [pivot](std::uint32_t x) { return x == pivot; });
  auto&& group = make();
  group.run([&make, first, middle] { quicksort(make, first, middle); });
  quicksort(make, greater, last);
  group.wait();
}
template <class Make> std::uint64_t sort_all(const Make& make, std::size_t n) {
  std::vector<std::uint32_t> numbers(n);
  std::uint64_t state = 1;
  for (std::uint32_t& number : numbers)
    number = static_cast<std::uint32_t>((state = state * 6364136223846793005U + 1442695040888963407U) >> 33);
  quicksort(make, numbers.data(), numbers.data() + n);
  return std::is_sorted(numbers.begin(), numbers.end());
}

} // namespace

void add_pool_rows(std::vector<Row>& rows, wstree::thread_pool& pool, double scale) {
  const auto count = static_cast<std::uint64_t>(5e6 * scale) + 1;
  const auto make = [&pool] { return wstree::task_group(pool); };
  constexpr std::uint64_t k_depth = 27, k_sum = 196'418, k_calls = 317'810; // calls that make a task
  const std::uint64_t depth = scale < 0.01 ? 10 : k_depth;
  const auto length = static_cast<std::size_t>(4e6 * scale) + 1000;
  Row one{"empty tasks, 1 producer", 2 * count, 1, {}, 0, 1.1};
  one.peers.push_back({"wstree", [&pool, count] {
                         empty_tasks(pool, 2 * count);
                         pool.wait();
                         return std::uint64_t{1};
                       }});
  Row two{"empty tasks, 2 producers", 2 * count, 1, {}, 0, 1.1};
  two.peers.push_back({"wstree", [&pool, count] {
                         {
                           std::jthread other([&] { empty_tasks(pool, count); });
                           empty_tasks(pool, count);
                         }
                         pool.wait();
                         return std::uint64_t{1};
                       }});
  Row numbers{"fib", depth == k_depth ? k_calls : 88, depth == k_depth ? k_sum : 55, {}, 0, 1.1};
  numbers.peers.push_back(
      {"wstree", [&pool, make, depth] { return pool.submit([&] { return fib(make, depth); }).get(); }});
  Row sort{"quicksort", length, 1, {}, 0, 1.1};
  sort.peers.push_back({"wstree", [&pool, make, length] {
                          return pool.submit([&] { return sort_all(make, length); }).get();
                        }});
#if defined(WSTREE_BENCH_PEER_TBB)
  static const auto k_tbb = [] { return tbb::task_group(); };
  one.peers.push_back({"tbb", [count] {
                         tbb::task_group group;
                         empty_tasks(group, 2 * count);
                         group.wait();
                         return std::uint64_t{1};
                       }});
  two.peers.push_back({"tbb", [count] {
                         const auto half = [count] {
                           tbb::task_group group;
                           empty_tasks(group, count);
                           group.wait();
                         };
                         std::jthread other(half);
                         half();
                         return std::uint64_t{1};
                       }});
  numbers.peers.push_back({"tbb", [depth] { return fib(k_tbb, depth); }});
  sort.peers.push_back({"tbb", [length] { return sort_all(k_tbb, length); }});
#endif
  for (Row* made : {&one, &two, &numbers, &sort}) rows.push_back(std::move(*made));
}

} // namespace bench
