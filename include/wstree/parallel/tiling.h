// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of a call are cut into tiles that are handed out in ascending order.
#pragma once

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
/// so that a tile is at most about a 16th of what a member has done by then, and their number stays small
/// however cheap an element turns out to be: the first ones, in a cold cache, are no measure of that. Sizes
/// depend on the number of the tile alone.
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
    const std::size_t end = begin(tile + 1);
    return {tile, begin(tile), end < count_ ? end : count_};
  }

private:
  std::size_t count_;
  std::size_t first_;
  std::size_t generation_; ///< tiles of one
  unsigned doublings_ = 0;
  std::size_t tiles_;

  std::size_t begin(std::size_t tile) const noexcept {
    const std::size_t whole = tile / generation_;
    const std::size_t doubled = whole < doublings_ ? whole : doublings_;
    const std::size_t before = (std::size_t{1} << doubled) - 1;
    return first_ * (generation_ * before + ((tile - doubled * generation_) << doubled));
  }

  std::size_t number_of_tiles() const noexcept {
    unsigned g = 0;
    while (g < doublings_ && begin((g + 1) * generation_) < count_) ++g;
    const std::size_t start = begin(g * generation_);
    const std::size_t size = first_ << g;
    return g * generation_ + (count_ - start + size - 1) / size;
  }
};

/// With the bounds of a policy; `unit`: elements of one that is tiled.
template <class Policy>
Tiling tiling_of(const Policy& policy, std::size_t n, std::size_t first, std::size_t longest,
                 std::size_t unit = 1) noexcept {
  const std::size_t least = policy.min_chunk() / unit, most = policy.max_chunk() / unit;
  longest = longest < most ? longest : most;
  longest = longest > least ? longest : least;
  first = first < longest ? first : longest;
  return {n, first > least ? first : least, longest, most_members(policy)};
}

} // namespace detail
} // namespace v1
} // namespace wstree
