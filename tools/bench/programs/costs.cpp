// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Costs for a simulation of the workloads: those of their iterations, piece by piece on one thread, and
/// those of this runtime's regions and calls. Written as lines, for the program `validate`.
#include "measure/chunk_calls.h"
#include "measure/loop_forms.h"
#include "measure/measure.h"
#include "measure/options.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <regex>
#include <string>
#include <vector>

namespace {

using namespace bench;

/// Returns the lower quartile: other work on the machine only adds time.
double lower_quartile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 4];
}

template <class Timing> double quartile_of(int rounds, Timing timing) {
  std::vector<double> values;
  for (int r = 0; r < rounds; ++r) values.push_back(timing());
  return lower_quartile(std::move(values));
}

/// Returns the time of a region of one thread and its loop, as every sequential pass has one.
double alone_ns() {
  constexpr int k_regions = 200;
  const auto nothing = [](int i) { return static_cast<std::uint64_t>(i); };
  omp_set_schedule(k_static, 0);
  return quartile_of(41, [&] {
    const double start = now_ns();
    for (int k = 0; k < k_regions; ++k) loop_runtime(1, 1, nothing);
    return (now_ns() - start) / k_regions;
  });
}

/// Costs of a team whose threads wait spinning, as they do between regions that follow one another; with a
/// reduction, as the workloads have it.
struct Region {
  double open;  ///< until the opener is in the region
  double late;  ///< the last member's arrival after the opener's; negative: before
  double close; ///< from the last member's end until the opener is out
};

Region region_ns(int threads) {
  std::vector<double> open, late, close;
  std::vector<std::atomic<double>> arrivals(static_cast<std::size_t>(threads) * 16),
      ends(static_cast<std::size_t>(threads) * 16); // a line pair each
  for (int r = 0; r < 2000; ++r) {
    std::uint64_t sum = 0;
    const double before = now_ns();
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      const auto me = static_cast<std::size_t>(omp_get_thread_num()) * 16;
      arrivals[me].store(now_ns(), std::memory_order_relaxed);
      sum += me;
      ends[me].store(now_ns(), std::memory_order_relaxed);
    }
    const double after = now_ns();
    double last = arrivals[0], end = ends[0];
    for (std::size_t m = 16; m < arrivals.size(); m += 16) {
      last = m == 16 ? arrivals[m].load() : std::max(last, arrivals[m].load());
      end = std::max(end, ends[m].load());
    }
    open.push_back(arrivals[0] - before);
    late.push_back(last - arrivals[0]);
    close.push_back(after - end);
  }
  return {median(open), median(late), median(close)};
}

/// One member takes single iterations from a counter while the others wait: the costs of entering the loop
/// and of each call through the compiler's interface. The schedule is that of omp_set_schedule().
struct Calls {
  double enter, next;
};

Calls calls_ns(int threads) {
  constexpr int k_chunks = 2000;
  std::vector<double> enter, next;
  for (int r = 0; r < 200; ++r) {
#pragma omp parallel num_threads(threads)
    {
      const bool counted = omp_get_thread_num() == 0;
      const double before = now_ns();
      Chunks<Said::runtime> chunks(k_chunks);
      const double entered = now_ns();
#pragma omp barrier
      if (counted) {
        const double start = now_ns();
        long calls = 1;
        while (chunks.next()) ++calls;
        next.push_back((now_ns() - start) / static_cast<double>(calls));
        enter.push_back(entered - before);
      }
#pragma omp barrier
      // The runtime keeps a loop until every thread has made the call that reports its end.
      if (!counted)
        while (chunks.next()) {
        }
      chunks.leave();
    }
  }
  return {lower_quartile(enter), lower_quartile(next)};
}

double clock_ns() {
  return quartile_of(1001, [] {
    const double start = now_ns();
    return now_ns() - start;
  });
}

/// Returns the lowest of several times of each piece of `length` iterations; without the clock's.
std::vector<double> piece_costs(const Workload& workload, int length, double clock) {
  std::vector<double> costs;
  volatile std::uint64_t sink = 0;
  for (int pass = 0; pass < 5; ++pass)
    for (int begin = 0, at = 0; begin < workload.iterations; begin += length, ++at) {
      const int end = std::min(workload.iterations - begin, length) + begin;
      const double start = now_ns();
      sink = workload.part(begin, end);
      const double ns = std::max(now_ns() - start - clock, 0.01);
      if (pass == 0)
        costs.push_back(ns);
      else
        costs[static_cast<std::size_t>(at)] = std::min(costs[static_cast<std::size_t>(at)], ns);
    }
  static_cast<void>(sink);
  return costs;
}

/// Returns the cost of beginning the body anew after a read-modify-write, as at the start of every chunk: the
/// iterations before no longer overlap with those behind, and a compiler's code in front of a loop is
/// executed again.
double start_ns(const Workload& workload, double ns_per_iteration) {
  const int chunk = ns_per_iteration < 20 ? 16 : 1;
  const int n = std::min(workload.iterations, static_cast<int>(300'000 / ns_per_iteration) + chunk);
  if (ns_per_iteration > 2'000 || n < 4 * chunk) return 0;
  volatile std::uint64_t sink = 0;
  std::atomic<int> counter{0};
  const auto take = [&counter] { counter.fetch_add(1, std::memory_order_relaxed); };
  const auto whole = [&] {
    const double start = now_ns();
    sink = workload.part(0, n);
    return now_ns() - start;
  };
  const auto chunks = [&] {
    const double start = now_ns();
    for (int begin = 0; begin < n; begin += chunk) {
      take();
      sink = workload.part(begin, std::min(begin + chunk, n));
    }
    return now_ns() - start;
  };
  const auto takes = [&] {
    const double start = now_ns();
    for (int begin = 0; begin < n; begin += chunk) take();
    return now_ns() - start;
  };
  const double more = quartile_of(15, chunks) - quartile_of(15, whole) - quartile_of(15, takes);
  static_cast<void>(sink);
  return std::max(0.0, more / std::ceil(static_cast<double>(n) / chunk));
}

void print_costs(const Workload& workload, double clock) {
  constexpr double k_piece_ns = 1'500;
  volatile std::uint64_t sink = 0;
  double whole = std::numeric_limits<double>::max();
  for (int pass = 0; pass < 3; ++pass) {
    const double start = now_ns();
    sink = workload.part(0, workload.iterations);
    whole = std::min(whole, now_ns() - start);
  }
  static_cast<void>(sink);
  const double each = whole / workload.iterations;
  const int length = std::clamp(static_cast<int>(k_piece_ns / each), 1, std::max(1, workload.iterations / 8));
  const std::vector<double> costs = piece_costs(workload, length, clock);
  std::printf("workload %s %d %d %.3f %d %zu\n", workload.name.c_str(), workload.loops, workload.iterations,
              start_ns(workload, each), length, costs.size());
  for (const double ns : costs) std::printf("%.2f\n", ns);
}

} // namespace

int main(int argc, char** argv) {
  Common options;
  options.threads = 2;
  OptionList list(
      "Prints what iterations cost, piece by piece on one thread, and what regions and calls of this "
      "runtime cost. Preload libwstree.so to have the costs of its calls.",
      options, "scale threads");
  list.text("--only", options.only, "Workloads whose name contains a match of this regular expression");
  list.parse(argc, argv);
  const std::regex only(options.only);
  const auto body = [](int i) { return static_cast<std::uint64_t>(i); };
  omp_set_schedule(k_static, 0);
  loop_runtime(1000, options.threads, body); // starts the team
  const double clock = clock_ns();
  std::printf("alone %.1f\n", alone_ns());
  if (options.threads > 1) {
    const Region region = region_ns(options.threads);
    std::printf("region %d %.1f %.1f %.1f\n", options.threads, region.open - clock, region.late,
                region.close - clock);
    struct Counter {
      const char* whose;
      int kind;
    };
    for (const Counter& counter : {Counter{"library's", k_wsfixed}, Counter{"runtime's", k_dynamic}}) {
      omp_set_schedule(counter.kind, 1);
      const Calls calls = calls_ns(options.threads);
      std::printf("calls %s %.1f %.2f\n", counter.whose, std::max(0.0, calls.enter - clock), calls.next);
    }
  }
  quiet_team();
  for (const WorkloadRecipe& recipe : all_workloads(options.scale)) {
    // The cost of a loop of a few microseconds is that of its region, and the disturbance of iterations that
    // share their data is no cost of an iteration.
    const bool is_simulated = recipe.group == Group::paper || recipe.group == Group::program;
    if (!is_simulated || !std::regex_search(recipe.name, only)) continue;
    const Workload workload = recipe.make(recipe.name);
    if (workload.part) print_costs(workload, clock);
  }
}
