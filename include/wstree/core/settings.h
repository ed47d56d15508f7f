// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree's settings that a user can choose, and durations in ticks.
#pragma once

#include "wstree/core/extrema.h"

#include <cstdint>

namespace wstree::core {

/// Order in which a worker looks for work (the paper, section 4 and appendix A.2).
enum class Strategy : std::uint8_t {
  predefined,  ///< left to right; the victim goes on with the left child, the thief with the right one
  assign,      ///< direction at level l by bit l of the worker's index, for both
  assign_top,  ///< as assign above level log2 P, below it by a coin
  random_walk, ///< search by a coin, children as predefined
  random_all,  ///< everything by a coin
  find_max,    ///< the node with most left to do
};

/// The rule by which an owner sizes the batches that it takes from its node.
enum class BatchMode : std::uint8_t {
  timed,       ///< as many units as fill a target time
  exponential, ///< 1, 2, 4, ... max, from 1 again in every node (the paper, section 4)
  fixed,       ///< always n
  random,      ///< exponential, from the left or the right end by a coin (appendix A.4)
};

/// Returns a duration for the settings: at most so many ticks that four times as many have room beside
/// a sign.
constexpr std::uint64_t setting_of(std::uint64_t ticks) noexcept {
  return std::min(ticks, std::uint64_t{1} << 60);
}

/// Returns the ticks of the Platform in `nanoseconds`, which are at most a second; at least 1. A constant for
/// StdPlatform on x86-64. On AArch64 the frequency of the counter is read, and nothing is divided.
template <class P> constexpr std::uint64_t ticks_in(std::uint64_t nanoseconds) noexcept {
  const std::uint64_t ticks = nanoseconds * P::ticks_per_ms() / 1'000'000;
  return ticks != 0 ? ticks : 1;
}

struct Settings {
  Strategy strategy = Strategy::find_max;
  BatchMode batch = BatchMode::timed;
  std::uint64_t limit = 4096; ///< iterations: n of fixed, max of exponential and random
  /// Durations in ticks of the Platform, for `timed`. These values are for 2.5 ticks a nanosecond.
  std::uint64_t shortest_target = 2'500; ///< target at the start of a loop
  std::uint64_t longest_target = 50'000; ///< and after a while
  std::uint64_t tail_batch = 1'500;      ///< the end of a node is not cut finer than this
  std::uint64_t steal_cost = 500;        ///< work estimated to take less than a steal is left to its owner
  std::uint64_t near_enough = 5'000;     ///< work estimated to take less counts as none when distances
                                         ///< are weighed
  std::uint64_t patience =
      250'000'000;             ///< longest wait of a member for a slot; then the ring ends (loop/ring_end.h)
  std::uint32_t roots = 0;     ///< number of the tree's roots; 0: one per member. The paper has 1
  std::uint32_t scan_all = 16; ///< roots that a search looks at one by one; with more it reads the board
  bool clocked = true;         ///< measure busy time even if the batch mode does not need it
  bool history = true;         ///< loops start from the prior of their code location (tree, find_max, timed)

  /// Sets all durations to the same times by another clock: `ticks(n)` returns the ticks in n nanoseconds.
  template <class Ticks> constexpr void set_durations(const Ticks& ticks) noexcept {
    shortest_target = ticks(1'000);
    longest_target = ticks(20'000);
    tail_batch = ticks(600);
    steal_cost = ticks(200);
    near_enough = ticks(2'000);
    patience = ticks(100'000'000);
  }
};

/// Returns settings with durations by the Platform's clock.
template <class P> constexpr Settings settings_by_clock() noexcept {
  Settings settings;
  settings.set_durations(ticks_in<P>);
  return settings;
}

} // namespace wstree::core
