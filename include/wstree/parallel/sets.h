// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// set_union, set_intersection, set_difference, set_symmetric_difference
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/filter.h"
#include "wstree/parallel/inline_start.h"
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

/// The kinds of elements of two sorted inputs that belong to the result: in the first input only, in the
/// second only, or in both.
template <bool k_only_one, bool k_only_two, bool k_both> struct SetRule {
  static constexpr bool of_one = k_only_one, of_two = k_only_two, of_both = k_both;
};

/// Calls keep_one(i) and keep_two(k) for the result of the elements `a` of one input and `b` of the other,
/// until `count` of them are done, or one more. `a` and `b` become the elements that are left. less(a, b)
/// takes an element of `one` and one of `two`; more(b, a) the other way round.
template <class Rule, class In1, class In2, class LessThan, class MoreThan, class One, class Two>
void walk_sets(const In1& first, Span& a_left, const In2& second, Span& b_left, std::size_t count,
               const LessThan& less_than, const MoreThan& more_than, One&& keep_one, Two&& keep_two) {
  const In1 one = first; // in registers while the loop stores bytes
  const In2 two = second;
  const LessThan less = less_than;
  const MoreThan more = more_than;
  Span a = a_left, b = b_left;
  const std::size_t end = a.begin + b.begin + count;
  while (a.size() != 0 && b.size() != 0 && a.begin + b.begin < end) {
    // A step takes at most one element of each input, so no input ends within these steps.
    for (std::size_t steps = least(a.size(), b.size(), (end - a.begin - b.begin + 1) / 2); steps != 0;
         --steps) {
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
  }
  if (b.size() == 0)
    for (; a.begin < a.end && a.begin + b.begin < end; ++a.begin)
      if constexpr (Rule::of_one) keep_one(a.begin);
  if (a.size() == 0)
    for (; b.begin < b.end && a.begin + b.begin < end; ++b.begin)
      if constexpr (Rule::of_two) keep_two(b.begin);
  a_left = a, b_left = b;
}

/// A tile is a piece of the merged inputs, from the first of equal elements on.
template <class Rule, class In1, class In2, class Out, class LessThan, class MoreThan> struct SetWork {
  const In1& one;
  const In2& two;
  Out out;
  const LessThan& less;
  const MoreThan& more;
  std::size_t total = 0;

  SetWork(const In1& first, const In2& second, Out output, const LessThan& before, const MoreThan& behind)
      : one(first), two(second), out(output), less(before), more(behind) {}

  /// Small elements are kept themselves, of all others where they lie.
  static constexpr bool k_keeps_values =
      Keeping<In1>::k_is_small && std::is_same_v<typename In1::Value, typename In2::Value>;
  struct Place {
    std::size_t index;
    bool is_of_two;
  };
  using Kept = std::conditional_t<k_keeps_values, typename Keeping<In1>::Byte, Place>;
  struct Outcome {
    std::vector<Kept> kept;
    std::size_t size = 0, place = 0;
  };

  void make(const Tile& tile, Outcome& outcome) const {
    Span a{cuts[tile.number].of_one, cuts[tile.number + 1].of_one};
    Span b{cuts[tile.number].of_two, cuts[tile.number + 1].of_two};
    const std::size_t count = a.size() + b.size();
    if (outcome.kept.size() < count) outcome.kept.resize(count);
    Kept* to = outcome.kept.data();
    const auto keep = [&to](const auto& in, std::size_t i, [[maybe_unused]] bool is_of_two) {
      if constexpr (k_keeps_values)
        *to++ = in[i];
      else
        *to++ = {i, is_of_two};
    };
    walk_sets<Rule>(
        one, a, two, b, count, less, more, [&, in = one](std::size_t i) { keep(in, i, false); },
        [&, in = two](std::size_t k) { keep(in, k, true); });
    outcome.size = static_cast<std::size_t>(to - outcome.kept.data());
  }
  void take(Outcome& outcome) noexcept {
    outcome.place = total;
    total += outcome.size;
  }
  void after(const Outcome& outcome) const {
    Out to = ahead(out, outcome.place);
    for (std::size_t k = 0; k < outcome.size; ++k, ++to) {
      const Kept& kept = outcome.kept[k];
      if constexpr (k_keeps_values)
        write_to(to, static_cast<const typename In1::Value&>(kept));
      else if (kept.is_of_two)
        write_to(to, two[kept.index]);
      else
        write_to(to, one[kept.index]);
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
  std::vector<Cut> cuts; // begins of the tiles, then the end of the last tile

  /// Returns the begin of the tile that starts at `count` merged elements: in both inputs in front of all
  /// equal elements.
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
  /// Returns the cut of both inputs at one[i], in front of equal elements if both inputs have some. Compares
  /// elements of one input with elements of the other only, as the comparison need not take two of one input.
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
            using One = decltype(invoke(proj1, in[0]));
            using Two = decltype(invoke(proj2, two[0]));
            const HeldCall<Proj1, typename In::Reference> of_one{proj1};
            const HeldCall<Proj2, typename In2::Reference> of_two{proj2};
            const auto less = [own = HeldCall<Comp, One, Two>{comp}, of_one, of_two](auto&& a,
                                                                                     auto&& b) -> bool {
              return own.f(invoke(of_one.f, a), invoke(of_two.f, b));
            };
            const auto more = [own = HeldCall<Comp, Two, One>{comp}, of_one, of_two](auto&& b,
                                                                                     auto&& a) -> bool {
              return own.f(invoke(of_two.f, b), invoke(of_one.f, a));
            };
            total = write(policy, in, two, out, less, more);
          }
          return ahead(out, total);
        },
        std::forward<Rest>(rest)...);
  }

private:
  template <class Policy, class In, class In2, class Out, class LessThan, class MoreThan>
  static std::size_t write(const Policy& policy, const In& one, const In2& two, const Out& out,
                           const LessThan& less, const MoreThan& more) {
    constexpr double k_worth_us = 20;
    constexpr std::size_t k_tile = 16 * 1024;
    const std::size_t count = one.count + two.count;
    Span a{0, one.count}, b{0, two.count};
    std::size_t total = 0;
    const Start start = start_inline(policy, count, k_worth_us, [&](std::size_t begin, std::size_t end) {
      Out to = ahead(out, total);
      walk_sets<Rule>(
          one, a, two, b, end - (a.begin + b.begin), less, more,
          [&, in = one](std::size_t i) { write_to(to, in[i]), ++to; },
          [&, in = two](std::size_t k) { write_to(to, in[k]), ++to; });
      total = static_cast<std::size_t>(to - out);
      policy.advance(end - begin);
      return true;
    });
    if (start.done == count) return total;
    const In rest_of_one{one.at(a.begin), a.size()};
    const In2 rest_of_two{two.at(b.begin), b.size()};
    SetWork<Rule, In, In2, Out, LessThan, MoreThan> work{rest_of_one, rest_of_two, ahead(out, total), less,
                                                         more};
    const std::size_t rest = a.size() + b.size();
    policy.advance(count - start.done - rest);
    const std::size_t first =
        least(start.elements_in(k_filter_tile_us), rest / (8 * most_members(policy)), k_tile);
    const Tiling tiling = tiling_of(policy, rest, first, k_tile);
    work.cut(tiling);
    run_ordered(policy, tiling, members_in_turn(start), work);
    return total + work.total;
  }
};

} // namespace detail

/// set_union([policy,] elements, other elements, output [, comparison [, projections]]) -> the end of the
/// output, and so the others. Equal elements appear as often as in the standard.
inline constexpr detail::Entry<detail::SetOperation<detail::SetRule<true, true, true>>> set_union{};
inline constexpr detail::Entry<detail::SetOperation<detail::SetRule<false, false, true>>> set_intersection{};
inline constexpr detail::Entry<detail::SetOperation<detail::SetRule<true, false, false>>> set_difference{};
inline constexpr detail::Entry<detail::SetOperation<detail::SetRule<true, true, false>>>
    set_symmetric_difference{};

} // namespace v1
} // namespace wstree
