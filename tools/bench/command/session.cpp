// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include "machine_facts.h"
#include "support/message.h"
#include "support/progress.h"
#include "support/text_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <sched.h>

namespace wstree::cli::bench {

namespace {

namespace fs = std::filesystem;

/// Real-time priority for what is started while it lives.
class Priority {
public:
  explicit Priority(bool wanted) : wanted_(wanted) { set(wanted_, SCHED_FIFO, 1); }
  Priority(const Priority&) = delete;
  Priority& operator=(const Priority&) = delete;
  ~Priority() { set(wanted_, SCHED_OTHER, 0); }

private:
  static void set(bool wanted, int policy, int level) {
    const sched_param priority{level};
    if (wanted) sched_setscheduler(0, policy, &priority);
  }
  bool wanted_;
};

void append(Arguments& to, const Arguments& more) { to.insert(to.end(), more.begin(), more.end()); }

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// A value for each size.
template <class T> T by_size(Size size, T full, T quick, T smoke) {
  return size == Size::full ? full : size == Size::quick ? quick : smoke;
}

} // namespace

Environment Session::environment(const Start& start) const {
  Environment made;
  if (start.runtime != "libgomp" && !setting_.libomp.folder.empty()) {
    const auto others = made.get("LD_LIBRARY_PATH").value_or("");
    made.set("LD_LIBRARY_PATH", setting_.libomp.folder.string() + (others.empty() ? "" : ":" + others));
  }
  if (start.preload && has_library()) made.preload_first(setting_.library.string());
  for (const auto& variable : start.variables) {
    const auto end = variable.find('=');
    made.set(variable.substr(0, end), variable.substr(end + 1));
  }
  return made;
}

bool Session::run(const Start& start) {
  if (interrupted()) return false;
  if (!start.title.empty()) fmt::print("\n== {}\n", start.title);
  const auto program = setting_.programs.program(start.program, start.runtime);
  const auto json = setting_.folder / (start.part + "-" + start.name + ".json");
  Command command{{program.string()}, environment(start), start.output};
  append(command.arguments, start.arguments);
  if (start.has_json) append(command.arguments, {"--json", json.string()});
  if (command.output.empty() && start.title.empty()) command.output = "/dev/null";
  const Priority priority(setting_.fifo);
  const auto problem = run_to_end(command);
  if (!problem.empty()) return fail(start, "failed: " + problem);
  if (!start.has_json) return true;
  auto data = Json::parse(read_text(json).value_or(""), nullptr, false);
  if (data.is_discarded()) return fail(start, "wrote no figures to " + json.string());
  findings_->add(start.part, start.name, std::move(data));
  return true;
}

bool Session::fail(const Start& start, const std::string& text) {
  const auto program = setting_.programs.program(start.program, start.runtime);
  const auto line = fmt::format("{}, {}: {} {}", start.part, start.name, program.string(), text);
  findings_->add_failure(line);
  say("{}", line);
  return false;
}

Arguments Session::loops_arguments(unsigned rounds) const {
  Arguments made{"--rounds", std::to_string(rounds)};
  if (size() == Size::smoke) append(made, {"--scale", "0.002", "--max-delay", "1e9"});
  if (setting_.fifo) made.emplace_back("--fifo"); // with it come the pauses
  return made;
}

Arguments Session::others_beside(bool with_tbb) const {
  Arguments made;
  const auto add = [&](const fs::path& program) {
    if (is_there(program)) append(made, {"--beside", program.string()});
  };
  for (std::size_t i = 1; i < setting_.runtimes.size(); ++i)
    add(setting_.programs.program("loops", setting_.runtimes[i]));
  if (with_tbb) add(setting_.programs.folder / "loops-tbb");
  return made;
}

Arguments Session::loops_of_this_size(bool with_tbb) const {
  auto made = loops_arguments(setting_.selection.rounds);
  if (setting_.bare) made.emplace_back("--bare");
  append(made, others_beside(with_tbb));
  // The distribution's own build, in columns of its own. Where it is the one that is measured anyway, once
  // will do.
  const bool is_lead = setting_.runtimes.front() == "libomp";
  if (size() == Size::full && is_lead && !setting_.libomp.folder.empty())
    append(made, {"--libomp", "system"});
  return made;
}

void Session::measure_loops() {
  auto arguments = loops_of_this_size(true);
  if (setting_.only)
    append(arguments, {"--only", *setting_.only});
  else if (size() == Size::quick)
    append(arguments,
           {"--passes", "2", "--groups", "paper,program", "--only", "^[^/]*(/16|/100k|/1M|/10M)?$"});
  else
    append(arguments, {"--groups", "paper,program,small"});
  run({"loops", "loops", "Loops", "loops", setting_.runtimes.front(), arguments});
}

void Session::measure_one_thread() {
  auto arguments = loops_of_this_size(false);
  append(arguments, {"--threads", "1", "--only", "^UNIFORM/10M$", "--candidates", "static,wstree", "--passes",
                     by_size(size(), "9", "9", "1")});
  run({"one-thread", "P=1", "One thread", "loops", setting_.runtimes.front(), arguments});
}

void Session::measure_memory() {
  auto arguments = loops_arguments(by_size(size(), std::min(2U, setting_.selection.rounds), 1U, 1U));
  append(arguments, others_beside(true));
  append(arguments, {"--groups", "memory"});
  if (size() == Size::quick) append(arguments, {"--passes", "1"});
  run({"memory", "memory", "Loops over memory, 100 times", "loops", setting_.runtimes.front(), arguments});
}

void Session::measure_grid() {
  auto arguments = loops_arguments(by_size(size(), std::min(3U, setting_.selection.rounds), 1U, 1U));
  append(arguments, {"--step-grid"});
  if (size() != Size::full) append(arguments, {"--candidates", "guided,wstree"});
  run({"step-grid", "grid", "The expensive interval at every position", "loops", setting_.runtimes.front(),
       arguments});
}

void Session::measure_models() {
  auto arguments = loops_of_this_size(false);
  const char* const usual = by_size(size(), "/", "^[^/]*/[^/]*$", "^(UNIFORM|TRIANGLE|STEP_E)/");
  append(arguments, {"--groups", "paper", "--only", setting_.only.value_or(usual), "--candidates", "models"});
  run({"models", "loops", "Models", "loops", setting_.runtimes.front(), arguments});
  Arguments calls{"--schedules", "models", "--pairs", "0"};
  append(calls,
         by_size<Arguments>(size(), {}, {"--rounds", "3"},
                            {"--rounds", "1", "--loops", "20", "--batches", "1", "--max-delay", "1e9"}));
  for_each_runtime("models", "Calls of the models", "overhead", calls, "calls-");
}

void Session::measure_short() {
  Arguments threads;
  if (setting_.threads) threads = {"--threads", std::to_string(*setting_.threads)};
  const bool is_crowd = setting_.threads.value_or(0) > allowed_cpus();
  for (const auto& runtime : setting_.runtimes) {
    auto arguments = loops_arguments(setting_.selection.short_rounds);
    // Threads that wait for each other's processors take a hundred times as long.
    if (is_crowd && size() != Size::smoke) append(arguments, {"--scale", "0.05"});
    append(arguments, {"--groups", "short,untuned", "--passes", "1", "--candidates"});
    append(arguments, {has_library() ? "static,dyn1,dyn64,guided,steal1,steal64,wstree"
                                     : "static,dyn1,dyn64,guided,steal1,steal64"});
    if (has_library()) append(arguments, {"--variant", "no_memory,WSTREE_HISTORY=off"});
    // Two variations of each pattern, and all loops that turn into others.
    const char* const usual = by_size(size(), "/", "/([24]|jump|after)$", "/");
    append(arguments, {"--only", setting_.only.value_or(usual)});
    append(arguments, threads);
    run({"short", runtime, "Short loops, " + runtime, "loops", runtime, arguments});
  }
  auto even = by_size<Arguments>(size(), {"--rounds", "5"}, {"--rounds", "3"},
                                 {"--rounds", "1", "--loops", "20", "--batches", "1", "--max-delay", "1e9"});
  append(even, {"--even", "1", "--pairs", "0"});
  if (is_crowd) append(even, {"--max-delay", "1e9", "--loops", "200"});
  append(even, threads);
  for_each_runtime("short", "What an even loop of a microsecond loses", "overhead", even, "even-");
}

void Session::for_each_runtime(const std::string& part, const std::string& title, const std::string& program,
                               const Arguments& arguments, const std::string& more) {
  for (const auto& runtime : setting_.runtimes) {
    const auto headline = fmt::format("{}, {}", title, runtime);
    if (runtime == "libomp" && !setting_.bare) {
      fmt::print("\n== {}\nnot measured: without the library these programs do not run on {}\n", headline,
                 setting_.libomp.description);
      continue;
    }
    Arguments all;
    if (has_library()) all = {"--library", setting_.library.string()};
    append(all, arguments);
    run({part, more + runtime, headline, program, runtime, all, false});
  }
}

bool Session::is_served(const std::string& runtime) {
  // Counting costs next to nothing but is no part of what is measured.
  return run({"loops",
              "served-" + runtime,
              "",
              "loops",
              runtime,
              {"--scale", "0.001", "--rounds", "1", "--only", "^UNIFORM/1k$", "--candidates", "wstree"},
              true,
              {"WSTREE_STATS=json=/dev/null"},
              "/dev/null",
              false});
}

void Session::measure_part(std::string_view part) {
  if (part == "loops") return measure_loops();
  if (part == "one-thread") return measure_one_thread();
  if (part == "memory") return measure_memory();
  if (part == "step-grid") return measure_grid();
  if (part == "models") return measure_models();
  if (part == "short") return measure_short();
  if (part == "strategies") return measure_strategies(*this);
  if (part == "workers") return measure_workers(*this);
  if (part == "validation") return measure_validation(*this);
  if (part == "api") return measure_api(*this);
  if (part == "types") return measure_types(*this);
  if (part == "calls")
    return for_each_runtime("calls", "Calls and start-up", "overhead",
                            by_size<Arguments>(size(), {}, {"--rounds", "3", "--pairs", "60"},
                                               {"--rounds", "1", "--loops", "50", "--batches", "3", "--pairs",
                                                "3", "--max-delay", "1e9"}));
  if (part == "anatomy") {
    measure_core_steps(*this);
    return for_each_runtime("anatomy", "Each call of a loop by itself", "overhead",
                            by_size<Arguments>(size(), {"--anatomy", "1", "--pairs", "0", "--rounds", "3"},
                                               {"--anatomy", "1", "--pairs", "0", "--rounds", "1"},
                                               {"--anatomy", "1", "--pairs", "0", "--rounds", "1", "--loops",
                                                "50", "--batches", "3", "--max-delay", "1e9"}));
  }
  if (part == "watching") return measure_watching(*this);
  if (part == "static") return measure_static(*this);
  if (part == "taskloop") return measure_taskloops(*this);
  if (part == "crowd")
    return for_each_runtime("crowd", "More threads than processors", "crowd",
                            by_size<Arguments>(size(), {},
                                               {"--rounds", "1", "--schedules", "dynamic,1 guided wstree"},
                                               {"--rounds", "1", "--ms", "1"}));
  for_each_runtime("step", "Time against STEP", "step",
                   by_size<Arguments>(size(), {}, {"--rounds", "3"},
                                      {"--rounds", "1", "--passes", "1", "--iterations", "2000", "--most",
                                       "8", "--max-delay", "1e9"}));
}

void Session::measure() {
  if (has_library())
    for (const auto& runtime : setting_.runtimes)
      if (!is_served(runtime)) return;
  const auto& parts = setting_.selection.parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (interrupted()) return;
    const auto& part = parts[i];
    auto rest = setting_.selection;
    rest.parts.erase(rest.parts.begin(), rest.parts.begin() + static_cast<std::ptrdiff_t>(i));
    if (size() != Size::smoke)
      Progress().note(fmt::format("part {} of {}: {}, about", i + 1, parts.size(), part), rest.seconds());
    const auto start = std::chrono::steady_clock::now();
    measure_part(part);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    findings_->add_seconds(part, taken.count());
  }
}

} // namespace wstree::cli::bench
