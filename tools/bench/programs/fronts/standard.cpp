// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::execution::par, by the library's header or by libstdc++ on oneTBB.
#include "front.h"

#ifdef WSTREE_BENCH_STANDARD
#include <wstree/execution.h>
#else
#include <execution>
#endif
#include <algorithm>

void front_execute(const uint64_t* units, uint64_t* results, uint64_t n, int way) {
  if (way == front_alone) return front_execute_alone(units, results, n);
  std::for_each(std::execution::par, results, results + n, [=](uint64_t& result) {
    const auto i = static_cast<uint64_t>(&result - results);
    result = front_spin(i, units[i]);
  });
}
