// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"

#include "baseline.h"

#include "inspect/loop_calls.h"
#include "inspect/preflight.h"
#include "inspect/program.h"
#include "inspect/sanitizers.h"
#include "request.h"
#include "run/run_arguments.h"
#include "session.h"
#include "show.h"
#include "support/exit_status.h"
#include "support/library.h"
#include "support/meant.h"
#include "support/message.h"
#include "support/numbers.h"
#include "support/schedule_names.h"
#include "support/shell_words.h"
#include "verdicts.h"
#include "words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace wstree::cli {

namespace {

constexpr const char* k_footer =
    R"(PROGRAM is run once as it is and once with the library, to find its loops, and then in each round once
under each schedule, in an order that is shuffled anew. Its output is compared and not shown, and it has
nothing to read. --loops runs it under the library's own static, dynamic and guided as well (wsstatic,
wsfixed, wsguided), because the times of single loops can be told of those only.
--save FILE keeps the times as a baseline, beside those that the file has already, and --against FILE compares
with it later: both run the program as it is and under the tree only, and --against ends with 1 if one of
these is slower now than at each of these times.
Exit status: 0, 1 if what --require-gain or --fail-if-slower asks for is not so, if the program is slower than
the baseline or if nothing was measured, 125 if wstree failed.
Examples:
  wstree compare -- ./heat 4096
  wstree compare --loops --rules heat.rules -- ./heat 4096
  wstree compare --save heat.json -- ./heat 4096
  wstree compare --against heat.json -- ./heat 4096)";

constexpr int k_not_reached = 1;
/// Default numbers of rounds. Times of different days need more rounds to show a difference of 5 %.
constexpr std::size_t k_rounds = 10, k_rounds_of_baselines = 16;
/// Fewer give no interval that is as sure as k_confidence: all of them may agree by chance.
constexpr std::size_t k_fewest_rounds = 8;

/// Returns the fewest rounds that can show the best of so many schedules: of many schedules, some are the
/// best in every round by chance.
std::size_t fewest_rounds(std::size_t rivals) {
  std::size_t rounds = k_fewest_rounds;
  while (std::ldexp(2.0, -static_cast<int>(rounds)) > 1 - shared_confidence(rivals)) ++rounds;
  return rounds;
}

bool write_file(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return true;
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) say("'{}' cannot be written", path);
  return static_cast<bool>(file);
}

/// Writes an export: `wish` is the format, or FORMAT=FILE. Returns false if the file cannot be written.
bool write_export(const std::string& wish, const Contest& comparison, const Judgement& judgement) {
  const auto equals = wish.find('=');
  const auto format = wish.substr(0, equals);
  const auto path = equals == std::string::npos ? std::string() : wish.substr(equals + 1);
  if (format == "json") return write_file(path, comparison_json(comparison, judgement));
  if (format == "csv") return write_file(path, comparison_csv(comparison));
  return write_file(path, comparison_markdown(comparison, judgement));
}

bool is_export(const std::string& wish) {
  const auto format = wish.substr(0, wish.find('='));
  return format == "json" || format == "csv" || format == "markdown";
}

/// Splits a list such as "static,dynamic,4,guided": numbers belong to the schedule in front of them.
std::vector<std::string> split_schedules(const std::string& list) {
  std::vector<std::string> schedules;
  for (std::size_t begin = 0; begin < list.size();) {
    const auto end = std::min(list.find_first_of(",; ", begin), list.size());
    const auto word = list.substr(begin, end - begin);
    if (!schedules.empty() && !word.empty() && word.find_first_not_of("0123456789") == std::string::npos)
      schedules.back() += "," + word;
    else if (!word.empty())
      schedules.push_back(word);
    begin = end + 1;
  }
  return schedules;
}

/// Returns whether the file exists and its rules were written by hand.
bool is_hand_written(const std::string& rules) {
  std::string line;
  std::ifstream file(rules);
  return std::getline(file, line) && !line.starts_with(k_rules_heading);
}

/// Returns the first file that cannot be written, for a message before anything is measured; "" if all can.
std::string problem_of_files(const CompareRequest& request) {
  std::vector<std::string> files;
  for (const auto& wish : request.exports)
    if (const auto equals = wish.find('='); equals != std::string::npos)
      files.push_back(wish.substr(equals + 1));
  for (const auto* file : {&request.svg, &request.rules, &request.save})
    if (*file) files.push_back(**file);
  for (const auto& file : files) {
    if (file.empty() || file == "-") continue;
    std::error_code error;
    const bool exists = std::filesystem::exists(file, error);
    const auto folder = std::filesystem::path(file).parent_path();
    const auto& written = exists           ? std::filesystem::path(file)
                          : folder.empty() ? std::filesystem::path(".")
                                           : folder;
    if (std::filesystem::is_directory(file, error) || ::access(written.c_str(), W_OK) != 0)
      return fmt::format("'{}' cannot be written", file);
  }
  return {};
}

/// Returns the error in the request, for the user; "" if there is none.
std::string problem_of(const CompareRequest& request) {
  if (request.command.empty()) return "compare needs a program; see wstree compare --help";
  for (const auto& wish : request.exports)
    if (!is_export(wish))
      return fmt::format("--export '{}' is not understood (accepted: json, csv, markdown, each with [=FILE])",
                         wish);
  for (const auto& schedule : request.schedules)
    if (!is_runtime_schedule(schedule))
      return fmt::format(
          "--schedules: '{}' is no schedule of an OpenMP runtime{} (a list is static,dynamic,4,guided)",
          schedule, question(meant(schedule.substr(0, schedule.find(',')), config::k_fallback_words)));
  if (request.rules && is_hand_written(*request.rules))
    return fmt::format(
        "--rules '{}' would be overwritten, and wstree compare has not written it; name another file",
        *request.rules);
  return problem_of_files(request);
}

/// Returns the tolerance in percent.
double tolerance_of(const CompareRequest& request) {
  return request.fail_if_slower.value_or(k_usual_tolerance);
}

int status_of(const CompareRequest& request, const Judgement& judgement, const Changes& changes) {
  const auto& gain = judgement.gain;
  if (request.require_gain && !(gain.enough && gain.high <= 1 - *request.require_gain / 100)) {
    say("--require-gain: a gain of {} % is not certain", *request.require_gain);
    return k_not_reached;
  }
  if (changes.is_slower()) {
    say("--against: the program is slower than in '{}' by more than {} %", *request.against,
        tolerance_of(request));
    return k_not_reached;
  }
  if (!request.against && request.fail_if_slower && gain.enough &&
      gain.low > 1 + *request.fail_if_slower / 100) {
    say("--fail-if-slower: the tree makes the program {}", verdict_text(gain));
    return k_not_reached;
  }
  return k_ok;
}

/// Returns the next commands that help.
std::string hints(const CompareRequest& request, const Contest& comparison) {
  std::string text;
  const auto program = shell_words(request.command);
  if (!request.per_loop && comparison.loops.size() > 1)
    text += fmt::format("next: wstree compare --loops -- {}\n", program);
  else if (request.per_loop && !request.rules)
    text += fmt::format("next: wstree compare --rules FILE -- {}\n", program);
  return text;
}

/// Runs exactly the recommended variant, and the program by rules if they are wanted, before it is
/// recommended and the rules are written. Returns false if the file cannot be written.
bool check_advice(const CompareRequest& request, const Contest& comparison, CompareSession& session,
                  Judgement& judgement) {
  const auto* const chosen = comparison.find(judgement.chosen);
  if (chosen == nullptr) return true; // nothing was measured
  auto rules = request.rules ? comparison_rules(comparison, judgement) : std::string();
  const Invocation by_rules{
      settings_beside_rules(chosen->variant), {"--rules", request.rules.value_or("")}, true};
  std::vector<Invocation> advice;
  if (!judgement.set.empty()) advice.push_back(judgement.invocation);
  if (request.rules) advice.push_back({by_rules.variables, {"--rules", session.keep(rules)}, true});
  const auto runs = session.check(comparison, advice);
  const auto check_of = [&](std::size_t index) {
    const auto& seconds = runs[index].seconds;
    return FurtherRounds{seconds.size(), seconds.empty() ? 0 : median_of(runs[0].seconds),
                         ratio_of(seconds, runs[0].seconds),
                         index > 1 ? ratio_of(seconds, runs[1].seconds) : Ratio{}};
  };
  if (!judgement.set.empty()) judge_check(judgement, check_of(1));
  if (request.rules) {
    const auto check = check_of(advice.size());
    judge_rules(judgement, check, by_rules, *request.rules);
    if (!check.is_good()) rules = rules_for_all(comparison, judgement);
  }
  conclude(judgement, comparison);
  return !request.rules || write_file(*request.rules, rules);
}

int show_all(const CompareRequest& request, const Contest& comparison, CompareSession& session,
             const Baseline& baseline) {
  if (comparison.rounds == 0) {
    say("no round was finished, so there is nothing to tell");
    return k_not_reached;
  }
  auto judgement = judge(comparison);
  const auto changes =
      request.against ? changes_since(baseline, comparison, tolerance_of(request)) : Changes{};
  bool is_shown = false;
  // A baseline is about times, and nothing else is run for it.
  bool is_written = request.save || request.against || check_advice(request, comparison, session, judgement);
  for (const auto& wish : request.exports) {
    is_written &= write_export(wish, comparison, judgement);
    is_shown |= wish.find('=') == std::string::npos;
  }
  if (request.svg) is_written &= write_file(*request.svg, comparison_svg(comparison, request.per_loop));
  if (request.save)
    is_written &=
        write_file(*request.save, baseline_json(*request.save, comparison_json(comparison, judgement)));
  if (!is_shown) {
    const auto terminal = terminal_of(stdout);
    fmt::print("{}", comparison_text(comparison, judgement, terminal, request.per_loop));
    if (request.against) fmt::print("{}", changes_text(changes, *request.against, tolerance_of(request)));
    std::fflush(stdout);
    fmt::print(stderr, "{}", inked(terminal_of(stderr), Ink::dim, hints(request, comparison)));
  }
  return is_written ? status_of(request, judgement, changes) : k_own_error;
}

} // namespace

CLI::App* add_compare(CLI::App& app, CompareRequest& request) {
  auto* compare =
      app.add_subcommand("compare", "Run a program under several schedules in turns, and say what to set");
  compare->formatter(program_formatter("compare"));
  compare->footer(k_footer);
  compare
      ->add_option("-n,--rounds", request.rounds,
                   "Rounds; 10 if nothing is said, 16 with --save or --against")
      ->option_text("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{9999}));
  compare
      ->add_option("--schedules", request.schedule_list,
                   "Schedules of the OpenMP runtime, as static,dynamic,4,guided")
      ->option_text("LIST");
  compare->add_flag("--loops", request.per_loop, "Compare the loops one by one as well");
  compare->add_option("--export", request.exports, "json, csv or markdown, instead of text or to a file")
      ->option_text("FORMAT[=FILE]")
      ->allow_extra_args(false);
  compare->add_option("--svg", request.svg, "A picture of the times; - is standard output")
      ->option_text("FILE");
  compare
      ->add_option("--rules", request.rules,
                   "Write the best schedule of each loop for WSTREE_RULES; implies --loops")
      ->option_text("FILE");
  compare
      ->add_option("--require-gain", request.require_gain, "Fail unless the tree is surely that much faster")
      ->option_text("PERCENT")
      ->check(finite());
  compare
      ->add_option("--fail-if-slower", request.fail_if_slower,
                   "Fail if the tree, or with --against the program, is surely that much slower")
      ->option_text("PERCENT")
      ->check(finite());
  compare
      ->add_option("--save", request.save,
                   "Keep the times of the program as it is and under the tree for --against")
      ->option_text("FILE");
  compare
      ->add_option(
          "--against", request.against,
          "Compare with times of --save; fail if the program is slower now, by more than 2 % or what "
          "--fail-if-slower says")
      ->option_text("FILE");
  compare
      ->add_option("--warm-up", request.warm_up,
                   "Rounds that do not count, before the others; 0 if nothing is said")
      ->option_text("N")
      ->check(CLI::Range(std::size_t{0}, std::size_t{9999}));
  compare->add_flag(
      "--counters", request.counters,
      "Count cycles, instructions, cache misses, context switches and energy, where the system lets");
  compare->add_flag("-i,--ignore-failure", request.ignore_failure, "Compare a program that fails, too");
  compare->add_option("--seed", request.seed, "Of the order; by chance if nothing is said")->option_text("N");
  return compare;
}

int compare_command(CompareRequest& request) {
  if (request.rounds == 0)
    request.rounds = request.save || request.against ? k_rounds_of_baselines : k_rounds;
  request.schedules = split_schedules(request.schedule_list);
  if (const auto problem = problem_of(request); !problem.empty()) {
    say("{}", problem);
    return k_own_error;
  }
  Baseline baseline;
  for (const auto* const file : {&request.save, &request.against}) {
    // A file that is there gets one session more.
    if (!*file || (file == &request.save && (**file == "-" || !std::filesystem::exists(**file)))) continue;
    baseline = read_baseline(**file);
    const char* const option = file == &request.save ? "--save" : "--against";
    if (!baseline.problem.empty()) {
      say("{}: {}", option, baseline.problem);
      return k_own_error;
    }
    if (const auto other = other_program(baseline, request.command.front()); !other.empty()) {
      say("{}: '{}' {}", option, **file, other);
      return k_own_error;
    }
    if (const auto other = other_arguments(baseline, {request.command.begin() + 1, request.command.end()});
        !other.empty())
      say("{}: '{}' {}", option, **file, other);
  }
  if (request.rounds < k_fewest_rounds)
    say("-n {}: fewer than {} rounds cannot tell a difference for certain", request.rounds, k_fewest_rounds);
  request.per_loop |= request.rules.has_value();
  const auto lookup = find_program(request.command.front());
  if (lookup.result != Lookup::Result::found) {
    // Other commands accept such a list behind their --loops.
    const bool is_list = request.per_loop && config::parse_loops(request.command.front());
    say("'{}' was not found, or may not be executed{}", request.command.front(),
        is_list ? "; --loops has no value here: wstree compare serves dynamic and guided loops anyway" : "");
    return lookup.result == Lookup::Result::not_found ? k_not_found : k_cannot_execute;
  }
  const auto library = find_library();
  if (library.path.empty()) {
    say("{}", library.problem);
    return k_own_error;
  }
  const auto before = std::chrono::steady_clock::now();
  const auto preflight = inspect(lookup.path, library.path, {false, *config::parse_loops("all,static")});
  const std::chrono::duration<double> look = std::chrono::steady_clock::now() - before;
  for (const auto& finding : preflight.findings) {
    if (finding.severity < Severity::always) continue;
    say("{}", finding.text());
    if (finding.severity == Severity::cannot_run) return k_cannot_execute;
    if (finding.severity == Severity::unserved) return k_own_error; // there is nothing to compare
  }
  if (!preflight.preload) return k_own_error;
  const auto elf = ElfFile::open(preflight.program);
  const auto calls = elf ? sum(loop_calls_by_file(*elf, preflight.program)) : LoopCalls{};
  CompareSession session(request, library.path, sanitizers_of(preflight.program));
  session.set_look(look.count());
  if (const auto problem = session.warm_up(calls.llvm && !calls.gcc); !problem.empty()) {
    say("{}", problem);
    return k_own_error;
  }
  if (const auto least = fewest_rounds(session.rivals());
      request.rounds >= k_fewest_rounds && request.rounds < least)
    say("-n {}: fewer than {} rounds cannot tell for certain which of {} schedules is best", request.rounds,
        least, session.rivals());
  const auto comparison = session.measure();
  return show_all(request, comparison, session, baseline);
}

} // namespace wstree::cli
