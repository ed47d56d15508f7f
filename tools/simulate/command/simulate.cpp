// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.h"
#include "commands.h"
#include "found_machine.h"
#include "plan.h"
#include "rank_table.h"
#include "support/details.h"
#include "support/exit_status.h"
#include "support/interruption.h"
#include "support/message.h"
#include "support/numbers.h"
#include "support/text_file.h"
#include "support/visible.h"
#include "unequal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr const char* k_simulate_details =
    R"(The schedulers are those of the library. The machine is made up: its members run in virtual time, in
which a cache line that others have takes time to come and to be queued for. The same arguments
give the same answer, on every machine. What is simulated is the way of sharing a loop, no more:
no memory bandwidth, and an operating system that interrupts only if "noise" says so.

With --profile, the loops are those of a program that ran with WSTREE_RECORD=FILE: each as it was in the
execution with the median of the work. For each there is a recommendation.

MACHINE is a list. It may begin with the name of a machine, with times in ns for the transfer of a cache
line within each of its levels and beyond:
{}  here           this machine, measured (see --calibrate); answers then differ from run to run
  "package:2 numa:4 core:16", or what else hwloc can describe; transfers are assumed
and goes on with NAME=NUMBER, durations in ns:
  near, far      transfer of a line within the smallest domain, and where no domain is shared
  domain         members in a domain of "generic", 0: all
  LEVEL          transfer within that level, such as l3=30; LEVEL:MEMBERS=NUMBER makes one, such as l3:8=30
  pinned         0: members do not know which others are near
  hit, rmw       access to a line that the member has; a read-modify-write of it
  claim          transfer of a line for a read-modify-write, such as of a counter; 0: as of any line
  overlap        loads in a row of which so many are under way at a time
  keep           of so many transfers, one leaves its line there for a read-modify-write at once
  fault          first access to a page of memory
  tick           reading the clock
  dispatch       a call of the runtime, besides its accesses to memory; enter: and the first of a loop
  region         fork and join of a team, with any schedule
  skew           from the first arrival at the loop to the latest possible one
  noise          EVERY/LASTS: means of the time between two interruptions of a member, and of their length
  speeds         of members 0, 1, 2, ..., again and again, in thousandths, such as 1000/1000/600
  throttle       AFTER/PART/MEMBERS: from then on the first MEMBERS have PART thousandths of their speed
  bursts         EVERY/LASTS/PART/MEMBERS: the last MEMBERS have PART thousandths, so long in each period
  smt            members 0 and 1, 2 and 3, ... share a core: thousandths that each has beside the other one
  memory         PART/MEMBERS: thousandths of each iteration wait for memory, which all cores find as far;
                 if more than MEMBERS are busy, each waits longer
Transfers of named machines were published by the project core-to-core-latency (medians of half a round
trip); their other prices are those of "generic". Beyond its packages, a machine has more of the same kind.)";

constexpr int k_unfinished = 1;

constexpr const char* k_simulate_footer =
    R"("wstree help simulate" explains machines, and what is simulated.
Examples:
  wstree simulate
  wstree simulate --schedule wstree,wsfixed,64,dynamic,64 --workload STEP_S --workers 2,8,32 --details
  wstree simulate --iterations 100000 --machine domain=16,far=200 --svg schedules.svg
  wstree simulate --schedule wstree --batch fixed:256 --roots 1 --strategy predefined --details
  WSTREE_RECORD=solver.profile wstree run ./solver
  wstree simulate --profile solver.profile --machine milan --workers 8,64,256,1024 --svg solver.svg)";

/// Returns the machine in the first line, as --machine takes it.
std::string calibration_text(const simulate::Calibration& measured) {
  auto machine = calibrated_machine(measured).spec;
  machine.name = simulate::MachineSpec{}.name; // the machine of the values that are not measured
  auto text = machine_text(machine) + "\n\nmeasured, in ns:\n";
  const auto add = [&](std::string_view what, double value) {
    text += fmt::format("  {:<44} {:8.1f}\n", what, value);
  };
  add("access to a line that the CPU has", measured.hit_ns);
  add("read-modify-write of it", measured.rmw_ns);
  for (std::size_t i = 0; i < measured.transfer_ns.size(); ++i)
    add(fmt::format("transfer of a line within the same {}", measured.levels[i]), measured.transfer_ns[i]);
  add("read-modify-write that others make, too, longer by", measured.claim_ns);
  add("first access to a page", measured.fault_ns);
  add("reading the clock", measured.tick_ns);
  add("a call of the library besides that", measured.dispatch_ns);
  add("from the first arrival of a team to the last", measured.skew_ns);
  add("from the last departure until one goes on", measured.leave_ns);
  return text + fmt::format("assumed:\n  {:<44} {:8.1f}\n", "transfer of a line to further packages",
                            static_cast<double>(machine.across) / simulate::k_ns);
}

int compare_unequal(const SimulateRequest& request) {
  if (request.json || request.svg) {
    say("--unequal writes a table, no JSON and no drawing");
    return k_own_error;
  }
  UnequalPlan plan;
  if (const auto problem = make_unequal_plan(request, plan)) {
    say("{}", *problem);
    return k_own_error;
  }
  const Interruption interruption;
  const auto rows = unequal_rows(plan, Interruption::has_come);
  if (rows.empty()) return k_unfinished;
  fmt::print("{}", visible_lines(unequal_text(plan, rows)));
  return k_ok;
}

} // namespace

CLI::App* add_simulate(CLI::App& app, SimulateRequest& request) {
  auto* command =
      app.add_subcommand("simulate", "Compare schedules on a machine of any size, in virtual time");
  set_details(*command, fmt::format(k_simulate_details, machine_help()));
  command->footer(k_simulate_footer);
  auto* profile = command
                      ->add_option("--profile", request.profile,
                                   "Simulate the loops that WSTREE_RECORD has recorded into FILE")
                      ->option_text("FILE");
  command
      ->add_option("--loop", request.loop,
                   "Loop of the profile to simulate: a number or a part of its name; unless given, those "
                   "with most work")
      ->option_text("LOOP")
      ->needs(profile);
  command
      ->add_option("--schedule", request.schedules,
                   "Schedules as in OMP_SCHEDULE, such as wstree,wsfixed,64,dynamic; all means those of the "
                   "library, peers all others")
      ->option_text("LIST");
  command
      ->add_option("--workload", request.workloads,
                   "Workloads of the benchmark, such as TRIANGLE,STEP_S; or all")
      ->option_text("LIST")
      ->excludes(profile);
  command->add_option("--iterations", request.iterations, "Iterations of a loop; 1000 unless given")
      ->option_text("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->excludes(profile);
  command
      ->add_option("--work", request.work_ms,
                   "Work of a loop, all iterations together, in ms; 10 unless given")
      ->option_text("MS")
      ->check(CLI::Range(0.000001, 1e6))
      ->check(finite())
      ->excludes(profile);
  command
      ->add_option("--threads,--workers", request.threads,
                   "Numbers of threads; 4,16,64 unless given; with a profile 8,64,256,1024")
      ->option_text("LIST");
  auto* ranks =
      command
          ->add_option("--ranks", request.ranks,
                       "Numbers of MPI ranks that share a loop by <wstree/mpi.hpp>, and by counters; "
                       "--threads of each (64), --iterations and --work for each thread")
          ->option_text("LIST")
          ->excludes(profile);
  command->add_option("--network", request.network, "Network between the ranks: gemini or infiniband")
      ->option_text("NAME")
      ->needs(ranks);
  command->add_option("--batch", request.batch, "As in WSTREE_BATCH")->option_text("BATCH");
  command->add_option("--strategy", request.strategy, "As in WSTREE_STRATEGY")->option_text("STRATEGY");
  command
      ->add_option("--roots", request.roots,
                   "Roots of the tree, instead of one for each thread; the paper has 1")
      ->option_text("N")
      ->check(CLI::Range(1U, 1024U));
  command->add_option("--machine", request.machine, "Machine to simulate, and what differs from it")
      ->option_text("MACHINE");
  command
      ->add_option("--seed", request.seed, "Seed of the arrivals and of all random choices; 1 unless given")
      ->option_text("N")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40));
  command
      ->add_option("--rounds", request.rounds,
                   "How often each loop is simulated, of which the median counts; 3 unless given")
      ->option_text("N")
      ->check(CLI::Range(1U, 999U));
  auto* details = command->add_flag("--details", request.details,
                                    "Show batches, steals, nodes and transfers of cache lines as well");
  command->add_flag("--json", request.json, "As JSON, with details")->excludes(details);
  command
      ->add_flag("--unequal", request.unequal,
                 "Compare schedules on all machines whose cores are of two or three kinds, or on MACHINE: "
                 "64, 1,000 and 100,000 iterations, all cores and the fast ones alone")
      ->excludes(profile)
      ->excludes(details);
  command->add_flag("--calibrate", request.calibrate, "Only measure this machine, and print it as a MACHINE");
  command
      ->add_option(
          "--svg", request.svg,
          "Write a drawing to FILE as well; with -, write nothing but the drawing to standard output")
      ->option_text("FILE");
  return command;
}

int simulate_command(const SimulateRequest& request) {
  if (request.calibrate) {
    const auto measured = simulate::calibrate();
    fmt::print("{}", calibration_text(measured));
    if (const auto absurd = absurdity_of(calibrated_machine(measured).spec)) say("{}", *absurd);
    return k_ok;
  }
  if (request.ranks) return simulate_ranks(request);
  if (request.unequal) return compare_unequal(request);
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
  const Interruption interruption;
  const Results results(plan, Interruption::has_come);
  if (results.missing() == results.size()) {
    say("nothing was simulated to its end, so there is nothing to tell");
    return k_unfinished;
  }
  if (results.missing() != 0)
    say("interrupted: {} of {} simulations are missing (-){}", results.missing(), results.size(),
        request.svg ? "; nothing is drawn" : "");
  if (request.svg && results.missing() != 0) {
    if (only_drawing) return k_unfinished;
  } else if (request.svg && !only_drawing && !write_text(*request.svg, simulate_svg(results))) {
    return k_own_error;
  }
  if (only_drawing) {
    fmt::print("{}", simulate_svg(results));
    return k_ok;
  }
  fmt::print("{}",
             request.json ? simulate_json(results) : visible_lines(simulate_text(results, request.details)));
  return k_ok;
}

} // namespace wstree::cli
