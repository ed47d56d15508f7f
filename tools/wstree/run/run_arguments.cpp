// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_arguments.h"

#include "options.h"
#include "support/schedule_names.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <utility>

namespace wstree::cli {

namespace {

using config::Option;

constexpr const char* k_run_footer =
    R"(PROGRAM becomes this process: its exit status, signals and process id are its own. With --require
or --stats it is a child, and its exit status or signal is passed on. LD_PRELOAD keeps what it holds; the
library is put in front of it. "wstree env" explains the values and the variables behind them.
Examples:
  wstree run ./heat 4096
  wstree run --stats --loops all -- ./heat -n 8)";

/// Writes usages with the program and its arguments, of which CLI11 has no description.
class ProgramFormatter : public CLI::Formatter {
public:
  explicit ProgramFormatter(std::string command) : command_(std::move(command)) {}

  std::string make_usage(const CLI::App*, std::string) const override {
    const bool optional = command_ != "run";
    return fmt::format("Usage: wstree {} [OPTIONS] {}\n", command_,
                       optional ? "[[--] PROGRAM [ARGUMENTS...]]" : "[--] PROGRAM [ARGUMENTS...]");
  }
  /// Returns the name of an option. A flag that may have a value comes as "--stats{default}".
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    const auto name = CLI::Formatter::make_option_name(option, positional);
    const auto brace = name.find('{');
    return brace == std::string::npos ? name : name.substr(0, brace) + "[=VALUE]";
  }

private:
  std::string command_;
};

std::string describe(std::string_view purpose, Option option) {
  return fmt::format("{}: {}", purpose, text_of(option).accepted);
}

} // namespace

std::shared_ptr<CLI::Formatter> program_formatter(std::string command) {
  return std::make_shared<ProgramFormatter>(std::move(command));
}

CLI::App* add_run(CLI::App& app, RunRequest& request) {
  auto* run = app.add_subcommand(
      "run", "Run a program with its loops on the tree, or on another schedule of the library");
  run->formatter(program_formatter("run"));
  run->footer(k_run_footer);
  run->option_defaults()->take_last(); // so that options behind an alias or a script's options count
  run->add_option(
         "--schedule", request.schedule,
         fmt::format("Value of OMP_SCHEDULE instead of wstree: {}, each with [,chunk]", all_schedules()))
      ->option_text("SCHEDULE");
  run->add_option("--chunk", request.chunk, "Chunk of the schedule: the smallest batch in iterations")
      ->option_text("N");
  run->add_option("--loops", request.loops, describe("Which loops to serve", Option::loops))
      ->option_text("LIST");
  run->add_option("--strategy", request.strategy,
                  describe("Where an idle thread looks for work", Option::strategy))
      ->option_text("STRATEGY");
  run->add_option("--batch", request.batch,
                  describe("How many iterations a thread takes at a time", Option::batch))
      ->option_text("BATCH");
  run->add_option("--fallback", request.fallback,
                  describe("For loops that cannot be served", Option::fallback))
      ->option_text("SCHEDULE");
  run->add_option("--bind", request.bind, describe("Whether threads are pinned, and how", Option::bind))
      ->option_text("HOW");
  run->add_flag("--stats{text}", request.stats,
                describe("Let the library write figures for each loop at the end; as text unless given",
                         Option::stats));
  run->add_flag("--counters", request.counters,
                "With figures, those of the processor too: instructions per cycle, cache misses, switches");
  run->add_flag("--trace{%e.%p.json}", request.trace,
                describe("Timeline of each thread, in %e.%p.json if nothing is said", Option::trace));
  run->add_option(
         "--rules", request.rules,
         "What holds for single loops; source lines are resolved: a file or \"PATTERN SETTINGS; ...\"")
      ->option_text("RULES");
  run->add_flag("--require", request.require, "Fail with status 125 if no loop was served");
  run->add_flag("-v,--verbose", request.verbose,
                "Say what the command has found, and let the library show its settings");
  return run;
}

std::vector<std::string> take_program(const CLI::App& command, std::vector<std::string>& arguments) {
  auto end = arguments.begin();
  for (; end != arguments.end(); ++end) {
    if (*end == "--" || end->size() < 2 || end->front() != '-') break;
    const auto* option = command.get_option_no_throw(*end);
    const bool takes_next = option != nullptr && option->get_items_expected_min() > 0;
    if (takes_next && std::next(end) != arguments.end()) ++end;
  }
  const auto begin = end != arguments.end() && *end == "--" ? std::next(end) : end;
  std::vector<std::string> program(begin, arguments.end());
  arguments.erase(end, arguments.end());
  return program;
}

} // namespace wstree::cli
