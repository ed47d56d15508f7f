// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The size of an owner's next batch.
#pragma once

#include "wstree/core/cost.h"
#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"
#include "wstree/core/settings.h"
#include "wstree/core/shape.h"
#include "wstree/core/tuning.h"
#include "wstree/core/unclocked.h"

#include <cstdint>

namespace wstree::core {

/// A batch that was handed out cannot be stolen: small batches cost dispatches, large ones can swallow
/// expensive iterations. `timed` therefore aims at a duration, a 16th of the time since the member entered
/// the loop (between shortest_target and longest_target; in the first moments a third). A batch has at most a
/// small part of a member's share and of the units left in the node, so that it does not swallow whole an
/// expensive interval that other members could help with. Batches become smaller towards the end, because the
/// last batch ends the loop. A batch also has at most a quarter of the units left in the node. Each node
/// starts with the smallest batch, and batches grow at most 16-fold per step. Private to its member.
class Batcher {
public:
  /// `smallest` in iterations: no batch is smaller unless less is left in its node. `share`: units per
  /// member. `dearest`: most that a unit may cost, by the member's estimate.
  void enter(const Settings& settings, std::uint64_t smallest, unsigned shift, std::uint64_t share,
             std::uint64_t now, Cost dearest = 0) noexcept {
    settings_ = &settings;
    is_timed_ = settings.batch == BatchMode::timed;
    bounds_.smallest = to_units(smallest, shift);
    bounds_.limit = std::max(to_units(settings.limit, shift), bounds_.smallest);
    bounds_.of_share = share * tuning::k_of_share;
    cost_ = 0;
    finest_of_dearest_ = to_count(units_in(settings.tail_batch, dearest));
    entered_ = now;
    floor_ = 1;
    finest_ = 1;
    start_node();
  }

  /// Begins a new node: the cost in another part of the loop is no measure of this one.
  void start_node() noexcept {
    unclocked_.restart();
    step_ = settings_->batch == BatchMode::fixed ? bounds_.limit : bounds_.smallest;
  }

  /// Returns how many batches, the latest one included, need no look at the clock when they are done: the
  /// caller passes their units to skip() instead, and finished() counts them with a later batch.
  std::uint32_t may_skip() const noexcept { return unclocked_.left(); }
  [[gnu::always_inline]] void skip(std::uint32_t units) noexcept { unclocked_.add(units); }
  /// Returns the units passed to skip() since the clock was read, which finished() has not counted.
  std::uint32_t skipped() const noexcept { return unclocked_.units(); }

  /// Chooses the size of the next batch in the modes that need no time; the others learn nothing.
  void finished_unclocked() noexcept {
    if (settings_->batch == BatchMode::exponential || settings_->batch == BatchMode::random)
      step_ = std::min(step_ * 2, bounds_.limit);
  }

  /// Learns that the latest batch of `units` units, and the units passed to skip(), took `ticks`, ending
  /// at `now`. `largest`: the units of the largest batch; one that cannot grow need not be clocked for that.
  void finished(std::uint32_t units, std::uint64_t ticks, std::uint64_t now,
                std::uint64_t largest = k_most) noexcept {
    if (!is_timed_) return finished_unclocked();
    const std::uint64_t spent = static_cast<std::int64_t>(ticks) > 0 ? ticks : 1; // a clock may go back
    const std::uint64_t so_far = elapsed(entered_, now);
    const std::uint64_t done = unclocked_.units() + units; // a batch has a unit
    const std::uint64_t rate = (done << k_rate_bits) / spent;
    // The last units of a node may be expensive ones: cut them as fine as can be once the additional
    // dispatches are nothing beside the work that has been done. Otherwise count with the cost of earlier
    // units, if that was more.
    const std::uint64_t tail = settings_->tail_batch;
    finest_ = so_far > tuning::k_long * tail ? 1 : std::min(units_at(rate, tail) + 1, finest_of_dearest_);
    const std::uint64_t shortest = settings_->shortest_target;
    const std::uint64_t least = std::min(shortest, so_far / tuning::k_part_of_first);
    const std::uint64_t target =
        std::max(least, std::min(so_far / tuning::k_part_of_elapsed, settings_->longest_target));
    floor_ = units_at(rate, std::min(target, shortest)) + 1;
    const std::uint64_t wanted = std::min<std::uint64_t>(units_at(rate, target), largest);
    const std::uint64_t most = units * tuning::k_growth;
    step_ = std::max(static_cast<std::uint32_t>(std::min(wanted, most)), bounds_.smallest);
    const Cost cost = (spent << k_cost_bits) / done; // wrong after a day in one batch
    if (is_steady(cost, wanted > most))
      unclocked_.adapt(spent, so_far, settings_->longest_target);
    else
      unclocked_.allow_none();
    unclocked_.read_clock();
    cost_ = cost;
  }

  /// Returns the units to take from a node with `remaining` > 0 left; between 1 and `remaining`.
  [[gnu::always_inline]] std::uint32_t size(std::uint32_t remaining) const noexcept {
    std::uint32_t units = step_;
    if (is_timed_) {
      const std::uint64_t part = (remaining * tuning::k_of_rest + bounds_.of_share) >> tuning::k_part_bits;
      units = std::min(units, std::max(static_cast<std::uint32_t>(part), floor_));
      units = std::min(units, std::max(remaining >> 2, finest_));
    }
    return std::min(std::max(units, bounds_.smallest), remaining);
  }

  /// Returns the cost of a unit when the clock was read last; 0 before that.
  Cost cost() const noexcept { return cost_; }

protected:
  static constexpr std::uint64_t k_most = 100'000'000; // below k_max_share
  static constexpr unsigned k_rate_bits = 32;          // of units per tick

  /// Returns the units that `ticks` take, at most all that can be counted.
  static std::uint32_t units_at(std::uint64_t rate, std::uint64_t ticks) noexcept {
    return static_cast<std::uint32_t>(product(ticks, rate) >> k_rate_bits);
  }
  static std::uint32_t to_count(std::uint64_t units) noexcept {
    return static_cast<std::uint32_t>(std::min(units, k_most)) + 1;
  }
  static std::uint32_t to_units(std::uint64_t iterations, unsigned shift) noexcept {
    const std::uint64_t units = iterations >> shift;
    return static_cast<std::uint32_t>(clamp<std::uint64_t>(units, 1, k_max_share / 2));
  }

  /// Returns whether the next batches will cost per unit about as much as the latest ones. A long unit costs
  /// more than reading the clock, so the owner reads the clock after each of them.
  bool is_steady(Cost cost, bool grows) const noexcept {
    const bool is_long = ticks_of(cost) > settings_->shortest_target;
    return !(is_long || grows || cost < cost_ - cost_ / tuning::k_alike ||
             cost_ < cost - cost / tuning::k_alike);
  }

  /// Limits that are constant within a loop.
  struct Bounds {
    std::uint64_t of_share = 0; // part of the member's share, in units << k_part_bits
    std::uint32_t smallest = 1;
    std::uint32_t limit = 1;
  };

  const Settings* settings_ = nullptr;
  std::uint64_t entered_ = 0;
  Bounds bounds_;
  Cost cost_ = 0;
  bool is_timed_ = true;
  std::uint32_t step_ = 1;
  std::uint32_t floor_ = 1;             // as many units as take shortest_target
  std::uint32_t finest_ = 1;            // the end of a node is not cut finer
  std::uint32_t finest_of_dearest_ = 1; // at most, if units may be dear
  Unclocked unclocked_;
};

} // namespace wstree::core
