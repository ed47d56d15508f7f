// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member's side of the memory of loops: what it takes from the plan, and what it tells about this
// execution.
#pragma once

#include "wstree/core/scheduler.h"
#include "wstree/core/shape.h"
#include "wstree/core/tree/plan.h"

#include <cstdint>

namespace wstree::core {

/// Nothing is known about the loop, and nobody wants to know what it costs.
struct NoForecast {
  struct Known {};
  static void enter(const Known&, Shape&, const Entry&) noexcept {}
  static constexpr bool is_recording() noexcept { return false; }
  static void record(std::uint64_t, std::uint32_t, std::uint64_t) noexcept {}
  static void record_last(std::uint64_t) noexcept {}
  static constexpr bool confirms(std::uint64_t, std::uint32_t, std::uint64_t, float) noexcept {
    return false;
  }
  static constexpr float share() noexcept { return 0; }
  static constexpr bool is_short() noexcept { return false; }
  static constexpr bool leaves_last() noexcept { return false; }
};

/// How far a member trusts the plan in the present loop.
enum class Trust : std::uint8_t {
  none,      ///< there is no plan, or two batches in a row did not take what it says
  given,     ///< the member has not compared a batch with it yet
  confirmed, ///< the latest batch took what the plan says
  shaken,    ///< the latest batch did not; the member may have been interrupted
};

template <class P> class MemberForecast {
public:
  using Known = Learned<P>;

  void enter(const Known& known, Shape& shape, const Entry& entry) noexcept {
    plan_ = known.plan;
    bins_ = known.bins;
    trust_ = Trust::none;
    if (plan_ == nullptr) return;
    shape.lay_out(plan_->begins);
    trust_ = Trust::given;
    has_end_ = entry.index + 1 == entry.members;
  }

  /// Whether this execution is measured for the next ones.
  bool is_recording() const noexcept { return bins_ != nullptr; }
  /// Units from `begin` on took `ticks`.
  void record(std::uint64_t begin, std::uint32_t units, std::uint64_t ticks) noexcept {
    bins_->add(begin, units, ticks | 1); // what was never executed has none
  }
  /// Iteration n-1 did.
  void record_last(std::uint64_t ticks) noexcept { bins_->add_last(ticks | 1); }

  /// Compares a batch with the plan. True: it was foreseen.
  bool confirms(std::uint64_t begin, std::uint32_t units, std::uint64_t ticks, float slack) noexcept {
    if (trust_ == Trust::none) return false;
    if (plan_->foresaw(begin, units, ticks, slack))
      trust_ = Trust::confirmed;
    else
      trust_ = trust_ == Trust::shaken ? Trust::none : Trust::shaken;
    return trust_ == Trust::confirmed;
  }

  /// Each member's part of the loop is too short to look at the clock for each batch.
  bool is_short() const noexcept { return trust_ != Trust::none && plan_->is_short; }
  /// Ticks of such a part.
  float share() const noexcept { return plan_->share; }
  /// Whoever has the end of a short loop comes by iteration n-1; to look whether it did costs more than it
  /// takes.
  bool leaves_last() const noexcept { return trust_ == Trust::confirmed && plan_->is_short && !has_end_; }

private:
  const Plan* plan_ = nullptr;  // nullptr: nothing is known about the loop
  CostBins<P>* bins_ = nullptr; // nullptr: nobody wants to know what it costs
  Trust trust_ = Trust::none;
  bool has_end_ = false; // of the loop
};

} // namespace wstree::core
