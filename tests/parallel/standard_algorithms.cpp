// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every algorithm of the standard library that takes a policy, on <wstree/execution.h>, against the same
// algorithm in sequence.
#include "same_calls.h"
#include "standard_support.h"

namespace wstree::standard_test {
namespace {

using same_calls::k_even;
using same_calls::k_large;
using same_calls::Made;

#define WSTREE_IN_PARALLEL(name)                                                                             \
  template <class... Arguments> static decltype(auto) name(Arguments&&... arguments) {                       \
    return std::name(execution::par, std::forward<Arguments>(arguments)...);                                 \
  }
struct InParallel {
  WSTREE_SAME_CALLS(WSTREE_IN_PARALLEL)
};

/// Calls compute(how, numbers) with few and many different numbers. The result is that of the sequence.
template <class Compute, class One, class Other>
void same(Compute compute, const One& sequence, const Other& parallel) {
  for (const std::size_t n : k_sizes)
    for (const std::int64_t below : {2, 50, 1'000'000'000}) {
      if (n > 5'000 && below != 50) continue;
      SCOPED_TRACE(std::to_string(n) + " numbers below " + std::to_string(below));
      const Numbers values = numbers(n, below, n);
      EXPECT_TRUE(compute(parallel, values) == compute(sequence, values));
      if (::testing::Test::HasFailure()) return;
    }
}
/// Groups of algorithms that the C++ library has, too.
template <class Group> void same_group(Group group) { same(group, same_calls::InSequence(), InParallel()); }
template <class Compute> void same_in_parallel(Compute compute) {
  same(compute, execution::seq, execution::par);
}

TEST(StandardAlgorithms, Searches) { same_group(WSTREE_GROUP(searches)); }
TEST(StandardAlgorithms, Comparisons) { same_group(WSTREE_GROUP(comparisons)); }
TEST(StandardAlgorithms, Writes) { same_group(WSTREE_GROUP(writes)); }
TEST(StandardAlgorithms, Choices) { same_group(WSTREE_GROUP(choices)); }
TEST(StandardAlgorithms, Sorts) { same_group(WSTREE_GROUP(sorts)); }
TEST(StandardAlgorithms, StableOnesKeepEqualsInOrder) { same_group(WSTREE_GROUP(stable_sorts)); }
TEST(StandardAlgorithms, Sets) { same_group(WSTREE_GROUP(sets)); }
TEST(StandardAlgorithms, SumsAndScans) { same_group(WSTREE_GROUP(sums)); }

#define FIRST v.begin(), v.end()

TEST(StandardAlgorithms, OtherSearches) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    const auto at = [&](auto it) { return std::int64_t{it - v.begin()}; };
    const auto far = [](std::int64_t x, std::int64_t y) { return x + 3 < y; };
    const Numbers few{7, 11, 13};
    const Numbers middle(v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2),
                         v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2 + v.size() / 4));
    Numbers sorted = v;
    std::sort(sorted.begin(), sorted.end());
    const auto half = static_cast<std::ptrdiff_t>(v.size() / 2);
    return Numbers{at(std::find_if_not(how, FIRST, k_even)),
                   at(std::find_first_of(how, FIRST, few.begin(), few.end())),
                   at(std::find_end(how, FIRST, middle.begin(), middle.end())),
                   at(std::search_n(how, FIRST, 3, 1)),
                   at(std::adjacent_find(how, FIRST, far)),
                   std::is_partitioned(how, FIRST, k_even),
                   std::includes(how, sorted.begin(), sorted.end(), sorted.begin() + half, sorted.end()),
                   std::is_heap(how, FIRST),
                   at(std::is_heap_until(how, FIRST)),
                   std::reduce(how, FIRST),
                   std::transform_reduce(how, FIRST, v.begin(), std::int64_t{0}, std::plus<>(),
                                         [](std::int64_t x, std::int64_t y) { return (x ^ y) % 7; })};
  });
}

TEST(StandardAlgorithms, OtherWrites) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    Made made;
    Numbers out(v.size()), a = v, b = numbers(v.size(), 100, 1);
    std::for_each_n(how, a.begin(), a.size() / 2, [](std::int64_t& x) { x ^= 5; });
    std::copy_n(how, b.begin(), b.size() / 2, out.begin());
    made.keep(out);
    std::swap_ranges(how, a.begin(), a.end(), b.begin());
    std::move(how, b.begin(), b.end(), out.begin());
    made.keep(a), made.keep(b), made.keep(out);
    std::replace(how, a.begin(), a.end(), 1, 2);
    std::replace_if(how, a.begin(), a.end(), k_even, -1);
    std::replace_copy(how, FIRST, out.begin(), 1, 77);
    made.keep(a), made.keep(out);
    std::replace_copy_if(how, FIRST, out.begin(), k_even, 78);
    made.keep(out);
    std::fill_n(how, out.begin(), out.size() / 3, 6);
    std::generate_n(how, a.begin(), a.size() / 3, [] { return 8; });
    made.keep(a), made.keep(out);
    std::reverse_copy(how, FIRST, out.begin());
    made.keep(out);
    std::rotate_copy(how, v.begin(), v.begin() + std::ptrdiff_t(v.size() / 3), v.end(), out.begin());
    made.keep(out);
    made.keep_before(out, std::remove_copy(how, FIRST, out.begin(), 1));
    made.keep_before(out, std::remove_copy_if(how, FIRST, out.begin(), k_even));
    made.keep_before(out, std::unique_copy(how, FIRST, out.begin()));
    for (const std::size_t size : {v.size() / 3, v.size(), v.size() + 5}) {
      Numbers smallest(size, -1);
      std::partial_sort_copy(how, FIRST, smallest.begin(), smallest.end());
      made.keep(smallest);
    }
    return made;
  });
}

} // namespace
} // namespace wstree::standard_test
