// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which regions their opener looks at: to take the time and to judge is a few hundredths of a brief one.
#pragma once

#include "wstree/core/rng.h"
#include "wstree/core/tuning.h"

#include <cstdint>

namespace wstree::loop {

/// As long as there may be something new, every region; else one of a few, drawn, so that no pattern in what
/// comes goes with the looks. Private to the opener. Zeroed memory is a valid state, in which every one is
/// looked at.
class Looks {
public:
  Looks() = default;
  explicit Looks(std::uint32_t seed) noexcept : random_(seed) {}

  /// A region opens. False: nobody looks at it.
  bool open() noexcept {
    if (unseen_ == drawn_) return true;
    ++unseen_;
    return false;
  }
  /// Regions since the last look.
  std::uint32_t unseen() const noexcept { return unseen_; }
  /// The opener has looked at a region of `size`, and wants to see so many more of that size. Until then it
  /// looks at every one, but not for ever: it may be the last one.
  void look(unsigned size, std::uint32_t wanted) noexcept {
    if (wanted != 0 && (size != size_ || wanted >= left_)) {
      size_ = size;
      left_ = wanted;
      patience_ = 16 * wanted;
    } else if (left_ != 0) {
      left_ -= size == size_;
      if (--patience_ == 0) left_ = 0;
    }
    unseen_ = 0;
    drawn_ = left_ != 0 ? 0 : random_.below(core::tuning::k_between_looks);
  }

private:
  core::Rng random_;
  unsigned size_ = 0;          // of the latest region in which something may have been new
  std::uint32_t left_ = 0;     // regions of that size that have to be seen
  std::uint32_t patience_ = 0; // looks until it does not matter how many of them were seen
  std::uint32_t drawn_ = 0;    // regions that nobody looks at until the next look
  std::uint32_t unseen_ = 0;   // of these, how many there were
};

} // namespace wstree::loop
