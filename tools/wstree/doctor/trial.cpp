// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trial.h"

#include "inspect/sanitizers.h"
#include "inspect/statistics.h"
#include "support/figures.h"
#include "support/loop_name.h"
#include "support/settings.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <utility>

namespace wstree::cli {

namespace {

constexpr char k_trial[] = "trial";

std::string describe(const ServedLoops& loops) {
  std::string text;
  for (const auto& [kind, count] : loops) {
    const bool is_call = kind == k_calls;
    const bool is_static = kind == "proven" || kind == "balanced";
    text += fmt::format("{}{} {}{} in {} execution{}", text.empty() ? "" : ", ", count.loops,
                        is_call     ? "call"
                        : is_static ? "static loop"
                                    : fmt::format("schedule({}) loop", kind),
                        count.loops == 1 ? "" : "s", count.calls, count.calls == 1 ? "" : "s");
    if (is_call) text += " (C++)";
  }
  return text;
}

/// Returns the forms of loops whose kinds are visible and in `loops`.
LoopForms visible_and_served(LoopForms forms, config::LoopKinds loops) {
  std::erase_if(forms, [&](LoopForm form) {
    return form == LoopForm::hidden || !can_be_served(LoopForms{form}, loops);
  });
  return forms;
}

/// Returns the most likely reason why nothing was served.
Check why_none(const TrialFacts& facts, int status) {
  Check check{k_trial, Status::warn, "no loop was served"};
  if (status != 0) {
    check.cause = fmt::format("it ended with status {}, perhaps before it reached its loops", status);
    check.fix = "give it arguments with which it ends well";
    return check;
  }
  const bool tree = requested_schedule(facts.schedule).has_value();
  const auto all = loops_for(facts.forms);
  const auto left_out = forms_left_out(facts.forms, facts.loops);
  const bool asks = facts.forms.contains(LoopForm::runtime) || facts.forms.contains(LoopForm::hidden);
  if (facts.sets_schedule && asks && tree) {
    check.cause =
        "the program chooses the schedule of its schedule(runtime) loops itself, by omp_set_schedule, "
        "and OMP_SCHEDULE does not change that";
    check.fix = "say wstree run --rules '* wstree', which serves them whatever the program has set";
  } else if (facts.has_numba && facts.forms.empty()) {
    check.cause = "loops of numba's prange are static: numba cuts them into equal parts";
    check.fix =
        "import wstree.numba before the first parallel function is compiled (the package in tools/python)";
  } else if (!facts.has_runtime && facts.forms.empty()) {
    check.cause = "no OpenMP runtime was seen in the program: it does not use OpenMP with these arguments";
    check.fix = "build it with -fopenmp, or give it arguments with which it does";
  } else if (!tree && !facts.loops.any_named()) {
    check.cause =
        fmt::format("OMP_SCHEDULE={} keeps schedule(runtime) loops with the OpenMP runtime", facts.schedule);
    check.fix = "set OMP_SCHEDULE=wstree";
  } else if (const auto missed = visible_and_served(facts.forms, facts.loops); !missed.empty()) {
    check.cause = fmt::format("its loops with {} were not reached with these arguments", to_text(missed));
    check.fix = "give the program arguments with which it reaches them";
    if (!left_out.empty())
      check.fix += fmt::format(", or set WSTREE_LOOPS={} for those with {}{}", all, to_text(left_out),
                               order_under(all));
  } else if (!left_out.empty()) {
    check.cause = fmt::format("WSTREE_LOOPS={} leaves out those of its loops that could be served: {}",
                              config::to_text(facts.loops).view(), to_text(left_out));
    check.fix = fmt::format("set WSTREE_LOOPS={}{}", all, order_under(all));
  } else if (facts.forms.contains(LoopForm::hidden) && facts.loops != k_all_loops) {
    check.cause =
        "its loops name a schedule of their own, such as dynamic, or are ordered, or were not reached";
    check.fix = fmt::format("try WSTREE_LOOPS={}{}", all, order_under(all));
  } else if (can_be_served(facts.forms)) {
    check.cause = "the loops that can be served were not reached with these arguments, or need an order "
                  "(ordered, doacross, monotonic)";
    check.fix = "give the program arguments with which it reaches them";
  } else if (const auto in_order = forms_in_order(facts.forms);
             !in_order.empty() && in_order == facts.forms && !facts.may_be_static) {
    check.cause =
        fmt::format("its loops are {}, and the OpenMP runtime keeps their order", to_text(in_order));
    check.fix = how_to_leave_order(in_order);
  } else if (facts.forms.empty()) {
    check.cause = "no loop was seen that asks an OpenMP runtime for iterations; static ones do not";
    check.fix = "say wstree run --loops runtime,proven, write schedule(runtime) where the iterations are "
                "uneven, or have gcc do it, if this installation has the plugin: -fplugin=$(wstree path "
                "--gcc-plugin)";
  } else if (facts.forms.contains(LoopForm::fixed) && facts.loops.has(config::LoopKind::static_)) {
    check.cause = "its static loops were executed once, or take less than some microseconds";
    check.fix = "give the program arguments with which it repeats them";
  } else {
    check.cause = "its loops are static, or need an order (ordered, doacross, monotonic)";
    check.fix = "write schedule(runtime) where the iterations are uneven";
    if (facts.forms.contains(LoopForm::fixed))
      check.fix += "; static loops that are repeated balance themselves with WSTREE_LOOPS=static";
  }
  return check;
}

/// Returns the finding that static loops have kept equal parts because their numbers of iterations had not
/// come before.
Check never_repeated(const ServedLoops& loops, Status status) {
  ServedCount all;
  for (const auto& [kind, count] : loops) {
    all.loops += count.loops;
    all.calls += count.calls;
    all.new_lengths += count.new_lengths;
  }
  return {
      k_trial, status,
      fmt::format("{} in {} executions kept equal parts",
                  all.loops == 1 ? "1 static loop" : fmt::format("{} static loops", all.loops), all.calls),
      fmt::format(
          "in {} of these the number of iterations had not come before, and parts are cut by what loops "
          "of the same length took",
          all.new_lengths),
      "write schedule(runtime) where the iterations are uneven, or run the program for longer if its lengths "
      "repeat"};
}

Check check_ending(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const auto found = fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
    if (signal == SIGINT || signal == SIGTERM || signal == SIGKILL)
      return {k_trial, Status::warn, found, "a signal stopped the program, so its figures are missing",
              "let it end by itself"};
    return {k_trial, Status::fail, found, "the program crashed; the library may be the cause, or not",
            "run it without the library; if it works then, report this with its loops"};
  }
  const auto found = fmt::format("exit status {}", WEXITSTATUS(wait_status));
  if (WEXITSTATUS(wait_status) == 0) return {k_trial, Status::ok, found};
  return {k_trial, Status::note, found,
          "unless the program always ends like this, it may not have reached its loops"};
}

void add_unserved(std::string_view report, names::Resolver& resolver, Trial& trial) {
  auto statistics = read_statistics(report, resolver);
  if (!statistics) return;
  if (auto step = next_step(*statistics); !step.empty()) trial.step = std::move(step);
  for (auto& region : statistics->unserved) trial.unserved.push_back(std::move(region));
  std::ranges::stable_sort(trial.unserved, std::greater(), &UnservedRegion::seconds);
}

/// Says of the first regions why they are not served, and how many more there are; beside served loops, what
/// to do, which else follows.
Checks check_unserved(const Trial& trial) {
  constexpr std::size_t k_shown = 8;
  const auto& regions = trial.unserved;
  Checks checks;
  for (std::size_t i = 0; i < std::min(regions.size(), k_shown); ++i)
    checks.push_back(
        {k_trial, Status::note, "not served: " + folded_name(regions[i].name), regions[i].reason});
  if (regions.size() > k_shown)
    checks.push_back({k_trial, Status::note,
                      fmt::format("{} more regions are not served; wstree run --stats names all",
                                  regions.size() - k_shown)});
  if (!trial.loops.empty() && !trial.step.empty()) checks.front().fix = trial.step;
  return checks;
}

void add_process(std::string_view report, const MappedWatch& watch, std::vector<TrialProcess>& processes) {
  const auto parsed = nlohmann::json::parse(report, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("pid") || !parsed["pid"].is_number_unsigned()) return;
  TrialProcess process{parsed["pid"].get<std::uint64_t>()};
  process.threads = parsed.value("threads", 0U);
  process.cpus = watch.cpus(static_cast<pid_t>(process.number));
  process.bound = watch.bound(static_cast<pid_t>(process.number));
  process.rank = watch.rank(static_cast<pid_t>(process.number));
  processes.push_back(process);
}

/// Loops that run without the library although it is in the process.
Checks check_calls_past(const CallsPast& past) {
  Checks checks;
  for (const auto& [file, runtime] : past)
    checks.push_back(
        {k_trial, Status::warn,
         fmt::format("{}: its loops were not seen, because it calls {} directly", file.filename().string(),
                     runtime.filename().string()),
         "the program opens it with RTLD_DEEPBIND or dlmopen, and then preloaded libraries do not "
         "count for it",
         "let the program open it without RTLD_DEEPBIND"});
  return checks;
}

} // namespace

Trial run_trial(std::vector<std::string> command, Environment environment,
                const std::filesystem::path& program, const std::filesystem::path& library, bool loads_files,
                bool output_to_errors) {
  Trial trial;
  Figures figures("");
  trial.problem = figures.problem();
  if (!trial.problem.empty()) return trial;
  const auto schedule = text_of(config::Option::schedule).name;
  if (environment.get(schedule).value_or("").empty()) environment.set(schedule, "wstree");
  const auto loops = text_of(config::Option::loops).name;
  if (environment.get(loops).value_or("").empty())
    environment.set(loops, std::string(config::to_text(k_loops_of_run).view()));
  environment.set(text_of(config::Option::stats).name, figures.setting());
  environment.preload_first(library.string(), sanitizers_of(program));
  BindingLog bindings;
  if (loads_files) bindings.ask(environment);
  MappedWatch watch;
  trial.ending =
      supervise(command, environment,
                {.output_to_errors = output_to_errors, .look = [&](pid_t child) { watch.look(child); }});
  if (trial.ending.error != 0)
    trial.problem = fmt::format("it cannot be executed: {}", std::strerror(trial.ending.error));
  names::Resolver resolver;
  for (const auto& report : figures.take()) {
    add_loops(report, trial.loops);
    add_unserved(report, resolver, trial);
    add_process(report, watch, trial.processes);
  }
  trial.past = bindings.read(library);
  std::erase_if(trial.loops, [&](const auto& kind) {
    if (!has_new_lengths(kind.second.new_lengths, kind.second.calls)) return kind.first == "equal parts";
    trial.of_new_lengths.insert(kind);
    return true;
  });
  trial.mapped = watch.files();
  return trial;
}

Checks check_trial(const Trial& trial, const TrialFacts& facts) {
  if (!trial.problem.empty())
    return {{k_trial, Status::fail, "not run", trial.problem, "correct that and try again"}};
  Checks checks{check_ending(trial.ending.wait_status)};
  if (checks.front().status == Status::fail || WIFSIGNALED(trial.ending.wait_status)) return checks;
  const bool none = trial.loops.empty();
  for (auto& check : check_unserved(trial)) checks.push_back(std::move(check));
  for (auto& check : check_calls_past(trial.past)) checks.push_back(std::move(check));
  if (none && !trial.unserved.empty() && (!trial.step.empty() || facts.forms.empty()))
    checks.push_back(
        {k_trial, Status::warn, "no loop was served",
         "its static loops are in regions of which it is not proven that threads may share them",
         trial.step.empty() ? "write schedule(runtime) where the iterations are uneven" : trial.step});
  else if (!none || (trial.of_new_lengths.empty() && trial.past.empty()))
    checks.push_back(trial.loops.empty() ? why_none(facts, WEXITSTATUS(trial.ending.wait_status))
                                         : Check{k_trial, Status::ok, "served: " + describe(trial.loops)});
  if (!trial.of_new_lengths.empty())
    checks.push_back(never_repeated(trial.of_new_lengths, none ? Status::warn : Status::note));
  return checks;
}

} // namespace wstree::cli
