// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When to start iteration n-1, which ends its member's part in the loop.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/shape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace wstree::core {

/// Estimates the cost of the last iteration from the trend of the costs that its member has seen, and weighs
/// it against what is left for the others. Matters only for loops of few, long iterations: in a long loop one
/// iteration is nothing, and in a loop of short ones the difference is lost in the dispatches. Private to its
/// member.
class LastIteration {
public:
  void enter(const Shape& shape, std::uint32_t members, const Settings& settings) noexcept {
    known_ = 0;
    // A member that is alone would leave the rest to nobody.
    const bool few =
        settings.batch == BatchMode::timed && members > 1 && shape.units() <= k_units_each * members;
    long_ = few ? static_cast<float>(settings.shortest_target) : k_never;
  }

  /// A batch of `units` units, ending before unit `position`, took `cost` ticks per unit. The trend is that
  /// of batches of one unit next to each other.
  void learn(std::uint64_t position, std::uint32_t units, float cost) noexcept {
    if (units != 1 || position != position_ + 1) known_ = 0;
    position_ = position;
    costs_[0] = costs_[1];
    costs_[1] = costs_[2];
    costs_[2] = cost;
    known_ = std::min(known_ + 1, 3);
  }

  /// There are few iterations, which may be long: what follows is asked for.
  bool is_of_interest() const noexcept { return long_ != k_never; }

  /// Iterations that take `cost` ticks are long, and there are few of them.
  bool may_matter(float cost) const noexcept { return cost > long_; }

  /// Estimated ticks: `others` of all that is unclaimed but the last iteration, `last` of that, `step` of the
  /// caller's next batch. True if the loop ends sooner when the caller starts the last iteration now and
  /// leaves the rest to the others than when it takes one more batch first. Each of the others is on average
  /// half a step away from being free, and where they are several, the last of them ends up to half a step
  /// after the average, because a step is not shared.
  static bool is_critical(std::uint32_t members, float others, float last, float step) noexcept {
    const auto rest = static_cast<float>(std::max(members, 2U) - 1);
    const float now = std::max(last, others / rest + step * (1 - 0.5F / rest));
    const float later = std::max(step + last, (others + rest * step / 2 + last) / (rest + 1));
    return now < later * k_convincing;
  }

  /// Ticks of the iteration at `position`, a few iterations ahead. Costs that rise or fall steadily are
  /// continued, in proportion if they grew in proportion (EXP) and in a straight line otherwise, up to a
  /// factor: random costs rise three times in a row as well. Costs that go up and down are averaged.
  float estimate(std::uint64_t position) const noexcept {
    if (known_ < 3) return costs_[2];
    const auto [first, second, third] = costs_;
    const float most = k_believed * third;
    const auto ahead = static_cast<float>(position + 1 - std::min(position_, position));
    const bool rises = second > first * k_steady && third > second * k_steady;
    const bool falls = first > second * k_steady && second > third * k_steady;
    if (rises && third * first > second * second * k_in_proportion && ahead <= k_far) {
      float cost = third;
      for (float step = 0; step < ahead; ++step) cost *= third / second;
      return std::min(cost, most);
    }
    if (rises || falls) return std::clamp(third + (third - second) * ahead, 0.0F, most);
    return (first + second + third) / 3;
  }

  /// Ticks per iteration of those from `position` to `end`, for others to compare: their cost in the middle.
  /// Two latest costs make a trend as well here, but none is believed beyond a factor.
  float of_rest(std::uint64_t position, std::uint64_t end) const noexcept {
    const std::uint64_t half = (end - std::min(position, end)) / 2;
    const float middle = known_ == 2 ? costs_[2] + (costs_[2] - costs_[1]) * static_cast<float>(half + 1)
                                     : estimate(position + half);
    return std::clamp(middle, costs_[2] / k_believed, costs_[2] * k_believed);
  }

private:
  static constexpr std::uint64_t k_units_each = 64;
  static constexpr float k_never = std::numeric_limits<float>::infinity();
  static constexpr float k_believed = 3;   // a factor, of what an iteration will cost and what the latest did
  static constexpr float k_steady = 1.03F; // from one iteration to the next, to count as a trend
  static constexpr float k_in_proportion = 0.98F; // of the earlier growth factor
  static constexpr float k_convincing =
      0.9F;                         // estimates are rough, and whoever starts the last iteration is lost
  static constexpr float k_far = 5; // iterations over which growth in proportion is believed

  std::uint64_t position_ = 0;
  float long_ = k_never; // ticks of an iteration
  std::array<float, 3> costs_{};
  int known_ = 0;
};

} // namespace wstree::core
