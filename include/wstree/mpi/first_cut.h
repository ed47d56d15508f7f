// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of a loop's iterations, and the first range of units of each rank.
#pragma once

#include "wstree/mpi/range_word.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Units of a loop: each stands for `size` elements, the last one for the rest.
struct Units {
  std::uint64_t elements = 0;
  std::uint64_t size = 1;

  Units() = default;
  /// `least` elements in a unit.
  Units(std::uint64_t n, std::uint64_t least) noexcept : elements(n), size(least) {
    if (count_of(size) > k_most_units) size *= (count_of(size) - 1) / k_most_units + 1;
  }
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(count_of(size)); }
  /// Returns the first element of a unit; of the unit behind the last one: `elements`.
  std::uint64_t first(std::uint32_t unit) const noexcept { return unit >= count() ? elements : unit * size; }
  /// Returns the unit of an element.
  std::uint32_t unit_of(std::uint64_t element) const noexcept {
    return static_cast<std::uint32_t>(element / size);
  }

private:
  std::uint64_t count_of(std::uint64_t unit) const noexcept {
    return elements / unit + (elements % unit != 0 ? 1 : 0);
  }
};

/// The shares that the ranks begin with: the same arithmetic on each rank.
class FirstCut {
public:
  /// `weights`: costs of equal sections of the loop; empty: all units cost the same. `grain`: shares are
  /// multiples of so many units.
  FirstCut(std::uint32_t units, std::uint32_t ranks, std::span<const double> weights, std::uint32_t grain = 1)
      : bounds_(ranks + 1), grain_(grain) {
    cut(units, ranks, weights);
    if (grain == 1) return;
    for (std::uint32_t r = 1; r < ranks; ++r)
      bounds_[r] = std::min(units, (bounds_[r] + grain / 2) / grain * grain);
  }

  Range share(std::uint32_t rank) const noexcept { return {bounds_[rank], bounds_[rank + 1]}; }
  std::uint32_t units() const noexcept { return bounds_.back(); }
  /// Returns where a thief cuts a range: at the multiple of the grain next to the middle, if there is one.
  std::uint32_t middle(Range range) const noexcept {
    const std::uint32_t middle = range.begin + range.size() / 2, before = middle / grain_ * grain_;
    if (before > range.begin) return before;
    return before + grain_ < range.end ? before + grain_ : middle;
  }
  /// Returns the end of a piece of about `want` units at the front of a range: a multiple of the grain if the
  /// piece is as large.
  std::uint32_t end_of_piece(Range range, std::uint64_t want) const noexcept {
    const auto units = std::clamp<std::uint64_t>(want, 1, range.size());
    const std::uint64_t end = range.begin + units;
    if (units < grain_) return static_cast<std::uint32_t>(end);
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>((end + grain_ - 1) / grain_ * grain_, range.end));
  }
  /// Returns a number that differs, nearly always, where the shares differ.
  std::uint64_t fingerprint() const noexcept {
    std::uint64_t sum = 14695981039346656037U; // FNV-1a
    for (const std::uint32_t bound : bounds_) sum = (sum ^ bound) * 1099511628211U;
    return sum;
  }

private:
  static double positive(double weight) noexcept { return weight > 0 ? weight : 0; }

  void cut(std::uint32_t units, std::uint32_t ranks, std::span<const double> weights) {
    double total = 0;
    for (const double weight : weights) total += weight > 0 ? weight : 0;
    if (!(total > 0)) {
      for (std::uint32_t r = 0; r <= ranks; ++r)
        bounds_[r] = static_cast<std::uint32_t>(std::uint64_t{units} * r / ranks);
      return;
    }
    double before = 0; // weight of the sections before `section`
    std::size_t section = 0;
    for (std::uint32_t r = 0; r <= ranks; ++r) {
      const double wanted = total * r / ranks;
      while (section + 1 < weights.size() && before + positive(weights[section]) < wanted)
        before += positive(weights[section++]);
      const double weight = positive(weights[section]);
      const double part = weight > 0 ? std::clamp((wanted - before) / weight, 0.0, 1.0) : 0.0;
      const double at = (static_cast<double>(section) + part) / static_cast<double>(weights.size()) * units;
      bounds_[r] = std::max(r > 0 ? bounds_[r - 1] : 0,
                            static_cast<std::uint32_t>(std::min(at + 0.5, static_cast<double>(units))));
    }
    bounds_.front() = 0;
    bounds_.back() = units;
  }

  std::vector<std::uint32_t> bounds_;
  std::uint32_t grain_;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
