// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"

#include "checks.h"
#include "cpu_kinds.h"
#include "options.h"
#include "rules/in_force.h"
#include "support/progress.h"
#include "support/settings.h"
#include "trial.h"

#include <algorithm>

namespace wstree::cli {

namespace {

std::vector<std::filesystem::path> names(const std::vector<FileCalls>& files) {
  std::vector<std::filesystem::path> result;
  for (const auto& file : files) result.push_back(file.file);
  return result;
}

/// Returns the forms of the loops in files that were seen in the run only: of programs that a script starts,
/// or plugins that a program loads later.
LoopForms forms_seen_later(const std::vector<std::filesystem::path>& mapped,
                           const std::vector<std::filesystem::path>& before) {
  LoopForms forms;
  for (const auto& path : mapped) {
    if (std::find(before.begin(), before.end(), path) != before.end()) continue;
    if (const auto file = ElfFile::open(path)) forms.merge(loop_calls(*file).forms);
  }
  return forms;
}

/// Returns whether the file is an extension module of Python's numba.
bool is_of_numba(const std::filesystem::path& file) {
  return std::ranges::find(file, std::filesystem::path("numba")) != file.end();
}

config::Options options_in_force(Environment environment) {
  return config::load(environment.pointers().data(), {});
}

/// Reports the CPUs of this process.
void report_cpus(Report& report, const Environment& environment) {
  const auto cpus = cpu_facts();
  auto checks = check_cpus(cpus, environment);
  const auto placement = placement_facts(environment);
  const auto team = team_size(cpus, environment);
  // Its threads do not get the CPUs that there are.
  if (auto bound = check_bound_cpus(placement, team, environment)) checks.front() = std::move(*bound);
  report.add(std::move(checks));
  if (auto kinds = placement.machine != nullptr ? check_kinds(*placement.machine, team) : std::nullopt)
    report.add(std::move(*kinds));
  report.add(check_placement(placement, team, options_in_force(environment).bind));
}

} // namespace

int doctor_command(const DoctorRequest& request) {
  Report report(request.json);
  Environment environment;
  const auto library = find_library();
  report.add(check_library(library));
  Preflight preflight;
  Checks of_program;
  if (!request.command.empty()) of_program = check_program(request.command.front(), library.path, preflight);
  report.add(check_loader(preflight.program));
  report.add(check_preloads(library.path, environment));
  if (auto check = check_way_in(library.path, preflight.program, environment)) report.add(std::move(*check));
  report.add(std::move(of_program));

  const auto rules = environment.get(text_of(config::Option::rules).name).value_or("");
  const auto loops = loops_under(rules, loops_in_force(RunRequest{}, environment));
  std::vector<FileCalls> files;
  if (const auto file = preflight.program.empty() ? std::nullopt : ElfFile::open(preflight.program)) {
    files = loop_calls_by_file(*file, preflight.program);
    find_static_loops(files.front());
    report.add(check_loops(files, loops, preflight.is_interpreter));
  }
  // A program that starts other programs may let them have other CPUs.
  const auto calls = sum(files);
  const bool is_launcher = !request.command.empty() && !report.has_failed() && !calls.llvm && !calls.gcc;
  if (!is_launcher) report_cpus(report, environment);
  report.add(check_variables(environment));
  if (request.command.empty()) return report.finish();

  auto mapped = names(files);
  const bool runs = !report.has_failed();
  if (runs) {
    report.flush();
    if (!request.json) Progress().note("trial run of the program, which takes as long as it does");
    if (!preflight.program.empty())
      resolve_rules(environment, preflight.program, text_of(config::Option::rules).name);
    const auto trial = run_trial(request.command, environment, preflight.program, library.path,
                                 calls.starts_others || preflight.is_interpreter, request.json);
    auto checks = check_ranks(trial.processes, cpu_facts().present);
    if (is_launcher && checks.empty()) report_cpus(report, environment);
    if (is_launcher || trial.processes.size() > 1) report.add(std::move(checks));
    if (!is_launcher && trial.processes.size() == 1) {
      const auto cpus = cpu_facts();
      if (auto check = check_threads(trial.processes.front(), team_size(cpus, environment), cpus.allowed))
        report.add(std::move(*check));
    }
    auto forms = calls.forms;
    forms.merge(forms_seen_later(trial.mapped, mapped));
    mapped.insert(mapped.end(), trial.mapped.begin(), trial.mapped.end());
    const auto schedule = environment.get("OMP_SCHEDULE").value_or("");
    report.add(check_trial(trial, {forms, loops, schedule.empty() ? "wstree" : schedule,
                                   !openmp_runtimes(mapped).empty(), calls.sets_schedule, calls.may_be_static,
                                   std::ranges::any_of(mapped, is_of_numba)}));
  } else {
    report.add(Check{"trial", Status::note, "not run", "a failure above stands in the way"});
  }
  if (!mapped.empty()) report.add(check_runtimes(openmp_runtimes(mapped), runs));
  return report.finish();
}

} // namespace wstree::cli
