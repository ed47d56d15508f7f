// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Taskloops on the tree, beside those of the runtime: WSTREE_LOOPS=taskloop.
///
/// This process starts two kinds of others, with and without the library, one after the other in each round.
/// A process executes each loop a few times, in turns with the same loop alone, which gives the ideal:
/// max(work / threads, longest iteration).
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include "workloads/cost_shapes.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace bench;

struct Options {
  Common common;
  int executions = 5, us = 4'000;
};

constexpr std::array<const char*, 5> k_shapes{"UNIFORM", "TRIANGLE", "EXP", "STEP_S", "STEP_E"};
constexpr std::array<int, 3> k_sizes{16, 1'000, 100'000};
constexpr unsigned k_outer = 16; // iterations of the outer loop
constexpr int k_inner = 1'000;

/// One row: `outer` loops of `n` iterations, which are tasks of a taskloop themselves if there are several.
struct Row {
  CostShape shape;
  int n;
  unsigned outer;

  std::string name() const {
    return std::string(shape.name) + (outer == 1 ? "/" : "/16x") + std::to_string(n);
  }
};

std::vector<Row> rows_of(const Options& options) {
  std::vector<Row> rows;
  for (const char* name : k_shapes) {
    if (!options.common.only.empty() && options.common.only != name) continue;
    const CostShape shape =
        *std::find_if(std::begin(k_cost_shapes), std::end(k_cost_shapes),
                      [&](const CostShape& known) { return std::string(known.name) == name; });
    for (int n : k_sizes) rows.push_back({shape, n, 1});
    rows.push_back({shape, k_inner, k_outer});
  }
  return rows;
}

/// The costs of a row's iterations, in units of spin(), and the results that they leave.
struct Work {
  Work(const Row& row, double ns)
      : units(static_cast<std::size_t>(row.n)), results(units.size() * row.outer) {
    double sum = 0;
    for (int i = 0; i < row.n; ++i) sum += row.shape.weight(i, row.n);
    for (int i = 0; i < row.n; ++i)
      units[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(
          std::lround(row.shape.weight(i, row.n) / sum * ns / row.outer / k_ns_per_unit));
  }
  long size() const { return static_cast<long>(units.size()); }
  /// Not inlined: the ideal and the loops execute the same code, at the same place.
  [[gnu::noinline]] void execute(long k, long i) {
    const auto at = static_cast<std::size_t>(i);
    const std::size_t index = static_cast<std::size_t>(k) * units.size() + at;
    results[index] += spin(index, units[at]);
  }
  /// Returns the longest iteration, in parts of all work.
  double longest(unsigned outer) const {
    double sum = 0, most = 0;
    for (const std::uint64_t unit : units) {
      sum += static_cast<double>(unit);
      most = std::max(most, static_cast<double>(unit));
    }
    return sum == 0 ? 0 : most / sum / outer;
  }

  std::vector<std::uint64_t> units, results;
};

/// Nanoseconds that one thread takes alone.
double time_alone(const Row& row, Work& work) {
  const double start = now_ns();
  for (long k = 0; k < row.outer; ++k)
    for (long i = 0; i < work.size(); ++i) work.execute(k, i);
  return now_ns() - start;
}

#ifdef __clang__ // for the bounds that it computes itself
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsign-compare"
#pragma clang diagnostic ignored "-Wsign-conversion"
#endif

void share(Work& work, long k) {
  Work* const shared = &work;
  const long n = work.size();
#pragma omp taskloop
  for (long i = 0; i < n; ++i) shared->execute(k, i);
}

/// Nanoseconds from where a thread of the team meets the loop to where it goes on.
double time_shared(const Row& row, Work& work, int threads) {
  double ns = 0;
  Work* const shared = &work;
  const long outer = row.outer;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    const double start = now_ns();
    if (row.outer == 1) {
      share(*shared, 0);
    } else {
#pragma omp taskloop
      for (long k = 0; k < outer; ++k) share(*shared, k);
    }
    ns = now_ns() - start;
  }
  return ns;
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

/// Runs as a process that measures: prints for each row the ideal in microseconds, and the median of time /
/// ideal. Fails after a wrong result.
int measure(const Options& options) {
  for (const Row& row : rows_of(options)) {
    Work work(row, options.us * 1e3 * options.common.threads);
    std::vector<double> ideals, ratios;
    for (int k = -1; k < options.executions; ++k) {
      const double alone = time_alone(row, work);
      const std::vector<std::uint64_t> before = work.results;
      std::fill(work.results.begin(), work.results.end(), 0);
      const double shared = time_shared(row, work, options.common.threads);
      const std::vector<std::uint64_t> got = work.results;
      std::fill(work.results.begin(), work.results.end(), 0);
      if (got != before) {
        std::fprintf(stderr, "bench: wrong result of %s\n", row.name().c_str());
        return 1;
      }
      if (k < 0) continue; // wakes the threads
      ideals.push_back(alone * std::max(1.0 / options.common.threads, work.longest(row.outer)));
      ratios.push_back(shared / ideals.back());
    }
    std::printf("%.4f ideal/%s\n%.5f %s\n", median(ideals) / 1e3, row.name().c_str(), median(ratios),
                row.name().c_str());
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  Common& common = options.common;
  common.rounds = 3;
  OptionList list("Measures taskloops on the tree, beside those of the runtime.", common,
                  "library rounds threads only");
  list.count("--executions", options.executions, 1, "Executions of each loop in a process");
  list.count("--us", options.us, 1, "Microseconds that a loop takes ideally");
  list.parse(argc, argv);
  if (!common.child.empty()) return measure(options);
  if (common.library.empty()) refuse("--library is needed: its taskloops are measured");
  if (rows_of(options).empty()) refuse("--only: there is no such workload");
  std::vector<Kind> kinds{{"runtime", {}},
                          {"wstree", {"LD_PRELOAD=" + common.library, "WSTREE_LOOPS=taskloop"}}};
  if (!run_rounds(common, kinds)) return 1;
  Report report(common.threads, common.rounds);
  Table& table = report.table("workload", "time / ideal");
  for (const Row& row : rows_of(options)) {
    const std::string name = row.name();
    std::vector<double> ideals;
    for (Kind& kind : kinds)
      ideals.insert(ideals.end(), kind.figures["ideal/" + name].begin(), kind.figures["ideal/" + name].end());
    table.at(name, "ideal us") = fact(median(ideals));
    for (Kind& kind : kinds) table.at(name, kind.name) = sample(kind.figures[name]);
    const bool is_short = row.n == 16;
    report
        .verdict(is_short ? "taskloops of 16 iterations: wstree / ideal" : "longer taskloops: wstree / ideal",
                 is_short ? 1.10 : 1.05)
        .add(name, median(kinds[1].figures[name]));
  }
  std::printf("runtime: %s\nthreads %d, %d rounds, medians of time / ideal\n\n",
              runtime_description().c_str(), common.threads, common.rounds);
  table.print();
  report.print_verdicts();
  return report.write(common.json) ? 0 : 1;
}
