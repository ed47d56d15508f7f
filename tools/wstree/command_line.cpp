// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line.h"

#include "run/run_arguments.h"
#include "stats/arguments.h"
#include "support/details.h"
#include "support/exit_status.h"
#include "support/message.h"
#include "version_text.h"
#ifndef WSTREE_FEW_COMMANDS
#include "compare/request.h"
#include "help/arguments.h"
#include "report/arguments.h"
#include "rules/arguments.h"
#include "topo/arguments.h"
#include "trace/arguments.h"
#endif
#ifdef WSTREE_HAS_BENCH
#include "bench/command/arguments.h"
#include "simulate/command/arguments.h"
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace wstree::cli {

namespace {

constexpr const char* k_description = "Runs OpenMP programs with their loops on the work-stealing tree.";

constexpr const char* k_footer =
    R"(Examples:
  wstree run ./heat 4096             run ./heat with its loops on the tree
  wstree run --stats -- ./heat -n 8  the same, with figures for each loop at the end
  wstree run --loops all ./heat
                                     serve loops that say schedule(dynamic) or guided as well
  WSTREE_LOOPS=runtime,proven LD_PRELOAD=$(wstree path) OMP_SCHEDULE=wstree ./heat
                                     what run does, by hand
  wstree compare -- ./heat 4096      find out which schedule is fastest, and what to set
  wstree doctor -- ./heat 4096       look for what keeps loops from being served, or slows them down

Exit status of run: that of the program, or 125 if wstree itself failed, 126 if the program cannot
be executed, 127 if it was not found. "wstree COMMAND --help" shows the options of a command,
"wstree help" lists what it explains: schedules, placement, rules, traces and so on.)";

constexpr const char* k_more_examples =
    R"(Examples:
  wstree run --require ./heat        fail with status 125 if no loop was served
  wstree run --schedule guided ./heat
                                     the same program with a schedule of its OpenMP runtime
  wstree run --schedule wsrange ./heat
                                     and with another of the library's own; "wstree env" lists them
  wstree run --trace=trace.json ./heat
                                     write a timeline for ui.perfetto.dev and for wstree report
  wstree report trace.json --html report.html
                                     show the loops of a run, with timelines, in a browser
  wstree topo --svg topo.svg         show where threads are pinned, and where each steals first
)"
#ifdef WSTREE_HAS_BENCH
    R"(  wstree simulate --threads 64       compare the schedules on a machine that is not there
  wstree bench --quick               measure the library against others on this machine
)"
#endif
    ;

constexpr const char* k_doctor_footer =
    R"(PROGRAM is run once with the library; what it prints goes where it always goes, with --json
all of it to stderr.
Exit status: 0 if all is fine, 1 if something costs time or leaves loops
unserved, 2 if something keeps the library from working.
Examples:
  wstree doctor                      the installation and the environment
  wstree doctor -- ./heat 4096       and the program)";

constexpr const char* k_env_footer = R"(Examples:
  wstree env                         in the environment as it is
  WSTREE_BIND=close wstree env --json)";

constexpr const char* k_path_footer = R"(Examples:
  WSTREE_LOOPS=runtime,proven LD_PRELOAD=$(wstree path) OMP_SCHEDULE=wstree ./heat
  gcc -fplugin=$(wstree path --gcc-plugin) -fopenmp heat.c)";

void add_doctor(CLI::App& app, DoctorRequest& request) {
  auto* doctor = app.add_subcommand("doctor", "Check what keeps loops from being served, or slows them down");
  doctor->formatter(program_formatter("doctor"));
  doctor->footer(k_doctor_footer);
  doctor->add_flag("--json", request.json, "As JSON");
}

void add_env(CLI::App& app, bool& json) {
  auto* env = app.add_subcommand("env", "Show every option with its value, its origin and its meaning");
  env->footer(k_env_footer);
  env->add_flag("--json", json, "As JSON");
}

void add_path(CLI::App& app, bool& gcc_plugin) {
  auto* path = app.add_subcommand("path", "Print the path of libwstree.so");
  path->footer(k_path_footer);
  path->add_flag("--gcc-plugin", gcc_plugin,
                 "Print that of the plugin which makes static loops of gcc servable");
}

} // namespace

void add_commands(CLI::App& app, Requests& requests) {
  app.name("wstree");
  app.description(k_description);
  app.set_version_flag("--version", version_text(),
                       "Print the version, the commit and the compilers, and exit");
  add_run(app, requests.run);
  add_env(app, requests.env_json);
  add_path(app, requests.gcc_plugin);
  add_doctor(app, requests.doctor);
#ifndef WSTREE_FEW_COMMANDS
  add_compare(app, requests.compare);
#endif
  add_stats(app, requests.stats);
#ifndef WSTREE_FEW_COMMANDS
  add_rules(app, requests.rules);
  add_trace(app, requests.trace);
  add_help(app, requests.help);
  add_report(app, requests.report);
  add_topo(app, requests.topo);
#endif
#ifdef WSTREE_HAS_BENCH
  add_simulate(app, requests.simulate);
  add_bench(app, requests.bench);
#endif
  // A command inherits the settings that its application has when the command is added, so that this
  // comes last.
  app.footer(k_footer);
  set_details(app, k_more_examples);
}

int execute(const CLI::App& app, Requests& requests) {
  const auto is = [&](const char* name) { return app.get_subcommand(name)->parsed(); };
  if (is("env")) return env_command(requests.env_json);
  if (is("path")) return path_command(requests.gcc_plugin);
  if (is("doctor")) return doctor_command(requests.doctor);
  if (is("stats")) return stats_command(requests.stats);
#ifndef WSTREE_FEW_COMMANDS
  if (is("help")) return help_command(requests.help, app);
  if (is("compare")) return compare_command(requests.compare);
  if (is("rules")) return rules_command(requests.rules);
  if (is("trace")) return trace_command(requests.trace);
  if (is("report")) return report_command(requests.report);
  if (is("topo")) return topo_command(requests.topo);
#endif
#ifdef WSTREE_HAS_BENCH
  if (is("simulate")) return simulate_command(requests.simulate);
  if (is("bench")) return bench_command(requests.bench);
#endif
  if (is("run")) {
    if (!requests.run.command.empty()) return run_command(requests.run);
    say("run needs a program; see wstree run --help");
    return k_own_error;
  }
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands({})) names.push_back(command->get_name());
  say("a command is needed: {}; see wstree --help", fmt::join(names, ", "));
  return k_own_error;
}

} // namespace wstree::cli
