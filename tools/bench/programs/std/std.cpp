// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// std::execution::par through <wstree/execution.h>, on OpenMP teams and on the library's own threads, beside
/// libstdc++ on oneTBB. This process starts one for each of them, from programs that were compiled for them.
/// They take turns with each row, in random order.
#include "measure/options.h"
#include "measure/report.h"
#include "rows.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <regex>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

using namespace bench;

struct Options {
  Common common;
  int largest = 10'000'000, passes = 3;
};

/// Runs as a process that serves: for each number of a row that it reads it answers with a turn.
int serve(const Options& options, const std::vector<StandardRow>& rows) {
  std::function<Turn(int)> turns;
  std::size_t made = rows.size();
  for (std::size_t which = 0; read(STDIN_FILENO, &which, sizeof which) == sizeof which;) {
    if (which != std::exchange(made, which)) turns = nullptr, turns = rows.at(which).make();
    const Turn turn = turns(options.passes);
    if (write(STDOUT_FILENO, &turn, sizeof turn) != sizeof turn) return 1;
  }
  return 0;
}

/// A program that takes turns.
class Server {
public:
  Server(const std::string& program, const Options& options) {
    std::vector<std::string> arguments = options.common.again;
    arguments.insert(arguments.begin(), program);
    arguments.insert(arguments.end(), {"--child", "rows"});
    std::vector<char*> argv;
    for (auto& text : arguments) argv.push_back(text.data());
    argv.push_back(nullptr);
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (posix_spawn(&child_, program.c_str(), &actions, nullptr, argv.data(), environ) != 0) child_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]), close(out[1]);
    to_ = in[1], from_ = out[0];
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    close(to_), close(from_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }

  /// Waits until the threads of the program before sleep: those of libgomp spin for milliseconds first.
  Turn turn(std::size_t row) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Turn turn;
    if (write(to_, &row, sizeof row) != sizeof row || read(from_, &turn, sizeof turn) != sizeof turn)
      return {};
    return turn;
  }

private:
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

enum Column { team, crew, tbb, columns };
constexpr std::array<const char*, columns> k_names{"wstree", "wstree_crew", "tbb"};
constexpr std::array<const char*, columns> k_suffixes{"", "-crew", "-tbb"};

struct Samples {
  std::array<std::vector<double>, columns> us, of_plain;
  std::vector<double> plain_us;
};

void judge(const StandardRow& row, const Samples& samples, Report& report, double& logs, int& shapes) {
  for (const Column own : {team, crew}) {
    const std::string name = row.name + ", " + k_names[own];
    const double time = median(samples.us[own]), of_tbb = time / median(samples.us[tbb]);
    report.verdict("of std::execution::par on oneTBB", 1.02).add(name, of_tbb);
    if (row.name.starts_with("uneven/")) {
      const double of_ideal = median(samples.of_plain[own]) * omp_get_num_procs();
      report.verdict("uneven, of the ideal", 1.10).add(name, of_ideal);
      logs += std::log(of_ideal), ++shapes;
    } else if (row.size <= 1000) {
      const std::string elements = std::to_string(row.size) + " elements, of ";
      if (row.size == 100) report.verdict(elements + "std::execution::par on oneTBB", 0.2).add(name, of_tbb);
      report.verdict(elements + "the sequential algorithm", 1.1).add(name, median(samples.of_plain[own]));
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  Common& common = options.common;
  OptionList list("Measures std::execution::par through this library beside libstdc++ on oneTBB.", common,
                  "rounds scale only");
  list.count("--largest", options.largest, 1, "Elements of the longest ranges");
  list.count("--passes", options.passes, 1, "Passes of a turn, of which the median counts");
  list.parse(argc, argv);
  const auto rows = standard_rows(static_cast<std::size_t>(options.largest), common.scale);
  if (!common.child.empty()) return serve(options, rows);

  std::signal(SIGPIPE, SIG_IGN);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::array<std::optional<Server>, columns> servers;
  for (std::size_t k = 0; k < columns; ++k) servers[k].emplace(self + k_suffixes[k], options);
  std::mt19937_64 random(1);
  std::array<std::size_t, columns> order{team, crew, tbb};
  Report report(omp_get_num_procs(), common.rounds);
  Table& table = report.table("algorithm, elements", "us a call");
  double logs = 0;
  int shapes = 0;
  bool right = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& name = rows[i].name;
    if (!std::regex_search(name, std::regex(common.only))) continue;
    Samples samples;
    for (int round = 0; round < common.rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t k : order) {
        const Turn turn = servers[k]->turn(i);
        if (turn.us < 0 || !turn.right)
          std::fprintf(stderr, "bench: %s, %s: %s\n", name.c_str(), k_names[k],
                       turn.us < 0 ? "the process failed" : "the result is wrong");
        if (turn.us < 0) return 1;
        right = right && turn.right;
        samples.us[k].push_back(turn.us);
        samples.of_plain[k].push_back(turn.us / turn.plain_us);
        samples.plain_us.push_back(turn.plain_us);
      }
    }
    table.at(name, "sequential us") = fact(median(samples.plain_us));
    for (std::size_t k = 0; k < columns; ++k) table.at(name, k_names[k]) = sample(samples.us[k]);
    judge(rows[i], samples, report, logs, shapes);
  }
  std::printf("%d threads, medians of %d rounds, us a call\n\n", omp_get_num_procs(), common.rounds);
  table.print();
  if (shapes != 0)
    report.verdict("uneven, of the ideal, geometric mean", 1.03).add("all", std::exp(logs / shapes));
  report.print_verdicts();
  return report.write(common.json) && right ? 0 : 1;
}
