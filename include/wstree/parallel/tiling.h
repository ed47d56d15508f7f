// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of a call are cut into tiles that are handed out in ascending order.
#pragma once

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

/// Generations of k_per_generation tiles. The tiles of a generation are twice as long as those before, so
/// that a tile takes at most about a 64th of the time since the call began, and the number of tiles stays
/// small however cheap or expensive an element turns out to be. Sizes depend on the number of the tile alone.
class Tiling {
public:
  static constexpr std::size_t k_per_generation = 128;
  static constexpr unsigned k_most_doublings = 7; // a tile is a whole number of first tiles

  Tiling(std::size_t count, std::size_t first, std::size_t longest) noexcept
      : count_{count}, first_{first > 0 ? first : 1} {
    while (doublings_ < k_most_doublings && first_ << (doublings_ + 1) <= longest) ++doublings_;
    tiles_ = number_of_tiles();
  }

  std::size_t tiles() const noexcept { return tiles_; }
  std::size_t first() const noexcept { return first_; }

  Tile operator[](std::size_t tile) const noexcept {
    const std::size_t end = begin(tile + 1);
    return {tile, begin(tile), end < count_ ? end : count_};
  }

private:
  std::size_t count_;
  std::size_t first_;
  unsigned doublings_ = 0;
  std::size_t tiles_;

  std::size_t begin(std::size_t tile) const noexcept {
    const std::size_t whole = tile / k_per_generation;
    const std::size_t doubled = whole < doublings_ ? whole : doublings_;
    const std::size_t before = (std::size_t{1} << doubled) - 1;
    return first_ * (k_per_generation * before + ((tile - doubled * k_per_generation) << doubled));
  }

  std::size_t number_of_tiles() const noexcept {
    unsigned g = 0;
    while (g < doublings_ && begin((g + 1) * k_per_generation) < count_) ++g;
    const std::size_t start = begin(g * k_per_generation);
    const std::size_t size = first_ << g;
    return g * k_per_generation + (count_ - start + size - 1) / size;
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
  return {n, first > least ? first : least, longest};
}

} // namespace detail
} // namespace v1
} // namespace wstree
