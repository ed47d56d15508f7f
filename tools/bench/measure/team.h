// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The threads that run the loops.
#pragma once
#include "kernel.h"
#include "loop_forms.h"
#include "measure.h"

#ifdef WSTREE_BENCH_TBB
#include <atomic>
#include <filesystem>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace bench {

/// Leaves more of the core to its other hardware thread while this one waits.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

#ifdef WSTREE_BENCH_TBB

/// Calls `measure` in an arena of so many threads, all of which exist by then.
template <class Measure> bool in_team(int threads, const Measure& measure) {
  const auto count = static_cast<std::size_t>(threads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, count);
  tbb::task_arena arena(threads);
  return arena.execute([&] {
    // Threads come when there is work for them, in their own time.
    const auto there = [] {
      using std::filesystem::directory_iterator;
      const directory_iterator tasks("/proc/self/task");
      return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
    };
    Site site;
    const auto body = [](int i) { return spin(static_cast<std::uint64_t>(i), 1000); };
    for (const double start = now_ns(); there() < count && now_ns() - start < 1e9;)
      loop(Form::tbb_simple, 1000, threads, body, site);
    return measure();
  });
}

/// Calls `measure` while the other threads wait without sleeping, as those of an OpenMP runtime do behind a
/// loop. If they slept, other programs could run on their processors and slow down the sequential pass of
/// this runtime alone.
template <class Measure> auto alone_in_team(int threads, const Measure& measure) {
  std::atomic<int> waiting{0};
  std::atomic<bool> done{false};
  tbb::task_group others;
  for (int k = 1; k < threads; ++k)
    others.run([&] {
      // Relaxed, both: nothing is handed over. A task that starts too late ends at once.
      waiting.fetch_add(1, std::memory_order_relaxed);
      while (!done.load(std::memory_order_relaxed)) pause();
    });
  for (const double start = now_ns();
       waiting.load(std::memory_order_relaxed) < threads - 1 && now_ns() - start < 1e6;)
    pause();
  const auto measured = measure();
  done.store(true, std::memory_order_relaxed);
  others.wait();
  return measured;
}

#else

/// Calls `measure` while the other threads wait for their next loop: they do not sleep yet.
template <class Measure> auto alone_in_team(int threads, const Measure& measure) {
  const auto body = [](int i) { return static_cast<std::uint64_t>(i); };
  loop_runtime(threads, threads, body);
  return measure();
}

/// Calls `measure` when the threads exist.
template <class Measure> bool in_team(int threads, const Measure& measure) {
  omp_set_schedule(k_static, 0);
  const auto body = [](int i) { return static_cast<std::uint64_t>(i); };
  loop_runtime(1000, threads, body);
  return measure();
}

#endif

} // namespace bench
