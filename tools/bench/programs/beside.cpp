// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A static loop of two threads, one of which shares its processor with a process of the same priority.
///
/// The loop is cut by hand at different places, which shows the best split, and without a clause, which the
/// library cuts if WSTREE_LOOPS=static. Rounds alternate; each begins with a number of iterations that has
/// not come before.
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include "measure/processors.h"
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace bench;

/// A process that uses all that it gets of one processor.
class Competitor {
public:
  explicit Competitor(int cpu) : child_(fork()) {
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    allow({cpu});
    for (std::uint64_t value = 1;; value = spin(value, 1'000'000)) asm volatile("" : "+r"(value));
  }
  ~Competitor() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Competitor(const Competitor&) = delete;
  Competitor& operator=(const Competitor&) = delete;

private:
  pid_t child_;
};

constexpr std::uint64_t k_units = 2'000; // units of an iteration

[[gnu::noinline]] double cut_by_hand(int n, double share) {
  std::uint64_t sum = 0;
  const int cut = static_cast<int>(n * share);
  const double start = now_ns();
#pragma omp parallel num_threads(2) reduction(^ : sum)
  {
    const bool first = omp_get_thread_num() == 0;
    for (int i = first ? 0 : cut; i < (first ? cut : n); ++i)
      sum ^= spin(static_cast<std::uint64_t>(i), k_units);
  }
  asm volatile("" : : "r"(sum));
  return now_ns() - start;
}
[[gnu::noinline]] double without_clause(int n) {
  std::uint64_t sum = 0;
  const double start = now_ns();
#pragma omp parallel for num_threads(2) reduction(^ : sum)
  for (int i = 0; i < n; ++i) sum ^= spin(static_cast<std::uint64_t>(i), k_units);
  asm volatile("" : : "r"(sum));
  return now_ns() - start;
}

} // namespace

int main(int argc, char** argv) {
  Common common;
  common.rounds = 3;
  int executions = 20, first = 5, wanted_ms = 60;
  OptionList list("Measures a static loop beside another process on one of two processors.", common,
                  "rounds");
  list.count("--executions", executions, 2, "Executions of the balanced loop in a round");
  list.count("--first", first, 0, "Executions that do not count");
  list.count("--ms", wanted_ms, 1, "Milliseconds that the loop takes two threads without the other process");
  list.parse(argc, argv);
  const std::vector<int> cpus = allowed_processors();
  if (cpus.size() < 2) {
    std::puts("not measured: there is one processor");
    return 0;
  }
  const Competitor competitor(cpus[1]);
#pragma omp parallel num_threads(2)
  allow({cpus[static_cast<std::size_t>(omp_get_thread_num())]});
  int n = static_cast<int>(2 * wanted_ms * 1e6 / (k_units * k_ns_per_unit));
  std::map<std::string, std::vector<double>> times; // by rows
  const auto row_of = [](int percent) { return std::to_string(percent) + " % for the free thread"; };
  const std::string later = "later executions without clause";
  for (int round = 0; round < common.rounds; ++round) {
    ++n;
    for (int k = 0; k < executions; ++k)
      times[k < first ? "execution " + std::to_string(k + 1) + " without clause" : later].push_back(
          without_clause(n) / 1e6);
    for (int turn = 0; turn < 3; ++turn)
      for (int percent = 50; percent <= 80; percent += 3)
        times[row_of(percent)].push_back(cut_by_hand(n, percent / 100.0) / 1e6);
  }
  Report report(2, common.rounds);
  Table& table = report.table("", "ms");
  double best = median(times[row_of(50)]);
  for (int percent = 50; percent <= 80; percent += 3) best = std::min(best, median(times[row_of(percent)]));
  for (const auto& [row, values] : times) {
    table.at(row, "ms") = sample(values);
    table.at(row, "of the best split") = words(number_text(median(values) / best));
  }
  table.print();
  report.verdict("later executions: balanced / best split by hand", 1.05)
      .add(later, median(times[later]) / best);
  report.print_verdicts();
  return report.write(common.json) ? 0 : 1;
}
