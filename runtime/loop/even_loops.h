// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brief loops that are not executed on the tree, because looking for work costs more than it brings.
#pragma once

#include "looks.h"
#include "steps.h"
#include "way_choice.h"

#include "wstree/core/platform.h"
#include "wstree/core/settings.h"
#include "wstree/core/shape.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace wstree::loop {

/// What is decided of the first loops of an open region, by their order in it. All members go by it, and have
/// no time to agree about anything else: the opener writes it between regions.
struct EvenPlan {
  static constexpr std::uint32_t k_loops = 8;
  static unsigned size_of(std::uint64_t iterations, std::uint32_t members) noexcept {
    return std::min(static_cast<unsigned>(std::bit_width(core::quotient_of(iterations, members))),
                    k_sizes - 1);
  }
  /// A loop of so many iterations.
  bool is_brief(std::uint32_t loop, std::uint64_t iterations, std::uint32_t members) const noexcept {
    return iterations <= most[loop] * members;
  }

  std::array<Way, k_sizes> ways{}; ///< of loops that are brief, by the size of the region's first one
  std::array<std::uint64_t, k_loops> most{}; ///< iterations of a member, if the loop is brief
};

/// What member 0 did in a loop. It is the thread that opens and closes the region.
struct EvenShare {
  float share = 0; ///< iterations for each member
  float done = 0;  ///< on the tree: those that this one executed,
  float ticks = 0; ///< and what they took
  unsigned size = 0;
  Way way = Way::tree;

  /// A sum of times, each of which may be below zero where a clock went back (core::elapsed): then it was
  /// nothing.
  static float to_float(std::uint64_t ticks) noexcept {
    return static_cast<float>(std::max(static_cast<std::int64_t>(ticks), std::int64_t{0}));
  }
};

/// What an iteration of a loop costs, as member 0 has seen it on the tree: for loops of about one size,
/// because small ones stay in the cache. Zeroed memory is a valid state.
class EvenCost {
public:
  /// Ticks of an iteration of a loop of `size`; 0: not known.
  float of(unsigned size) const noexcept { return ticks_[size] != 0 ? ticks_[size] : usual_; }
  /// The most iterations of a share that is brief.
  std::uint64_t most(const core::Settings& settings) const noexcept {
    constexpr float k_most = 1e12F;
    return usual_ <= 0 ? 0 : static_cast<std::uint64_t>(std::min(longest(settings) / usual_, k_most));
  }
  /// False: the loop is another one than before, or not brief.
  bool learn(const EvenShare& share, const core::Settings& settings) noexcept {
    if (share.way != Way::tree) return true;
    float& known = ticks_[share.size];
    // One that took no longer than a steal is short whatever an iteration costs.
    if (known != 0 && share.ticks <= static_cast<float>(settings.steal_cost)) return true;
    const float now = share.ticks / std::max(share.done, 1.0F);
    adapt(usual_, now);
    return adapt(known, now) && share.share * known <= longest(settings);
  }

private:
  static float longest(const core::Settings& settings) noexcept {
    return core::tuning::k_even_brief * static_cast<float>(settings.shortest_target);
  }
  static bool adapt(float& known, float now) noexcept {
    if (known == 0) known = now;
    const bool is_like = std::max(now, known) <= core::tuning::k_like_before * std::min(now, known);
    // Far more than before is believed by and by: somebody may have been interrupted.
    known = is_like ? known + (now - known) * core::tuning::k_weight : std::min(now, 2 * known);
    return is_like;
  }

  float usual_ = 0;
  std::array<float, k_sizes> ticks_{};
};

/// The regions that one place in the code opens, as the opener knows them, if all loops of a region are
/// brief. Zeroed memory is a valid state.
class EvenRegion {
public:
  EvenRegion() = default;
  /// `preferred`: what has turned out to be better at most other places.
  explicit EvenRegion(Way preferred) noexcept {
    plan_.ways.fill(preferred);
    choices_.fill(WayChoice(preferred));
    steps_ = Steps(preferred);
  }
  const EvenPlan& plan() const noexcept { return plan_; }
  Steps& steps() noexcept { return steps_; } ///< of the loops behind the plan

  /// Before the fork. False: no region here has had loops, or this one is like those before; so nobody needs
  /// to look at the clock.
  bool open() noexcept {
    is_seen_ = looks_.open();
    if (!is_seen_) return false;
    now_ = {};
    is_strange_ = has_noted_ = false;
    size_ = 0;
    way_ = Way::tree;
    return has_loops_;
  }
  /// By member 0, in the region: it leaves loop number `loop`.
  void note(std::uint32_t loop, const EvenShare& share, const core::Settings& settings) noexcept {
    if (!is_seen_) return;
    has_loops_ = true;
    if (!has_noted_) {
      way_ = share.way;
      if (loop == 0) size_ = share.size; // as the members know it
    }
    has_noted_ = true;
    EvenCost& cost = costs_[loop];
    if (!cost.learn(share, settings) || (share.way == Way::tree) != (way_ == Way::tree)) is_strange_ = true;
    const std::uint64_t most = cost.most(settings);
    // Written only where it matters: all members read it.
    if (most > 2 * plan_.most[loop] || plan_.most[loop] > 2 * most) {
      wanted_[loop] = most;
      changed_ |= 1U << loop;
    }
    now_.work += share.share * cost.of(share.size);
    now_.share += share.share;
  }
  /// After the join, if open() said true: the region of `members` took `ticks`. Returns whether the tree has
  /// turned out to be better here (-1) or worse (1); 0: nothing new.
  int close(float ticks, std::uint32_t members) noexcept {
    if (members != members_) { // of another team nothing is known
      if (members_ != 0) choices_.fill(WayChoice(Way::tree));
      if (members_ != 0) steps_ = {};
      members_ = members;
    }
    WayChoice& choice = choices_[size_];
    if (has_noted_) choice.pass(looks_.unseen());
    const Way before = choice.preferred();
    const bool was_settled = choice.is_settled();
    // A loop that is not brief, or another one than before, says nothing.
    if (now_.work > 0 && !is_strange_ && way_ == choice.way()) {
      now_.ticks = ticks;
      choice.judge(now_, members);
      looks_.look(size_, choice.wanted());
    } else {
      if (has_noted_) choice.miss();
      looks_.look(size_, has_noted_ ? core::tuning::k_remembered : 0);
    }
    if (plan_.ways[size_] != choice.way()) plan_.ways[size_] = choice.way();
    for (std::uint32_t loop = 0; changed_ != 0; ++loop, changed_ >>= 1)
      if ((changed_ & 1) != 0) plan_.most[loop] = wanted_[loop];
    if (choice.preferred() == before && choice.is_settled() == was_settled) return 0;
    return choice.preferred() == Way::tree ? -1 : 1;
  }

private:
  alignas(core::k_line_pair) EvenPlan plan_;
  // Private to the opener.
  alignas(core::k_line_pair) std::array<EvenCost, EvenPlan::k_loops> costs_{};
  std::array<std::uint64_t, EvenPlan::k_loops> wanted_{}; // for the plan
  std::uint32_t changed_ = 0;                             // bits of loops for which it is another one
  std::array<WayChoice, k_sizes> choices_{};
  Steps steps_;
  Looks looks_{1};
  std::uint32_t members_ = 0; // of the team that all this is about
  bool has_loops_ = false;
  // Of the open region:
  bool is_seen_ = false;
  bool is_strange_ = false;
  bool has_noted_ = false;
  unsigned size_ = 0; // of the first loop
  Way way_ = Way::tree;
  WayChoice::Execution now_;
};

/// Those of one opener.
class EvenRegions {
public:
  /// Between regions. A place that falls on that of another one takes it.
  EvenRegion& at(const void* code) noexcept {
    const auto mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9E3779B97F4A7C15U;
    Place& place = places_[mixed >> (64 - k_bits)];
    if (place.code != code) [[unlikely]]
      take(place, code);
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
  [[gnu::noinline]] void take(Place& place, const void* code) noexcept {
    ::new (&place.region) EvenRegion(balance_ > 0 ? Way::parts : Way::tree); // too large for a thread's stack
    place.code = code;
  }

  int balance_ = 0; // of the latest verdicts
  std::array<Place, std::size_t{1} << k_bits> places_{};
};

} // namespace wstree::loop
