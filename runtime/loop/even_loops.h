// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brief loops whose members get equal parts, because looking for work costs more than it brings.
#pragma once

#include "even_choice.h"

#include "wstree/core/platform.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

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

  /// Clocks of two processors may differ by more than has passed: then it was nothing.
  static float to_float(std::uint64_t ticks) noexcept {
    return static_cast<float>(std::max(static_cast<std::int64_t>(ticks), std::int64_t{0}));
  }
};

/// What an iteration of a loop costs, as member 0 has seen it on the tree: for loops of about one size,
/// because small ones stay in the cache. Zeroed memory is a valid state.
class EvenCost {
public:
  /// Ticks of an iteration where members get `share` of them; 0: not known.
  float of(float share) const noexcept {
    const float known = ticks_[class_of(share)];
    return known != 0 ? known : usual_;
  }
  /// The most iterations of a share that is brief.
  std::uint64_t most(const core::Settings& settings) const noexcept {
    constexpr float k_most = 1e12F;
    return usual_ <= 0 ? 0 : static_cast<std::uint64_t>(std::min(longest(settings) / usual_, k_most));
  }
  /// False: the loop is another one than before, or not brief.
  bool learn(const EvenShare& share, const core::Settings& settings) noexcept {
    if (share.in_equal_parts) return true;
    float& known = ticks_[class_of(share.share)];
    // One that took no longer than a steal is short whatever an iteration costs.
    if (known != 0 && share.ticks <= static_cast<float>(settings.steal_cost)) return true;
    const float now = share.ticks / std::max(share.done, 1.0F);
    adapt(usual_, now);
    return adapt(known, now) && share.share * known <= longest(settings);
  }

private:
  static constexpr unsigned k_classes = 8; // by powers of two, which come again
  static unsigned class_of(float share) noexcept {
    return (std::bit_cast<std::uint32_t>(share) >> 23) % k_classes;
  }
  static float longest(const core::Settings& settings) noexcept {
    return core::tuning::k_even_brief * static_cast<float>(settings.shortest_target);
  }
  static bool adapt(float& known, float now) noexcept {
    if (known == 0) known = now;
    const bool is_like = std::max(now, known) <= core::tuning::k_like_before * std::min(now, known);
    known = is_like ? known + (now - known) * core::tuning::k_weight : now;
    return is_like;
  }

  float usual_ = 0;
  std::array<float, k_classes> ticks_{};
};

/// The regions that one place in the code opens, as the opener knows them, if all loops of a region are
/// brief. Zeroed memory is a valid state.
class EvenRegion {
public:
  EvenRegion() = default;
  /// `prefers_even`: what has turned out to be better at most other places.
  explicit EvenRegion(bool prefers_even) noexcept : choice_(prefers_even) { plan_.even = prefers_even; }
  const EvenPlan& plan() const noexcept { return plan_; }

  /// Before the fork. False: no region here has had loops, so nobody needs to look at the clock.
  bool open() noexcept {
    now_ = {};
    is_strange_ = has_even_ = false;
    return has_loops_;
  }
  /// By member 0, in the region: it leaves loop number `loop`.
  void note(std::uint32_t loop, const EvenShare& share, const core::Settings& settings) noexcept {
    has_loops_ = true;
    has_even_ |= share.in_equal_parts;
    EvenCost& cost = costs_[loop];
    if (!cost.learn(share, settings)) is_strange_ = true;
    const std::uint64_t most = cost.most(settings);
    // Written only where it matters: all members read it.
    if (most > 2 * plan_.most[loop] || plan_.most[loop] > 2 * most) {
      wanted_[loop] = most;
      changed_ |= 1U << loop;
    }
    now_.work += share.share * cost.of(share.share);
    now_.steal = static_cast<float>(settings.steal_cost);
  }
  /// After the join: the region of `members` took `ticks`. Returns whether equal parts have turned out to be
  /// better here (1) or worse (-1); 0: nothing new.
  int close(float ticks, std::uint32_t members) noexcept {
    if (members != members_) { // of another team nothing is known
      choice_ = EvenChoice(members_ == 0 && choice_.is_even());
      members_ = members;
    }
    int verdict = 0;
    // A loop that is not brief, or another one than before, says nothing.
    if (now_.work > 0 && !is_strange_ && plan_.even == has_even_) {
      now_.ticks = ticks;
      verdict = choice_.judge(now_, has_even_ && choice_.objects(now_, 1), members);
    } else if (is_strange_) {
      choice_.doubt(); // nobody will see how equal parts fare
    }
    plan_.even = choice_.is_even();
    for (std::uint32_t loop = 0; changed_ != 0; ++loop, changed_ >>= 1)
      if ((changed_ & 1) != 0) plan_.most[loop] = wanted_[loop];
    return verdict;
  }

private:
  alignas(core::k_line_pair) EvenPlan plan_;
  // Private to the opener.
  alignas(core::k_line_pair) std::array<EvenCost, EvenPlan::k_loops> costs_{};
  std::array<std::uint64_t, EvenPlan::k_loops> wanted_{}; // for the plan
  std::uint32_t changed_ = 0;                             // bits of loops for which it is another one
  EvenChoice choice_;
  std::uint32_t members_ = 0; // of the team that all this is about
  bool has_loops_ = false;
  // Of the open region:
  bool is_strange_ = false;
  bool has_even_ = false;
  EvenChoice::Execution now_;
};

/// Those of one opener.
class EvenRegions {
public:
  /// Between regions. A place that falls on that of another one takes it.
  EvenRegion& at(const void* code) noexcept {
    const auto mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9E3779B97F4A7C15U;
    Place& place = places_[mixed >> (64 - k_bits)];
    if (place.code != code) {
      place.region = EvenRegion(balance_ > 0);
      place.code = code;
    }
    return place.region;
  }
  /// After the join of a region: what it has turned out to be.
  void note(int verdict) noexcept {
    balance_ = std::clamp(balance_ + verdict, -core::tuning::k_habit, core::tuning::k_habit);
  }

private:
  static constexpr unsigned k_bits = 10;
  struct Place {
    EvenRegion region;
    const void* code = nullptr;
  };
  int balance_ = 0; // of the latest verdicts
  std::array<Place, std::size_t{1} << k_bits> places_{};
};

} // namespace wstree::loop
