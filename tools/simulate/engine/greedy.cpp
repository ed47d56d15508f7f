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

} // namespace wstree::simulate
