// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "idle_threads.h"

#include "process/load_time.h"
#include "process/session.h"
#include "resolve/omp_queries.h"
#include "resolve/runtime.h"

#include "process_limits.h"
#include "system_call.h"
#include "unserved_regions.h"
#include "waiting.h"

#include "wstree/core/platform.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <atomic>

namespace wstree::abi {

namespace {

// Functions in the runtime of the code that opens regions: a process may hold several runtimes.
constinit Real<int()> g_max_threads = question<int()>("omp_get_max_threads");
constinit Real<int()> g_get_blocktime = question<int()>("kmp_get_blocktime");
constinit Real<void(int)> g_set_blocktime = question<void(int)>("kmp_set_blocktime");

/// A pair of clocks from which the processor time of the process's other threads follows.
struct Clocks {
  std::uint64_t process = 0, thread = 0; // nanoseconds

  std::uint64_t others() const noexcept { return process > thread ? process - thread : 0; }
};

std::uint64_t read_clock(clockid_t clock) noexcept {
  timespec now{};
  config::system_call(SYS_clock_gettime, static_cast<int>(clock), &now);
  return to_nanoseconds(now);
}

Clocks read_clocks() noexcept {
  return {read_clock(CLOCK_PROCESS_CPUTIME_ID), read_clock(CLOCK_THREAD_CPUTIME_ID)};
}

/// The state of the thread that has opened the first region; other threads leave it alone.
struct Idle {
  std::uint64_t ended = 0;    // ticks; 0: the thread is in a region, or has opened none
  std::uint32_t measured = 0; // gaps that are measured from here on: reading the clocks takes longer than a
                              // short gap
  bool has_clocks = false, began = false;
  Clocks clocks; // when the gap began
  // The region that the thread is in, or was in before the gap. Only where figures are wanted.
  const void* region = nullptr; // its caller
  std::uint64_t opened = 0;     // ticks
};
constinit Idle g_idle;
// relaxed: only the thread whose number it is goes on.
constinit std::atomic<pthread_t> g_opener{0};

bool is_opener() noexcept {
  const pthread_t self = pthread_self();
  pthread_t opener = g_opener.load(std::memory_order_relaxed);
  if (opener == 0 &&
      g_opener.compare_exchange_strong(opener, self, std::memory_order_relaxed, std::memory_order_relaxed))
    return true;
  return opener == self;
}

/// Returns a hundred times the time of waking a team that sleeps, in milliseconds: a tree of threads, each
/// level of which takes 10 us more. Threads that spin so long before they sleep cost a percent of the time at
/// most, in any program.
int milliseconds_to_spin(int members) noexcept {
  constexpr int k_wake_us = 30, k_level_us = 10, k_times = 100, k_us_per_ms = 1000;
  int wake = k_wake_us;
  for (int reached = 1; reached < members; reached *= 2) wake += k_level_us;
  return (k_times * wake + k_us_per_ms - 1) / k_us_per_ms;
}

/// Shortens the runtime's own time only: another time was chosen by the program or its user.
void shorten_spinning(const void* caller) noexcept {
  constexpr int k_of_runtime = 200; // milliseconds, of LLVM's runtime
  const auto get = g_get_blocktime.find(caller);
  const auto set = g_set_blocktime.find(caller);
  const auto most = g_max_threads.find(caller);
  if (get == nullptr || set == nullptr || most == nullptr || get() != k_of_runtime || most() < 2) return;
  set(std::min(milliseconds_to_spin(most()), k_of_runtime));
}

void note_figures(std::uint64_t gap) noexcept {
  constexpr std::uint64_t k_long_gap = 100'000; // nanoseconds; the clocks take about 1 % of it
  constexpr std::uint32_t k_gaps = 32;
  std::uint64_t computed = 0;
  if (g_idle.has_clocks && !place::has_new_call_filter()) {
    const Clocks now = read_clocks();
    computed = now.others() > g_idle.clocks.others() ? now.others() - g_idle.clocks.others() : 0;
  }
  g_idle.has_clocks = false;
  if (gap >= k_long_gap) g_idle.measured = k_gaps;
  observe::note_gap(gap, computed);
}

/// Only where figures are wanted. noinline: other regions would pay for its registers.
[[gnu::noinline]] void note_gap_before(const void* caller) noexcept {
  if (g_idle.ended != 0) {
    const std::uint64_t gap =
        core::nanoseconds(core::elapsed(g_idle.ended, core::StdPlatform::ticks()), tick_length());
    g_idle.ended = 0;
    note_figures(gap);
  }
  g_idle.region = caller;
  g_idle.opened = core::StdPlatform::ticks();
}

[[gnu::noinline]] void begin_first(const void* caller) noexcept {
  g_idle.began = true;
  if (session().chooses_waiting) shorten_spinning(caller);
  if (session().measured) note_gap_before(caller);
}

} // namespace

void end_gap(const void* caller) noexcept {
  if (!is_opener()) return;
  if (!g_idle.began) return begin_first(caller);
  if (g_idle.ended != 0) note_gap_before(caller);
}

void begin_gap() noexcept {
  if (!session().measured || g_opener.load(std::memory_order_relaxed) != pthread_self()) return;
  g_idle.ended = core::StdPlatform::ticks();
  observe::note_unserved_time(g_idle.region, core::elapsed(g_idle.opened, g_idle.ended));
  if (g_idle.measured == 0 || place::has_new_call_filter()) return;
  --g_idle.measured;
  g_idle.clocks = read_clocks();
  g_idle.has_clocks = true;
}

} // namespace wstree::abi
