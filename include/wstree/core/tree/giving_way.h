// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member on a slow core leaves units to members on faster cores.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"
#include "wstree/core/rng.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <cstdint>

namespace wstree::core {

/// A slow member starts no unit that faster members would end earlier, even if they have to execute all other
/// units first. It frees its node and waits. As long as they take units, it waits on, for as long as the unit
/// would take at most. If they take none for the time that the unit would have saved, they have not come, are
/// in dearer units, or are not faster than this member, which then takes the unit, and waits half as long the
/// next time: all waits in vain together take less than two such units. In loops of few units, as long as no
/// cost is known, a wait in vain ends after nine times the time that the loop took before it. Private to its
/// member; does nothing if that is not slow.
template <class P> class GivingWay {
public:
  void enter(const Entry& entry) noexcept {
    pace_ = entry.pace;
    if (pace_ == nullptr) [[likely]]
      return;
    pace_->is_of_few = entry.iterations <= tuning::k_few_units_each * entry.members;
    pace_->entered = P::ticks();
    pace_->next_look = pace_->began_waiting = 0;
    pace_->in_vain = 0;
  }

  bool is_slow() const noexcept { return pace_ != nullptr; }
  /// Returns whether units that take `cost` are long enough for a look at the other members' work.
  bool may_leave(const Settings& settings, Cost cost) const noexcept {
    return pace_ != nullptr && ticks_of(cost) > settings.shortest_target;
  }

  /// Returns the cost of a unit of `target` for this member. A node without a cost is one of which no
  /// owner has ended a unit, nor of the node that it was split from: in loops of few units, each may take as
  /// long as the loop has taken so far.
  Cost cost_of(const Target<P>& target) const noexcept {
    return pace_->slow(target.fast_cost_or(unit_cost(so_far()), *pace_));
  }
  /// Returns the cost that iteration n-1 may have for this member, whose latest units took `cost`: in loops
  /// of few units as much as the units before it, if that is more. 0: too short to be left to another member.
  Cost cost_of_last(const View<P>& view, const Settings& settings, Cost cost) const noexcept {
    if (!pace_->is_of_few) return may_leave(settings, cost) ? cost : 0;
    Target<P> end; // the last leaf of the loop: leaves come from left to right
    view.any_leaf([&](const Target<P>& target) {
      end = target;
      return false;
    });
    return std::max(cost, cost_of(end));
  }

  /// Returns whether faster members end all unclaimed units, and then a unit that takes this member `cost`,
  /// before this member would end the unit.
  bool should_leave(const View<P>& view, Rng& rng, const Settings& settings, Cost cost,
                    std::uint64_t now) noexcept {
    if (!may_leave(settings, cost) || now < pace_->next_look) return false;
    const Cost fast = pace_->fast(cost);
    std::uint64_t left = 0;
    each_open_node(view, rng, [&](const Target<P>& target) {
      left += ticks_of(target.fast_cost_or(fast, *pace_), target.remaining());
    });
    const std::uint64_t own = ticks_of(cost);
    const std::uint64_t others = scaled(left, 1 << k_cost_bits, pace_->faster) + ticks_of(fast);
    if (others < own) return true;
    // A look takes longer than a batch. Members that are as slow help to bring the end nearer.
    if (others > 2 * own) pace_->next_look = now + (others - 2 * own) / 2;
    return false;
  }

  /// Waits a moment for the others to take a unit that would take this member `cost`. Returns false if the
  /// member has waited long enough.
  bool wait(const View<P>& view, Rng& rng, const Settings& settings, Cost cost) noexcept {
    const std::uint64_t now = P::ticks();
    std::uint64_t left = 0;
    each_open_node(view, rng, [&](const Target<P>& target) { left += target.remaining(); });
    if (pace_->began_waiting == 0) pace_->began_waiting = pace_->waiting_since = now;
    if (left < pace_->left) pace_->waiting_since = now;
    pace_->left = left;
    // All waits together take less than two units. In loops of few units an estimate may grow with the wait
    // itself, and the wait has to end.
    const std::uint64_t longest = ticks_of(cost) >> pace_->in_vain;
    const std::uint64_t saved = longest - pace_->fast(longest);
    const std::uint64_t most = pace_->is_of_few ? std::min(saved, tuning::k_longest_wait * so_far()) : saved;
    if (elapsed(pace_->waiting_since, now) >= most || elapsed(pace_->began_waiting, now) >= longest) {
      pace_->began_waiting = 0;
      pace_->in_vain = std::min(pace_->in_vain + 1, tuning::k_most_in_vain);
      return false;
    }
    const std::uint64_t pause = std::max(ticks_of(cost) / tuning::k_waiting_looks, settings.tail_batch);
    do P::relax();
    while (elapsed(now, P::ticks()) < pause);
    P::yield(); // perhaps to the member that it waits for
    return true;
  }

private:
  /// Returns the ticks since the member entered a loop of few units; 0 in longer loops, where one unit
  /// is nothing.
  std::uint64_t so_far() const noexcept { return pace_->is_of_few ? elapsed(pace_->entered, P::ticks()) : 0; }
  /// Calls `visit(Target)` for each node with unclaimed units. Marks nodes that are done, as searches do.
  template <class Visit> static void each_open_node(const View<P>& view, Rng& rng, Visit&& visit) {
    for (std::uint32_t root = 0; root < view.filled_roots(); ++root)
      view.is_done(root, rng, [&](const Target<P>& target) {
        visit(target);
        return false;
      });
  }

  Pace* pace_ = nullptr; // nullptr: the member is not slow
};

} // namespace wstree::core
