// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brief loops in equal parts inside of a region with many loops: steps of a simulation.
#pragma once

#include "even_loops.h"

#include "wstree/core/platform.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace wstree::loop {

/// What is decided of the loops of an open region from some loop on; all members go by the same. Member 0
/// writes, and everybody reads, without waiting for each other, because of the ring: who is about to start
/// loop k knows that all members have started loop k - ring at least.
///
/// - A decision that is published between loops k and k + 1 holds from loop k + 1 + ring on. Who starts that
///   one knows that member 0 has started loop k + 1.
/// - It replaces the last but one. Member 0 may write it when all members have started the loop from which on
///   the last one holds, or are about to: at k >= that one + ring - 1.
///
/// Numbers of loops go on from region to region, and have 64 bits: they never come again.
template <class P, std::uint64_t ring> class StepPlan {
public:
  /// Whether loop number `loop`, of so many iterations, is executed in equal parts.
  bool is_even(std::uint64_t loop, std::uint64_t iterations, std::uint32_t members) const noexcept {
    // [T8] relaxed: another thread's look at `from` matters only if it is at most `loop`. Then the ring has
    //      ordered the rest before; else this is the number before or after the write, and both are the
    //      wrong one. Guard: model_team steps_2x8 (a decision that holds one loop earlier).
    const std::uint64_t first =
        decisions_[0].from.load(P::order(core::Tag::step_plan, std::memory_order_relaxed));
    const std::uint64_t second =
        decisions_[1].from.load(P::order(core::Tag::step_plan, std::memory_order_relaxed));
    const bool is_second = second <= loop && (second > first || first > loop);
    return iterations <= decisions_[is_second ? 1 : 0].most * members;
  }
  /// Member 0 is between loops `loop` and the next one. `most`: iterations of a member, if a loop goes to
  /// nobody's tree. Returns from which loop on that holds.
  std::uint64_t publish(std::uint64_t loop, std::uint64_t most) noexcept {
    latest_ ^= 1;
    Decision& decision = decisions_[latest_];
    decision.most = most;
    decision.from.store(loop + 1 + ring, P::order(core::Tag::step_plan, std::memory_order_relaxed)); // T8
    return loop + 1 + ring;
  }
  /// Before the fork of a region whose first loop is number `base`: everything is the tree's.
  void reset(std::uint64_t base) noexcept {
    for (Decision& decision : decisions_) {
      decision.most = 0;
      decision.from.store(base, std::memory_order_relaxed); // ordered by the fork
    }
  }

private:
  struct Decision {
    typename P::template Atomic<std::uint64_t> from{0};
    typename P::template Plain<std::uint64_t> most{0}; // iterations of a member; 0: all loops are the tree's
  };
  alignas(core::k_line_pair) std::array<Decision, 2> decisions_{};
  std::uint32_t latest_ = 0; // member 0's
};

/// What member 0 knows of the steps of its region, in windows of as many loops as the ring has slots. A
/// window is to EvenChoice what a region is.
template <std::uint64_t ring> class EvenSteps {
public:
  static constexpr std::uint64_t k_as_before = ~std::uint64_t{0};

  EvenSteps() = default;
  /// `prefers_even`: what has turned out to be better in other regions.
  explicit EvenSteps(bool prefers_even) noexcept : choice_(prefers_even) {}

  /// Member 0 leaves loop number `loop` at `now`, and the region has `members`. `caller`: its code location.
  /// Returns what is to be published before the next loop (StepPlan), or k_as_before.
  std::uint64_t note(std::uint64_t loop, const void* caller, const EvenShare& share,
                     const core::Settings& settings, std::uint64_t now, std::uint32_t members) noexcept {
    if (std::exchange(members_, members) != members) choice_ = EvenChoice();
    const std::uint64_t since = std::exchange(last_, now);
    const bool follows = std::exchange(loop_, loop) + 1 == loop;
    EvenCost& cost = cost_of(caller);
    const bool is_usual = cost.learn(share, settings);
    most_ = std::min(most_, cost.most(settings));
    if (loop < begin_) return k_as_before; // another decision holds
    if (!follows || count_ == 0) start_window();
    if (!follows) return k_as_before; // when it began is not known
    EvenChoice::Execution one{EvenShare::to_float(now - since), share.share * cost.of(share.share),
                              static_cast<float>(settings.steal_cost)};
    is_strange_ |= !is_usual || share.in_equal_parts != is_even();
    all_.ticks += one.ticks;
    all_.work += one.work;
    all_.steal = one.steal;
    if (share.in_equal_parts && choice_.objects(one, 1.0F / ring)) is_overdue_ = true;
    if (++count_ < ring && !(is_overdue_ && may_publish(loop))) return k_as_before;
    return end_window(loop, std::exchange(is_overdue_, false), members);
  }
  /// `most` was published, and holds from loop number `from` on.
  void published(std::uint64_t most, std::uint64_t from) noexcept {
    published_ = most;
    begin_ = from;
  }

private:
  static constexpr std::size_t k_places = 8;

  EvenCost& cost_of(const void* caller) noexcept {
    const auto mixed = reinterpret_cast<std::uintptr_t>(caller) * 0x9E3779B97F4A7C15U;
    Place& place = places_[(mixed >> 32) % k_places];
    if (place.caller != caller) place = {caller, {}};
    return place.cost;
  }
  bool is_even() const noexcept { return published_ != 0; }
  bool may_publish(std::uint64_t loop) const noexcept { return loop + 1 >= begin_ + ring; }
  void start_window() noexcept {
    all_ = {};
    is_strange_ = false;
    count_ = 0;
  }
  std::uint64_t end_window(std::uint64_t loop, bool is_overdue, std::uint32_t members) noexcept {
    if (is_even() != choice_.is_even()) {
      // What holds is not what was wanted: it says nothing.
    } else if (!is_strange_ && all_.work > 0) {
      (void)choice_.judge(all_, is_overdue, members);
    } else {
      choice_.doubt();
    }
    count_ = 0;
    const std::uint64_t most = std::exchange(most_, ~std::uint64_t{0});
    const std::uint64_t wanted = choice_.is_even() ? most : 0;
    const bool is_another = wanted > 2 * published_ || published_ > 2 * wanted;
    return is_another && may_publish(loop) ? wanted : k_as_before;
  }

  struct Place {
    const void* caller = nullptr;
    EvenCost cost;
  };
  std::array<Place, k_places> places_{};
  EvenChoice choice_;
  EvenChoice::Execution all_; // the open window
  std::uint32_t count_ = 0;   // of its loops
  bool is_strange_ = false;
  bool is_overdue_ = false;
  std::uint32_t members_ = 0;   // of the team that all this is about
  std::uint64_t published_ = 0; // what holds from loop begin_ on
  std::uint64_t begin_ = 0;
  std::uint64_t most_ = ~std::uint64_t{0}; // iterations of a brief share, of the loop of which they cost most
  std::uint64_t loop_ = 0;                 // the latest one,
  std::uint64_t last_ = 0;                 // and when it was left
};

} // namespace wstree::loop
