// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two members and a schedule(runtime) loop of 200 iterations: how many members got some.
//   shares N
// As a plugin (SHARES_PLUGIN) it is one for `host`.
#include "check.h"
#include "omp_decls.h"

#include <atomic>
#include <sched.h>

namespace {

/// A member stays in its first iteration until the other one has got some or has found that there are none.
/// So a late member still gets its share, unless the first one got everything at once.
int members_that_share() {
  std::atomic<int> with_some{0}, through{0};
#pragma omp parallel num_threads(2)
  {
    bool has_some = false;
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 200; ++i) {
      if (has_some) continue;
      has_some = true;
      ++with_some;
      while (with_some < 2 && through == 0) sched_yield();
    }
    ++through;
  }
  return with_some;
}

} // namespace

#ifdef SHARES_PLUGIN
extern "C" long run_loops() { return members_that_share() == 2 ? 7'492'500 : 0; }
extern "C" unsigned schedule_kind() { return 0; }
#else
int main() { std::printf("shares %d\n", members_that_share()); }
#endif
