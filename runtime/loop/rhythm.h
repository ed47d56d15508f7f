// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loop of a region is which, for members that have no names in common for them.
#pragma once

#include "team_storage.h"

#include "wstree/core/platform.h"

#include <array>
#include <cstdint>

namespace wstree::loop {

/// What all members agree on about a loop is how many they have started in the region before it: they need
/// not even come to it through the same code. So the first loops of a region are told apart by their number.
/// A region that goes on and on has a loop over time steps inside, mostly, which executes the same few loops
/// in turn: one member, the planner, watches its own code locations for that, and once it has seen two
/// rounds, loops are told apart by their place in a round.
template <class P, class Sizes = UsualSizes> class Rhythm {
public:
  static constexpr std::uint32_t k_unknown = ~std::uint32_t{0};

  /// Before the fork of a region.
  void open() noexcept {
    if (word_.load(std::memory_order_relaxed) != 0) // ordered by the join before and by the fork
      word_.store(0, std::memory_order_relaxed);    // likewise
    period_ = seen_ = run_ = 0;
  }

  /// Loop `loop` of a region whose first one is `base`; the same for all members, also where it is k_unknown.
  /// Any member, after it has made sure that the loop's slot is free.
  std::uint32_t place(std::uint64_t loop, std::uint64_t base) const noexcept {
    // [H4] relaxed: the word says all there is to say; that it is seen by whom it concerns follows from T1
    // and
    //      T2, as for plans (loop_record.h). Guard: model_team rhythm_2x12 (published for an earlier loop,
    //      members disagree).
    const std::uint64_t word = word_.load(P::order(core::Tag::publish_period, std::memory_order_relaxed));
    const std::uint64_t number = loop - base;
    if (word != 0 && loop >= word >> k_period_bits)
      return static_cast<std::uint32_t>(k_first_loops + number % (word & k_longest));
    return number < k_first_loops ? static_cast<std::uint32_t>(number) : k_unknown;
  }

  /// By the planner, before others can know that it enters `loop`, at code location `caller`; `farthest`: the
  /// last loop that anybody can be in.
  void watch(const void* caller, std::uint64_t iterations, std::uint64_t farthest) noexcept {
    const std::uint64_t sign = reinterpret_cast<std::uintptr_t>(caller) * 31 + iterations;
    if (period_ != 0 && seen_ >= period_ && signs_[(seen_ - period_) % k_longest] == sign)
      ++run_;
    else
      find_period(sign);
    signs_[seen_++ % k_longest] = sign;
    if (seen_ > k_first_loops && run_ >= 2 * period_ && period_ != 0 &&
        word_.load(std::memory_order_relaxed) == 0) // only this member writes it
      word_.store((farthest + 1) << k_period_bits | period_,
                  P::order(core::Tag::publish_period, std::memory_order_relaxed)); // H4
  }

private:
  static constexpr std::uint32_t k_first_loops = Sizes::k_first_loops;
  static constexpr unsigned k_period_bits = 5;
  static constexpr std::uint32_t k_longest = (1U << k_period_bits) - 1; // loops in a round

  void find_period(std::uint64_t sign) noexcept {
    run_ = 0;
    const std::uint32_t most = seen_ < k_longest ? seen_ : k_longest;
    for (period_ = 1; period_ <= most; ++period_) {
      if (signs_[(seen_ - period_) % k_longest] != sign) continue;
      run_ = 1;
      return;
    }
    period_ = 0;
  }

  /// | first loop that counts by it:59 | loops in a round:5 |, or 0. Read by all at each loop, and hardly
  /// ever written.
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> word_{0};
  // Private to the planner, and written at each loop.
  alignas(core::k_line_pair) std::uint32_t period_ = 0;
  std::uint32_t seen_ = 0; // loops of the region
  std::uint32_t run_ = 0;  // of them in a row that were as one period before
  std::array<std::uint64_t, k_longest> signs_{};
};

} // namespace wstree::loop
