// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nth_element, partial_sort
#pragma once

#include "wstree/parallel/partition.h"
#include "wstree/parallel/random_numbers.h"
#include "wstree/parallel/sort.h"

#include <algorithm>
#include <cstddef>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Elements of the rest that one thread selects from.
inline constexpr std::size_t k_selected_alone = 32 * 1024;

/// Puts the element that belongs at `nth` there, those that belong before it in front of it. A sorted sample
/// names two elements, between which the n-th one should be; the elements before, between and behind these
/// are parted, and the same is done with the part that has it.
template <class Policy, class Iterator, class Compare>
void select_element(const Policy& policy, Iterator first, std::size_t nth, std::size_t count, Compare& less,
                    call_site where) {
  if (policy.stop_requested() && throw_cancelled()) return;
  constexpr std::size_t k_sample = 512, k_margin = 24;
  constexpr unsigned k_most_rounds = 8;
  std::size_t begin = 0, end = count;
  if constexpr (k_moves_safely<Iterator>) {
    const par part = part_of(policy);
    const bool is_alone = most_members(policy) == 1;
    for (unsigned round = 0; !is_alone && end - begin > k_selected_alone && round < k_most_rounds; ++round) {
      std::size_t sample[k_sample];
      RandomNumbers random(round);
      for (std::size_t& i : sample) i = begin + static_cast<std::size_t>(random.below(end - begin));
      std::sort(sample, sample + k_sample,
                [&](std::size_t a, std::size_t b) { return less(*ahead(first, a), *ahead(first, b)); });
      const auto rank = static_cast<std::size_t>(static_cast<double>(nth - begin) /
                                                 static_cast<double>(end - begin) * k_sample);
      ByClass<3, 3, par, Iterator> classes(part, ahead(first, begin), end - begin, where);
      if (!classes.has_memory()) break;
      const auto& low = *ahead(first, sample[rank > k_margin ? rank - k_margin : 0]);
      const auto& high = *ahead(first, sample[least(rank + k_margin, k_sample - 1)]);
      const auto ends = classes.move([&](std::size_t i) -> unsigned {
        const auto& element = *ahead(first, begin + i);
        return less(element, low) ? 0U : less(high, element) ? 2U : 1U;
      });
      const std::size_t before = begin + ends.of[0], past = begin + ends.of[1];
      if (nth < before)
        end = before;
      else if (nth >= past)
        begin = past;
      else if (before == begin && past == end)
        break; // mostly equal elements
      else
        begin = before, end = past;
      if (policy.stop_requested() && throw_cancelled()) return;
    }
  }
  const auto by_reference = [&less](const auto& a, const auto& b) -> bool { return less(a, b); };
  std::nth_element(ahead(first, begin), ahead(first, nth), ahead(first, end), by_reference);
  policy.advance(count);
}

struct NthElement : Called, Finder, WithMiddle {
  template <class Policy, class In, class Middle, class Comp = Less, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, const Middle& nth, Comp comp = {},
                  Proj proj = {}) const {
    if constexpr (check_permutable<In>() && check_comparison<Comp, In, Proj>()) {
      auto less = by_projection<In>(comp, proj);
      const auto place = static_cast<std::size_t>(nth - in.first);
      if (place < in.count) select_element(policy, in.first, place, in.count, less, where);
    }
    return in.at(in.count);
  }
};

/// Sorts the elements that belong before `middle`.
struct PartialSort : Called, Finder, WithMiddle {
  template <class Policy, class In, class Middle, class Comp = Less, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, const Middle& middle, Comp comp = {},
                  Proj proj = {}) const {
    if constexpr (check_permutable<In>() && check_comparison<Comp, In, Proj>()) {
      auto less = by_projection<In>(comp, proj);
      const auto place = static_cast<std::size_t>(middle - in.first);
      if (policy.stop_requested() && throw_cancelled()) return in.at(in.count);
      if (in.count <= k_selected_alone || most_members(policy) == 1) {
        const auto by_reference = [&less](const auto& a, const auto& b) -> bool { return less(a, b); };
        std::partial_sort(in.first, middle, in.at(in.count), by_reference);
        policy.advance(in.count);
      } else if (place != 0) {
        if (place < in.count) select_element(policy, in.first, place, in.count, less, where);
        sort_elements<Stability::any>(part_of(policy), in.first, place, less);
        if (place == in.count) policy.advance(in.count);
      }
    }
    return in.at(in.count);
  }
};

} // namespace detail

/// nth_element([policy,] first, nth, last [, comparison [, projection]]), or a range and the n-th place
inline constexpr detail::Entry<detail::NthElement> nth_element{};
/// partial_sort([policy,] first, middle, last [, comparison [, projection]]), or a range and its middle
inline constexpr detail::Entry<detail::PartialSort> partial_sort{};

} // namespace v1
} // namespace wstree
