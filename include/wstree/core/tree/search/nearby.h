// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thief's search where distance matters.
#pragma once

#include "wstree/core/neighbourhood.h"
#include "wstree/core/rng.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/search/surroundings.h"
#include "wstree/core/tree/search/worth.h"
#include "wstree/core/tree/tree.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// Finds the node with most left to do among those that are as near as they should be (surroundings.h).
/// Private to its member.
template <class P> class Nearby {
public:
  /// `near` may be null: all members are equally far from each other. `now`: ticks, 0 if nobody has looked.
  void enter(const Settings& settings, const Neighbourhood* near, std::uint64_t now) noexcept {
    settings_ = &settings;
    near_ = near;
    entered_ = now;
    looked_ = 0;
  }

  bool matters() const noexcept { return near_ != nullptr; }

  /// Target::node is nullptr if there is none. `share`: eighths of the node that are for the thief if it has
  /// to be split, where that is not half of it.
  Target<P> best(const View<P>& view, Rng& rng, Worth<P>& worth, std::uint32_t& share) {
    const float enough = worth.enough();
    for (float waited = 0, first = 0;;) {
      Surroundings<P> around(*near_);
      look_around(view, rng, worth, around);
      const float far_enough = std::max(std::min(elapsed() / k_end, k_idle * steal_cost()), enough);
      const auto choice = around.choose(enough, far_enough);
      if (choice.target.node == nullptr) return choice.target;
      if (first == 0) first = choice.worth;
      if (choice.far && choice.worth < far_enough && waited < first) {
        waited += wait(choice.worth); // its owner has done it by then, or the estimate was wrong
        continue;
      }
      if (choice.target.word.phase() != Phase::owned) return choice.target;
      // The search has taken time, and its owner has gone on.
      Target<P> fresh = choice.target;
      fresh.look_again(view.use());
      if (fresh.word.phase() == Phase::owned && 2 * fresh.remaining() > choice.target.remaining()) {
        share = choice.share;
        return fresh;
      }
      P::relax();
    }
  }

private:
  // Members at one distance, where the board makes an empty sample cheap.
  static constexpr std::uint32_t k_scan_ring = 8;
  static constexpr std::uint32_t k_sample_near = 6; // at home
  static constexpr std::uint32_t k_sample_far = 4;  // in all farther rings together
  static constexpr float k_as_much = 0.7F;          // has a home that need not compare itself with the others
  // Far nodes with less left than this part of the time so far, or than so many steals take, are left to
  // their domain.
  static constexpr float k_end = 32;
  static constexpr float k_idle = 500;

  /// Only in the home domain if that has enough: the lines of those who are farther away cost most of a
  /// search.
  void look_around(const View<P>& view, Rng& rng, Worth<P>& worth, Surroundings<P>& around) {
    const std::uint32_t roots = view.shape().roots();
    Domain inner;
    for (std::uint32_t r = 0; r < around.rings(); ++r) {
      const Domain domain = around.domain(r, roots);
      const std::uint32_t left = inner.begin - std::min(domain.begin, inner.begin);
      const std::uint32_t right = domain.end - std::min(inner.end, domain.end);
      const std::uint32_t first_right = std::max(inner.end, domain.begin);
      const std::uint32_t all = r == 0 ? domain.end - domain.begin : left + right;
      const std::uint32_t sampled = r <= around.home()
                                        ? k_sample_near
                                        : std::max(k_sample_far / (around.rings() - 1 - around.home()), 2U);
      const std::uint32_t looked = all <= k_scan_ring || !view.has_board(*settings_) ? all : sampled;
      // Evenly spread, because in most loops neighbours have similar work.
      const std::uint32_t start = looked < all ? rng.below(all) : 0;
      around.expect(r, looked, all);
      for (std::uint32_t i = 0; i < looked; ++i) {
        const std::uint32_t at = (start + static_cast<std::uint32_t>(std::uint64_t{i} * all / looked)) % all;
        const std::uint32_t position = r == 0      ? domain.begin + at
                                       : at < left ? domain.begin + at
                                                   : first_right + at - left;
        const std::uint32_t root = near_->root(position);
        if (root >= roots) continue;
        view.leaves(view.current(root), [&](const Target<P>& target) {
          const float value = worth(target);
          if (value <= 0) return false;
          const std::uint32_t owner = target.is_untouched_root() ? position : target.node->owner();
          around.saw(r, position, owner, target, value);
          return false;
        });
      }
      inner = domain;
      if (r == around.home() && home_will_do(around, worth.enough())) return;
    }
    if (!is_timed()) return;
    team_mean_ = around.mean(around.rings() - 1);
    looked_ = P::ticks();
  }

  /// What this worker's home has is about its part of what the team must have by now, of which every member
  /// has done a tick per tick since this worker looked at the others.
  bool home_will_do(const Surroundings<P>& around, float enough) const noexcept {
    return looked_ != 0 && around.home_most() >= enough &&
           around.mean(around.home()) >= k_as_much * (team_mean_ - static_cast<float>(P::ticks() - looked_));
  }

  /// Durations mean something, and there is a clock.
  bool is_timed() const noexcept { return entered_ != 0 && settings_->batch == BatchMode::timed; }

  /// Ticks since this member entered the loop, as far as that matters.
  float elapsed() const noexcept { return is_timed() ? static_cast<float>(P::ticks() - entered_) : 0; }

  /// Not 0, which a clock of few ticks makes of it, or there would be no wait.
  float steal_cost() const noexcept {
    return static_cast<float>(std::max<std::uint64_t>(settings_->steal_cost, 1));
  }

  /// Until half of `worth` is done by somebody else, but not so short that looking again would disturb them.
  float wait(float worth) const noexcept {
    const float ticks = std::clamp(worth / 2, 2 * steal_cost(), 10 * steal_cost());
    const std::uint64_t since = P::ticks();
    while (static_cast<float>(P::ticks() - since) < ticks) P::relax();
    return ticks;
  }

  const Settings* settings_ = nullptr;
  const Neighbourhood* near_ = nullptr; // nullptr: distance does not matter
  std::uint64_t entered_ = 0;
  std::uint64_t looked_ = 0; // at members of all distances, at `team_mean_`; 0: not in this loop
  float team_mean_ = 0;      // ticks of work that each member had left then
};

} // namespace wstree::core
