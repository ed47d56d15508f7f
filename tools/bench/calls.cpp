// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.h"
#include "chunk_calls.h"
#include "measure.h"
#include "omp_calls.h"
#include <algorithm>
#include <atomic>
#include <sstream>

namespace bench {
namespace {

/// The iteration: nothing, but the compiler cannot know.
inline void nothing(int i) { asm volatile("" : : "r"(i) : "memory"); }

/// Loops with a literal clause stand beside schedule(runtime) because a compiler's plain schedule(dynamic) is
/// nonmonotonic, which libomp turns into static_steal, and no call can set that. On libgomp they show what a
/// loop costs that the library only passes on.
enum class Clause { runtime, dynamic, monotonic_dynamic };

struct Schedule {
  const char* name;
  Clause clause;
  int kind, chunk;
};
constexpr Schedule k_known[] = {
    {"static", Clause::runtime, k_static, 0},
    {"dynamic,1", Clause::runtime, k_dynamic, 1},
    {"guided", Clause::runtime, k_guided, 1},
    {"schedule(dynamic)", Clause::dynamic, k_static, 0},
    {"schedule(monotonic:dynamic)", Clause::monotonic_dynamic, k_static, 0},
    {"wstree", Clause::runtime, k_wstree, 1},
    {"wsrange", Clause::runtime, k_wsrange, 0},
    {"wsqueue", Clause::runtime, k_wsqueue, 0},
    {"wsqueue_lock", Clause::runtime, k_wsqueue_lock, 0},
    {"wsfixed,1", Clause::runtime, k_wsfixed, 1},
    {"wsfixed,64", Clause::runtime, k_wsfixed, 64},
    {"wsguided", Clause::runtime, k_wsguided, 0},
    {"wsfac2", Clause::runtime, k_wsfac2, 0},
    {"wstrapezoid", Clause::runtime, k_wstrapezoid, 0},
    {"wsstatic", Clause::runtime, k_wsstatic, 0},
};

const Schedule* find_schedule(const std::string& name) {
  const auto found = std::find_if(std::begin(k_known), std::end(k_known),
                                  [&](const Schedule& schedule) { return name == schedule.name; });
  return found == std::end(k_known) ? nullptr : found;
}

/// Those of the list that this process can have.
std::vector<Schedule> selected(const std::string& list, bool with_library) {
  std::vector<Schedule> schedules;
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    const Schedule* const schedule = find_schedule(word);
    if (schedule && (with_library || !is_ours(schedule->kind))) schedules.push_back(*schedule);
  }
  return schedules;
}

/// Batches of these grow by themselves, or shrink from a part of the loop: a few chunks come from a loop in
/// which the others' would be counted by the million.
bool has_large_chunks(const Schedule& schedule) {
  return is_ours(schedule.kind) && schedule.kind != k_wsfixed && schedule.kind != k_wsstatic;
}

bool is_batched(const Schedule& schedule) {
  return schedule.kind >= k_wstree && schedule.kind <= k_wsqueue_lock;
}

// clang-format off
template <Clause clause> void one_loop_nowait(int n) {
  if constexpr (clause == Clause::runtime) {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < n; ++i) nothing(i);
  } else if constexpr (clause == Clause::dynamic) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i) nothing(i);
  } else {
#pragma omp for schedule(monotonic : dynamic) nowait
    for (int i = 0; i < n; ++i) nothing(i);
  }
}
// clang-format on

/// Nanoseconds a loop: all threads run `loops` of them back to back, the first one holds the clock.
template <Clause clause, bool barrier> [[gnu::noinline]] double time_loops(int threads, int loops, int n) {
  double ns = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    const double start = now_ns();
    for (int k = 0; k < loops; ++k) {
      one_loop_nowait<clause>(n);
      if constexpr (barrier) {
#pragma omp barrier
      }
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) ns = now_ns() - start;
  }
  return ns / loops;
}

template <bool barrier> double time_loops(Clause clause, int threads, int loops, int n) {
  switch (clause) {
  case Clause::dynamic:
    return time_loops<Clause::dynamic, barrier>(threads, loops, n);
  case Clause::monotonic_dynamic:
    return time_loops<Clause::monotonic_dynamic, barrier>(threads, loops, n);
  case Clause::runtime:
    break;
  }
  return time_loops<Clause::runtime, barrier>(threads, loops, n);
}

double time_regions(int threads, int regions) {
  const double start = now_ns();
  for (int k = 0; k < regions; ++k) {
#pragma omp parallel num_threads(threads)
    nothing(k);
  }
  return (now_ns() - start) / regions;
}

/// Where start, end and step are constants, gcc has one call for the region and the loop in it.
double time_constant_region_loops(int threads, int regions) {
  const double start = now_ns();
  for (int k = 0; k < regions; ++k) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < 2; ++i) nothing(i);
  }
  return (now_ns() - start) / regions;
}

double time_region_loops(int threads, int regions, int n) {
  const double start = now_ns();
  for (int k = 0; k < regions; ++k) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < n; ++i) nothing(i);
  }
  return (now_ns() - start) / regions;
}

/// Nanoseconds a chunk: one loop of `n` iterations whose chunks are taken and thrown away, by all threads at
/// once or by the first one alone while the others wait outside. Entry and barrier are not counted.
template <Said said> double time_next(int threads, int n, bool alone) {
  std::atomic<long> calls{0};
  std::atomic<double> ns{0};
#pragma omp parallel num_threads(threads)
  {
    const bool counted = !alone || omp_get_thread_num() == 0;
    Chunks<said> chunks(n);
#pragma omp barrier
    if (counted) {
      long mine = 1;
      const double start = now_ns();
      while (chunks.next()) ++mine;
      ns += now_ns() - start;
      calls += mine;
    }
#pragma omp barrier
    // The runtime keeps a loop until every thread was told that it is over.
    if (!counted)
      while (chunks.next()) {
      }
    chunks.leave();
#pragma omp barrier
  }
  return ns.load() / static_cast<double>(calls.load());
}

/// Takes timings until enough of them were not disturbed by other work. A barrier in which a thread waits for
/// a processor takes microseconds instead of a few hundred nanoseconds; no median survives a machine that
/// does this all the time.
class Collector {
public:
  explicit Collector(const CallSettings& settings) : settings_(settings) {}
  template <class Timing> void add(const std::string& name, Timing timing) {
    std::vector<double> values;
    timing();
    const int attempts = 4 * settings_.batches;
    for (int k = 0; k < attempts && static_cast<int>(values.size()) < settings_.batches; ++k) {
      const double start = now_ns(), delayed = delay_.all_ns();
      const double value = timing();
      if (delay_.all_ns() - delayed <= settings_.max_delay * (now_ns() - start)) values.push_back(value);
    }
    if (!values.empty()) figures_.push_back({name, median(std::move(values))});
  }
  std::vector<Figure> take() { return std::move(figures_); }

private:
  const CallSettings& settings_;
  const RunDelay delay_;
  std::vector<Figure> figures_;
};

/// The runtime creates its threads now, before they are looked up in /proc.
void start_team(int threads) {
  omp_set_schedule(k_static, 0);
  time_regions(threads, 1);
}

std::vector<int> team_sizes(const CallSettings& settings) {
  if (settings.threads > 1) return {1, settings.threads};
  return {1};
}

std::string for_threads(const char* measure, const char* schedule, int threads) {
  return std::string(measure) + "/" + schedule + "/P=" + std::to_string(threads);
}

/// One thread alone in its team is not among them: there the whole loop is one chunk.
void add_next(Collector& collect, const Schedule& schedule, int threads, int n) {
  if (threads == 1) return;
  // A whole-block static loop has one chunk a thread: chunks of 1, to have something to count.
  const bool is_static = schedule.kind == k_static || schedule.kind == k_wsstatic;
  const int chunk = is_static ? 1 : schedule.chunk;
  for (const bool alone : {false, true})
    collect.add(for_threads(alone ? "next, others wait" : "next", schedule.name, threads), [&] {
      omp_set_schedule(schedule.kind, chunk);
      return schedule.clause == Clause::runtime ? time_next<Said::runtime>(threads, n, alone)
                                                : time_next<Said::dynamic>(threads, n, alone);
    });
}

} // namespace

std::string unknown_schedule(const std::string& list) {
  std::istringstream words(list);
  for (std::string word; words >> word;)
    if (!find_schedule(word)) return word;
  return "";
}

std::vector<Figure> measure_calls(const CallSettings& settings, bool with_library) {
  start_team(settings.threads);
  Collector collect(settings);
  const std::vector<Schedule> schedules = selected(settings.schedules, with_library);
  for (const int threads : team_sizes(settings)) {
    for (const Schedule& schedule : schedules) {
      const auto timed = [&](auto timing) {
        return [&schedule, timing] {
          omp_set_schedule(schedule.kind, schedule.chunk);
          return timing();
        };
      };
      for (const int n : {1, threads}) {
        const std::string trips = "/n=" + std::to_string(n);
        collect.add(for_threads("loop", schedule.name, threads) + trips,
                    timed([&] { return time_loops<true>(schedule.clause, threads, settings.loops, n); }));
        collect.add(for_threads("loop nowait", schedule.name, threads) + trips,
                    timed([&] { return time_loops<false>(schedule.clause, threads, settings.loops, n); }));
        if (threads == 1) break;
      }
      if (schedule.clause == Clause::runtime) {
        collect.add(for_threads("parallel for", schedule.name, threads),
                    timed([&] { return time_region_loops(threads, settings.loops, threads); }));
        collect.add(for_threads("parallel for, constant bounds", schedule.name, threads),
                    timed([&] { return time_constant_region_loops(threads, settings.loops); }));
      }
      const int iterations = has_large_chunks(schedule) ? 1 << 30 : settings.loops * 20;
      if (schedule.clause != Clause::monotonic_dynamic) add_next(collect, schedule, threads, iterations);
    }
    omp_set_schedule(k_static, 0);
    collect.add(for_threads("region", "empty", threads),
                [&] { return time_regions(threads, settings.loops); });
  }
  return collect.take();
}

std::vector<Figure> measure_next(const CallSettings& settings) {
  start_team(settings.threads);
  Collector collect(settings);
  for (const int threads : team_sizes(settings))
    for (const Schedule& schedule : selected(settings.schedules, true))
      if (is_batched(schedule)) add_next(collect, schedule, threads, settings.loops * 20);
  return collect.take();
}

} // namespace bench
