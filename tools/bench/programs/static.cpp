// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Static loops that balance themselves, beside plain ones: WSTREE_LOOPS=static.
///
/// One loop alternates in three forms: alone, which gives the ideal; with schedule(static, n/P), which has
/// the parts of schedule(static) but stays as it is; and without a clause. The difference between the last
/// two is the library's work. Each workload has another number of iterations, so that the library does not
/// know its loop before.
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include "workloads/cost_shapes.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace bench;

struct Options {
  Common common;
  int executions = 200, us = 500, first = 5;
  bool details = false;
};

/// The change of the iterations' costs from execution to execution.
enum class Change { none, blend, move, turn, random, half };
struct CostOverTime {
  std::string name;
  Weight weight;
  Change change;
  double limit;      ///< goal, as time / ideal; 0: none
  double behind = 0; ///< and beside static; 0: nothing
};

std::vector<CostOverTime> all_costs() {
  std::vector<CostOverTime> all;
  for (const CostShape& shape : k_cost_shapes) {
    const std::string name = shape.name;
    const bool even = name == "UNIFORM";
    all.push_back({name, shape.weight, Change::none, even || name == "RANDIF" ? 0 : 1.03, even ? 1.01 : 0});
  }
  for (const CostOverTime& more : {CostOverTime{"TRIANGLE, drifts", triangle, Change::blend, 1.06},
                                   {"PARABOLA, drifts", parabola, Change::blend, 1.06},
                                   {"EXP, drifts", exponential, Change::blend, 1.06},
                                   {"HILL, moves", hill, Change::move, 1.06},
                                   {"TRIANGLE, turns", triangle, Change::turn, 0},
                                   {"random blocks", uniform, Change::random, 0, 1.02},
                                   {"UNIFORM, slow thread", uniform, Change::half, 1.05}})
    all.push_back(more);
  return all;
}

/// Returns the weight of iteration i in one execution: 1 % of the costs changes in each, or all of them
/// after 50.
double weight_of(const CostOverTime& workload, int i, int n, int execution) {
  const auto position_moved = [&](int by) {
    return static_cast<int>((i + static_cast<long>(by) * n / 100) % n);
  };
  switch (workload.change) {
  case Change::blend: {
    const double share = std::abs(execution % 200 / 100.0 - 1);
    return share * workload.weight(i, n) + (1 - share) * workload.weight(n - 1 - i, n);
  }
  case Change::move:
    return workload.weight(position_moved(execution), n);
  case Change::turn:
    return workload.weight(execution / 50 % 2 == 0 ? i : n - 1 - i, n);
  case Change::random: {
    constexpr int k_blocks = 64;
    const int block = static_cast<int>(static_cast<long>(i) * k_blocks / n);
    return std::max(0.05, 1 + normal(1'000 * (execution + 1) + block));
  }
  default:
    return workload.weight(i, n);
  }
}

using Units = std::vector<std::uint64_t>;

Units units_of(const CostOverTime& workload, int n, int execution, double ns) {
  Units units(static_cast<std::size_t>(n));
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += weight_of(workload, i, n, execution);
  for (int i = 0; i < n; ++i)
    units[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(
        std::lround(weight_of(workload, i, n, execution) / sum * ns / k_ns_per_unit));
  return units;
}

/// Executes an iteration. A slow thread takes twice as long: it does everything twice.
inline std::uint64_t iteration(const Units& units, int i, bool slow) {
  const std::uint64_t count = units[static_cast<std::size_t>(i)];
  const std::uint64_t value = spin(static_cast<std::uint64_t>(i), count);
  if (slow) {
    const std::uint64_t again = spin(value, count);
    asm volatile("" : : "r"(again));
  }
  return value;
}

enum Form { alone, fixed, free_, forms };
constexpr const char* k_names[forms] = {"alone", "static", "balanced"};

[[gnu::noinline]] std::uint64_t run(Form form, const Units& units, int threads, bool half) {
  const int n = static_cast<int>(units.size());
  std::uint64_t sum = 0;
  if (form == alone) {
    for (int i = 0; i < n; ++i) sum ^= iteration(units, i, false);
  } else if (form == fixed) {
    const int chunk = (n + threads - 1) / threads;
#pragma omp parallel for schedule(static, chunk) num_threads(threads) reduction(^ : sum)
    for (int i = 0; i < n; ++i) sum ^= iteration(units, i, half && omp_get_thread_num() == 0);
  } else {
#pragma omp parallel for num_threads(threads) reduction(^ : sum)
    for (int i = 0; i < n; ++i) sum ^= iteration(units, i, half && omp_get_thread_num() == 0);
  }
  return sum;
}

struct Result {
  double ideal_us = 0, fixed = 0, free_form = 0, beside = 0;
  bool right = true;
};

Result measure(const CostOverTime& workload, int n, const Options& options) {
  const bool half = workload.change == Change::half;
  const int threads = options.common.threads;
  // As fast as `speed` threads that are not slow.
  const double speed = half ? threads - 0.5 : threads;
  std::vector<double> ideals, fixed_ratios, free_ratios, beside;
  Result result;
  Units units;
  for (int k = 0; k < options.executions; ++k) {
    if (k == 0 || workload.change != Change::none) units = units_of(workload, n, k, options.us * 1e3 * speed);
    double ns[forms];
    std::uint64_t sums[forms];
    for (int turn = 0; turn < forms; ++turn) {
      const auto form = static_cast<Form>((turn + k) % forms);
      const double start = now_ns();
      sums[form] = run(form, units, threads, half);
      ns[form] = now_ns() - start;
    }
    result.right = result.right && sums[alone] == sums[fixed] && sums[alone] == sums[free_];
    const double ideal = ns[alone] / speed;
    if (options.details && k < 12) std::printf("  %2d: %.3f %.3f\n", k, ns[fixed] / ideal, ns[free_] / ideal);
    if (k < options.first) continue;
    ideals.push_back(ideal / 1e3);
    fixed_ratios.push_back(ns[fixed] / ideal);
    free_ratios.push_back(ns[free_] / ideal);
    beside.push_back(ns[free_] / ns[fixed]);
  }
  result.ideal_us = median(ideals);
  result.fixed = median(fixed_ratios);
  result.free_form = median(free_ratios);
  result.beside = median(beside);
  return result;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  const Common& common = options.common;
  OptionList list("Measures static loops that balance themselves.", options.common, "threads only");
  list.count("--executions", options.executions, 1, "Executions of each loop");
  list.count("--us", options.us, 1, "Microseconds that a loop takes ideally");
  list.count("--first", options.first, 0, "Executions that do not count");
  list.flag("--details", options.details, "Print the first twelve executions");
  list.parse(argc, argv);
  Report report(common.threads, options.executions);
  std::printf("runtime: %s\nthreads %d, %d executions, medians of those after %d, as time / ideal\n\n",
              runtime_description().c_str(), common.threads, options.executions, options.first);
  Table& table = report.table("workload", "time / ideal");
  int n = 2'000;
  bool right = true;
  for (const CostOverTime& workload : all_costs()) {
    ++n;
    if (!common.only.empty() && common.only != workload.name) continue;
    const Result result = measure(workload, n, options);
    right = right && result.right;
    table.at(workload.name, "ideal us") = fact(result.ideal_us);
    table.at(workload.name, k_names[fixed]) = {result.fixed};
    table.at(workload.name, k_names[free_]) = {result.free_form};
    table.at(workload.name, "of static") = {result.beside};
    if (!result.right) table.at(workload.name, "result") = words("WRONG");
    if (workload.limit != 0)
      report.verdict("balanced / ideal, wanted " + number_text(workload.limit), workload.limit)
          .add(workload.name, result.free_form);
    if (workload.behind != 0)
      report.verdict("balanced / static, wanted " + number_text(workload.behind), workload.behind)
          .add(workload.name, result.beside);
  }
  table.print();
  report.print_verdicts();
  return report.write(common.json) && right ? 0 : 1;
}
