// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call_tools.h"
#include "measure/kernel.h"
#include <sstream>

namespace bench {
namespace {

/// An empty iteration that the compiler cannot remove.
inline void nothing(int i) { asm volatile("" : : "r"(i) : "memory"); }

/// Executes an iteration, of which 64 take a microsecond.
inline void some_work(int i) {
  const std::uint64_t value = spin(static_cast<std::uint64_t>(i), 12);
  asm volatile("" : : "r"(value) : "memory");
}
constexpr int k_even_iterations = 64;

using Iteration = void (*)(int);

template <Clause clause, Iteration iteration = nothing> void one_loop_nowait(int n) {
  if constexpr (clause == Clause::runtime) {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < n; ++i) iteration(i);
  } else {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i) iteration(i);
  }
}

/// Nanoseconds a loop: all threads run `loops` of them back to back, the first one holds the clock.
template <Clause clause, bool barrier, Iteration iteration>
[[gnu::noinline]] double time_loops(int threads, int loops, int n) {
  double ns = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    const double start = now_ns();
    for (int k = 0; k < loops; ++k) {
      one_loop_nowait<clause, iteration>(n);
      if constexpr (barrier) {
#pragma omp barrier
      }
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) ns = now_ns() - start;
  }
  return ns / loops;
}

template <bool barrier, Iteration iteration = nothing>
double time_loops(Clause clause, int threads, int loops, int n) {
  return clause == Clause::dynamic ? time_loops<Clause::dynamic, barrier, iteration>(threads, loops, n)
                                   : time_loops<Clause::runtime, barrier, iteration>(threads, loops, n);
}

double time_regions(int threads, int regions) {
  const double start = now_ns();
  for (int k = 0; k < regions; ++k) {
#pragma omp parallel num_threads(threads)
    nothing(k);
  }
  return (now_ns() - start) / regions;
}

template <Iteration iteration = nothing> double time_region_loops(int threads, int regions, int n) {
  const double start = now_ns();
  for (int k = 0; k < regions; ++k) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < n; ++i) iteration(i);
  }
  return (now_ns() - start) / regions;
}

/// Adds the time of a chunk, except for one thread alone in its team: there the whole loop is one chunk.
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

const Schedule* find_schedule(const std::string& name) {
  static const std::vector<Schedule> known = [] {
    std::vector<Schedule> all{{"static", Clause::runtime, k_static, 0},
                              {"dynamic,1", Clause::runtime, k_dynamic, 1},
                              {"dynamic,64", Clause::runtime, k_dynamic, 64},
                              {"guided", Clause::runtime, k_guided, 1},
                              {"schedule(dynamic)", Clause::dynamic, k_static, 0}};
    for (const OwnSchedule& own : own_schedules(","))
      all.push_back({own.name, Clause::runtime, own.kind, own.chunk});
    return all;
  }();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Schedule& one) { return name == one.name; });
  return found == known.end() ? nullptr : &*found;
}

/// Returns the schedules of the list that this process can have.
std::vector<Schedule> selected(const std::string& list, bool with_library) {
  std::vector<Schedule> schedules;
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    const Schedule* const schedule = find_schedule(word);
    if (schedule && (with_library || !is_ours(schedule->kind))) schedules.push_back(*schedule);
  }
  return schedules;
}

/// Lets the runtime create its threads now, before they are looked up in /proc.
void start_team(int threads) {
  omp_set_schedule(k_static, 0);
  time_regions(threads, 1);
}

std::vector<int> team_sizes(const CallSettings& settings) {
  if (settings.threads > 1) return {1, settings.threads};
  return {1};
}

std::string for_threads(const char* measure, const std::string& schedule, int threads) {
  return std::string(measure) + "/" + schedule + "/P=" + std::to_string(threads);
}

std::string with_own(std::string list) {
  for (const OwnSchedule& own : own_schedules(",")) list += " " + own.name;
  return list;
}
std::string model_schedules() { return with_own("static dynamic,1 guided"); }
std::string even_schedules() { return with_own("static dynamic,1 dynamic,64 guided schedule(dynamic)"); }

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
      if (schedule.clause == Clause::runtime)
        collect.add(for_threads("parallel for", schedule.name, threads),
                    timed([&] { return time_region_loops(threads, settings.loops, threads); }));
      add_next(collect, schedule, threads, has_large_chunks(schedule) ? 1 << 30 : settings.loops * 20);
    }
    omp_set_schedule(k_static, 0);
    collect.add(for_threads("region", "empty", threads),
                [&] { return time_regions(threads, settings.loops); });
  }
  return collect.take();
}

std::vector<Figure> measure_even(const CallSettings& settings, bool with_library) {
  start_team(settings.threads);
  Collector collect(settings);
  const auto one_thread = [&] {
    const double start = now_ns();
    for (int k = 0; k < settings.loops; ++k)
      for (int i = 0; i < k_even_iterations; ++i) some_work(i);
    return (now_ns() - start) / settings.loops;
  };
  const int threads = settings.threads, processors = std::min(threads, omp_get_num_procs());
  for (const Schedule& schedule : selected(settings.schedules, with_library)) {
    const auto add = [&](const char* measure, auto timing) {
      collect.add(for_threads(measure, schedule.name, threads), [&] {
        const double work = one_thread();
        omp_set_schedule(schedule.kind, schedule.chunk);
        return std::max(0.0, timing() - work / processors);
      });
    };
    add("even loop", [&] {
      return time_loops<true, some_work>(schedule.clause, threads, settings.loops, k_even_iterations);
    });
    if (schedule.clause == Clause::runtime)
      add("even parallel for",
          [&] { return time_region_loops<some_work>(threads, settings.loops, k_even_iterations); });
  }
  return collect.take();
}

} // namespace bench
