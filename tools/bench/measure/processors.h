// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Processors that a thread may use.
#pragma once
#include <sched.h>
#include <vector>

namespace bench {

/// Returns the processors of the calling thread, in ascending order; empty: they are not known.
inline std::vector<int> allowed_processors() {
  std::vector<int> found;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return found;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) found.push_back(cpu);
  return found;
}

/// Lets the calling thread use only these from now on; none: does nothing.
inline void allow(const std::vector<int>& processors) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (const int cpu : processors) CPU_SET(cpu, &allowed);
  if (!processors.empty()) sched_setaffinity(0, sizeof allowed, &allowed);
}

} // namespace bench
