// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brief loops whose members get equal parts, because looking for work costs more than it brings.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace wstree::loop {

/// What is decided of the first loops of an open region, by their order in it. All members go by it, and have
/// no time to agree about anything else: the opener writes it between regions.
struct EvenPlan {
  static constexpr std::uint32_t k_loops = 8;

  /// A loop of so many iterations.
  bool is_brief(std::uint32_t loop, std::uint64_t iterations, std::uint32_t members) const noexcept {
    return iterations <= most[loop] * members;
  }

  bool even = false;                         ///< loops that are brief are executed in equal parts
  std::array<std::uint64_t, k_loops> most{}; ///< iterations of a member, if the loop is brief
};

/// What member 0 did in a loop. It is the thread that opens and closes the region.
struct EvenShare {
  float share = 0; ///< iterations for each member
  float done = 0;  ///< on the tree: those that this one executed,
  float ticks = 0; ///< and what they took
  bool in_equal_parts = false;
};

/// The regions that one place in the code opens, as the opener knows them. If all loops of a region are
/// brief, the tree has them, or their members get equal parts: whichever takes less time from fork to join.
/// The other way is tried now and then, ever less often as long as it is worse, and given up at once if it is
/// far worse. If equal parts suddenly take far longer, the tree has the loops for as many executions as that
/// has cost steals: a steal is about what equal parts save in each. Zeroed memory is a valid state.
class EvenRegion {
public:
  const EvenPlan& plan() const noexcept { return plan_; }

  /// Before the fork. False: no region here has had loops, so nobody needs to look at the clock.
  bool open() noexcept {
    work_ = 0;
    is_strange_ = has_even_ = false;
    return has_loops_;
  }
  /// By member 0, in the region: it leaves loop number `loop`.
  void note(std::uint32_t loop, const EvenShare& share, const core::Settings& settings) noexcept {
    has_loops_ = true;
    float& cost = costs_[loop];
    if (share.in_equal_parts) {
      has_even_ = true;
    } else {
      const float now = share.ticks / std::max(share.done, 1.0F);
      const bool is_like = std::max(now, cost) <= core::tuning::k_like_before * std::min(now, cost);
      cost = is_like ? cost + (now - cost) * core::tuning::k_weight : now;
      const float longest = core::tuning::k_brief * static_cast<float>(settings.shortest_target);
      if (!is_like || share.share * cost > longest) is_strange_ = true;
      if (cost > 0) plan_next(loop, longest / cost);
    }
    work_ += share.share * cost;
    steal_ = static_cast<float>(settings.steal_cost);
  }
  /// After the join: the region of `members` took `ticks`.
  void close(float ticks, std::uint32_t members) noexcept {
    if (members != members_) { // of another team nothing is known
      records_ = {};
      trial_ = wait_ = between_ = 0;
      prefers_even_ = plan_.even = false;
      members_ = members;
    }
    // A loop that is not brief, or another one than before, says nothing.
    if (work_ > 0 && !is_strange_ && plan_.even == has_even_) {
      judge(ticks, members);
      plan_.even = trial_ != 0 ? !prefers_even_ : prefers_even_;
    }
    if (changed_ != 0) apply();
  }

private:
  /// What one way takes beyond the work of member 0: the way in and out, and waiting for the others.
  struct Record {
    float mean = 0; // in ticks
    std::uint32_t count = 0;
    void add(float now) noexcept {
      ++count;
      mean += (now - mean) / static_cast<float>(std::min(count, core::tuning::k_trial));
    }
  };

  void judge(float ticks, std::uint32_t members) noexcept {
    const Record& preferred = records_[prefers_even_ ? 1 : 0];
    const bool is_overdue = plan_.even && preferred.count >= core::tuning::k_trial && is_far_worse(ticks);
    records_[plan_.even ? 1 : 0].add(
        std::min(ticks - work_, preferred.count == 0 ? ticks : 2 * preferred.mean + work_));
    if (trial_ != 0) {
      if (--trial_ == 0 || is_overdue) decide(is_overdue, members);
    } else if (is_overdue) {
      prefers_even_ = false;
      records_[0] = {};
      wait_ = 0;
    } else if (wait_ != 0) {
      --wait_;
    } else if (preferred.count >= core::tuning::k_trial) { // there is something to compare with
      trial_ = core::tuning::k_trial;
      records_[prefers_even_ ? 0 : 1] = {};
    }
    if (is_overdue) wait_ = std::max(wait_, to_pay());
  }
  /// Executions on the tree for what is owed, which is paid thereby.
  std::uint32_t to_pay() noexcept {
    return static_cast<std::uint32_t>(
        std::min(std::exchange(owed_, 0.0F) / steal_, core::tuning::k_most_wary));
  }
  /// Equal parts have taken `ticks`. Once may be chance: somebody was interrupted. Twice, before they have
  /// saved as much again, is not.
  bool is_far_worse(float ticks) noexcept {
    const float usual = work_ + (prefers_even_ ? yardstick_ : records_[0].mean);
    const float excess = ticks - core::tuning::k_far_worse * usual - steal_;
    const bool owes = owed_ > 0;
    owed_ = excess > 0 ? owed_ + excess : std::max(owed_ - steal_, 0.0F);
    return owes && excess > 0;
  }
  /// The trial is over.
  void decide(bool is_overdue, std::uint32_t members) noexcept {
    trial_ = 0;
    yardstick_ = records_[1].mean;
    const std::uint32_t soonest = std::max(core::tuning::k_between_trials, 16 * members);
    const Record& other = records_[prefers_even_ ? 0 : 1];
    if (!is_overdue && other.mean < records_[prefers_even_ ? 1 : 0].mean) {
      prefers_even_ = !prefers_even_;
      between_ = 0;
    } else {
      between_ = std::min(2 * between_, core::tuning::k_longest_between_trials);
    }
    wait_ = between_ = std::max(between_, soonest);
  }

  void plan_next(std::uint32_t loop, float most) noexcept {
    constexpr float k_most = 1e12F;
    const auto wanted = static_cast<std::uint64_t>(std::min(most, k_most));
    // Written only where it matters: all members read it.
    if (wanted > 2 * plan_.most[loop] || plan_.most[loop] > 2 * wanted) {
      wanted_[loop] = wanted;
      changed_ |= 1U << loop;
    }
  }
  void apply() noexcept {
    for (std::uint32_t loop = 0; changed_ != 0; ++loop, changed_ >>= 1)
      if ((changed_ & 1) != 0) plan_.most[loop] = wanted_[loop];
  }

  alignas(core::k_line_pair) EvenPlan plan_;
  // Private to the opener.
  alignas(
      core::k_line_pair) std::array<float, EvenPlan::k_loops> costs_{}; // ticks of an iteration, on the tree
  std::array<std::uint64_t, EvenPlan::k_loops> wanted_{};               // for the plan
  std::uint32_t changed_ = 0;       // bits of loops for which it is another one
  std::array<Record, 2> records_{}; // on the tree, in equal parts
  std::uint32_t wait_ = 0;          // executions until the next trial
  std::uint32_t between_ = 0;
  std::uint32_t trial_ = 0; // executions left of one; 0: there is none
  float yardstick_ = 0;     // the mean of equal parts after the latest trial: costs may grow little by little
  float owed_ = 0;          // ticks that equal parts have taken too long, and not saved again
  std::uint32_t members_ = 0; // of the team that all this is about
  bool prefers_even_ = false;
  bool has_loops_ = false;
  // Of the open region:
  bool is_strange_ = false;
  bool has_even_ = false;
  float work_ = 0;  // ticks that its loops should take
  float steal_ = 0; // ticks of a steal
};

/// Those of one opener.
class EvenRegions {
public:
  /// Between regions. A place that falls on that of another one takes it.
  EvenRegion& at(const void* code) noexcept {
    const auto mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9E3779B97F4A7C15U;
    Place& place = places_[mixed >> (64 - k_bits)];
    if (place.code != code) {
      place.region = {};
      place.code = code;
    }
    return place.region;
  }

private:
  static constexpr unsigned k_bits = 10;
  struct Place {
    EvenRegion region;
    const void* code = nullptr;
  };
  std::array<Place, std::size_t{1} << k_bits> places_{};
};

} // namespace wstree::loop
