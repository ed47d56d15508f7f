// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of a rank's team for a piece of a loop.
#pragma once

#include "virtual_time.h"
#include "workload.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace wstree::simulate {

/// A team that executes iterations in their order, each by the thread that is free first; the tree comes
/// within a few percent of that. A region takes `k_region`.
class TeamTime {
public:
  static constexpr Time k_region = 10'000 * k_ns;
  struct Executed {
    std::uint64_t end; ///< iterations from there on were not begun
    Time time;
    Time longest; ///< iteration
    Time busy;    ///< the mean of the threads, which wait for the last one otherwise
  };

  TeamTime(const Workload& workload, std::uint32_t threads) : workload_(workload), free_(threads) {}

  /// Iterations [begin, end), of which none begins after `patience`.
  Executed execute(std::uint64_t begin, std::uint64_t end, Time patience) {
    std::fill(free_.begin(), free_.end(), Time{0}); // a heap with the earliest on top
    Time last = 0, longest = 0, all = 0;
    while (begin < end && free_.front() <= patience) {
      std::ranges::pop_heap(free_, std::greater<>());
      const Time cost = workload_.cost(begin, begin + 1);
      free_.back() += cost;
      ++begin;
      all += cost;
      longest = std::max(longest, cost);
      last = std::max(last, free_.back());
      std::ranges::push_heap(free_, std::greater<>());
    }
    return {begin, last + k_region, longest, all / free_.size()};
  }

private:
  const Workload& workload_;
  std::vector<Time> free_;
};

} // namespace wstree::simulate
