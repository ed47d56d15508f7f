// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A static loop of two threads, one of which shares its processor with a process of the same priority.
///
/// The loop is cut by hand at different places, which says what the best split is, and without a clause,
/// which the library cuts if WSTREE_LOOPS=static. Rounds alternate; each begins with a number of iterations
/// of which nothing is known.
#include "measure/json.h"
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include "measure/processors.h"
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace bench;

struct Options {
  std::string json;
  int rounds = 3, executions = 20, first = 5, ms = 60;
};

Options parse(int argc, char** argv) {
  Options options;
  OptionList list("Measures a static loop beside another process on one of two processors.");
  list.count("--rounds", options.rounds, 1, "Rounds");
  list.count("--executions", options.executions, 2, "Executions of the balanced loop in a round");
  list.count("--first", options.first, 0, "Executions that do not count");
  list.count("--ms", options.ms, 1, "Milliseconds that the loop takes two threads without the other process");
  list.text("--json", options.json, "File for the figures");
  list.parse(argc, argv);
  return options;
}

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

constexpr std::uint64_t k_units = 2'000; // of an iteration

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

struct Split {
  double share;
  std::vector<double> ms = {};
};

} // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::vector<int> cpus = allowed_processors();
  if (cpus.size() < 2) {
    std::puts("not measured: there is one processor");
    return 0;
  }
  const Competitor competitor(cpus[1]);
#pragma omp parallel num_threads(2)
  allow({cpus[static_cast<std::size_t>(omp_get_thread_num())]});
  int n = static_cast<int>(2 * options.ms * 1e6 / (k_units * k_ns_per_unit));
  std::vector<Split> splits;
  for (int percent = 50; percent <= 80; percent += 3) splits.push_back({percent / 100.0});
  std::vector<double> balanced;
  std::vector<std::vector<double>> begins(static_cast<std::size_t>(options.first));
  for (int round = 0; round < options.rounds; ++round) {
    ++n;
    for (int k = 0; k < options.executions; ++k) {
      const double ms = without_clause(n) / 1e6;
      (k < options.first ? begins[static_cast<std::size_t>(k)] : balanced).push_back(ms);
    }
    for (int turn = 0; turn < 3; ++turn)
      for (Split& split : splits) split.ms.push_back(cut_by_hand(n, split.share) / 1e6);
  }
  const Split* best = &splits.front();
  for (const Split& split : splits) {
    std::printf("%3.0f %% for the free thread %8.2f ms\n", split.share * 100, median(split.ms));
    if (median(split.ms) < median(best->ms)) best = &split;
  }
  for (std::size_t k = 0; k < begins.size(); ++k)
    std::printf("execution %zu without clause %6.2f ms\n", k + 1, median(begins[k]));
  const double ratio = median(balanced) / median(best->ms);
  std::printf(
      "later ones               %8.2f ms, %.3f of the best split (wanted: 1.05), %.3f of equal parts\n",
      median(balanced), ratio, median(balanced) / median(splits.front().ms));
  return bench::write(options.json, Json{{"best_share", rounded(best->share, 2)},
                                         {"best_ms", rounded(median(best->ms), 3)},
                                         {"equal_ms", rounded(median(splits.front().ms), 3)},
                                         {"balanced_ms", rounded(median(balanced), 3)},
                                         {"ratio", rounded(ratio, 4)}})
             ? 0
             : 1;
}
