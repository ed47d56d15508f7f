// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The batches that an owner does without reading the clock.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/tuning.h"

#include <cstdint>

namespace wstree::core {

/// Reading the clock costs as much as the rest of a dispatch. Once batches agree about the cost of a unit,
/// the owner reads the clock after several of them only, which together take at most a quarter of the time so
/// far and four times longest_target. A batch swallows no more than before: thieves take the rest whatever
/// the owner knows. Private to its member.
class Unclocked {
public:
  /// Nothing is known: the owner reads the clock after the next batch.
  void restart() noexcept { units_ = allowed_ = done_ = 0; }

  /// Returns the number of further batches that need no look at the clock.
  std::uint32_t left() const noexcept { return allowed_ - done_; }
  bool allows_any() const noexcept { return allowed_ != 0; }
  /// The owner has done a batch without a look at the clock.
  [[gnu::always_inline]] void add(std::uint32_t units) noexcept {
    ++done_;
    units_ += units;
  }
  /// Returns the units of batches since the owner read the clock.
  std::uint32_t units() const noexcept { return units_; }

  void read_clock() noexcept { units_ = done_ = 0; }

  // Setters of the number of batches before the owner reads the clock again:

  void allow_none() noexcept { allowed_ = 0; }
  void allow_most() noexcept { allowed_ = tuning::k_most_skipped; }
  /// Twice as many as before, or half of them, if each takes `spent` ticks.
  void adapt(std::uint64_t spent, std::uint64_t elapsed, std::uint64_t longest_target) noexcept {
    const std::uint64_t budget =
        std::min(elapsed / tuning::k_part_unclocked, tuning::k_part_unclocked * longest_target);
    allowed_ = 2 * spent < budget ? std::min(2 * allowed_ + 1, tuning::k_most_skipped) : allowed_ / 2;
  }

private:
  std::uint32_t units_ = 0;
  std::uint32_t allowed_ = 0;
  std::uint32_t done_ = 0;
};

} // namespace wstree::core
