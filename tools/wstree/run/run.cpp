// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"

#include "inspect/preflight.h"
#include "inspect/program.h"
#include "inspect/sanitizers.h"
#include "rules/in_force.h"
#include "run/team_choice.h"
#include "support/environment.h"
#include "support/exit_status.h"
#include "support/figures.h"
#include "support/launch.h"
#include "support/library.h"
#include "support/message.h"
#include "support/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace wstree::cli {

namespace {

/// Says why the program cannot be started and returns the exit status for it; k_ok if it can.
int report(const Lookup& lookup, const std::string& name) {
  if (lookup.result == Lookup::Result::found) return k_ok;
  if (lookup.result == Lookup::Result::not_found) {
    if (name.find('/') != std::string::npos) {
      say("'{}' was not found", name);
    } else {
      say("'{}' was not found in PATH; give the path of the program, for example ./{}", name, name);
    }
    return k_not_found;
  }
  const auto path = lookup.path.string();
  std::error_code error;
  if (std::filesystem::is_directory(lookup.path, error)) {
    say("'{}' is a folder, not a program", path);
  } else {
    say("'{}' may not be executed by you; see chmod +x and the options of its file system", path);
  }
  return k_cannot_execute;
}

bool is_said(const Finding& finding, const RunRequest& request) {
  const bool wants_hints = request.stats || ::isatty(STDERR_FILENO) != 0;
  return finding.severity >= Severity::always || (finding.severity >= Severity::hint && wants_hints) ||
         request.verbose;
}

/// Returns whether a finding is printed that no loop of the program will be served.
bool is_told(const Preflight& preflight, const RunRequest& request) {
  return std::ranges::any_of(preflight.findings, [&](const Finding& finding) {
    return (finding.severity == Severity::hint || finding.severity == Severity::unserved) &&
           is_said(finding, request);
  });
}

/// Reports the findings that matter and returns the exit status if they forbid the run, else k_ok.
int report(const Preflight& preflight, const RunRequest& request) {
  for (const auto& finding : preflight.findings) {
    if (finding.severity != Severity::cannot_run) continue;
    say("{}", finding.text()); // and nothing about a run that will not be
    return k_cannot_execute;
  }
  int status = k_ok;
  for (const auto& finding : preflight.findings) {
    if (is_said(finding, request)) say("{}", finding.text());
    if (finding.severity == Severity::unserved && request.require) status = k_own_error;
  }
  return status;
}

void report_unfit(const std::vector<std::string>& sanitizers) {
  for (const auto& path : sanitizers) {
    if (fits_preload(path)) continue;
    say("LD_PRELOAD cannot hold '{}', which has a blank or a colon in it and wants to be the first library; "
        "if "
        "it says so, set ASAN_OPTIONS=verify_asan_link_order=0",
        path);
  }
}

int report_start_error(int error, const std::string& name) {
  say("'{}' cannot be executed: {}", name, std::strerror(error));
  return error == ENOENT ? k_not_found : k_cannot_execute;
}

/// Names the region that was refused, or else the findings that spoke against the program beforehand.
void report_nothing_served(const Preflight& preflight, const std::string& name, const std::string& refusal) {
  if (!refusal.empty()) return say("--require: no loop of '{}' was served; {}", name, refusal);
  for (const auto& finding : preflight.findings) {
    if (finding.severity == Severity::doubt || finding.severity == Severity::hint)
      return say("--require: no loop was served; {}", finding.text());
  }
  say("--require: no loop of '{}' was served; wstree doctor -- {} finds out why", name, name);
}

/// Figures that are to be shown as text: only this command can name the loops in them.
bool wants_text_shown(const Environment& environment) {
  const auto stats = config::parse_stats(environment.get(text_of(config::Option::stats).name).value_or(""));
  return stats && stats->path.empty() && stats->format == config::StatsFormat::text;
}

int run_and_wait(RunRequest& request, Environment& environment, const Preflight& preflight) {
  const auto& stats = text_of(config::Option::stats).name;
  Figures figures(environment.get(stats).value_or(""));
  if (!figures.problem().empty()) {
    say("{}", figures.problem());
    return k_own_error;
  }
  environment.set(stats, figures.setting());
  const auto ending = supervise(request.command, environment);
  if (ending.error != 0) return report_start_error(ending.error, request.command.front());
  const bool served = figures.settle(ending);
  // After the message that the program has no loop, the user expects no figures.
  if (!figures.missing().empty() && (WIFSIGNALED(ending.wait_status) || !is_told(preflight, request)))
    say("{}: {}", request.stats ? "--stats" : stats, figures.missing());
  // Does not return if the program was killed: its end is the news.
  const int status = end_like(ending.wait_status);
  if (served || !request.require) return status;
  report_nothing_served(preflight, request.command.front(), figures.refusal());
  return status == 0 ? k_own_error : status;
}

} // namespace

int run_command(RunRequest& request) {
  auto problem = check_values(request);
  if (!problem && request.rules) problem = problem_of_rules(*request.rules);
  if (problem) {
    say("{}", *problem);
    return k_own_error;
  }
  const auto& name = request.command.front();
  const auto lookup = find_program(name);
  if (const int status = report(lookup, name); status != k_ok) return status;
  const auto library = find_library();
  if (library.path.empty()) {
    say("{}", library.problem);
    return k_own_error;
  }
  if (!fits_preload(library.path.string())) {
    say("LD_PRELOAD cannot hold '{}', which has a blank or a colon in it; copy the library elsewhere and set "
        "WSTREE_LIBRARY",
        library.path.string());
    return k_own_error;
  }

  Environment environment;
  const auto rules = request.rules ? request.rules : environment.get(text_of(config::Option::rules).name);
  const auto loops = loops_under(rules.value_or(""), loops_in_force(request, environment));
  const auto preflight = inspect(lookup.path, library.path, {request.require, loops});
  if (const int status = report(preflight, request); status != k_ok) return status;

  if (preflight.preload) {
    if (const auto warning = apply(request, environment)) say("{}", *warning);
    const auto cpus = place::find_usable_cpus(environ);
    if (const auto line = choose_team(environment, cpus)) say("{}", *line);
    if (const auto line = limit_spinning(environment, cpus); line && request.verbose) say("{}", *line);
    choose_waiting(environment, cpus);
    resolve_rules(environment, lookup.path, request.rules ? "--rules" : text_of(config::Option::rules).name,
                  request.stats || request.verbose);
    const auto sanitizers = sanitizers_of(preflight.program);
    report_unfit(sanitizers);
    environment.preload_first(library.path.string(), sanitizers);
  }
  if (request.verbose) {
    for (const auto* variable : {"LD_PRELOAD", "OMP_SCHEDULE"})
      say("{}={}", variable, environment.get(variable).value_or(""));
  }
  if (request.require || (preflight.preload && wants_text_shown(environment)))
    return run_and_wait(request, environment, preflight);
  if (preflight.preload && preflight.only_proven && ::isatty(STDERR_FILENO) != 0)
    environment.set(config::k_watched, std::to_string(::getpid()));
  return report_start_error(become(request.command, environment), name);
}

} // namespace wstree::cli
