// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a scan's tiles that its members share.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/parallel/tiling.h"
#include "wstree/parallel/verdict.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The known sums up to tiles. Only the tile's member writes, first the sum of the tile (unless it can do
/// without), then the prefix: the sum of everything up to the tile's end.
template <class T, class P = core::StdPlatform> class alignas(64) alignas(T) TileSums {
public:
  enum class Known : unsigned char { nothing, sum, prefix };

  Known known() const noexcept {
    // [P4] acquire: a member that sees what is known sees the value; pairs with the releases in publish_*().
    //      Guard: model_parallel scan_2x3 (each of the orders).
    return known_.load(P::order(core::Tag::know_tile, std::memory_order_acquire));
  }
  template <class U> const T& publish_sum(U&& value) {
    sum_.emplace(std::forward<U>(value));
    known_.store(Known::sum, P::order(core::Tag::know_tile, std::memory_order_release)); // P4
    return *sum_;
  }
  template <class U> const T& publish_prefix(U&& value) {
    prefix_.emplace(std::forward<U>(value));
    known_.store(Known::prefix, P::order(core::Tag::know_tile, std::memory_order_release)); // P4
    return *prefix_;
  }
  const T& sum() const noexcept { return *sum_; }
  const T& prefix() const noexcept { return *prefix_; }

private:
  std::optional<T> sum_, prefix_;
  typename P::template Atomic<Known> known_{Known::nothing};
};

/// Look-back: the prefix before `tile`, from the nearest tile whose prefix is known and the sums of those in
/// between, in order. Nothing if one of these is not known yet.
template <class Sums, class T, class P>
std::optional<T> look_back(const TileSums<T, P>* tiles, std::size_t tile, const Sums& sums) {
  using Known = typename TileSums<T, P>::Known;
  std::size_t from = tile;
  for (;;) {
    const Known known = tiles[--from].known(); // tile 0 never publishes a sum without a prefix
    if (known == Known::nothing) return {};
    if (known == Known::prefix) break;
  }
  std::optional<T> result{tiles[from].prefix()};
  while (++from < tile) result.emplace(sums.join(std::move(*result), tiles[from].sum()));
  return result;
}

/// A member's part in a scan. While the prefix before its tile is not known the member sums up the next tiles
/// instead of waiting, a few at most, so that they are still in its cache when their results are written.
template <class Policy, class Sums, class P = core::StdPlatform> class ScanMember {
public:
  using T = typename Sums::Sum;
  struct Shared {
    const Policy& policy;
    const Sums& sums;
    const T& start; ///< the sum before tile 0
    std::size_t offset;
    TileSums<T, P>* tiles;
    BasicVerdict<P>& verdict;
  };

  explicit ScanMember(const Shared& shared) noexcept : shared_{shared} {}

  void operator()(const Tile& tile) {
    current_ = tile.number;
    if (count_ == 0) {
      if (write_at_once(tile)) return;
    }
    if (!sum_up(tile)) return;
    waiting_[(first_ + count_++) % k_waiting] = tile;
    // Only now: other members may be waiting for the sum of a tile that was claimed.
    if (count_ == k_waiting)
      write_oldest(k_forever);
    else
      write_oldest(patience());
    write_what_is_known();
  }

  /// Returns the tile that an exception comes from.
  std::size_t current() const noexcept { return current_; }

  /// Returns false when nothing is left to do.
  bool finish() { return count_ > 0 && write_oldest(k_forever); }

private:
  static constexpr unsigned k_waiting = 4;
  static constexpr std::uint64_t k_forever = ~std::uint64_t{0};

  const Shared& shared_;
  Tile waiting_[k_waiting];
  unsigned first_ = 0, count_ = 0;
  std::size_t current_ = 0;
  std::uint64_t sum_ticks_ = 0, write_ticks_ = 0; ///< ticks of the latest tile

  std::optional<T> prefix_before(std::size_t tile) const {
    if (tile == 0) return shared_.start;
    return look_back(shared_.tiles, tile, shared_.sums);
  }
  /// The tile's first `summed` elements were summed up.
  bool write_at_once(const Tile& tile, std::size_t summed = 0) {
    std::optional<T> before = prefix_before(tile.number);
    if (!before.has_value()) return false;
    shared_.tiles[tile.number].publish_prefix(write(std::move(*before), tile, summed));
    return true;
  }
  /// Returns false if the prefix became known in the first half, and the results are written: then the
  /// sum would have been the longer way. Otherwise two members whose tiles end together would both sum
  /// up everything.
  bool sum_up(const Tile& tile) {
    const std::size_t begin = tile.begin + shared_.offset, size = tile.end - tile.begin;
    const std::size_t pieces = least(size, std::size_t{32});
    std::optional<T> sum;
    const std::uint64_t start = P::ticks();
    for (std::size_t i = 0; i < pieces; ++i) {
      if (i > 0 && i <= pieces / 2 && count_ == 0 && write_at_once(tile, size * i / pieces)) return false;
      T piece = shared_.sums.sum(begin + size * i / pieces, begin + size * (i + 1) / pieces);
      sum.emplace(sum.has_value() ? shared_.sums.join(std::move(*sum), piece) : std::move(piece));
    }
    shared_.tiles[tile.number].publish_sum(std::move(*sum));
    sum_ticks_ = P::ticks() - start;
    return true;
  }
  T write(T sum, const Tile& tile, std::size_t summed) {
    const std::uint64_t start = P::ticks();
    const std::size_t begin = tile.begin + shared_.offset, end = tile.end + shared_.offset;
    if (summed != 0) sum = shared_.sums.write_summed(std::move(sum), begin, begin + summed);
    if (begin + summed != end) sum = shared_.sums.write(std::move(sum), begin + summed, end);
    write_ticks_ = P::ticks() - start;
    shared_.policy.advance(shared_.sums.elements(begin, end));
    return sum;
  }
  void write_what_is_known() {
    while (count_ > 0 && write_oldest(0)) {
    }
  }
  void write_behind(T before) {
    const Tile tile = waiting_[first_];
    first_ = (first_ + 1) % k_waiting, --count_;
    TileSums<T, P>& sums = shared_.tiles[tile.number];
    sums.publish_prefix(shared_.sums.join(before, sums.sum()));
    write(std::move(before), tile, tile.end - tile.begin);
  }
  /// Returns the ticks to wait for the prefix. If sums cost about as much as results, a second sum instead of
  /// a result means that two members only sum up: then it is better to wait for the prefix, which the other
  /// member is about to have.
  std::uint64_t patience() const noexcept { return sum_ticks_ * 4 >= write_ticks_ * 3 ? write_ticks_ : 0; }

  /// Waits for its prefix, `patience` ticks at most. Returns false if it did not come or is not needed.
  bool write_oldest(std::uint64_t patience) {
    current_ = waiting_[first_].number;
    const std::uint64_t start = patience > 0 ? P::ticks() : 0;
    for (unsigned spins = 1;; ++spins) {
      std::optional<T> before = prefix_before(current_);
      if (before.has_value()) {
        write_behind(std::move(*before));
        return true;
      }
      if (shared_.verdict.is_beyond(current_)) {
        count_ = 0;
        return false;
      }
      if (patience == 0 || (patience != k_forever && core::elapsed(start, P::ticks()) > patience))
        return false;
      pause<P>(spins);
    }
  }
};

} // namespace detail
} // namespace v1
} // namespace wstree
