// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When to start iteration n-1, which ends its member's part in the loop.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/shape.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace wstree::core {

/// Estimates the cost of the last iteration from the trend of the costs that its member has seen, and weighs
/// it against what is left for the others. Matters only for loops of few, long iterations: in a long loop one
/// iteration is nothing, and in a loop of short ones the difference is lost in the dispatches. Private to its
/// member.
class LastIteration {
public:
  void enter() noexcept { known_ = 0; }

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

  bool may_matter(const Shape& shape, std::uint32_t members, float cost,
                  const Settings& settings) const noexcept {
    // A member that is alone would leave the rest to nobody.
    return settings.batch == BatchMode::timed && members > 1 && shape.units() <= 64ULL * members &&
           cost > static_cast<float>(settings.shortest_target);
  }

  /// Estimated ticks: `others` of all that is unclaimed but the last iteration, `last` of that, `step` of the
  /// caller's next batch. True if the loop ends sooner when the caller starts the last iteration now and
  /// leaves the rest to the others (each of whom is on average half a step away from being free) than when it
  /// takes one more batch first.
  static bool is_critical(std::uint32_t members, float others, float last, float step) noexcept {
    const auto rest = static_cast<float>(std::max(members, 2U) - 1);
    const float now = std::max(last, others / rest + step / 2);
    const float later = std::max(step + last, (others + rest * step / 2 + last) / (rest + 1));
    return now < later * k_convincing;
  }

  /// Ticks of the iteration at `position`, a few iterations ahead. Costs that rise or fall steadily are
  /// continued, in proportion if they grew in proportion (EXP) and in a straight line otherwise; costs that
  /// go up and down are averaged.
  float estimate(std::uint64_t position) const noexcept {
    if (known_ < 3) return costs_[2];
    const auto [first, second, third] = costs_;
    const auto ahead = static_cast<float>(position + 1 - std::min(position_, position));
    const bool rises = second > first * k_steady && third > second * k_steady;
    const bool falls = first > second * k_steady && second > third * k_steady;
    if (rises && third * first > second * second * k_in_proportion && ahead <= k_far) {
      float cost = third;
      for (float step = 0; step < ahead; ++step) cost *= third / second;
      return cost;
    }
    if (rises || falls) return std::max(third + (third - second) * ahead, 0.0F);
    return (first + second + third) / 3;
  }

private:
  static constexpr float k_steady = 1.03F;        // from one iteration to the next, to count as a trend
  static constexpr float k_in_proportion = 0.98F; // of the earlier growth factor
  static constexpr float k_convincing =
      0.9F;                         // estimates are rough, and whoever starts the last iteration is lost
  static constexpr float k_far = 5; // iterations over which growth in proportion is believed

  std::uint64_t position_ = 0;
  std::array<float, 3> costs_{};
  int known_ = 0;
};

} // namespace wstree::core
