// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Functions that the measurements of single calls share: their schedules, and the making of a figure.
#pragma once
#include "calls.h"
#include "measure/chunk_calls.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Loops with a literal clause stand beside schedule(runtime) because a compiler's plain schedule(dynamic) is
/// nonmonotonic, which libomp turns into static_steal, and no call can set that. On libgomp they show the
/// cost of a loop that the library only passes on.
enum class Clause { runtime, dynamic };

struct Schedule {
  std::string name;
  Clause clause;
  int kind, chunk;
};
/// Returns nullptr if no schedule has the name.
const Schedule* find_schedule(const std::string& name);

/// Returns the schedules of the list that this process can have.
std::vector<Schedule> selected(const std::string& list, bool with_library);

/// Batches of these grow by themselves, or shrink from a part of the loop: a few chunks come from a loop in
/// which the others' would be counted by the million.
inline bool has_large_chunks(const Schedule& schedule) {
  return is_ours(schedule.kind) && schedule.kind != k_wsfixed && schedule.kind != k_wsstatic;
}

/// Returns whether members size their batches, and take work from each other.
inline bool is_batched(const Schedule& schedule) {
  return schedule.kind >= k_wstree && schedule.kind <= k_wsqueue_lock;
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
    // The runtime keeps a loop until every thread has made the call that reports its end.
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
  /// Adds the median of several timings. A timing is negative if the event that it was to time has
  /// not happened.
  template <class Timing> void add(const std::string& name, Timing timing) {
    std::vector<double> values;
    timing();
    const int attempts = 4 * settings_.batches;
    for (int k = 0; k < attempts && static_cast<int>(values.size()) < settings_.batches; ++k) {
      const double start = now_ns(), delayed = delay_.all_ns();
      const double value = timing();
      const bool undisturbed = delay_.all_ns() - delayed <= settings_.max_delay * (now_ns() - start);
      if (undisturbed && value >= 0) values.push_back(value);
    }
    if (!values.empty()) figures_.push_back({name, median(std::move(values))});
  }
  std::vector<Figure> take() { return std::move(figures_); }

private:
  const CallSettings& settings_;
  const RunDelay delay_;
  std::vector<Figure> figures_;
};

/// Lets the runtime create its threads now, before they are looked up in /proc.
void start_team(int threads);
/// Returns the team sizes: 1, and the number of threads in `settings`.
std::vector<int> team_sizes(const CallSettings& settings);
/// measure/schedule/P=threads
std::string for_threads(const char* measure, const std::string& schedule, int threads);

} // namespace bench
