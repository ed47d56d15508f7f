// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line.h"
#include "doctor/checks.h"
#include "near_name.h"
#include "run/run_arguments.h"
#include "support/exit_status.h"
#include "support/folded.h"
#include "support/message.h"
#include "support/terminal.h"
#include "version_text.h"

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

/// Returns the nearest of `names` that `word` may have been meant to be; empty if there is none.
std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return std::string(wstree::config::nearest_word(word, candidates));
}

/// Returns a question for an option that `command` does not have, with a similar one; empty if none
/// is similar.
std::string option_that_was_meant(const CLI::App& command, std::string_view extra) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames()) names.push_back(name);
  const auto word = extra.substr(0, extra.find('='));
  const auto near = nearest(word.substr(word.find_first_not_of('-')), names);
  return near.empty() ? std::string() : fmt::format("did you mean --{}? ", near);
}

/// Names the build that has no such command, and the way out; both are empty if no build has it.
std::pair<std::string_view, std::string_view> left_out(std::string_view command) {
  if (command == "bench" || command == "simulate")
    return {"this build, which was configured with WSTREE_BENCH=OFF",
            "wstree compare measures a program of your own"};
#ifdef WSTREE_FEW_COMMANDS
  constexpr std::string_view k_more[] = {"compare", "help", "report", "rules", "topo", "trace"};
  if (std::ranges::find(k_more, command) != std::end(k_more))
    return {"this small build, as tools/demo makes it",
            "all commands: cmake --preset release -DWSTREE_BENCH=OFF "
            "&& cmake --build --preset release"};
#endif
  return {};
}

/// Reports an argument that no command expects. `command`: the named command, or `app` if none was named.
int report_extra(const std::string& extra, const CLI::App& app, const CLI::App& command) {
  const bool none = &command == &app;
  if (none && !extra.starts_with('-')) {
    std::vector<std::string> names;
    for (const auto* known : app.get_subcommands({})) names.push_back(known->get_name());
    const auto near = nearest(extra, names);
    const auto [reason, way_out] = left_out(extra);
    say("'{}' is no command of {}; {}", extra, reason.empty() ? "wstree" : reason,
        !way_out.empty() ? std::string(way_out)
        : near.empty()   ? fmt::format("to run a program, say wstree run {}", extra)
                         : fmt::format("did you mean {}?", near));
  } else {
    const auto meant =
        extra.starts_with("--") && extra.size() > 2 ? option_that_was_meant(command, extra) : std::string();
    say("'{}' is not expected here; {}see wstree {}--help", extra, meant,
        none ? "" : command.get_name() + ' ');
  }
  return k_own_error;
}

/// Returns the next command to try after a command that went well; for people only. Empty: none.
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

/// Prints both versions. Loads the library into a child for that, hence only for this command.
int show_version() {
  const auto library = check_library(find_library());
  const auto judged = library.status == Status::ok ? std::string("the same version") : library.cause;
  fmt::print("{}\nlibrary    {}; {}\n", version_text(), library.found, judged);
  return k_ok;
}

int dispatch(std::vector<std::string> arguments) {
  CLI::App app;
  Requests requests;
  add_commands(app, requests);

  const std::string command = arguments.empty() ? "" : arguments.front();
  const auto commands = app.get_subcommands({});
  const auto named =
      std::ranges::find(commands, command, [](const CLI::App* known) { return known->get_name(); });
  const CLI::App& asked = named != commands.end() ? **named : app;
  for (const auto& [starter, program] : {std::pair{"run", &requests.run.command},
                                         {"doctor", &requests.doctor.command},
                                         {"compare", &requests.compare.command}}) {
    if (command != starter || &asked == &app) continue;
    arguments.erase(arguments.begin());
    *program = take_program(asked, arguments);
    arguments.insert(arguments.begin(), command);
  }
  // A topic may be the name of a command, which CLI11 would take for one.
  if (command == "help" && arguments.size() > 1 && !arguments[1].starts_with('-')) {
    requests.help.topic = arguments[1];
    arguments.erase(arguments.begin() + 1);
  }
  const auto help = &asked != &app ? command + " " : std::string();
  try {
    // CLI11 takes its arguments from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForVersion&) {
    return show_version();
  } catch (const CLI::Success&) { // help
    std::fputs(laid_out(app.help(), terminal_of(stdout).width).c_str(), stdout);
    return k_ok;
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
  return execute(app, requests);
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
  // All output must have arrived; a full disk shows now, or when the buffer was full.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    say("standard output cannot be written to");
    return k_own_error;
  }
  return status;
}
