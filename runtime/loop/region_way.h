// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the members of an open region share its brief loops, if that changes while they are in it.
#pragma once

#include "way_choice.h"

#include "wstree/core/platform.h"

#include <atomic>
#include <cstdint>

namespace wstree::loop {

/// Member 0 says from which loop on the team goes another way. All members have to agree about every loop,
/// and need no other order than that of the ring: whoever starts a loop has seen that all members, member 0
/// among them, have started the one k_ring - 1 loops before it. So a change is for loops that nobody can have
/// started, and who starts one of them has seen it. The next change waits until nobody is before this one.
/// Where member 0 has failed to start a loop (the ring has ended, or there is no memory) it waits for nobody
/// any more, and stop() forbids further changes. Loops count from the region's first one.
template <class P, std::uint64_t k_ring> class RegionWay {
public:
  struct Choice {
    Way way = Way::tree;
    unsigned largest = 0; ///< size (EvenPlan::size_of) of the loops for which that holds; others: the tree
    bool operator==(const Choice&) const = default;
    Way of(unsigned size) const noexcept { return size <= largest ? way : Way::tree; }
  };

  /// While nobody is in the region.
  void open(Choice choice) noexcept {
    if (from_ == 0 && choice == now_) [[likely]]
      return;
    from_ = 0;
    now_ = choice;
    word_.store(pack(0, choice, choice), std::memory_order_relaxed); // ordered by the fork
  }

  /// Member 0 has started the loops before `next`, and is about to start that one: whether it may say a
  /// change.
  bool may_change(std::uint64_t next) const noexcept {
    return next >= k_ring && next - k_ring >= from_ && next < k_most;
  }
  /// Member 0: no further change in this region. Guard: model_team way_ends_2x6; property.round.ring_ends.
  void stop() noexcept { from_ = k_never; }
  bool has_stopped() const noexcept { return from_ == k_never; }
  /// Of the loop from which on the choice that was said last holds.
  std::uint64_t from() const noexcept { return from_; }
  const Choice& latest() const noexcept { return now_; }
  /// If it may.
  void change(std::uint64_t next, Choice choice) noexcept {
    from_ = next + k_ring - 1;
    // relaxed: T1 of loop `next` comes behind this, and T2 before loop `from_` is read for. Guard: model_team
    // way_* (a change one loop earlier, or a second one too soon, divides the team).
    word_.store(pack(from_, now_, choice), std::memory_order_relaxed);
    now_ = choice;
  }

  /// Any member that has started loop number `loop`; the same for all.
  Choice of(std::uint64_t loop) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed); // see change()
    return unpack(loop < word >> 2 * k_choice_bits ? word >> k_choice_bits : word);
  }

private:
  // | from | before it | from it on |
  static constexpr unsigned k_way_bits = 2;
  static constexpr unsigned k_size_bits = 6;
  static constexpr unsigned k_choice_bits = k_way_bits + k_size_bits;
  static constexpr std::uint64_t k_most = std::uint64_t{1} << 47; // further loops go the last way
  static constexpr std::uint64_t k_never = ~std::uint64_t{0};

  static std::uint64_t pack(Choice choice) noexcept {
    return std::uint64_t{choice.largest} << k_way_bits | static_cast<std::uint64_t>(choice.way);
  }
  static std::uint64_t pack(std::uint64_t from, Choice before, Choice after) noexcept {
    return (from << k_choice_bits | pack(before)) << k_choice_bits | pack(after);
  }
  static Choice unpack(std::uint64_t bits) noexcept {
    return {static_cast<Way>(bits & ((1U << k_way_bits) - 1)),
            static_cast<unsigned>(bits >> k_way_bits & ((1U << k_size_bits) - 1))};
  }

  // Written by member 0, seldom.
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> word_{0};
  // Private to it, and to the opener, which is the same thread.
  alignas(core::k_line_pair) std::uint64_t from_ = 0;
  Choice now_;
};

} // namespace wstree::loop
