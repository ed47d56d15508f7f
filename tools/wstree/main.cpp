// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "compare/request.h"
#include "doctor/checks.h"
#include "help/arguments.h"
#include "near_name.h"
#include "report/arguments.h"
#include "rules/arguments.h"
#include "run/run_arguments.h"
#include "stats/arguments.h"
#include "support/exit_status.h"
#include "support/message.h"
#include "support/terminal.h"
#include "topo/arguments.h"
#include "trace/arguments.h"
#ifdef WSTREE_HAS_BENCH
#include "bench/command/arguments.h"
#include "simulate/command/arguments.h"
#endif

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace wstree::cli;

constexpr const char* k_description = "Runs OpenMP programs with their loops on the work-stealing tree.";

constexpr const char* k_footer =
    R"(Examples:
  wstree run ./heat 4096             run ./heat with its schedule(runtime) loops on the tree
  wstree run --stats -- ./heat -n 8  the same, with figures for each loop at the end
  wstree run --require ./heat        fail with status 125 if no loop was served
  wstree run --loops runtime,dynamic,guided ./heat
                                     serve loops that say schedule(dynamic) or guided as well
  wstree run --schedule guided ./heat
                                     the same program with a schedule of its OpenMP runtime
  wstree run --schedule wsrange ./heat
                                     and with another of the library's own; "wstree env" lists them
  LD_PRELOAD=$(wstree path) OMP_SCHEDULE=wstree ./heat
                                     what run does, by hand
  wstree compare -- ./heat 4096      find out which schedule is fastest, and what to set
  wstree doctor -- ./heat 4096       look for what keeps loops from being served, or slows them down
  wstree run --trace=trace.json ./heat
                                     write a timeline for ui.perfetto.dev and for wstree report
  wstree report trace.json --html report.html
                                     show the loops of a run, with timelines, in a browser
  wstree topo --svg topo.svg         show who is pinned where, and whom each thread steals from first
)"
#ifdef WSTREE_HAS_BENCH
    R"(  wstree simulate --threads 64       compare the schedules on a machine that is not there
  wstree bench --quick               measure the library against others on this machine
)"
#endif
    R"(
Exit status of run: that of the program, or 125 if wstree itself failed, 126 if the program cannot
be executed, 127 if it was not found. "wstree COMMAND --help" shows the options of a command,
"wstree help" lists what it explains: schedules, placement, rules, traces and so on.)";

/// The one of them that was meant by `word`, if any.
std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return std::string(wstree::config::nearest_word(word, candidates));
}

/// A question about an option that `command` does not know; empty if none is similar.
std::string option_that_was_meant(const CLI::App& command, std::string_view extra) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames()) names.push_back(name);
  const auto word = extra.substr(0, extra.find('='));
  const auto near = nearest(word.substr(word.find_first_not_of('-')), names);
  return near.empty() ? std::string() : fmt::format("did you mean --{}? ", near);
}

/// What the user wrote that no command expects. `command`: the one that was named, or `app` if none was.
int report_extra(const std::string& extra, const CLI::App& app, const CLI::App& command) {
  const bool none = &command == &app;
  if (none && !extra.starts_with('-')) {
    std::vector<std::string> names;
    for (const auto* known : app.get_subcommands({})) names.push_back(known->get_name());
    const auto near = nearest(extra, names);
    const auto meant = near.empty() ? std::string() : fmt::format("did you mean {}? ", near);
    say("'{}' is no command of wstree; {}to run a program, say wstree run {}", extra, meant, extra);
  } else {
    const auto meant =
        extra.starts_with("--") && extra.size() > 2 ? option_that_was_meant(command, extra) : std::string();
    say("'{}' is not expected here; {}see wstree {}--help", extra, meant,
        none ? "" : command.get_name() + ' ');
  }
  return k_own_error;
}

/// What to try after a command that went well; for people only. Empty: nothing.
std::string_view next_after(std::string_view command) {
  constexpr std::pair<std::string_view, std::string_view> k_next[] = {
      {"stats", "wstree compare -- PROGRAM says what to set; wstree help statistics explains the columns"},
      {"rules", "wstree run --rules RULES -- PROGRAM"},
      {"trace", "open the file in ui.perfetto.dev, or: wstree report FILE --html report.html"},
      {"report", "wstree compare -- PROGRAM says what to set; --html PAGE makes pictures"},
      {"doctor", "wstree run --stats -- PROGRAM; wstree compare -- PROGRAM"},
      {"topo", "wstree help placement"},
      {"env", "wstree help variables"},
      {"bench", "wstree bench --compare before/results.json after/results.json"},
      {"simulate", "WSTREE_RECORD=FILE wstree run PROGRAM, then --profile FILE: the same of your loops"}};
  const auto* const found =
      std::ranges::find(k_next, command, &std::pair<std::string_view, std::string_view>::first);
  return found != std::end(k_next) ? found->second : std::string_view();
}

void hint(std::string_view command, int status, const std::vector<std::string>& arguments) {
  const auto terminal = terminal_of(stdout);
  const auto next = next_after(command);
  const bool for_scripts = std::ranges::find(arguments, "--json") != arguments.end() ||
                           std::ranges::find(arguments, "-") != arguments.end();
  if (!terminal.is_one || status != k_ok || next.empty() || for_scripts) return;
  fmt::print("{}\n", inked(terminal, Ink::dim, fmt::format("next: {}", next)));
}

CLI::App* add_doctor(CLI::App& app, DoctorRequest& request) {
  constexpr auto k_doctor_footer =
      R"(PROGRAM is run once with the library; what it prints goes where it always goes, with --json
all of it to stderr. Exit status: 0 if all is fine, 1 if something costs time or leaves loops
unserved, 2 if something keeps the library from working.)";
  auto* doctor = app.add_subcommand("doctor", "Check what keeps loops from being served, or slows them down");
  doctor->formatter(program_formatter("doctor"));
  doctor->footer(k_doctor_footer);
  doctor->add_flag("--json", request.json, "As JSON");
  return doctor;
}

int dispatch(std::vector<std::string> arguments) {
  CLI::App app(k_description, "wstree");
  app.footer(k_footer);
  app.set_version_flag("--version", "wstree " WSTREE_VERSION, "Print the version and exit");
  RunRequest request;
  bool json = false;
  auto* run = add_run(app, request);
  auto* env = app.add_subcommand("env", "Show every option with its value, its origin and its meaning");
  env->add_flag("--json", json, "As JSON");
  auto* path = app.add_subcommand("path", "Print the path of libwstree.so");
  bool gcc_plugin = false;
  path->add_flag("--gcc-plugin", gcc_plugin,
                 "Print that of the plugin which makes static loops of gcc servable");
  DoctorRequest patient;
  auto* doctor = add_doctor(app, patient);
  CompareRequest contest;
  auto* compare = add_compare(app, contest);
  StatsRequest written;
  auto* stats = add_stats(app, written);
  RulesRequest ruled;
  auto* rules = add_rules(app, ruled);
  TraceRequest traced;
  auto* trace = add_trace(app, traced);
  HelpRequest asked_for;
  auto* help_on = add_help(app, asked_for);
  ReportRequest reported;
  auto* report = add_report(app, reported);
  TopoRequest place;
  auto* topo = add_topo(app, place);
#ifdef WSTREE_HAS_BENCH
  SimulateRequest imagined;
  auto* simulate = add_simulate(app, imagined);
  BenchRequest measured;
  auto* bench = add_bench(app, measured);
#endif

  const std::string command = arguments.empty() ? "" : arguments.front();
  for (const auto& [starter, program] :
       {std::pair{run, &request.command}, {doctor, &patient.command}, {compare, &contest.command}}) {
    if (command != starter->get_name()) continue;
    arguments.erase(arguments.begin());
    *program = take_program(*starter, arguments);
    arguments.insert(arguments.begin(), command);
  }
  // A topic may be the name of a command, which CLI11 would take for one.
  if (command == help_on->get_name() && arguments.size() > 1 && !arguments[1].starts_with('-')) {
    asked_for.topic = arguments[1];
    arguments.erase(arguments.begin() + 1);
  }
  const auto commands = app.get_subcommands({});
  const auto named =
      std::ranges::find(commands, command, [](const CLI::App* known) { return known->get_name(); });
  const CLI::App& asked = named != commands.end() ? **named : app;
  const auto help = &asked != &app ? command + " " : std::string();
  try {
    // CLI11 takes its arguments from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& wish) { // help or version
    return app.exit(wish);
  } catch (const CLI::ExtrasError&) {
    return report_extra(app.remaining(true).front(), app, asked);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view text = error.what(); // begins with the option and a colon
    say("'{}' needs a value; see wstree {}--help", text.substr(0, text.find(':')), help);
    return k_own_error;
  } catch (const CLI::ParseError& error) {
    say("{}; see wstree {}--help", error.what(), help);
    return k_own_error;
  }
  if (env->parsed()) return env_command(json);
  if (help_on->parsed()) return help_command(asked_for, app);
  if (path->parsed()) return path_command(gcc_plugin);
  if (doctor->parsed()) return doctor_command(patient);
  if (compare->parsed()) return compare_command(contest);
  if (stats->parsed()) return stats_command(written);
  if (rules->parsed()) return rules_command(ruled);
  if (trace->parsed()) return trace_command(traced);
  if (report->parsed()) return report_command(reported);
  if (topo->parsed()) return topo_command(place);
#ifdef WSTREE_HAS_BENCH
  if (simulate->parsed()) return simulate_command(imagined);
  if (bench->parsed()) return bench_command(measured);
#endif
  if (run->parsed() && !request.command.empty()) return run_command(request);
  if (run->parsed()) {
    say("run needs a program; see wstree run --help");
  } else {
#ifdef WSTREE_HAS_BENCH
    say("a command is needed: run, compare, doctor, stats, rules, trace, report, topo, simulate, bench, env "
        "or "
        "path; see wstree --help");
#else
    say("a command is needed: run, compare, doctor, stats, rules, trace, report, topo, env or path; "
        "see wstree --help");
#endif
  }
  return k_own_error;
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == k_show_preloaded_version) return show_preloaded_version();
  int status = k_own_error;
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    status = dispatch(arguments);
    if (argc > 2 || (argc == 2 && *argv[1] != '-')) hint(arguments.front(), status, arguments);
  } catch (const std::exception& error) {
    if (std::ferror(stdout) == 0) say("{}", error.what());
  }
  // What was asked for must have arrived; a full disk shows now, or when the buffer was full.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    say("standard output cannot be written to");
    return k_own_error;
  }
  return status;
}
