// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// surprising WAY: executes loops that cost next to nothing, and then, at the same place, one whose iterations
// sleep. Prints how many of the sleeping iterations the busiest thread had in the worst of some such
// executions, and how many there were. All threads sleep at the same time, so a few processors are enough.
//   rare    300 light executions, then all iterations sleep
//   share   300 light executions, then the iterations of the first thread's share sleep
//   two     the region's two loops change together
//   late    a loop of as many iterations as threads, to which nearly half of the threads come late
//   static  a loop that says no schedule: 100 executions in which its first iterations sleep a little, then
//           six in which all sleep. Prints what the busiest thread had from the third of these on, and first.
//   plain   such a loop, which may be called again piece by piece, as it does not use its thread's number:
//           the first thread's share sleeps in the first execution, and then 300 light executions and four
//           in which that share sleeps, in turn. Prints the most of a thread first, after light ones, later.
#include "headers.h"
#include "omp_decls.h"

#include <map>
#include <utility>

namespace {

constexpr int k_rounds = 3;
constexpr int k_longest = 2'000;

int thread_of[k_longest];
void* memory_of[k_longest];
volatile int sink;

void work(int i, int sleeping) {
  if (i < sleeping) {
    thread_of[i] = omp_get_thread_num();
    usleep(1000);
  } else {
    sink = i;
  }
}

/// A region with a loop of `first` iterations, and behind it the one that sleeps in the first `sleeping`.
[[gnu::noinline]] void execute(int first, int first_sleeping, int iterations, int sleeping) {
#pragma omp parallel
  {
    if (first > 0) {
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < first; ++i) work(i, first_sleeping);
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < iterations; ++i) work(i, sleeping);
  }
}

[[gnu::noinline]] void execute_plain(int iterations, int sleeping, unsigned microseconds) {
#pragma omp parallel for
  for (int i = 0; i < iterations; ++i) {
    thread_of[i] = omp_get_thread_num();
    if (i < sleeping) usleep(microseconds);
  }
}

/// Allocates in each iteration: each thread has an arena of its own, which an address shows.
[[gnu::noinline]] void execute_provable(int iterations, int sleeping) {
#pragma omp parallel for
  for (int i = 0; i < iterations; ++i) {
    memory_of[i] = std::malloc(1);
    if (i < sleeping) usleep(1000);
  }
}

/// The upper half of the threads comes when the others are done. The last `sleeping` iterations sleep.
[[gnu::noinline]] void execute_late(int threads, int sleeping) {
#pragma omp parallel
  {
    if (omp_get_thread_num() > threads / 2) usleep(100'000);
#pragma omp for schedule(runtime)
    for (int i = 0; i < threads; ++i) work(threads - 1 - i, sleeping);
  }
}

int busiest(int sleeping) {
  std::vector<int> had(64, 0);
  for (int i = 0; i < sleeping; ++i) ++had[static_cast<std::size_t>(thread_of[i])];
  return *std::max_element(had.begin(), had.end());
}

/// Returns how many of the sleeping iterations the busiest thread had in an execution.
int busiest_of_provable(int iterations, int sleeping) {
  execute_provable(iterations, sleeping);
  constexpr unsigned k_arena_bits = 26; // glibc's arenas begin at multiples of 64 MB
  std::map<std::uintptr_t, int> had;
  int most = 0;
  for (int i = 0; i < sleeping; ++i)
    most = std::max(most, ++had[reinterpret_cast<std::uintptr_t>(memory_of[i]) >> k_arena_bits]);
  for (int i = 0; i < iterations; ++i) std::free(std::exchange(memory_of[i], nullptr));
  return most;
}

void surprise_provable_loops(int share, int all) {
  const int at_first = busiest_of_provable(all, share);
  int surprised = 0, later = 0;
  for (int round = 0; round < k_rounds; ++round) {
    for (int i = 0; i < 300; ++i) execute_provable(all, 0);
    surprised = std::max(surprised, busiest_of_provable(all, share));
    for (int i = 0; i < 3; ++i) later = std::max(later, busiest_of_provable(all, share));
  }
  std::printf("%d %d %d\n", at_first, surprised, later);
}

void surprise_plain_loops(int threads, int all) {
  for (int i = 0; i < 100; ++i) execute_plain(all, threads, 50);
  int at_first = 0, later = 0;
  for (int i = 0; i < 6; ++i) {
    execute_plain(all, all, 1000);
    if (i == 0) at_first = busiest(all);
    if (i >= 2) later = std::max(later, busiest(all));
  }
  std::printf("%d of %d, at first %d\n", later, all, at_first);
}

} // namespace

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "rare";
  const auto is = [&](const char* name) { return std::strcmp(way, name) == 0; };
  const int threads = omp_get_max_threads();
  const int share = 16;
  const int all = share * threads;
  if (is("plain")) {
    surprise_provable_loops(share, all);
    return 0;
  }
  if (is("static")) {
    surprise_plain_loops(threads, all);
    return 0;
  }
  const int first = is("two") ? 25 * threads : 0;
  const int sleeping = is("rare") ? all : is("late") ? threads / 2 : share;
  int worst = 0;
  for (int round = 0; round < k_rounds; ++round) {
    if (is("late")) {
      execute_late(threads, sleeping);
    } else {
      for (int i = 0; i < 300; ++i) execute(first, 0, all, 0);
      execute(first, is("two") ? 25 : 0, all, sleeping);
    }
    worst = std::max(worst, busiest(sleeping));
  }
  std::printf("%d of %d\n", worst, sleeping);
}
