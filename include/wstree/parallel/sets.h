// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// set_union, set_intersection, set_difference, set_symmetric_difference
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/merge_runs.h"
#include "wstree/parallel/ordered.h"
#include "wstree/parallel/second_input.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// What of two sorted inputs belongs to the result: an element that only one of them has, and one of both.
template <bool k_only_one, bool k_only_two, bool k_both> struct SetRule {
  static constexpr bool of_one = k_only_one, of_two = k_only_two, of_both = k_both;
};

/// Calls keep_one(i) and keep_two(k) for the result of elements [i, i_end) of one input and [k, k_end) of the
/// other. less(a, b) takes an element of `one` and one of `two`; more(b, a) the other way round.
template <class Rule, class In1, class In2, class LessThan, class MoreThan, class One, class Two>
void walk_sets(const In1& one, Span a, const In2& two, Span b, LessThan& less, MoreThan& more, One&& keep_one,
               Two&& keep_two) {
  while (a.size() != 0 && b.size() != 0) {
    if (less(one[a.begin], two[b.begin])) {
      if constexpr (Rule::of_one) keep_one(a.begin);
      ++a.begin;
    } else if (more(two[b.begin], one[a.begin])) {
      if constexpr (Rule::of_two) keep_two(b.begin);
      ++b.begin;
    } else {
      if constexpr (Rule::of_both) keep_one(a.begin);
      ++a.begin, ++b.begin;
    }
  }
  if constexpr (Rule::of_one)
    for (; a.begin < a.end; ++a.begin) keep_one(a.begin);
  if constexpr (Rule::of_two)
    for (; b.begin < b.end; ++b.begin) keep_two(b.begin);
}

/// A tile is a piece of the merged inputs, from the first of equal elements on.
template <class Rule, class In1, class In2, class Out, class LessThan, class MoreThan> struct SetWork {
  const In1& one;
  const In2& two;
  Out out;
  LessThan& less;
  MoreThan& more;
  std::size_t total = 0;

  SetWork(const In1& first, const In2& second, Out output, LessThan& before, MoreThan& behind)
      : one(first), two(second), out(output), less(before), more(behind) {}

  struct Kept {
    std::size_t index;
    bool is_of_two;
  };
  struct Outcome {
    std::vector<Kept> kept;
    std::size_t place = 0;
  };

  void make(const Tile& tile, Outcome& outcome) const {
    outcome.kept.clear();
    const Cut begin = cuts[tile.number], end = cuts[tile.number + 1];
    walk_sets<Rule>(
        one, {begin.of_one, end.of_one}, two, {begin.of_two, end.of_two}, less, more,
        [&](std::size_t i) {
          outcome.kept.push_back({i, false});
        },
        [&](std::size_t k) {
          outcome.kept.push_back({k, true});
        });
  }
  void take(Outcome& outcome) noexcept {
    outcome.place = total;
    total += outcome.kept.size();
  }
  void after(const Outcome& outcome) const {
    Out to = ahead(out, outcome.place);
    for (const Kept& kept : outcome.kept) {
      if (kept.is_of_two)
        write_to(to, two[kept.index]);
      else
        write_to(to, one[kept.index]);
      ++to;
    }
  }

  /// Before the tiles. No tile ends before it begins, also where the comparison contradicts itself: all tiles
  /// together have each element once.
  void cut(const Tiling& tiling) {
    cuts.reserve(tiling.tiles() + 1);
    cuts.push_back({0, 0});
    for (std::size_t tile = 0; tile < tiling.tiles(); ++tile) {
      const auto [a, b] = begin_of(tiling[tile].end);
      cuts.push_back(
          {a < cuts.back().of_one ? cuts.back().of_one : a, b < cuts.back().of_two ? cuts.back().of_two : b});
    }
  }

private:
  struct Cut {
    std::size_t of_one, of_two;
  };
  std::vector<Cut> cuts; // where tiles begin; the last one ends

  /// Where the tile from `count` merged elements on begins: in both inputs in front of all that is equal.
  std::pair<std::size_t, std::size_t> begin_of(std::size_t count) const {
    if (count == one.count + two.count) return {one.count, two.count};
    const std::size_t i = split_of([&](std::size_t k) -> decltype(auto) { return one[k]; },
                                   [&](std::size_t k) -> decltype(auto) { return two[k]; }, count,
                                   count > two.count ? count - two.count : 0, least(count, one.count), more);
    const std::size_t k = count - i;
    // The next merged element is one[i] or two[k], whichever is not behind the other one.
    if (k == two.count || (i < one.count && !more(two[k], one[i]))) return from_one(i, k);
    return from_two(i, k);
  }
  template <class Before> static std::size_t first_not(std::size_t end, Before&& is_before) {
    std::size_t begin = 0;
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (is_before(middle))
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }
  /// Elements before the least one that is not less than one[i]. Those of an input are compared by the other
  /// one's, because the comparison need not take two of the same.
  std::pair<std::size_t, std::size_t> from_one(std::size_t i, std::size_t k) const {
    const std::size_t b = first_not(k, [&](std::size_t at) { return more(two[at], one[i]); });
    if (b == two.count || less(one[i], two[b])) return {i, b}; // nothing is equal there
    return {first_not(i, [&](std::size_t at) { return less(one[at], two[b]); }), b};
  }
  std::pair<std::size_t, std::size_t> from_two(std::size_t i, std::size_t k) const {
    const std::size_t a = first_not(i, [&](std::size_t at) { return less(one[at], two[k]); });
    if (a == one.count || more(two[k], one[a])) return {a, k};
    return {a, first_not(k, [&](std::size_t at) { return more(two[at], one[a]); })};
  }
};

template <class Rule> struct SetOperation {
  template <class Policy, class In, class... Rest>
  auto operator()(const Policy& policy, const In& in, Rest&&... rest) const {
    return with_second<SecondEnd::is_needed>(
        in.count,
        [&]<class In2, class Out, class Comp = Less, class Proj1 = Identity, class Proj2 = Identity>(
            const In2& two, Out&& destination, Comp comp = {}, Proj1 proj1 = {}, Proj2 proj2 = {}) {
          const auto out = target(destination);
          std::size_t total = 0;
          if constexpr (check_comparison_of_two<Comp, In, In2, Proj1, Proj2>()) {
            auto less = [&](auto&& a, auto&& b) -> bool { return comp(invoke(proj1, a), invoke(proj2, b)); };
            auto more = [&](auto&& b, auto&& a) -> bool { return comp(invoke(proj2, b), invoke(proj1, a)); };
            total = write(policy, in, two, out, less, more);
          }
          return ahead(out, total);
        },
        std::forward<Rest>(rest)...);
  }

private:
  template <class Policy, class In, class In2, class Out, class LessThan, class MoreThan>
  static std::size_t write(const Policy& policy, const In& one, const In2& two, const Out& out,
                           LessThan& less, MoreThan& more) {
    constexpr std::size_t k_alone = 4096, k_tile = 4096;
    const std::size_t count = one.count + two.count;
    if (policy.stop_requested() && throw_cancelled()) return 0;
    if (count <= k_alone || most_members(policy) == 1) {
      std::size_t total = 0;
      walk_sets<Rule>(
          one, {0, one.count}, two, {0, two.count}, less, more,
          [&](std::size_t i) { write_to(ahead(out, total++), one[i]); },
          [&](std::size_t k) { write_to(ahead(out, total++), two[k]); });
      policy.advance(count);
      return total;
    }
    SetWork<Rule, In, In2, Out, LessThan, MoreThan> work{one, two, out, less, more};
    const Tiling tiling = tiling_of(policy, count, k_tile / 4, k_tile);
    work.cut(tiling);
    run_ordered(policy, tiling, work);
    return work.total;
  }
};

} // namespace detail

/// set_union([policy,] elements, other elements, output [, comparison [, projections]]) -> the end of the
/// output, and so the others. Of equal elements there are as many as in the standard.
inline constexpr detail::Entry<detail::SetOperation<detail::SetRule<true, true, true>>> set_union{};
inline constexpr detail::Entry<detail::SetOperation<detail::SetRule<false, false, true>>> set_intersection{};
inline constexpr detail::Entry<detail::SetOperation<detail::SetRule<true, false, false>>> set_difference{};
inline constexpr detail::Entry<detail::SetOperation<detail::SetRule<true, true, false>>>
    set_symmetric_difference{};

} // namespace v1
} // namespace wstree
