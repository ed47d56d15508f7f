// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pacing of reductions: batches have an upper bound, may come from the right end, and costs may be known.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/pacing.h"

#include <cstdint>

namespace wstree::core {

/// Takes a share that is known to last no longer than a few steals in quarters of what is left. A quarter
/// never comes first, but a short batch; the clock is read after it. Private to its member.
class ExpectedBatcher : public Batcher {
public:
  /// After enter(), for a share of `share` units that take `cost`; 0: the member explores, as a Batcher does.
  void expect(Cost cost, std::uint64_t share) noexcept {
    is_expected_ = cost != 0;
    if (!is_expected_) return;
    const std::uint64_t tail = units_in(settings_->tail_batch, cost);
    cost_ = cost;
    finest_of_dearest_ = to_count(tail);
    step_ = to_count(std::min(tuning::k_first * tail, tuning::k_first_of_share * share));
    floor_ = to_count(tuning::k_least * tail);
  }
  bool is_expected() const noexcept { return is_expected_; }
  /// No batch will have more units than `most`.
  void bound(std::uint32_t most) noexcept { largest_ = std::min<std::uint64_t>(most, k_most); }

  void start_node() noexcept {
    if (!is_expected_) return Batcher::start_node();
    unclocked_.restart();
  }
  void finished(std::uint32_t units, std::uint64_t ticks, std::uint64_t now) noexcept {
    const std::uint64_t expected = tuning::k_wrong * ticks_of(cost_, skipped() + units);
    is_expected_ = is_expected_ && ticks <= expected + settings_->steal_cost;
    if (!is_expected_) return Batcher::finished(units, ticks, now, largest_);
    unclocked_.read_clock();
    unclocked_.allow_most();
  }
  [[gnu::always_inline]] std::uint32_t size(std::uint32_t remaining) const noexcept {
    if (!is_expected_) return Batcher::size(remaining);
    const std::uint32_t units = unclocked_.allows_any() ? std::max(remaining >> 2, floor_) : step_;
    return std::min(std::max(units, bounds_.smallest), remaining);
  }

private:
  std::uint64_t largest_ = k_most;
  bool is_expected_ = false;
};

/// Besides, elements that rise in cost are taken from the right end of a node where they are few and long:
/// what is dear should not come last. Private to its member.
template <class P> class BoundedPacing : public Pacing<P, ExpectedBatcher> {
  using Base = Pacing<P, ExpectedBatcher>;

public:
  /// `most` in iterations. `cost`: of a unit, where the caller knows it; else 0.
  void enter(const Shape& shape, const Entry& entry, std::uint64_t most, Cost cost) noexcept {
    Base::enter(shape, entry);
    const std::uint64_t share = shape.share(entry.members);
    const std::uint64_t longest = tuning::k_brief_call * entry.settings->shortest_target;
    Base::batches().expect(Base::is_usual() && ticks_of(cost, share) <= longest ? cost : 0, share);
    most_ = static_cast<std::uint32_t>(clamp<std::uint64_t>(most >> shape.shift(), 1, k_max_share));
    Base::batches().bound(most_);
  }
  [[gnu::always_inline]] std::uint32_t size(std::uint32_t remaining) noexcept {
    are_few_ = remaining <= tuning::k_few_dear_units;
    return std::min(Base::size(remaining), most_);
  }
  /// Returns whether the batch of the latest size() comes from the left end of the node.
  [[gnu::always_inline]] bool takes_left_end(Rng& rng) const noexcept {
    return !(are_few_ && rises_ && is_long()) && Base::takes_left_end(rng);
  }

  /// Returns the ticks for which an owner is robbed. In a brief call it does a few steals' worth meanwhile.
  std::uint64_t least_worth() noexcept {
    return (Base::batches().is_expected() ? tuning::k_brief_steals : 0) * Base::settings().steal_cost;
  }

  /// A unit of a batch that begins at unit `position` took `cost`.
  void learn(std::uint64_t position, Cost cost) noexcept {
    const bool is_alike = cost < tuning::k_dearer * cost_ && cost_ < tuning::k_dearer * cost;
    if (!is_alike && cost_ != 0) rises_ = (position > position_) == (cost > cost_);
    position_ = position;
    cost_ = cost;
  }

private:
  bool is_long() const noexcept {
    const Settings& settings = Base::settings();
    return Base::is_timed() && ticks_of(cost_) > settings.shortest_target;
  }

  std::uint32_t most_ = k_max_share;
  Cost cost_ = 0;              // of a unit of the latest batch that was clocked, which begins
  std::uint64_t position_ = 0; // here
  bool rises_ = false;
  bool are_few_ = false;
};

} // namespace wstree::core
