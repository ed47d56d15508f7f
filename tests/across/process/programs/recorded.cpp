// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops for profiles: recorded LOOP [repetitions].
// - quarter: 2000 iterations of int, downwards with stride -3; the third quarter costs 200 times as much
// - wide: the same, unsigned long long, 64-bit bounds beyond 2^32
// - nowait: eight loops one after the other without a barrier, 300 to 307 iterations
// - literal: schedule(dynamic, 7) of 100 iterations
// - plain: no schedule, 2000 iterations; the third quarter costs 200 times as much
// - cancel: a loop of 1000 iterations that is cancelled, and one of 50 that is not
#include "check.h"
#include "omp_decls.h"

#include <atomic>
#include <cstdlib>
#include <string>

namespace {

std::atomic<long> done{0};

constexpr std::uint64_t k_light = 100, k_heavy = 200 * k_light;

void count() { done.fetch_add(1, std::memory_order_relaxed); }

void quarter() {
#pragma omp parallel for schedule(runtime)
  for (int i = 5'999; i > 0; i -= 3) {
    const int k = (5'999 - i) / 3;
    check::spin(k >= 1'000 && k < 1'500 ? k_heavy : k_light);
    count();
  }
}

void wide() {
  constexpr unsigned long long k_first = 5'000'000'000ULL;
#pragma omp parallel for schedule(runtime)
  for (unsigned long long i = k_first; i < k_first + 2'000; ++i) {
    check::spin(i - k_first >= 1'000 && i - k_first < 1'500 ? k_heavy : k_light);
    count();
  }
}

/// No more than the ring has room for: on libgomp a member that waits for too long for a late one ends it.
void nowait() {
#pragma omp parallel
  for (int loop = 0; loop < 8; ++loop) {
#pragma omp for schedule(runtime) nowait
    for (long i = 0; i < 300 + loop; ++i) count();
  }
}

void literal() {
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 0; i < 100; ++i) count();
}

/// May be executed piece by piece.
void plain() {
  static unsigned values[2'000];
#pragma omp parallel for
  for (int i = 0; i < 2'000; ++i) {
    unsigned value = static_cast<unsigned>(i);
    const int steps = i >= 1'000 && i < 1'500 ? 20'000 : 100;
    for (int k = 0; k < steps; ++k) value = value * 1'664'525U + 1'013'904'223U;
    values[i] = value;
  }
  for (const unsigned value : values)
    if (value % 4 == 3) count();
}

void cancel() {
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < 1'000; ++i) {
      if (i == 3) {
#pragma omp cancel for
      }
      count();
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < 50; ++i) count();
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  const std::string wanted = argc > 1 ? argv[1] : "quarter";
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 1;
  struct Loop {
    const char* name;
    void (*run)();
  };
  for (const Loop& loop : {Loop{"quarter", quarter}, Loop{"wide", wide}, Loop{"nowait", nowait},
                           Loop{"literal", literal}, Loop{"plain", plain}, Loop{"cancel", cancel}})
    if (wanted == loop.name)
      for (int i = 0; i < repetitions; ++i) loop.run();
  std::printf("done %ld\n", done.load());
}
