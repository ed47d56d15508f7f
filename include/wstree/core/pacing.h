// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a member looks at the clock, and how many units it takes at a time.
#pragma once

#include "wstree/core/batch.h"
#include "wstree/core/cost.h"
#include "wstree/core/rng.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/shape.h"

#include <cstdint>
#include <utility>

namespace wstree::core {

/// Private to its member.
template <class P, class Batches = Batcher> class Pacing {
public:
  void enter(const Shape& shape, const Entry& entry) noexcept {
    const Settings& settings = *entry.settings;
    settings_ = &settings;
    given_ = 0;
    quick_ = 0;
    is_share_done_ = false;
    units_ = shape.units();
    members_ = entry.members;
    prior_ = is_usual() && shape.shift() == 0 ? entry.prior : nullptr;
    has_clock_ = settings.clocked || is_timed();
    since_ = has_clock_ ? P::ticks() : 0;
    batch_.enter(settings, entry.smallest, shape.shift(), shape.share(entry.members), since_,
                 prior_ != nullptr ? dearest() : 0);
  }
  /// The member goes on in a loop of which it has had units before.
  void go_on(bool is_share_done) noexcept { is_share_done_ = is_share_done; }

  /// Ends the member's share, which is done or of which thieves have the rest. The prior learns once.
  void end_share(Counts& counts) noexcept {
    if (std::exchange(is_share_done_, true) || prior_ == nullptr) return;
    counts.forgotten = prior_->take_displaced() ? 1 : 0;
    if (counts.iterations != 0)
      prior_->learn(counts.iterations, counts.busy_ticks,
                    10 * counts.iterations * members_ < tuning::k_tenths_of_share * units_);
  }

  const Settings& settings() const noexcept { return *settings_; }
  bool is_timed() const noexcept { return settings_->batch == BatchMode::timed; }

  // Functions for an Owner.

  void start_node() noexcept { batch_.start_node(); }
  [[gnu::always_inline]] std::uint32_t size(std::uint32_t remaining) const noexcept {
    return batch_.size(remaining);
  }
  bool takes_left_end(Rng& rng) const noexcept { return settings_->batch != BatchMode::random || rng.coin(); }
  void gave(std::uint32_t units) noexcept { given_ = units; }
  /// Returns the cost of a unit in the latest batches; 0: not known.
  Cost cost() const noexcept { return batch_.cost(); }
  /// Begins a search of the member, which has nothing left. If busy time is measured, adds the time of the
  /// batches after which the member did not read the clock.
  void start_search(std::uint64_t& busy_ticks) noexcept {
    if (!settings_->clocked || batch_.skipped() == 0) return;
    const std::uint64_t now = P::ticks();
    busy_ticks += now - std::exchange(since_, now);
  }
  /// The time that a search has taken is not that of the batch which it has brought.
  void searched() noexcept {
    if (has_clock_) since_ = P::ticks();
  }

  // Functions for the member's worker.

  /// Returns the time when the clock was read last.
  std::uint64_t clock() const noexcept { return since_; }
  /// Returns the units of the batch that the caller is executing; 0: none.
  std::uint32_t given() const noexcept { return given_; }

  /// Returns whether the next batch needs nothing but an advance: the member does not read the clock
  /// after it.
  bool is_quick() const noexcept { return quick_ != 0; }
  [[gnu::always_inline]] void gave_quickly(std::uint32_t units) noexcept {
    --quick_;
    batch_.skip(given_);
    given_ = units;
  }
  void end_quick() noexcept { quick_ = 0; }
  void allow_quick() noexcept {
    const bool is_steady = settings_->batch == BatchMode::fixed || is_timed();
    quick_ = has_clock_ ? batch_.may_skip() : is_steady ? k_always : 0;
  }

  /// Returns whether the batch that the caller has done needs no look at the clock.
  bool may_skip() const noexcept { return batch_.may_skip() != 0; }
  void skip() noexcept { batch_.skip(std::exchange(given_, 0)); }
  /// Ends the batch that the caller has done. `goes_on`: the member gets more. Returns whether cost() is
  /// now that of this batch.
  bool finish(bool goes_on, std::uint64_t& busy_ticks) noexcept {
    const std::uint32_t units = std::exchange(given_, 0);
    if (!has_clock_ || !(settings_->clocked || goes_on || (prior_ != nullptr && !is_share_done_))) {
      batch_.finished_unclocked();
      return false;
    }
    const std::uint64_t now = P::ticks();
    const std::uint64_t spent = now - std::exchange(since_, now);
    busy_ticks += spent;
    batch_.finished(units, spent, now);
    return true;
  }

protected:
  /// Whether members learn from loop to loop, and look for the most work.
  bool is_usual() const noexcept {
    return is_timed() && settings_->history && settings_->strategy == Strategy::find_max;
  }
  Batches& batches() noexcept { return batch_; }

private:
  /// Returns the cost that a unit may have by the prior of the code location.
  Cost dearest() const noexcept {
    const std::uint64_t dearest = prior_->dearest();
    return dearest == Prior::k_unknown ? dearest : dearest << (k_cost_bits - Prior::k_fraction);
  }

  static constexpr std::uint32_t k_always = ~std::uint32_t{0};

  Batches batch_;
  std::uint32_t given_ = 0;
  std::uint32_t quick_ = 0; // batches that need nothing but an advance
  std::uint64_t since_ = 0; // when the clock was read last
  bool has_clock_ = false;
  const Settings* settings_ = nullptr;
  std::uint64_t units_ = 0; // units of the loop
  std::uint32_t members_ = 1;
  bool is_share_done_ = false;
  Prior* prior_ = nullptr; // nullptr: there is no prior, and none is wanted
};

} // namespace wstree::core
