// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include "machine_facts.h"
#include "support/message.h"
#include "support/progress.h"
#include "support/text_file.h"
#include "support/user_text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <sched.h>

namespace wstree::cli::bench {

namespace {

namespace fs = std::filesystem;

/// Real-time priority for processes that are started while it lives.
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
  if (interrupted()) return false; // which is no failure of the program
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

bool Session::exists(std::string_view program, const std::string& runtime) const {
  std::error_code error;
  return fs::exists(setting_.programs.program(std::string(program), runtime), error);
}

/// Returns the meaning of a word in braces; the word itself if it has none.
Arguments Session::meaning_of(std::string_view word) const {
  const auto& selection = setting_.selection;
  const bool is_crowd = setting_.threads.value_or(0) > allowed_cpus();
  const auto rounds = [&](unsigned count) {
    Arguments made{"--rounds", std::to_string(count)};
    if (size() == Size::smoke) append(made, {"--scale", "0.002", "--max-delay", "1e9"});
    if (setting_.fifo) made.emplace_back("--fifo"); // with it come the pauses
    return made;
  };
  if (word == "{rounds}") return rounds(selection.rounds);
  if (word == "{few}") return rounds(size() == Size::full ? std::min(3U, selection.rounds) : 1);
  if (word == "{two}") return rounds(size() == Size::full ? std::min(2U, selection.rounds) : 1);
  if (word == "{short}") {
    auto made = rounds(selection.short_rounds);
    // Threads that wait for each other's processors take a hundred times as long.
    if (is_crowd && size() != Size::smoke) append(made, {"--scale", "0.05"});
    return made;
  }
  if (word == "{crowd}") return is_crowd ? Arguments{"--max-delay", "1e9", "--loops", "200"} : Arguments{};
  if (word == "{candidates}") {
    if (!has_library()) return {"static,dyn1,dyn64,guided,steal1,steal64"};
    return {"static,dyn1,dyn64,guided,steal1,steal64,wstree", "--variant", "no_memory,WSTREE_HISTORY=off"};
  }
  if (word == "{library}")
    return has_library() ? Arguments{"--library", setting_.library.string()} : Arguments{};
  if (word == "{bare}") return setting_.bare ? Arguments{"--bare"} : Arguments{};
  if (word == "{beside}") {
    Arguments made;
    for (std::size_t i = 1; i < setting_.runtimes.size(); ++i)
      if (exists("loops", setting_.runtimes[i]))
        append(made, {"--beside", setting_.programs.program("loops", setting_.runtimes[i]).string()});
    return made;
  }
  // oneTBB has no part where the candidates are named, because it has none of them.
  if (word == "{tbb}")
    return exists("loops-tbb", "") ? Arguments{"--beside", (setting_.programs.folder / "loops-tbb").string()}
                                   : Arguments{};
  // The distribution's own build, in columns of its own. If it is the one that is measured anyway, it is
  // measured once.
  if (word == "{system}")
    return size() == Size::full && setting_.runtimes.front() == "libomp" && !setting_.libomp.folder.empty()
               ? Arguments{"--libomp", "system"}
               : Arguments{};
  return {std::string(word)};
}

Arguments Session::expanded(std::string_view text) const {
  Arguments made;
  for (const auto& word : parts_of(text, ' '))
    if (!word.empty()) append(made, meaning_of(word));
  return made;
}

Arguments Session::arguments_of(const PartStart& start) const {
  auto made = expanded(start.arguments);
  append(made, expanded(start.sized[static_cast<std::size_t>(size())]));
  const bool has_only = (start.needs & k_only) != 0 && setting_.only;
  if (const auto usual = std::ranges::find(made, "else"); usual != made.end())
    made.erase(usual, has_only ? made.end() : usual + 1);
  if (has_only) append(made, {"--only", *setting_.only});
  if ((start.needs & k_threads) != 0 && setting_.threads)
    append(made, {"--threads", std::to_string(*setting_.threads)});
  return made;
}

void Session::measure_start(const PartStart& start) {
  const auto refuse = [&](const std::string& title, std::string_view why) {
    fmt::print("\n== {}\nnot measured: {}\n", title, why);
  };
  const std::string title(start.title);
  if ((start.needs & k_library) != 0 && !has_library()) return refuse(title, "there is no library");
  bool is_missing = true;
  for (const auto& runtime : setting_.runtimes) {
    const bool is_each = start.by == By::each;
    const auto headline = is_each ? title + ", " + runtime : title;
    if (!exists(start.program, runtime)) {
      if (is_each) refuse(headline, "the program was not built; its compiler has no omp.h");
      continue;
    }
    is_missing = false;
    if ((start.needs & k_plain) != 0 && runtime == "libomp" && !setting_.bare) {
      refuse(headline, "without the library these programs do not run on " + setting_.libomp.description);
    } else {
      Start begin{std::string(start.part),
                  std::string(start.name) + (is_each || start.name.empty() ? runtime : ""),
                  headline,
                  std::string(start.program),
                  runtime,
                  arguments_of(start),
                  (start.needs & k_preload) != 0};
      if (!start.variable.empty()) begin.variables = {std::string(start.variable)};
      run(begin);
    }
    if (!is_each) return;
  }
  if (is_missing && start.by != By::each) refuse(title, "no compiler here has made the program");
}

bool Session::is_served(const std::string& runtime) {
  // Counting costs next to nothing but is no part of the measured programs.
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
  if (part == "strategies") return measure_strategies(*this);
  if (part == "workers") return measure_workers(*this);
  if (part == "validation") return measure_validation(*this);
  for (const auto& start : k_starts)
    if (start.part == part) measure_start(start);
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
