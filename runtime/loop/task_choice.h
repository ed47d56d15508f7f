// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of brief taskloops that a runtime executes by its own tasks.
#pragma once

#include "wstree/core/prior.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <cstdint>

namespace wstree::loop {

/// The taskloops at one code location, as the thread that meets them and waits for them has timed them, on
/// the tree and with the tasks of the runtime. Private to its thread. Zeroed memory is a valid state.
class TaskChoice {
public:
  enum class Way : std::uint8_t { tree, runtime };

  /// Returns the way of a loop of `iterations` > 0. Long loops go to the tree; of brief ones each way is
  /// tried a few times, then the faster one is taken, and the other one now and then.
  Way choose(std::uint64_t iterations, const core::Settings& settings) noexcept {
    if (tree_.seen < core::tuning::k_task_looks) return Way::tree;
    const std::uint64_t brief =
        core::tuning::k_task_brief * std::min(settings.shortest_target, k_most_target);
    if (iterations >= k_most_iterations || tree_.cost * iterations > brief << k_fraction) return Way::tree;
    if (runtime_.seen < core::tuning::k_task_looks) return Way::runtime;
    const bool own = runtime_.cost <= tree_.cost;
    if (++since_trial_ != core::tuning::k_task_gap) return own ? Way::runtime : Way::tree;
    since_trial_ = 0;
    return own ? Way::tree : Way::runtime;
  }

  /// Learns that a loop of `iterations` took `ticks` on its way. An outlier changes nothing unless another
  /// one follows: the thread may have been preempted.
  void learn(Way way, std::uint64_t iterations, std::uint64_t ticks) noexcept {
    Times& times = way == Way::tree ? tree_ : runtime_;
    const std::uint64_t now =
        std::clamp<std::uint64_t>((std::min(ticks, k_most_ticks) << k_fraction) / iterations, 1, k_most_cost);
    if (times.seen == 0 || (times.was_outlier && now > core::tuning::k_like_before * times.cost)) {
      times.cost = now;
    } else if (now > core::tuning::k_like_before * times.cost) {
      times.was_outlier = true;
      return;
    } else {
      times.cost = std::max<std::uint64_t>((3 * times.cost + now) / 4, 1);
    }
    times.was_outlier = false;
    if (times.seen < core::tuning::k_task_looks) ++times.seen;
  }

private:
  static constexpr unsigned k_fraction = 8;
  static constexpr std::uint64_t k_most_target = std::uint64_t{1} << 30; // so that products have room
  static constexpr std::uint64_t k_most_iterations = std::uint64_t{1} << 24;
  static constexpr std::uint64_t k_most_ticks = std::uint64_t{1} << 52;
  static constexpr std::uint64_t k_most_cost = (std::uint64_t{1} << 38) - 1;

  struct Times {
    std::uint64_t cost = 0; // ticks per iteration << k_fraction
    std::uint8_t seen = 0;  // executions, up to k_task_looks
    bool was_outlier = false;
  };
  Times tree_;
  Times runtime_;
  std::uint32_t since_trial_ = 0; // executions since the way that is not taken was tried
};

/// One thread's choices, by code location.
using TaskChoices = core::PerSite<TaskChoice, 6>;

} // namespace wstree::loop
