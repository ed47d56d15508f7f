// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The estimated costs of a loop's iterations, as a piecewise constant function of their number.
#pragma once

#include "wstree/core/tuning.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace wstree::core {

/// Costs are shares of the whole loop, so that they sum up to 1. Works in memory that it is given; one thread
/// at a time.
class CostCurve {
public:
  struct Piece {
    double begin; ///< the first iteration; the piece ends where the next one begins
    double cost;
  };
  /// Returns the pieces that suffice for a team of `members`: the cuts of several executions.
  static constexpr std::uint32_t room(std::uint32_t members) noexcept {
    return std::max<std::uint32_t>(tuning::k_fewest_curve_pieces, 6 * members);
  }

  /// `memory` has room for `room` pieces. All iterations cost the same.
  void reset(Piece* memory, std::uint32_t room, std::uint64_t iterations) noexcept {
    pieces_ = memory;
    room_ = room;
    end_ = static_cast<double>(iterations);
    count_ = 1;
    pieces_[0] = {0, 1};
  }

  /// The parts between `bounds` have taken `shares` of the time. Moves the estimate by `gain` (1: to the
  /// measured shares). The curve keeps its shape inside of a part, because only the sum was measured; the
  /// more a part has surprised, the flatter the curve becomes inside of it, by `doubt` for each mean part.
  void learn(const std::uint64_t* bounds, const double* shares, std::uint32_t parts, double gain,
             double doubt) noexcept {
    while (count_ + parts - 1 > room_) merge_flattest();
    std::uint32_t i = 0;
    for (std::uint32_t p = 1; p < parts; ++p) i = split(static_cast<double>(bounds[p]), i);
    i = 0;
    double sum = 0;
    for (std::uint32_t p = 0; p < parts; ++p) {
      const auto end = static_cast<double>(bounds[p + 1]);
      const std::uint32_t first = i;
      double believed = 0;
      for (; i < count_ && pieces_[i].begin < end; ++i) believed += pieces_[i].cost;
      const double now = believed + gain * (shares[p] - believed);
      const double factor = believed > 0 ? now / believed : 0;
      const double flat = std::min(doubt * parts * std::abs(shares[p] - believed), 1.0);
      const double even = flat * now / (end - static_cast<double>(bounds[p]));
      for (std::uint32_t k = first; k < i; ++k) {
        // Nothing is ever believed to cost nothing: a factor could not raise it again.
        const double least = tuning::k_least_density * length(k) / end_;
        pieces_[k].cost = std::max((1 - flat) * factor * pieces_[k].cost + even * length(k), least);
        sum += pieces_[k].cost;
      }
    }
    for (std::uint32_t k = 0; k < count_; ++k) pieces_[k].cost /= sum;
  }

  /// Writes the estimated cost of each part between `bounds` into `shares`.
  void predict(const std::uint64_t* bounds, double* shares, std::uint32_t parts) const noexcept {
    double before = 0;
    Walk walk(*this);
    for (std::uint32_t p = 0; p < parts; ++p) {
      const double until = walk.cost_before(static_cast<double>(bounds[p + 1]));
      shares[p] = until - before;
      before = until;
    }
  }

  /// Bounds of parts of the same cost. Each part has an iteration at least; there are enough of them.
  void cut(std::uint64_t* bounds, std::uint32_t parts) const noexcept {
    const auto iterations = static_cast<std::uint64_t>(end_);
    bounds[0] = 0;
    Walk walk(*this);
    for (std::uint32_t p = 1; p < parts; ++p) {
      const double place = walk.place_of(static_cast<double>(p) / parts);
      const auto nearest = static_cast<std::uint64_t>(std::llround(std::max(place, 0.0)));
      bounds[p] = std::clamp(nearest, bounds[p - 1] + 1, iterations - (parts - p));
    }
    bounds[parts] = iterations;
  }

  std::uint32_t pieces() const noexcept { return count_; }

private:
  double end_of(std::uint32_t k) const noexcept { return k + 1 < count_ ? pieces_[k + 1].begin : end_; }
  double length(std::uint32_t k) const noexcept { return end_of(k) - pieces_[k].begin; }
  double density(std::uint32_t k) const noexcept { return pieces_[k].cost / length(k); }
  double centre(std::uint32_t k) const noexcept { return pieces_[k].begin + length(k) / 2; }

  /// Returns half of the difference of the density between the ends of piece k. Costs mostly change
  /// gradually, so a straight line fits better than a step; it stays between the neighbours' densities, and
  /// above zero.
  double tilt(std::uint32_t k) const noexcept {
    if (count_ == 1) return 0;
    const auto slope = [this](std::uint32_t a, std::uint32_t b) {
      return (density(b) - density(a)) / (centre(b) - centre(a));
    };
    double steep = 0;
    if (k == 0) {
      steep = slope(0, 1);
    } else if (k + 1 == count_) {
      steep = slope(k - 1, k);
    } else {
      const double before = slope(k - 1, k);
      const double after = slope(k, k + 1);
      if (before * after <= 0) return 0;
      steep = std::copysign(
          std::min({2 * std::abs(before), 2 * std::abs(after), std::abs(before + after) / 2}), before);
    }
    const double most = density(k);
    return std::clamp(steep * length(k) / 2, -most, most);
  }

  /// Goes through the curve once, from the left.
  class Walk {
  public:
    explicit Walk(const CostCurve& curve) noexcept : curve_(curve) {}

    double cost_before(double place) noexcept {
      while (at_ + 1 < curve_.count_ && curve_.pieces_[at_ + 1].begin <= place)
        before_ += curve_.pieces_[at_++].cost;
      const double length = curve_.length(at_);
      const double x = std::min((place - curve_.pieces_[at_].begin) / length, 1.0);
      return before_ + length * (x * curve_.density(at_) - curve_.tilt(at_) * x * (1 - x));
    }

    double place_of(double cost) noexcept {
      while (at_ + 1 < curve_.count_ && before_ + curve_.pieces_[at_].cost < cost)
        before_ += curve_.pieces_[at_++].cost;
      // a x^2 + b x = c, the larger x of which is meant
      const double length = curve_.length(at_);
      const double a = curve_.tilt(at_);
      const double b = curve_.density(at_) - a;
      const double c = (cost - before_) / length;
      const double root = std::sqrt(std::max(b * b + 4 * a * c, 0.0));
      const double x = b + root > 0 ? 2 * c / (b + root) : 1;
      return curve_.pieces_[at_].begin + length * std::clamp(x, 0.0, 1.0);
    }

  private:
    const CostCurve& curve_;
    std::uint32_t at_ = 0;
    double before_ = 0;
  };

  /// Makes `place` the begin of a piece, which is not before piece k; the number of that piece.
  std::uint32_t split(double place, std::uint32_t k) noexcept {
    while (k + 1 < count_ && pieces_[k + 1].begin <= place) ++k;
    if (pieces_[k].begin == place) return k;
    const double x = (place - pieces_[k].begin) / length(k);
    const double left = length(k) * (x * density(k) - tilt(k) * x * (1 - x));
    const double right = pieces_[k].cost - left;
    for (std::uint32_t i = count_; i > k + 1; --i) pieces_[i] = pieces_[i - 1];
    ++count_;
    pieces_[k].cost = std::max(left, 0.0);
    pieces_[k + 1] = {place, std::max(right, 0.0)};
    return k + 1;
  }

  /// Makes one of the two neighbours whose line differs least from theirs.
  void merge_flattest() noexcept {
    std::uint32_t best = 0;
    double least = 0;
    for (std::uint32_t k = 0; k + 1 < count_; ++k) {
      const double shorter = std::min(length(k), length(k + 1));
      const double error = std::abs(density(k) - density(k + 1)) * shorter;
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
  double end_ = 1;
};

} // namespace wstree::core
