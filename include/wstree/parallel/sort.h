// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort, stable_sort
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/extrema.h"
#include "wstree/parallel/merge_tree.h"
#include "wstree/parallel/part_of.h"
#include "wstree/parallel/reorder.h"
#include "wstree/parallel/search.h"
#include "wstree/parallel/text_keys.h"
#include "wstree/parallel/total_order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// A call that its caller executes alone if it takes less.
inline constexpr double k_sort_worth_us = 60;
/// Texts that are worth a look at their beginnings.
inline constexpr std::size_t k_fewest_texts = 4096;

inline std::size_t bits_of(std::size_t n) noexcept {
  std::size_t bits = 0;
  for (; n != 0; n /= 2) ++bits;
  return bits;
}

/// Returns whether n elements are sorted before a team would pay: the caller compares a few neighbours.
template <class Iterator, class Compare> bool is_sorted_soon(Iterator first, std::size_t n, Compare& less) {
  constexpr std::size_t k_compared = 4, k_few = 200, k_many = 16 * 1024;
  if (n < k_few || n >= k_many) return n < k_few;
  std::uint64_t since = 0, last = 0;
  for (unsigned round = 0; round < 2; ++round) { // the second one finds the elements in the cache
    since = std::exchange(last, Clock::ticks());
    for (std::size_t k = 0; k < k_compared; ++k)
      static_cast<void>(static_cast<bool>(less(*ahead(first, k + 1), *ahead(first, k))));
  }
  since = std::exchange(last, Clock::ticks());
  const double each = static_cast<double>(core::elapsed(since, last)) / k_compared;
  return static_cast<double>(n * bits_of(n)) * each < k_sort_worth_us * Clock::ticks_per_us();
}

/// Sorts n elements from `first` on by less(a, b), which may throw: then they are in some order.
template <Stability k_stability, class Policy, class Iterator, class Compare>
void sort_elements(const Policy& policy, Iterator first, std::size_t n, Compare& less) {
  if (policy.stop_requested() && throw_cancelled()) return;
  const Iterator last = ahead(first, n);
  const auto alone = [&] {
    sort_by_standard<k_stability>(first, last, less);
    policy.advance(n);
  };
  if constexpr (!k_moves_safely<Iterator>) {
    return alone();
  } else {
    const std::size_t members = most_members(policy);
    if (members == 1 || n < 2 || is_sorted_soon(first, n, less)) return alone();
    const bool descends = less(*ahead(first, 1), *first);
    const Elements<std::size_t> pairs{1, n - 1};
    const par part = part_of(policy);
    if (search<Hit::any>(part, pairs, [&](std::size_t i) {
          return descends ? !less(*ahead(first, i), *ahead(first, i - 1))
                          : less(*ahead(first, i), *ahead(first, i - 1));
        }) == pairs.count) {
      if (descends) reverse_elements(part, first, 0, n, policy.where());
      return policy.advance(n);
    }
    if constexpr (k_is_text<std::iter_value_t<Iterator>> && k_is_less<Compare, std::iter_value_t<Iterator>>)
      if (n >= k_fewest_texts && TextSort<Iterator>::sort(policy, first, n)) return;
    MergeTree<k_stability, Policy, Iterator, Compare> tree(policy, first, n, merge_levels(n, members), less);
    tree.has_memory() ? tree.execute() : alone();
  }
}

template <Stability k_stability> struct Sort : Called, Finder {
  template <class Policy, class In, class Comp = Less, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Comp comp = {}, Proj proj = {}) const {
    if constexpr (check_permutable<In>() && check_comparison<Comp, In, Proj>()) {
      auto less = by_projection<In>(comp, proj);
      if constexpr (std::is_same_v<Proj, Identity>)
        sort_elements<k_stability>(policy, in.first, in.count, comp);
      else
        sort_elements<k_stability>(policy, in.first, in.count, less);
    }
    return in.at(in.count);
  }
};

} // namespace detail

/// sort([policy,] elements [, comparison [, projection]]) -> the end of the elements
inline constexpr detail::Entry<detail::Sort<detail::Stability::any>> sort{};
/// Sorts, and keeps equal elements in their order.
inline constexpr detail::Entry<detail::Sort<detail::Stability::stable>> stable_sort{};

} // namespace v1
} // namespace wstree
