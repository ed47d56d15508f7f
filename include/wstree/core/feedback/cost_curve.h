// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The estimated costs of a loop's iterations, as a piecewise constant function of their number.
#pragma once

#include "wstree/core/tuning.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

namespace wstree::core {

/// Returns the square root, rounded down.
constexpr std::int64_t square_root_of(std::int64_t square) noexcept {
  if (square <= 0) return 0;
  std::int64_t root = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(square)) + 1) / 2;
  for (;;) {
    const std::int64_t next = (root + square / root) / 2;
    if (next >= root) return root;
    root = next;
  }
}

/// Costs are shares of the whole loop, whose cost is k_one: products of a share and a number of iterations,
/// and of two shares, have room. Works in memory that it is given; one thread at a time.
class CostCurve {
public:
  static constexpr std::int64_t k_one = std::int64_t{1} << 30;

  struct Piece {
    std::int64_t begin; ///< the first iteration; the piece ends where the next one begins
    std::int64_t cost;
  };
  /// Returns the pieces that suffice for a team of `members`: the cuts of several executions.
  static constexpr std::uint32_t room(std::uint32_t members) noexcept {
    return std::max<std::uint32_t>(tuning::k_fewest_curve_pieces, 6 * members);
  }

  /// `memory` has room for `room` pieces. All of the `iterations`, fewer than 2^32, cost the same.
  void reset(Piece* memory, std::uint32_t room, std::uint64_t iterations) noexcept {
    pieces_ = memory;
    room_ = room;
    end_ = static_cast<std::int64_t>(iterations);
    count_ = 1;
    pieces_[0] = {0, k_one};
  }

  /// The parts between `bounds` have taken `shares` of the time. Moves the estimate by `gain` (k_one: to the
  /// measured shares). The curve keeps its shape inside of a part, because only the sum was measured; the
  /// more a part has surprised, the flatter the curve becomes inside of it, by `doubt` for each mean part.
  void learn(const std::uint64_t* bounds, const std::int64_t* shares, std::uint32_t parts, std::int64_t gain,
             std::int64_t doubt) noexcept {
    while (count_ + parts - 1 > room_) merge_flattest();
    std::uint32_t i = 0;
    for (std::uint32_t p = 1; p < parts; ++p) i = split(static_cast<std::int64_t>(bounds[p]), i);
    i = 0;
    std::int64_t sum = 0;
    for (std::uint32_t p = 0; p < parts; ++p) {
      const auto end = static_cast<std::int64_t>(bounds[p + 1]);
      const std::int64_t part = end - static_cast<std::int64_t>(bounds[p]);
      const std::uint32_t first = i;
      std::int64_t believed = 0;
      for (; i < count_ && pieces_[i].begin < end; ++i) believed += pieces_[i].cost;
      const std::int64_t error = shares[p] - believed;
      const std::int64_t now = believed + gain * error / k_one;
      const std::int64_t flat = std::min(doubt * parts * std::abs(error), k_one);
      for (std::uint32_t k = first; k < i; ++k) {
        const std::int64_t shaped = now * pieces_[k].cost / believed;
        const std::int64_t even = now * length(k) / part;
        // Nothing is ever believed to cost nothing: no factor could raise it again.
        const std::int64_t least = k_one * length(k) / end_ / tuning::k_least_density + 1;
        pieces_[k].cost = std::max(shaped + flat * (even - shaped) / k_one, least);
        sum += pieces_[k].cost;
      }
    }
    for (std::uint32_t k = 0; k < count_; ++k)
      pieces_[k].cost = std::max<std::int64_t>(pieces_[k].cost * k_one / sum, 1);
  }

  /// Writes the estimated cost of each part between `bounds` into `shares`.
  void predict(const std::uint64_t* bounds, std::int64_t* shares, std::uint32_t parts) const noexcept {
    std::int64_t before = 0;
    Walk walk(*this);
    for (std::uint32_t p = 0; p < parts; ++p) {
      const std::int64_t until = walk.cost_before(static_cast<std::int64_t>(bounds[p + 1]));
      shares[p] = until - before;
      before = until;
    }
  }

  /// Bounds of parts of the same cost. Each part has an iteration at least; there are enough of them.
  void cut(std::uint64_t* bounds, std::uint32_t parts) const noexcept {
    const auto iterations = static_cast<std::uint64_t>(end_);
    bounds[0] = 0;
    Walk walk(*this);
    for (std::uint32_t p = 1; p < parts; ++p)
      bounds[p] = std::clamp(static_cast<std::uint64_t>(walk.place_of(k_one * p / parts)), bounds[p - 1] + 1,
                             iterations - (parts - p));
    bounds[parts] = iterations;
  }

  std::uint32_t pieces() const noexcept { return count_; }

private:
  std::int64_t length(std::uint32_t k) const noexcept {
    return (k + 1 < count_ ? pieces_[k + 1].begin : end_) - pieces_[k].begin;
  }

  /// Returns half of the difference that piece k would cost with the density at its one end or the other.
  /// Costs mostly change gradually, so a straight line fits better than a step; it stays between the
  /// neighbours' densities, and above zero.
  std::int64_t tilt(std::uint32_t k) const noexcept {
    if (count_ == 1) return 0;
    const std::int64_t own = pieces_[k].cost;
    const auto towards = [&](std::uint32_t other) {
      const std::int64_t like = pieces_[other].cost * length(k) / length(other); // as long as piece k
      return std::min(like - own, k_one) * length(k) / (length(other) + length(k));
    };
    std::int64_t steep = 0;
    if (k == 0) {
      steep = towards(1);
    } else if (k + 1 == count_) {
      steep = -towards(k - 1);
    } else {
      const std::int64_t before = -towards(k - 1);
      const std::int64_t after = towards(k + 1);
      if (before * after <= 0) return 0;
      const std::int64_t least =
          std::min({2 * std::abs(before), 2 * std::abs(after), std::abs(before + after) / 2});
      steep = before < 0 ? -least : least;
    }
    return std::clamp(steep, -own, own);
  }
  /// Returns the cost of the first `count` iterations of piece k.
  std::int64_t cost_of_first(std::int64_t count, std::uint32_t k) const noexcept {
    const std::int64_t all = length(k);
    return pieces_[k].cost * count / all - tilt(k) * count / all * (all - count) / all;
  }

  /// Goes through the curve once, from the left.
  class Walk {
  public:
    explicit Walk(const CostCurve& curve) noexcept : curve_(curve) {}

    std::int64_t cost_before(std::int64_t place) noexcept {
      while (at_ + 1 < curve_.count_ && curve_.pieces_[at_ + 1].begin <= place)
        before_ += curve_.pieces_[at_++].cost;
      return before_ + curve_.cost_of_first(place - curve_.pieces_[at_].begin, at_);
    }

    std::int64_t place_of(std::int64_t cost) noexcept {
      while (at_ + 1 < curve_.count_ && before_ + curve_.pieces_[at_].cost < cost)
        before_ += curve_.pieces_[at_++].cost;
      // a x^2 + b x = c, the larger x of which is meant
      const std::int64_t length = curve_.length(at_);
      const std::int64_t a = curve_.tilt(at_);
      const std::int64_t b = curve_.pieces_[at_].cost - a;
      const std::int64_t c = cost - before_;
      const std::int64_t divisor = std::max<std::int64_t>((b + square_root_of(b * b + 4 * a * c)) / 2, 1);
      return curve_.pieces_[at_].begin + std::min((length * c + divisor / 2) / divisor, length);
    }

  private:
    const CostCurve& curve_;
    std::uint32_t at_ = 0;
    std::int64_t before_ = 0;
  };

  /// Makes `place` the begin of a piece, which is not before piece k; the number of that piece.
  std::uint32_t split(std::int64_t place, std::uint32_t k) noexcept {
    while (k + 1 < count_ && pieces_[k + 1].begin <= place) ++k;
    if (pieces_[k].begin == place) return k;
    const std::int64_t left = cost_of_first(place - pieces_[k].begin, k);
    const std::int64_t right = pieces_[k].cost - left;
    for (std::uint32_t i = count_; i > k + 1; --i) pieces_[i] = pieces_[i - 1];
    ++count_;
    pieces_[k].cost = std::max<std::int64_t>(left, 1);
    pieces_[k + 1] = {place, std::max<std::int64_t>(right, 1)};
    return k + 1;
  }

  /// Makes one of the two neighbours whose line differs least from theirs.
  void merge_flattest() noexcept {
    std::uint32_t best = 0;
    std::int64_t least = 0;
    for (std::uint32_t k = 0; k + 1 < count_; ++k) {
      const std::int64_t shorter = std::min(length(k), length(k + 1));
      const std::int64_t error =
          std::abs(pieces_[k].cost * shorter / length(k) - pieces_[k + 1].cost * shorter / length(k + 1));
      if (k == 0 || error < least) {
        best = k;
        least = error;
      }
    }
    pieces_[best].cost += pieces_[best + 1].cost;
    for (std::uint32_t i = best + 1; i + 1 < count_; ++i) pieces_[i] = pieces_[i + 1];
    --count_;
  }

  Piece* pieces_ = nullptr;
  std::uint32_t room_ = 0;
  std::uint32_t count_ = 0;
  std::int64_t end_ = 1;
};

} // namespace wstree::core
