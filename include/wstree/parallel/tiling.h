// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cut of a call's elements into tiles that are handed out in ascending order.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/parallel/call.h"

#include <cstddef>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Elements [begin, end) that one member works on.
struct Tile {
  std::size_t number;
  std::size_t begin;
  std::size_t end;
};

/// Generations of a few tiles for each member. The tiles of a generation are twice as long as those before,
/// so that a tile is at most about a 16th of the work that a member has done by then, and their number stays
/// small however cheap an element turns out to be: the first ones, in a cold cache, are no measure of that.
/// Sizes depend on the number of the tile alone.
class Tiling {
public:
  static constexpr std::size_t k_of_member = 16;
  static constexpr std::size_t k_least_generation = 32;

  Tiling(std::size_t count, std::size_t first, std::size_t longest, std::size_t members) noexcept
      : count_{count}, first_{first > 0 ? first : 1}, generation_{members * k_of_member > k_least_generation
                                                                      ? members * k_of_member
                                                                      : k_least_generation} {
    while (first_ << doublings_ <= longest / 2) ++doublings_;
    tiles_ = number_of_tiles();
  }

  std::size_t tiles() const noexcept { return tiles_; }
  std::size_t elements() const noexcept { return count_; }
  std::size_t first() const noexcept { return first_; }

  Tile operator[](std::size_t tile) const noexcept {
    const std::size_t first = begin(tile), size = first_ << generation_of(tile);
    return {tile, first, count_ - first > size ? first + size : count_};
  }

private:
  std::size_t count_;
  std::size_t first_;
  std::size_t generation_; ///< tiles of one
  unsigned doublings_ = 0;
  std::size_t tiles_;

  std::size_t generation_of(std::size_t tile) const noexcept {
    return std::min<std::size_t>(tile / generation_, doublings_);
  }
  std::size_t begin(std::size_t tile) const noexcept {
    const std::size_t doubled = generation_of(tile), before = (std::size_t{1} << doubled) - 1;
    return first_ * (generation_ * before + ((tile - doubled * generation_) << doubled));
  }

  /// Returns the number of tiles, by divisions: the tiles of a whole generation may have more elements than
  /// the largest number.
  std::size_t number_of_tiles() const noexcept {
    std::size_t left = count_, size = first_, g = 0;
    for (; g < doublings_ && left / size >= generation_; ++g, size *= 2) left -= generation_ * size;
    return g * generation_ + left / size + (left % size != 0);
  }
};

/// With the bounds of a policy, of which the upper one wins; n > 0; `unit`: elements of one that is tiled.
template <class Policy>
Tiling tiling_of(const Policy& policy, std::size_t n, std::size_t first, std::size_t longest,
                 std::size_t unit = 1) noexcept {
  const std::size_t most = std::min<std::size_t>(policy.max_chunk() / unit, n);
  const std::size_t least = std::min<std::size_t>(policy.min_chunk() / unit, most);
  longest = core::clamp(longest, least, most);
  return {n, core::clamp(first, least, longest), longest, most_members(policy)};
}

} // namespace detail
} // namespace v1
} // namespace wstree
