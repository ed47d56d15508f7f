// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The cost of statistics and traces for loops of 100 and of 20 microseconds.
///
/// This process starts four others, which run the same loops: two without either, one with WSTREE_STATS and
/// one with WSTREE_TRACE. They take turns of some milliseconds each, in random order, so that the machine's
/// other work meets all of them. A round has new processes, because places of memory differ between
/// processes, with larger effects than those measured here. The second process without either shows the size
/// of these effects.
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace bench;

struct Options {
  Common common;
  int turns = 12, loops = 40;
};

struct Loop {
  const char* name;
  int us; ///< time of the loop if it is even
  bool uneven;
};
constexpr std::array<Loop, 4> k_loops{{{"even loop of 100 us", 100, false},
                                       {"uneven loop of 100 us", 100, true},
                                       {"even loop of 20 us", 20, false},
                                       {"uneven loop of 20 us", 20, true}}};
constexpr int k_iterations = 1000;

/// Nanoseconds of one execution. The iterations of an uneven loop cost more the later they come.
[[gnu::noinline]] double time_loop(const Loop& loop, int threads) {
  const double units = loop.us * 1e3 * threads / k_ns_per_unit / k_iterations;
  std::uint64_t sum = 0;
  const double start = now_ns();
#pragma omp parallel for schedule(runtime) num_threads(threads) reduction(^ : sum)
  for (int i = 0; i < k_iterations; ++i) {
    const double share = loop.uneven ? 2.0 * (i + 1) / k_iterations : 1.0;
    sum ^= spin(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(units * share));
  }
  const double ns = now_ns() - start;
  asm volatile("" : : "r"(sum) : "memory");
  return ns;
}

/// Runs as a process that measures: for each number of a loop that it reads it answers with a median.
int serve_turns(const Options& options) {
  for (unsigned char which = 0; read(STDIN_FILENO, &which, 1) == 1;) {
    const Loop& loop = k_loops[which % k_loops.size()];
    std::vector<double> times;
    // The first ones wake the threads, and meet those of others that have not gone to sleep yet.
    for (int k = -10; k < options.loops; ++k) {
      const double ns = time_loop(loop, options.common.threads);
      if (k >= 0) times.push_back(ns);
    }
    const double answer = median(times);
    // Until our threads sleep: those of libgomp, and of libomp with the block time of the parent, soon do.
    const timespec pause{0, 4'000'000};
    nanosleep(&pause, nullptr);
    if (write(STDOUT_FILENO, &answer, sizeof answer) != sizeof answer) return 1;
  }
  _exit(0); // no process reads the library's output at exit
}

enum Kind { plain, again, statistics, trace, kinds };
constexpr std::array<const char*, kinds> k_names{"plain", "plain again", "statistics", "trace"};

/// A process that takes turns.
class Runner {
public:
  Runner(const Options& options, Kind kind) {
    std::vector<std::string> more{"LD_PRELOAD=" + options.common.library, "OMP_SCHEDULE=wstree",
                                  "KMP_BLOCKTIME=1"};
    if (kind == statistics) more.emplace_back("WSTREE_STATS=json=/dev/null");
    if (kind == trace) more.emplace_back("WSTREE_TRACE=/dev/null");
    const auto environment = environment_with(more);
    std::vector<std::string> arguments = options.common.again;
    arguments.insert(arguments.begin(), "/proc/self/exe");
    arguments.insert(arguments.end(), {"--child", k_names[kind]});
    std::vector<char*> argv, envp;
    for (auto& text : arguments) argv.push_back(text.data());
    for (const auto& text : environment) envp.push_back(const_cast<char*>(text.c_str()));
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (posix_spawn(&child_, "/proc/self/exe", &actions, nullptr, argv.data(), envp.data()) != 0) child_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner() {
    close(to_);
    close(from_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }

  /// Returns the median of a loop; negative: the process has died.
  double turn(unsigned char loop) const {
    double answer = -1;
    if (write(to_, &loop, 1) != 1 || read(from_, &answer, sizeof answer) != sizeof answer) return -1;
    return answer;
  }

private:
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

/// Times of a loop under one kind of process: a median for each round.
using Times = std::array<std::array<std::vector<double>, kinds>, k_loops.size()>;

bool run_round(const Options& options, std::mt19937_64& random, Times& times) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (int kind = 0; kind < kinds; ++kind)
    runners.push_back(std::make_unique<Runner>(options, static_cast<Kind>(kind)));
  for (std::size_t loop = 0; loop < k_loops.size(); ++loop) {
    std::array<std::vector<double>, kinds> of_round;
    std::array<int, kinds> order{0, 1, 2, 3};
    for (int turn = 0; turn < options.turns; ++turn) {
      std::shuffle(order.begin(), order.end(), random);
      for (const int kind : order) {
        const double ns = runners[static_cast<std::size_t>(kind)]->turn(static_cast<unsigned char>(loop));
        if (ns < 0) {
          std::fprintf(stderr, "bench: the process \"%s\" failed\n", k_names[static_cast<std::size_t>(kind)]);
          return false;
        }
        of_round[static_cast<std::size_t>(kind)].push_back(ns);
      }
    }
    for (std::size_t kind = 0; kind < kinds; ++kind) times[loop][kind].push_back(median(of_round[kind]));
  }
  return true;
}

/// Returns the costs in each round, in percent of the plain process.
std::vector<double> costs_of(const Times& times, std::size_t loop, std::size_t kind) {
  std::vector<double> values;
  for (std::size_t round = 0; round < times[loop][plain].size(); ++round)
    values.push_back(100 * (times[loop][kind][round] / times[loop][plain][round] - 1));
  std::sort(values.begin(), values.end());
  return values;
}

bool show(const Common& common, const Times& times) {
  Report report(common.threads, common.rounds);
  std::printf(
      "runtime: %s\nlibrary: %s\nthreads %d, %d processes of each kind; \"plain again\" shows how far "
      "equal processes are apart\n\n",
      runtime_description().c_str(), common.library.c_str(), common.threads, common.rounds);
  Table& table = report.table("medians (quartiles)", "%");
  for (std::size_t loop = 0; loop < k_loops.size(); ++loop) {
    table.at(k_loops[loop].name, "time") = fact(median(times[loop][plain]) / 1e3, " us");
    for (std::size_t kind = again; kind < kinds; ++kind) {
      const std::vector<double> values = costs_of(times, loop, kind);
      char text[64];
      std::snprintf(text, sizeof text, "%+.2f %% (%+.2f to %+.2f)", median(values), values[values.size() / 4],
                    values[values.size() - 1 - values.size() / 4]);
      Cell& cell = table.at(k_loops[loop].name, k_names[kind]);
      cell.value = median(values);
      cell.text = text;
      if (k_loops[loop].us >= 100 && kind != again)
        report
            .verdict(std::string(k_names[kind]) + ", loops of 100 us: percent", kind == statistics ? 0.5 : 1)
            .add(k_loops[loop].name, median(values));
    }
  }
  table.print();
  report.print_verdicts();
  return report.write(common.json);
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  Common& common = options.common;
  common.rounds = 7;
  OptionList list("Measures what statistics and traces cost.", common, "library rounds threads");
  list.count("--turns", options.turns, 1, "Turns of a process with each loop");
  list.count("--loops", options.loops, 1, "Loops of a turn");
  list.parse(argc, argv);
  if (!common.child.empty()) return serve_turns(options);
  if (common.library.empty()) refuse("--library is needed: only the library has statistics and traces");
  std::signal(SIGPIPE, SIG_IGN);
  std::mt19937_64 random(1);
  Times times;
  for (int round = 0; round < common.rounds; ++round)
    if (!run_round(options, random, times)) return 1;
  return show(common, times) ? 0 : 1;
}
