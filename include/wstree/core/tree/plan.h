// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known about a loop before it begins, because it has been executed before.
#pragma once

#include "wstree/core/platform.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace wstree::core {

/// How the units of a loop are laid out over the roots of its tree, and what they are expected to take.
/// Constant while any member is in a loop that uses it; all members of one execution use the same plan, or
/// none of them has one. It decides where members begin and how often they look at the clock: what turns out
/// to be wrong is stolen as ever, for no batch is larger than one without a plan may be.
struct Plan {
  const std::uint64_t* begins = nullptr; ///< first unit of each root, and behind the last one all units
  const float* costs = nullptr;          ///< ticks per unit, by bins of 2^shift units
  unsigned shift = 0;
  float share = 0;       ///< ticks of one member's part
  bool is_sure = false;  ///< several executions in a row have been as they were expected
  bool is_short = false; ///< and each part is so short that a look at the clock is too much for a batch

  float cost_at(std::uint64_t unit) const noexcept { return costs[unit >> shift]; }
  /// Whether `ticks` is what `units` units from `begin` on were expected to take, give or take `slack`. Of a
  /// batch that reaches into the next bin the first unit counts.
  bool foresaw(std::uint64_t begin, std::uint32_t units, std::uint64_t ticks, float slack) const noexcept {
    const float expected = cost_at(begin) * static_cast<float>(units);
    const auto seen = static_cast<float>(ticks);
    return seen < k_wrong * expected + slack && expected < k_wrong * seen + slack;
  }

private:
  static constexpr float k_wrong = 2.5F; // iterations of one bin differ, too
};

/// Where the time of a loop goes: ticks by place, in bins of 2^shift units. Any member adds to it while the
/// loop runs, and one member reads it afterwards. Estimates: two members that add to the same bin at the same
/// time may lose one of their additions.
template <class P> class CostBins {
public:
  using Bin = typename P::template Atomic<std::uint32_t>;

  /// Over `units` units, in at most `capacity` bins that the caller owns, as it does one more behind them:
  /// that of iteration n-1, which whoever has the end of the loop mostly executes.
  CostBins(Bin* bins, std::uint32_t capacity, std::uint64_t units) noexcept : bins_(bins) {
    while ((units - 1) >> shift_ >= capacity) ++shift_;
    count_ = static_cast<std::uint32_t>(((units - 1) >> shift_) + 1);
  }

  std::uint32_t count() const noexcept { return count_; }
  unsigned shift() const noexcept { return shift_; }
  /// Units in a bin.
  std::uint64_t width(std::uint32_t bin, std::uint64_t units) const noexcept {
    return std::min(units - (std::uint64_t{bin} << shift_), std::uint64_t{1} << shift_);
  }

  /// `units` > 0 units from `begin` on took `ticks` together.
  void add(std::uint64_t begin, std::uint32_t units, std::uint64_t ticks) noexcept {
    const std::uint64_t first = begin >> shift_;
    const std::uint64_t last = (begin + units - 1) >> shift_;
    if (first == last) return add(first, static_cast<float>(ticks));
    const float each = static_cast<float>(ticks) / static_cast<float>(units);
    for (std::uint64_t bin = first; bin <= last; ++bin) {
      const std::uint64_t from = std::max(begin, bin << shift_);
      const std::uint64_t past = std::min(begin + units, (bin + 1) << shift_);
      add(bin, each * static_cast<float>(past - from));
    }
  }
  /// Iteration n-1 took `ticks`.
  void add_last(std::uint64_t ticks) noexcept { put(bins_[count_], static_cast<float>(ticks)); }

  /// What was added to the bin since it was last asked.
  float take(std::uint32_t bin) noexcept { return take(bins_[bin]); }
  float take_last() noexcept { return take(bins_[count_]); }

private:
  // [H2] relaxed everywhere: an estimate that nothing else depends on; what is read has been ordered by the
  //      reader's knowing that the members have left the loop (T2, or the join of the region). Guard: none is
  //      possible, any value is allowed; unit tests hold that nothing is lost where members do not meet.
  static void put(Bin& bin, float value) noexcept {
    bin.store(std::bit_cast<std::uint32_t>(value), P::order(Tag::add_cost, std::memory_order_relaxed));
  }
  static float get(const Bin& bin) noexcept {
    return std::bit_cast<float>(bin.load(P::order(Tag::add_cost, std::memory_order_relaxed)));
  }
  static float take(Bin& bin) noexcept {
    const float value = get(bin);
    if (value != 0) put(bin, 0);
    return value;
  }
  void add(std::uint64_t bin, float ticks) noexcept { put(bins_[bin], get(bins_[bin]) + ticks); }

  Bin* bins_;
  std::uint32_t count_;
  unsigned shift_ = 0;
};

/// What a member brings along into a loop that was executed before; it outlives the loop.
template <class P> struct Learned {
  const Plan* plan = nullptr;  ///< the same for all members; nullptr: equal shares
  CostBins<P>* bins = nullptr; ///< nullptr: what this execution costs is not asked for
};

} // namespace wstree::core
