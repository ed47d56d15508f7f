// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a member looks at the clock, what that says about its batches, and how large the next ones are.
#pragma once

#include "wstree/core/batch.h"
#include "wstree/core/rng.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/shape.h"

#include <cstdint>
#include <utility>

namespace wstree::core {

/// Forecast: MemberForecast or NoForecast (forecast/member_forecast.h). Private to its member.
template <class P, class Forecast> class Pacing {
public:
  /// Lays the roots out in `shape` as the forecast says.
  void enter(Shape& shape, const Entry& entry, const typename Forecast::Known& known) noexcept {
    const Settings& settings = *entry.settings;
    settings_ = &settings;
    forecast_.enter(known, shape, entry);
    given_ = 0;
    quick_ = 0;
    // A share of a few iterations leaves nothing to size, and reading the clock costs as much as dispatching
    // one of them.
    const bool is_timed = settings.batch == BatchMode::timed && shape.units() >= k_few_units * entry.members;
    clock_ = settings.clocked || is_timed ? Clock::read
             : forecast_.is_recording()   ? Clock::only_recorded
                                          : Clock::ignored;
    since_ = clock_ != Clock::ignored ? P::ticks() : 0;
    batch_.enter(settings, entry.smallest, shape.shift(), shape.share(entry.members), since_);
  }

  const Settings& settings() const noexcept { return *settings_; }
  const Forecast& forecast() const noexcept { return forecast_; }
  bool is_timed() const noexcept { return settings_->batch == BatchMode::timed; }
  /// When the member entered, right after enter(); 0: it does not look at the clock.
  std::uint64_t entered() const noexcept { return since_; }

  // What an Owner asks for.

  void start_node() noexcept { batch_.start_node(); }
  [[gnu::always_inline]] std::uint32_t size(std::uint32_t remaining) const noexcept {
    return batch_.size(remaining);
  }
  bool takes_left_end(Rng& rng) const noexcept { return settings_->batch != BatchMode::random || rng.coin(); }
  void gave(std::uint64_t begin, std::uint32_t units) noexcept {
    given_ = units;
    if (batch_.pending() == 0) measured_from_ = begin;
  }
  /// Ticks per unit of the latest batches; 0: not known.
  float cost() const noexcept { return batch_.cost(); }
  /// Ticks per unit where each member's part is so short that nobody looks at the clock; else 0.
  float hurried_cost() const noexcept {
    return forecast_.is_short() ? forecast_.share() / batch_.share() : 0;
  }
  /// The time that a search has taken is not that of the batch which it has brought.
  void searched() noexcept {
    if (clock_ != Clock::ignored) since_ = P::ticks();
  }

  // What its worker asks for.

  void gave_last() noexcept {
    given_ = 1;
    measured_from_ = k_last;
  }
  /// Units of the batch that the caller is executing; 0: none.
  std::uint32_t given() const noexcept { return given_; }

  /// Whether the next batch needs nothing but an advance: nobody looks at the clock after it.
  bool is_quick() const noexcept { return quick_ != 0; }
  [[gnu::always_inline]] void gave_quickly(std::uint32_t units) noexcept {
    --quick_;
    batch_.skip(given_);
    given_ = units;
  }
  void end_quick() noexcept { quick_ = 0; }
  void allow_quick() noexcept {
    const bool is_steady = settings_->batch == BatchMode::fixed || is_timed();
    quick_ = clock_ != Clock::ignored ? batch_.may_skip() : is_steady ? k_always : 0;
  }

  /// The caller is done with its batch. `has_rest`: the own node has; `goes_on`: the member gets more. True:
  /// cost() is that of this batch.
  bool finish(bool has_rest, bool goes_on, std::uint64_t& busy_ticks) noexcept {
    const std::uint32_t units = std::exchange(given_, 0);
    if (has_rest && batch_.may_skip() != 0) { // at the end of a node what was not clocked would be forgotten
      batch_.skip(units);
      return false;
    }
    if (clock_ != Clock::read || !(settings_->clocked || forecast_.is_recording() || goes_on)) {
      if (forecast_.is_recording()) record_unclocked(units);
      batch_.finished_unclocked();
      return false;
    }
    const std::uint64_t now = P::ticks();
    const std::uint64_t spent = now - std::exchange(since_, now);
    busy_ticks += spent;
    const std::uint32_t measured = units + batch_.pending();
    batch_.finished(units, spent, now);
    if (forecast_.is_recording()) record(measured, spent);
    if (measured_from_ != k_last &&
        forecast_.confirms(measured_from_, measured, spent, static_cast<float>(settings_->tail_batch)) &&
        forecast_.is_short() && goes_on)
      batch_.hurry(forecast_.share());
    return true;
  }

private:
  static constexpr std::uint64_t k_few_units = 4;
  static constexpr std::uint32_t k_always = ~std::uint32_t{0};
  static constexpr std::uint64_t k_last = ~std::uint64_t{0}; // iteration n-1, instead of a unit

  enum class Clock : std::uint8_t {
    ignored,
    only_recorded, ///< in a loop of few iterations, which goes on as if nobody had looked
    read,
  };

  void record(std::uint32_t units, std::uint64_t spent) noexcept {
    if (measured_from_ == k_last)
      forecast_.record_last(spent);
    else
      forecast_.record(measured_from_, units, spent);
  }
  [[gnu::noinline]] void record_unclocked(std::uint32_t units) noexcept {
    const std::uint64_t now = P::ticks();
    record(units, now - std::exchange(since_, now));
  }

  Batcher batch_;
  std::uint32_t given_ = 0;
  std::uint32_t quick_ = 0;         // batches that need nothing but an advance
  std::uint64_t measured_from_ = 0; // first unit since the clock was read, or k_last
  std::uint64_t since_ = 0;         // when it was
  Clock clock_ = Clock::ignored;
  const Settings* settings_ = nullptr;
  Forecast forecast_;
};

} // namespace wstree::core
