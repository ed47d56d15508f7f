// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what a loop has cost to where its members should begin.
#pragma once

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// The costs of a loop over its units: `count` bins of 2^shift units, the last one perhaps of fewer, and
/// iteration n-1 behind all of them. Inside a bin all units cost the same.
class CostCurve {
public:
  CostCurve(const float* bins, std::uint32_t count, unsigned shift, std::uint64_t units, float last) noexcept
      : bins_(bins), units_(units), count_(count), shift_(shift), last_(last) {
    for (std::uint32_t b = 0; b < count; ++b) sum_ += bins[b];
  }

  double all() const noexcept { return sum_ + static_cast<double>(last_); }
  double in_tree() const noexcept { return sum_; }
  double last() const noexcept { return last_; }
  std::uint64_t units() const noexcept { return units_; }

  /// Cuts the units in `parts` pieces, in order, that take about the same; iteration n-1 belongs to the last
  /// one. begins[0] to begins[parts] are written.
  void cut(std::uint32_t parts, std::uint64_t* begins) const noexcept {
    // Where iteration n-1 alone is more than a part, the others share the rest.
    const bool long_last = double{last_} * parts > all() && parts > 1;
    const double fair = long_last ? sum_ / (parts - 1) : all() / parts;
    Walk walk(*this);
    begins[0] = 0;
    for (std::uint32_t part = 1; part < parts; ++part) begins[part] = walk.nearest(fair * part);
    begins[parts] = units_;
  }

  /// Ticks of the longest part, if the members' parts begin there, over the ticks of a fair one.
  double imbalance(std::uint32_t parts, const std::uint64_t* begins) const noexcept {
    if (all() <= 0) return 1;
    Walk walk(*this);
    double longest = 0;
    for (std::uint32_t part = 0; part < parts; ++part) {
      const double before = walk.cost();
      walk.go_to(begins[part + 1]);
      const double after = part + 1 == parts ? sum_ + static_cast<double>(last_) : walk.cost();
      longest = std::max(longest, after - before);
    }
    return longest / std::max(all() / parts, static_cast<double>(last_));
  }

private:
  /// A place in the loop that only goes forward.
  class Walk {
  public:
    explicit Walk(const CostCurve& curve) noexcept : curve_(curve) {}
    double cost() const noexcept { return done_ + inside_; }

    /// The unit before which about `target` ticks have passed.
    std::uint64_t nearest(double target) noexcept {
      while (bin_ < curve_.count_ && done_ + bin() <= target) next_bin();
      if (bin_ == curve_.count_) return curve_.units_;
      const double each = bin() / static_cast<double>(width());
      const auto ahead = static_cast<std::uint64_t>(std::max(target - done_, 0.0) / each + 0.5);
      return stand(std::max(ahead, at_));
    }
    void go_to(std::uint64_t unit) noexcept {
      while (bin_ < curve_.count_ && ((bin_ + std::uint64_t{1}) << curve_.shift_) <= unit) next_bin();
      if (bin_ < curve_.count_) stand(std::min(unit - (std::uint64_t{bin_} << curve_.shift_), width()));
    }

  private:
    double bin() const noexcept { return static_cast<double>(curve_.bins_[bin_]); }
    std::uint64_t width() const noexcept {
      const std::uint64_t begin = std::uint64_t{bin_} << curve_.shift_;
      return std::min(std::uint64_t{1} << curve_.shift_, curve_.units_ - begin);
    }
    void next_bin() noexcept {
      done_ += bin();
      inside_ = 0;
      at_ = 0;
      ++bin_;
    }
    std::uint64_t stand(std::uint64_t ahead) noexcept {
      at_ = std::min(ahead, width());
      inside_ = bin() / static_cast<double>(width()) * static_cast<double>(at_);
      return (std::uint64_t{bin_} << curve_.shift_) + at_;
    }

    const CostCurve& curve_;
    std::uint32_t bin_ = 0;
    std::uint64_t at_ = 0; // units into the bin
    double done_ = 0;      // of the bins before
    double inside_ = 0;    // of the units before `at_`
  };

  const float* bins_;
  std::uint64_t units_;
  std::uint32_t count_;
  unsigned shift_;
  float last_;
  double sum_ = 0;
};

} // namespace wstree::core
