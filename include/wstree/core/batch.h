// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many units an owner takes at a time.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/shape.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// A batch that was handed out cannot be stolen: small batches cost dispatches, large ones can swallow
/// expensive iterations. `timed` therefore aims at a duration, a 16th of the time since the member entered
/// the loop (between shortest_target and longest_target), takes at most a 96th of a member's share, so that
/// an expensive interval that others could help with is not swallowed whole, and at most a quarter of what is
/// left in the node, and starts every node with the smallest batch, growing at most 16-fold per step. Private
/// to its member.
class Batcher {
public:
  /// `smallest` in iterations: no batch is smaller unless less is left in its node. `share`: units per
  /// member.
  void enter(const Settings& settings, std::uint64_t smallest, unsigned shift, float share,
             std::uint64_t now) noexcept {
    settings_ = &settings;
    smallest_ = to_units(smallest, shift);
    limit_ = std::max(to_units(settings.limit, shift), smallest_);
    part_ = share * (1 / k_parts) + 1;
    entered_ = now;
    cost_ = 0;
    finest_ = 1;
    start_node();
  }

  /// A new node: what was learned in another part of the loop says little about this one.
  void start_node() noexcept { step_ = settings_->batch == BatchMode::fixed ? limit_ : smallest_; }

  /// The next node, which start_node() was called for, is expected to take `cost` ticks per unit; `at_once`:
  /// and so little that it is one batch.
  void expect(float cost, bool at_once) noexcept {
    if (!(cost > 0)) return;
    cost_ = cost;
    const auto tail = static_cast<float>(settings_->tail_batch);
    finest_ = static_cast<std::uint32_t>(at_once ? k_most : std::min(tail / cost + 1, k_most));
    // Not as many as fill a target: where the loop has changed, what was cheap may be all of its work.
    const float wanted = at_once ? k_most : part_;
    step_ = std::max(static_cast<std::uint32_t>(std::min(wanted, k_most)), smallest_);
  }

  /// The latest batch is done; nobody looked at the clock.
  void finished_unclocked() noexcept {
    if (settings_->batch == BatchMode::exponential || settings_->batch == BatchMode::random)
      step_ = std::min(step_ * 2, limit_);
  }

  /// The latest batch of `units` units took `ticks`, ending at `now`.
  void finished(std::uint32_t units, std::uint64_t ticks, std::uint64_t now) noexcept {
    if (settings_->batch != BatchMode::timed) return finished_unclocked();
    const auto spent = static_cast<float>(ticks | 1);
    const auto done = static_cast<float>(units);
    const auto target = static_cast<float>(
        std::clamp((now - entered_) / 16, settings_->shortest_target, settings_->longest_target));
    cost_ = spent / done;
    // The last units of a node may be expensive ones: once the dispatches that it takes are nothing compared
    // with what has been done, cut them as fine as can be.
    finest_ = now - entered_ > k_long * settings_->tail_batch
                  ? 1
                  : static_cast<std::uint32_t>(
                        std::min(static_cast<float>(settings_->tail_batch) / cost_ + 1, k_most));
    const auto shortest = static_cast<float>(settings_->shortest_target);
    const float wanted = std::min(done * std::min(target / spent, 16.0F), std::max(part_, shortest / cost_));
    step_ = std::max(static_cast<std::uint32_t>(std::min(wanted, k_most)), smallest_);
  }

  /// Units to take from a node with `remaining` > 0 left; between 1 and `remaining`.
  std::uint32_t size(std::uint32_t remaining) const noexcept {
    std::uint32_t units = step_;
    if (settings_->batch == BatchMode::timed) units = std::min(units, std::max(remaining / 4, finest_));
    return std::min(std::max(units, smallest_), remaining);
  }

  /// Ticks per unit in the latest batch; 0 before the first one.
  float cost() const noexcept { return cost_; }

private:
  static constexpr std::uint64_t k_long = 200; // some 20 dispatches in 200 times the time of 20
  static constexpr float k_parts = 96;         // of a share, none of which is larger than a batch should be
  static constexpr float k_tiny = 2;           // shortest batches
  static constexpr float k_most = 100'000'000.0F; // below k_max_share and exact enough

  static std::uint32_t to_units(std::uint64_t iterations, unsigned shift) noexcept {
    const std::uint64_t units = iterations >> shift;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(units, 1, k_max_share / 2));
  }

  const Settings* settings_ = nullptr;
  std::uint64_t entered_ = 0;
  float cost_ = 0;
  float part_ = 1; // units; no batch is larger unless it is shorter than shortest_target
  std::uint32_t step_ = 1;
  std::uint32_t finest_ = 1; // the end of a node is not cut finer
  std::uint32_t smallest_ = 1;
  std::uint32_t limit_ = 1;
};

} // namespace wstree::core
