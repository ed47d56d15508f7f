// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Left or right: the paper's six orders (section 4 and appendix A.2).
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/rng.h"
#include "wstree/core/settings.h"

#include <bit>
#include <cstdint>

namespace wstree::core {

/// The side that a member prefers, of a split and of the tree. The roots are the leaves of an imaginary
/// complete binary tree, so that levels count as in the paper, which starts from one root.
class Order {
public:
  Order() = default;
  Order(Strategy strategy, std::uint32_t index, std::uint32_t members) noexcept
      : index_(index), levels_(std::max(1U, static_cast<std::uint32_t>(std::bit_width(members - 1)))),
        strategy_(strategy) {}

  Strategy strategy() const noexcept { return strategy_; }
  /// Returns the levels of the imaginary tree.
  std::uint32_t levels() const noexcept { return levels_; }

  /// Returns whether the member goes on with the left child after a split at `level`: as the victim or as
  /// the thief.
  bool chooses_left(std::uint32_t level, bool victim, Rng& rng) const noexcept {
    switch (strategy_) {
    case Strategy::assign:
      return bit(level);
    case Strategy::assign_top:
      return level <= levels_ ? bit(level) : rng.coin();
    case Strategy::random_all:
      return rng.coin();
    default:
      return victim;
    }
  }

  bool searches_left_first(std::uint32_t level, Rng& rng) const noexcept {
    switch (strategy_) {
    case Strategy::assign:
      return bit(level);
    case Strategy::assign_top:
      return level <= levels_ ? bit(level) : rng.coin();
    case Strategy::random_walk:
    case Strategy::random_all:
      return rng.coin();
    default:
      return true;
    }
  }

private:
  bool bit(std::uint32_t level) const noexcept { return (index_ >> level % levels_ & 1U) != 0; }

  std::uint32_t index_ = 0;
  std::uint32_t levels_ = 1;
  Strategy strategy_ = Strategy::find_max;
};

} // namespace wstree::core
