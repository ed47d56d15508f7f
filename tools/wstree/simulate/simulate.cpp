// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.h"
#include "commands.h"
#include "exit_status.h"
#include "message.h"
#include "plan.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr const char* k_footer =
    R"(The schedulers are those of the library. The machine is made up: its members run in virtual time, in
which a cache line that others have takes time to come and to be queued for. The same arguments
give the same answer, on every machine. What is simulated is the way of sharing a loop, no more:
no memory bandwidth, no operating system, no noise.

MACHINE is a list of NAME=NUMBER, durations in ns:
  hit, rmw       access to a line that the member has; a read-modify-write of it
  near, far      transfer of a line within a domain and between domains
  domain         members in a domain, 0: all; pinned=0: they do not know who is near them
  overlap        loads in a row of which so many are under way at a time
  keep           of so many transfers, one leaves its line there for a read-modify-write at once
  dispatch       a call of the runtime, besides its accesses to memory
  skew           from the first arrival at the loop to the latest possible one
Examples:
  wstree simulate
  wstree simulate --schedule wstree,wsfixed,64,wsguided --workload STEP_S --threads 2,8,32 --details
  wstree simulate --iterations 100000 --machine domain=16,far=200 --svg schedules.svg
  wstree simulate --schedule wstree --batch fixed:256 --roots 1 --strategy predefined --details)";

/// False: said why.
bool write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  bool good = file != nullptr;
  if (good) {
    good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = std::fclose(file) == 0 && good;
  }
  if (!good) say("{} cannot be written: {}", path, std::strerror(errno));
  return good;
}

} // namespace

CLI::App* add_simulate(CLI::App& app, SimulateRequest& request) {
  auto* command =
      app.add_subcommand("simulate", "Compare schedules on a machine of any size, in virtual time");
  command->footer(k_footer);
  command
      ->add_option("--schedule", request.schedules, "As in OMP_SCHEDULE, such as wstree,wsfixed,64; or all")
      ->option_text("LIST");
  command
      ->add_option("--workload", request.workloads, "Those of the benchmark, such as TRIANGLE,STEP_S; or all")
      ->option_text("LIST");
  command->add_option("--iterations", request.iterations, "Of the loop; 1000 unless given")
      ->option_text("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}));
  command->add_option("--work", request.work_ms, "Time of all iterations together in ms; 10 unless given")
      ->option_text("MS")
      ->check(CLI::Range(0.000001, 1e6));
  command->add_option("--threads", request.threads, "4,16,64 unless given")->option_text("LIST");
  command->add_option("--batch", request.batch, "As in WSTREE_BATCH")->option_text("BATCH");
  command->add_option("--strategy", request.strategy, "As in WSTREE_STRATEGY")->option_text("STRATEGY");
  command->add_option("--roots", request.roots, "Of the tree, instead of one per thread; the paper has 1")
      ->option_text("N")
      ->check(CLI::Range(1U, 1024U));
  command->add_option("--machine", request.machine, "What differs from the machine that is assumed")
      ->option_text("MACHINE");
  command->add_option("--seed", request.seed, "Of the arrivals and of all coins; 1 unless given")
      ->option_text("N")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40));
  command->add_option("--rounds", request.rounds, "Loops of which the median counts; 3 unless given")
      ->option_text("N")
      ->check(CLI::Range(1U, 999U));
  auto* details = command->add_flag("--details", request.details,
                                    "Batches, steals, nodes and transfers of cache lines as well");
  command->add_flag("--json", request.json, "As JSON, with details")->excludes(details);
  command
      ->add_option("--svg", request.svg,
                   "Also a drawing, in FILE; to standard output, and nothing else, with -")
      ->option_text("FILE");
  return command;
}

int simulate_command(const SimulateRequest& request) {
  const bool only_drawing = request.svg == "-";
  if (only_drawing && request.json) {
    say("--json and --svg - both want the standard output");
    return k_own_error;
  }
  Plan plan;
  if (const auto problem = make_plan(request, plan)) {
    say("{}", *problem);
    return k_own_error;
  }
  const Results results(plan);
  if (only_drawing) {
    fmt::print("{}", simulate_svg(results));
    return k_ok;
  }
  if (request.svg && !write_file(*request.svg, simulate_svg(results))) return k_own_error;
  fmt::print("{}", request.json ? simulate_json(results) : simulate_text(results, request.details));
  return k_ok;
}

} // namespace wstree::cli
