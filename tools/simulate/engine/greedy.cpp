// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "greedy.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace wstree::simulate {

Time greedy(const Workload& workload, std::uint32_t members) {
  std::priority_queue<Time, std::vector<Time>, std::greater<>> free(std::greater<>{},
                                                                    std::vector<Time>(members, 0));
  Time end = 0;
  for (std::uint64_t i = 0; i < workload.iterations(); ++i) {
    const Time done = free.top() + workload.cost(i, i + 1);
    free.pop();
    free.push(done);
    end = std::max(end, done);
  }
  return end;
}

Time longest_first(const Workload& workload, std::uint32_t members, const MachineSpec& machine) {
  std::vector<Time> costs;
  for (std::uint64_t i = 0; i < workload.iterations(); ++i) costs.push_back(workload.cost(i, i + 1));
  std::ranges::sort(costs, std::greater<>());
  std::vector<Time> ends(members);
  for (const Time cost : costs) {
    const auto end_on = [&](std::uint32_t m) { return ends[m] + cost * 1'000 / machine.speed(m); };
    std::uint32_t best = 0;
    for (std::uint32_t m = 1; m < members; ++m)
      if (end_on(m) < end_on(best)) best = m;
    ends[best] = end_on(best);
  }
  return std::ranges::max(ends);
}

} // namespace wstree::simulate
