// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are made in parallel, and taken strictly from left to right by one member after another.
#pragma once

#include "wstree/parallel/inline_start.h"
#include "wstree/parallel/ordered.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// For run_ordered(): get(offset), get(offset + 1), ... are made in parallel, step(i, value) takes them
/// in order.
template <class Get, class Step> struct SequenceWork {
  Get& get;
  Step& step;
  std::size_t offset;
  struct Kept {
    std::remove_cvref_t<decltype(std::declval<Get&>()(std::size_t{0}))> value; // bools, too, a byte each
  };
  struct Outcome {
    std::size_t first = 0;
    std::vector<Kept> values;
  };
  void make(const Tile& tile, Outcome& outcome) const {
    outcome.values.clear();
    outcome.first = tile.begin + offset;
    for (std::size_t i = tile.begin; i < tile.end; ++i) outcome.values.push_back(Kept{get(i + offset)});
  }
  void take(Outcome& outcome) const {
    std::size_t i = outcome.first;
    for (Kept& kept : outcome.values) step(i++, std::move(kept.value));
  }
  void after(const Outcome&) const noexcept {}
};

inline constexpr double k_sequence_worth_us = 12, k_sequence_tile_us = 8;
inline constexpr std::size_t k_sequence_tile = 8192;

/// The rest of `count` values, where the caller has stopped.
template <class Policy, class Get, class Step>
void finish_in_sequence(const Policy& policy, const Start& start, std::size_t count, Get& get, Step& step) {
  const std::size_t rest = count - start.done;
  const std::size_t first =
      least(start.elements_in(k_sequence_tile_us), rest / (8 * most_members(policy)), k_sequence_tile);
  SequenceWork<Get, Step> work{get, step, start.done};
  run_ordered(policy, tiling_of(policy, rest, first, k_sequence_tile), members_in_turn(start), work);
}

/// step(0, get(0)), step(1, get(1)), ... below `count`, one after another; get() is called in parallel.
template <class Policy, class Get, class Step>
void in_sequence(const Policy& policy, std::size_t count, Get& get, Step step) {
  const Start start =
      start_inline(policy, count, k_sequence_worth_us, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) step(i, get(i));
        policy.advance(end - begin);
        return true;
      });
  if (start.done < count) finish_in_sequence(policy, start, count, get, step);
}

} // namespace detail
} // namespace v1
} // namespace wstree
