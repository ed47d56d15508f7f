// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trial.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace wstree::cli {

namespace {

std::string number_of(unsigned count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// Returns "ranks 0, 1, 2 and 5 more: each 1 of 8 CPUs", "process 4711: 1 of 8 CPUs".
std::string processes_text(const std::vector<const TrialProcess*>& processes) {
  constexpr std::size_t k_shown = 4;
  const bool ranks = !processes.front()->rank.empty();
  auto text = fmt::format("{}{} ", ranks ? "rank" : "process",
                          processes.size() == 1 ? ""
                          : ranks               ? "s"
                                                : "es");
  for (std::size_t i = 0; i < std::min(processes.size(), k_shown); ++i)
    text += (i == 0 ? "" : ", ") + (ranks ? processes[i]->rank : std::to_string(processes[i]->number));
  if (processes.size() > k_shown) text += fmt::format(" and {} more", processes.size() - k_shown);
  return text;
}

} // namespace

Checks check_ranks(const std::vector<TrialProcess>& processes, unsigned present) {
  // Threads of all processes with the same CPUs.
  const auto threads_with = [&](const place::CpuSet& cpus) {
    return std::accumulate(
        processes.begin(), processes.end(), 0U,
        [&](unsigned sum, const TrialProcess& one) { return one.cpus == cpus ? sum + one.threads : sum; });
  };
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::vector<const TrialProcess*>> alike;
  for (const auto& process : processes)
    if (!process.cpus.empty())
      alike[{process.cpus.count(), process.threads, threads_with(process.cpus)}].push_back(&process);
  Checks checks;
  for (const auto& [what, those] : alike) {
    const auto [cpus, threads, together] = what;
    Check check{"cpus", Status::ok,
                fmt::format("{}: {}{} of {} for {}", processes_text(those), those.size() == 1 ? "" : "each ",
                            cpus, number_of(present, "CPU"), number_of(threads, "thread"))};
    if (together > threads) check.found += fmt::format(", {} with others on the same CPUs", together);
    if (together > cpus) {
      check.status = Status::warn;
      check.cause = "threads that share a CPU wait for one another";
      check.fix =
          fmt::format("let the launcher give each process CPUs of its own, one for each thread (mpirun "
                      "--map-by slot:PE={}, "
                      "srun --cpus-per-task={}), or let each have fewer threads (WSTREE_THREADS=auto)",
                      threads, threads);
    } else if (cpus == 1 && present > 1) {
      check.status = Status::warn;
      check.cause = "on one CPU there is nothing to balance";
      check.fix =
          "let the launcher give each process more CPUs (mpirun --map-by slot:PE=N, srun --cpus-per-task=N)";
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

std::optional<Check> check_threads(const TrialProcess& process, unsigned team, unsigned allowed) {
  const auto bound = process.bound.count();
  Check check{"cpus", Status::warn, {}, "threads that share a CPU wait for one another"};
  if (bound != 0 && bound < std::min(process.threads, allowed)) {
    check.found = fmt::format("in the trial {} had {} of {}", number_of(process.threads, "thread"), bound,
                              number_of(allowed, "CPU"));
    check.fix = "the program binds them itself: leave that out, or name a CPU for each thread";
  } else if (allowed != 0 && process.threads > std::max(team, allowed)) {
    check.found = fmt::format("in the trial a team had {} for {}", number_of(process.threads, "thread"),
                              number_of(allowed, "CPU"));
    check.fix = "the program asks for them itself: leave num_threads and omp_set_num_threads out";
  } else {
    return std::nullopt;
  }
  return check;
}

} // namespace wstree::cli
