// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An uneven loop that is executed 50 times.
//   regions   in a region of its own each time
//   inside    all in one region, without a barrier between them
//   places    members reach the one loop of the source by different paths, so that it is two in the program
//   cancelled every fourth execution is cancelled
#include "omp_decls.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int k_times = 50;
constexpr int k_iterations = 4000;

std::vector<std::atomic<int>> hits(k_iterations);
std::atomic<long> sum{0};
std::atomic<long> weight{0}; // differs from path to path, so that they stay apart

/// The first eighth takes most of the time.
double work(int i) {
  double x = i;
  for (int turns = i < k_iterations / 8 ? 300 : 4; turns > 0; --turns) x = x * 0.999 + 0.5;
  return x;
}

void touch(int i, long each) {
  if (work(i) < 0) return; // never, which the compiler does not know
  hits[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
  weight.fetch_add(each, std::memory_order_relaxed);
  sum.fetch_add(i, std::memory_order_relaxed);
}

[[gnu::always_inline]] inline void loop(long each = 1) {
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < k_iterations; ++i) touch(i, each);
}

void cancelled_loop() {
#pragma omp for schedule(runtime)
  for (int i = 0; i < k_iterations; ++i) {
    work(i);
#pragma omp cancel for if (i % 100 == 99)
  }
}

} // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "regions";
  const bool cancels = std::strcmp(how, "cancelled") == 0;
  if (std::strcmp(how, "inside") == 0) {
#pragma omp parallel
    for (int time = 0; time < k_times; ++time) loop();
  } else if (std::strcmp(how, "places") == 0) {
    for (int time = 0; time < k_times; ++time) {
#pragma omp parallel
      if (omp_get_thread_num() == 0)
        loop(1);
      else
        loop(2);
    }
  } else {
    for (int time = 0; time < k_times; ++time) {
#pragma omp parallel
      {
        if (cancels && time % 4 == 3) cancelled_loop();
        loop();
      }
    }
  }
  int wrong = 0;
  for (const auto& count : hits) wrong += count != k_times ? 1 : 0;
  std::printf("sum %ld\nwrong %d\n", sum.load(), wrong);
}
