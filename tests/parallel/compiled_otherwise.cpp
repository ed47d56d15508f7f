// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of each kind, for compilers without OpenMP or without exceptions.
#include <wstree/parallel.hpp>

#include <cstdio>
#include <functional>
#include <string>
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
  wstree::for_each(out, [](int& i) { i = 2; });
  expect(wstree::inner_product(ones, out, 0) == 2 * n, "for_each, inner_product");
  return failures == 0 ? 0 : 1;
}
