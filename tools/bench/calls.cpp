// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.h"
#include "chunk_calls.h"
#include "measure.h"
#include "omp_calls.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <sstream>

namespace bench {
namespace {

#ifdef __clang__
using FirstIndex = std::int32_t;
#else
using FirstIndex = long;
#endif

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
template <Said said, class Index = FirstIndex> double time_next(int threads, int n, bool alone) {
  std::atomic<long> calls{0};
  std::atomic<double> ns{0};
#pragma omp parallel num_threads(threads)
  {
    const bool counted = !alone || omp_get_thread_num() == 0;
    Chunks<said, Index> chunks(n);
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

/// What the calls of a short loop take, each by itself.
enum class Call { entry, hit, end };
std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(now_ns());
#endif
}
/// Nanoseconds of one kind of call in loops of one iteration for each thread, which all enter together: entry
/// (gcc's takes the first chunk along), a chunk that there is, and the answer that there is none.
template <class Index> double time_call(Call call, int threads, int loops) {
  std::atomic<std::uint64_t> sum{0}, calls{0};
  double ns_per_tick = 0;
  std::uint64_t empty = ~std::uint64_t{0};
  for (int k = 0; k < 100; ++k) {
    const std::uint64_t start = ticks();
    empty = std::min(empty, ticks() - start);
  }
#pragma omp parallel num_threads(threads)
  {
    std::uint64_t mine = 0, count = 0;
    const auto add = [&](Call which, std::uint64_t start) {
      if (which != call) return;
      mine += ticks() - start - empty;
      ++count;
    };
#pragma omp barrier
    const double begin_ns = now_ns();
    const std::uint64_t begin = ticks();
    for (int k = 0; k < loops; ++k) {
      std::uint64_t start = ticks();
      Chunks<Said::runtime, Index> chunks(threads);
      add(Call::entry, start);
      while (true) {
        start = ticks();
        const bool any = chunks.next();
        add(any ? Call::hit : Call::end, start);
        if (!any) break;
      }
      chunks.leave();
#pragma omp barrier
    }
    if (omp_get_thread_num() == 0) ns_per_tick = (now_ns() - begin_ns) / static_cast<double>(ticks() - begin);
    sum += mine;
    calls += count;
#pragma omp barrier
  }
  return calls == 0 ? 0 : ns_per_tick * static_cast<double>(sum) / static_cast<double>(calls);
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

namespace {

/// One type of the loop's variable.
template <class Index>
void add_anatomy(Collector& collect, const Schedule& schedule, const char* type, int threads,
                 const CallSettings& settings) {
  const auto name = [&](const char* measure) {
    return for_threads(measure, schedule.name, threads) + '/' + type;
  };
  const auto timed = [&](auto timing) {
    return [&schedule, timing] {
      omp_set_schedule(schedule.kind, schedule.chunk);
      return timing();
    };
  };
  collect.add(name("entry"), timed([&] { return time_call<Index>(Call::entry, threads, settings.loops); }));
  collect.add(name("hit"), timed([&] { return time_call<Index>(Call::hit, threads, settings.loops); }));
  collect.add(name("end"), timed([&] { return time_call<Index>(Call::end, threads, settings.loops); }));
  if (threads == 1) return;
  const int iterations = has_large_chunks(schedule) ? 1 << 30 : settings.loops * 20;
  const bool is_static = schedule.kind == k_static || schedule.kind == k_wsstatic;
  for (const bool alone : {false, true})
    collect.add(name(alone ? "settled hit, others wait" : "settled hit"), [&] {
      omp_set_schedule(schedule.kind, is_static ? 1 : schedule.chunk);
      return time_next<Said::runtime, Index>(threads, iterations, alone);
    });
}

} // namespace

std::vector<Figure> measure_anatomy(const CallSettings& settings, bool with_library) {
  start_team(settings.threads);
  Collector collect(settings);
  for (const int threads : team_sizes(settings))
    for (const Schedule& schedule : selected(settings.schedules, with_library)) {
      if (schedule.clause != Clause::runtime) continue;
      if constexpr (k_runtime == Runtime::libomp) {
        add_anatomy<std::int32_t>(collect, schedule, "int", threads, settings);
        add_anatomy<std::uint32_t>(collect, schedule, "unsigned", threads, settings);
        add_anatomy<std::int64_t>(collect, schedule, "long", threads, settings);
        add_anatomy<std::uint64_t>(collect, schedule, "unsigned long", threads, settings);
      } else {
        add_anatomy<long>(collect, schedule, "long", threads, settings);
        add_anatomy<unsigned long long>(collect, schedule, "unsigned long long", threads, settings);
      }
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
