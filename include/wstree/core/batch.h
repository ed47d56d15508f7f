// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many units an owner takes at a time.
#pragma once

#include "wstree/core/prior.h"
#include "wstree/core/settings.h"
#include "wstree/core/shape.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// A batch that was handed out cannot be stolen: small batches cost dispatches, large ones can swallow
/// expensive iterations. `timed` therefore aims at a duration, a 16th of the time since the member entered
/// the loop (between shortest_target and longest_target; in the first moments a third). It takes at most a
/// small part of a member's share and of what is left in the node, so that an expensive interval that others
/// could help with is not swallowed whole, and the smaller the nearer the end is: what is swallowed last ends
/// the loop. And it takes at most a quarter of what is left in the node, starts every node with the smallest
/// batch, and grows at most 16-fold per step. Private to its member.
///
/// Reading the clock costs as much as the rest of a dispatch. Once batches agree about what a unit costs, it
/// is read after several of them only, which together take at most a quarter of the time so far and four
/// times longest_target. What a batch can swallow is the same: thieves take what is left whatever the owner
/// knows.
class Batcher {
public:
  /// `smallest` in iterations: no batch is smaller unless less is left in its node. `share`: units per
  /// member. `dearest`: ticks that a unit may take, as far as the member knows.
  void enter(const Settings& settings, std::uint64_t smallest, unsigned shift, float share, std::uint64_t now,
             float dearest = 0) noexcept {
    settings_ = &settings;
    is_timed_ = settings.batch == BatchMode::timed;
    smallest_ = to_units(smallest, shift);
    limit_ = std::max(to_units(settings.limit, shift), smallest_);
    share_part_ = static_cast<std::uint64_t>(share * tuning::k_of_share);
    cost_ = 0;
    dearest_ = dearest;
    entered_ = now;
    course_ = Course::explore;
    floor_ = 1;
    finest_ = 1;
    start_node();
  }
  /// After enter(), for a member that does not explore its share, of `share` units of `cost` ticks. A quarter
  /// never comes first, but a short batch; the clock is read after it.
  void expect(float cost, float share) noexcept {
    const float tail = to_float(settings_->tail_batch) / std::max(cost, k_least_cost); // units
    course_ = Course::quarter;
    cost_ = cost;
    step_ = to_count(std::min(tail * tuning::k_first, share * tuning::k_first_of_share));
    floor_ = to_count(tail * tuning::k_least);
  }
  Course course() const noexcept { return course_; }

  /// A new node: what was learned in another part of the loop says little about this one.
  void start_node() noexcept {
    pending_ = 0;
    skip_ = 0;
    skipped_ = 0;
    if (course_ == Course::explore) step_ = settings_->batch == BatchMode::fixed ? limit_ : smallest_;
  }

  /// The latest batch is done. How many, it included, need no look at the clock: skip() is told of them
  /// instead, and finished() with a later batch.
  std::uint32_t may_skip() const noexcept { return skip_ - skipped_; }
  [[gnu::always_inline]] void skip(std::uint32_t units) noexcept {
    ++skipped_;
    pending_ += units;
  }

  /// The latest batch is done; nobody looked at the clock.
  void finished_unclocked() noexcept {
    if (settings_->batch == BatchMode::exponential || settings_->batch == BatchMode::random)
      step_ = std::min(step_ * 2, limit_);
  }

  /// The latest batch of `units` units, and those that skip() was told of, took `ticks`, ending at
  /// `now`.
  void finished(std::uint32_t units, std::uint64_t ticks, std::uint64_t now) noexcept {
    if (!is_timed_) return finished_unclocked();
    const float spent = std::max(to_float(ticks | 1), 1.0F);
    const auto done = static_cast<float>(pending_ + units);
    if (course_ != Course::explore) {
      pending_ = skipped_ = 0;
      skip_ = tuning::k_most_skipped;
      if (spent <= tuning::k_wrong * cost_ * done + to_float(settings_->steal_cost)) return;
      course_ = Course::explore;
    }
    const std::uint64_t elapsed = now - entered_;
    const float cost = spent / done;
    const float rate = done / spent;
    const float so_far = std::max(to_float(elapsed), 0.0F);
    const float shortest = to_float(settings_->shortest_target);
    const float least = std::min(shortest, so_far / tuning::k_part_of_first);
    const float target = std::clamp(so_far / tuning::k_part_of_elapsed, least,
                                    std::max(least, to_float(settings_->longest_target)));
    const float most = static_cast<float>(units) * tuning::k_growth;
    choose_skip(cost, spent, elapsed, target * rate > most);
    cost_ = cost;
    pending_ = 0;
    skipped_ = 0;
    // The last units of a node may be expensive ones: cut them as fine as can be once the dispatches that it
    // takes are nothing compared with what has been done, and by what units have cost before if that was
    // more.
    const float tail = to_float(settings_->tail_batch);
    finest_ =
        elapsed > tuning::k_long * settings_->tail_batch ? 1 : to_count(tail / std::max(cost, dearest_));
    floor_ = to_count(std::min(target, shortest) * rate);
    const float wanted = std::min(target * rate, most);
    step_ = std::max(static_cast<std::uint32_t>(std::min(wanted, k_most)), smallest_);
  }

  /// Units to take from a node with `remaining` > 0 left; between 1 and `remaining`.
  [[gnu::always_inline]] std::uint32_t size(std::uint32_t remaining) const noexcept {
    std::uint32_t units = step_;
    if (course_ != Course::explore) [[unlikely]] {
      if (skip_ != 0) units = std::max(remaining >> 2, floor_);
    } else if (is_timed_) {
      const std::uint64_t part = (remaining * tuning::k_of_rest + share_part_) >> tuning::k_part_bits;
      units = std::min(units, std::max(static_cast<std::uint32_t>(part), floor_));
      units = std::min(units, std::max(remaining >> 2, finest_));
    }
    return std::min(std::max(units, smallest_), remaining);
  }

  /// Units of batches since the clock was read.
  std::uint32_t pending() const noexcept { return pending_; }

  /// Ticks per unit when the clock was read last; 0 before that.
  float cost() const noexcept { return cost_; }

private:
  static constexpr float k_least_cost = 1e-3F;    // ticks
  static constexpr float k_most = 100'000'000.0F; // below k_max_share and exact enough

  /// Without a sign the conversion takes a branch and a second way. Negative where a clock went back.
  static float to_float(std::uint64_t ticks) noexcept {
    return static_cast<float>(static_cast<std::int64_t>(ticks));
  }

  static std::uint32_t to_count(float units) noexcept {
    return static_cast<std::uint32_t>(std::min(units + 1, k_most));
  }
  static std::uint32_t to_units(std::uint64_t iterations, unsigned shift) noexcept {
    const std::uint64_t units = iterations >> shift;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(units, 1, k_max_share / 2));
  }

  /// How many batches to do before the clock is read again, if this one cost what the one before did.
  void choose_skip(float cost, float spent, std::uint64_t elapsed, bool grows) noexcept {
    const bool is_long = cost > to_float(settings_->shortest_target); // the clock costs nothing then
    if (settings_->clocked || is_long || grows || cost < cost_ * tuning::k_alike ||
        cost_ < cost * tuning::k_alike) {
      skip_ = 0;
      return;
    }
    const float budget = to_float(
        std::min(elapsed / tuning::k_part_unclocked, tuning::k_part_unclocked * settings_->longest_target));
    skip_ = 2 * spent < budget ? std::min(2 * skip_ + 1, tuning::k_most_skipped) : skip_ / 2;
  }

  const Settings* settings_ = nullptr;
  std::uint64_t entered_ = 0;
  std::uint64_t share_part_ = 0;
  float cost_ = 0;
  float dearest_ = 0; // ticks per unit that others may take
  bool is_timed_ = true;
  Course course_ = Course::explore;
  std::uint32_t step_ = 1;
  std::uint32_t floor_ = 1;  // as many units as take shortest_target
  std::uint32_t finest_ = 1; // the end of a node is not cut finer
  std::uint32_t smallest_ = 1;
  std::uint32_t limit_ = 1;
  std::uint32_t pending_ = 0; // units of batches since the clock was read
  std::uint32_t skip_ = 0;    // batches after which it is not
  std::uint32_t skipped_ = 0;
};

} // namespace wstree::core
