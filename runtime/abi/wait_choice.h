// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the idle threads of a team should spin before they sleep.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace wstree::abi {

/// Decides from how long the thread that opens regions stays outside of them. A thread that sleeps costs the
/// time to wake it, and one that spins costs its processor. To spin as long as a hundred times the time to
/// wake costs one percent at most, whatever comes. A millisecond is enough if gaps that are longer are so
/// rare that the threads to wake cost a percent of the time, too, and nothing if all regions are so rare. All
/// times are in nanoseconds.
class WaitChoice {
public:
  constexpr WaitChoice() noexcept = default;
  /// Of teams of `members`, at the first region, at the time 0.
  constexpr explicit WaitChoice(std::uint32_t members) noexcept
      : members_(std::max(members, 2U)), limit_(bound_ms()) {}

  /// How long threads have to spin, in milliseconds.
  constexpr int limit_ms() const noexcept { return limit_; }

  /// A region opens `gap` after the one before has ended. Returns whether settle() is due.
  constexpr bool note_gap(std::uint64_t now, std::uint64_t gap) noexcept {
    ++regions_;
    if (gap > k_ms) ++long_gaps_;
    return now - began_ >= k_window;
  }

  /// Returns whether limit_ms() has changed. `sleeps`: how often threads of the team have slept since the
  /// last decision.
  constexpr bool settle(std::uint64_t now, std::uint64_t sleeps) noexcept {
    const std::uint64_t time = now - began_;
    const auto costs_more = [&](std::uint64_t wakes, std::uint64_t percent) {
      return wakes * wake() * k_percent > percent * time;
    };
    const int before = limit_;
    if (rest_ != 0) {
      --rest_;
    } else if (before != bound_ms() && costs_more(sleeps / (members_ - 1), k_most_percent)) {
      // They sleep where this thread cannot see it: at barriers in regions.
      limit_ = bound_ms();
      rest_ = backoff_;
      backoff_ = std::min(2 * backoff_, k_longest_backoff);
    } else {
      limit_ = !costs_more(regions_, 1) ? 0 : !costs_more(long_gaps_, 1) ? 1 : bound_ms();
    }
    began_ = now;
    regions_ = long_gaps_ = 0;
    return limit_ != before;
  }

private:
  static constexpr std::uint64_t k_ms = 1'000'000, k_percent = 100;
  static constexpr std::uint64_t k_window = 10 * k_ms;                   // between decisions
  static constexpr std::uint64_t k_most_percent = 2;                     // that threads which sleep may cost
  static constexpr std::uint64_t k_wake = 30'000, k_wake_level = 10'000; // of a tree of threads, each level
  static constexpr std::uint32_t k_first_backoff = 32, k_longest_backoff = 4096; // windows

  constexpr std::uint64_t wake() const noexcept {
    return k_wake + k_wake_level * static_cast<std::uint64_t>(std::bit_width(members_ - 1));
  }
  constexpr int bound_ms() const noexcept { return static_cast<int>((k_percent * wake() + k_ms - 1) / k_ms); }

  std::uint32_t members_ = 2;
  int limit_ = 0;
  std::uint64_t began_ = 0, regions_ = 0, long_gaps_ = 0;
  std::uint32_t rest_ = 0, backoff_ = k_first_backoff; // windows without a decision, and the next time
};

} // namespace wstree::abi
