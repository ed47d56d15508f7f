// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of each kind, for compilers without OpenMP or without exceptions,
// for other compilers and libraries, and under sanitizers.
#include <wstree/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

static int failures = 0;

static void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++failures;
}

#if !defined(__cpp_exceptions)
struct Stopped {
  static bool stop_requested() { return true; }
};

/// Calls that were stopped before they began have no result but what they were given.
static void expect_what_there_is() {
  const auto stopped = wstree::par().stop(Stopped{});
  const std::vector<int> ones(100'000, 1);
  expect(wstree::sum(stopped, ones) == 0 && wstree::sum(stopped, ones, 5) == 5, "a stopped sum");
  const std::vector<std::string> strings(1000, std::string(100, 'x'));
  std::vector<std::string> out(strings.size());
  expect(wstree::inclusive_scan(stopped, strings, out) == strings[0], "a stopped scan");
  expect(wstree::exclusive_scan(stopped, strings, out, std::string("y")) == "y", "a stopped exclusive_scan");
  expect(wstree::filter(stopped, ones, [](int) { return true; }).empty(), "a stopped filter");
  expect(wstree::reduce(wstree::sequential_order.stop(Stopped{}), ones, 7) == 7, "a stopped fold");
}
#endif

/// What puts elements into another order, or compares orders.
static void expect_orders() {
  const int n = 50'000;
  std::vector<int> numbers(n), sorted(n), out(2 * n);
  wstree::tabulate(numbers, [](std::size_t i) { return static_cast<int>(i * 7919 % 50'000); });
  wstree::tabulate(sorted, [](std::size_t i) { return static_cast<int>(i); });
  std::vector<int> v = numbers;
  wstree::sort(v);
  expect(v == sorted && wstree::equal(v, sorted) && wstree::is_sorted(v), "sort, equal, is_sorted");
  v = numbers;
  wstree::stable_sort(v, std::greater<>());
  wstree::reverse(v);
  expect(v == sorted, "stable_sort, reverse");
  wstree::shuffle(v, 7);
  wstree::partial_sort(v, v.begin() + 10);
  expect(wstree::mismatch(v, sorted).first - v.begin() >= 10, "shuffle, partial_sort, mismatch");
  wstree::nth_element(v, v.begin() + n / 2);
  expect(v[n / 2] == n / 2, "nth_element");
  wstree::merge(sorted, sorted, out);
  expect(wstree::is_sorted(out) && out[2 * n - 1] == n - 1, "merge");
  expect(wstree::unique(out) == out.begin() + n, "unique");
  expect(wstree::set_intersection(sorted, sorted, out) == out.begin() + n, "set_intersection");
  expect(wstree::partition(v, [](int i) { return i % 2 == 0; }) == v.begin() + n / 2, "partition");
  expect(wstree::remove_if(v, [](int i) { return i % 2 == 0; }) == v.begin() + n / 2, "remove_if");
  const std::vector<int> part{500, 501};
  expect(wstree::search(sorted, part) - sorted.begin() == 500, "search");
  expect(wstree::adjacent_find(sorted) == sorted.end(), "adjacent_find");
  expect(wstree::histogram(sorted, 10, [](int i) { return i % 10; }) == std::vector<std::size_t>(10, n / 10),
         "histogram");
  expect(wstree::group_by(sorted, [](int i) { return i % 3; }).size() == 3, "group_by");
}

/// Work that makes work, functions at a time, and elements of other shapes.
static void expect_work_and_shapes() {
  std::atomic<int> count{0};
  wstree::for_each_while(std::vector<int>{1}, [&](int node, wstree::worklist<int>& more) {
    ++count;
    if (node < 1000) more.push(2 * node), more.push(2 * node + 1);
  });
  expect(count == 1999, "for_each_while");
  int given = 0;
  std::vector<int> taken;
  wstree::pipeline(
      4, [&]() -> std::optional<int> { return given < 1000 ? std::optional<int>(given++) : std::nullopt; },
      [](int i) { return 2 * i; }, wstree::ordered([&](int i) { taken.push_back(i); }));
  expect(taken.size() == 1000 && taken[999] == 1998 && wstree::is_sorted(taken), "pipeline");
  const auto results = wstree::parallel_invoke([] { return 1; }, [] { return std::string("two"); });
  expect(std::get<0>(results) == 1 && std::get<1>(results) == "two", "parallel_invoke");
  wstree::per_thread<int> parts;
  int sum = 0;
  wstree::for_each(0, 100'000, [&](int) { ++parts.local(); });
  parts.for_each([&](int part) { sum += part; });
  expect(sum == 100'000, "per_thread");
  std::vector<int> matrix(300 * 200);
  wstree::for_each(wstree::blocks_2d(300, 200), [&](const wstree::block<2>& b) {
    for (const auto i : b[0])
      for (const auto j : b[1]) matrix[static_cast<std::size_t>(i * 200 + j)] += 1;
  });
  expect(wstree::count(matrix, 1) == 300 * 200, "blocks_2d");
  wstree::for_each(wstree::steps(0, 300 * 200, 2), [&](int i) { matrix[static_cast<std::size_t>(i)] = 2; });
  expect(wstree::count(matrix, 2) == 300 * 100, "steps");
  std::list<int> list(20'000, 1);
  wstree::for_each(list, [](int& i) { ++i; });
  expect(std::all_of(list.begin(), list.end(), [](int i) { return i == 2; }), "a list");
}

int main() {
#if !defined(__cpp_exceptions)
  expect_what_there_is();
#endif
  const int n = 100'000;
  std::vector<int> ones(n, 1), out(n);
  const auto is_one = [](int i) { return i == 1; };
  expect(wstree::sum(ones) == n, "sum");
  expect(wstree::reduce(ones.begin(), ones.end(), 1) == n + 1, "reduce");
  expect(wstree::reduce(wstree::sequential_order, ones, 1) == n + 1, "reduce in order");
  expect(wstree::inclusive_scan(ones, out) == n && out[n - 1] == n, "inclusive_scan");
  expect(wstree::exclusive_scan(wstree::reproducible, ones, out, 5) == n + 5 && out[0] == 5,
         "exclusive_scan");
  expect(wstree::filter(out, [](int i) { return i < 10; }).size() == 5, "filter");
  expect(wstree::find_first(out, [](int i) { return i == 1000; }) == out.begin() + 995, "find_first");
  expect(wstree::all_of(ones, is_one) && !wstree::any_of(out, is_one), "all_of, any_of");
  expect(wstree::min_element(out) == out.begin() && wstree::max_element(out) == out.end() - 1, "min, max");
  wstree::transform(ones, out, std::negate<>{});
  expect(wstree::count(out, -1) == n, "transform, count");
  wstree::for_each(wstree::par("a name"), out, [](int& i) { i = 2; });
  expect(wstree::inner_product(ones, out, 0) == 2 * n, "for_each, inner_product");
  const auto add = [](int so_far, int begin, int end) { return so_far + (end - begin); };
  expect(wstree::fold(0, n, 0, add, std::plus<>()) == n, "fold");
  int a = 0, b = 0;
  wstree::join([&] { a = 1; }, [&] { b = 2; });
  expect(a + b == 3, "join");
  expect_orders();
  expect_work_and_shapes();
  return failures == 0 ? 0 : 1;
}
