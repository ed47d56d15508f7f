// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_facts.h"

#include "options.h"
#include "support/details.h"
#include "support/schedule_names.h"
#include "topics.h"
#ifdef WSTREE_HAS_BENCH
#include "bench/command/parts.h"
#include "bench/workloads/cost_shapes.h"
#include "machines.h"
#endif

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace wstree::docs {

namespace {

/// Returns the words of a text such as "list of runtime, timed[:ns], each with [,chunk]": a part with blanks
/// is none.
std::vector<std::string> words_in(std::string_view accepted) {
  constexpr std::string_view k_before = "list of ";
  if (const auto begin = accepted.find(k_before); begin != std::string_view::npos)
    accepted.remove_prefix(begin + k_before.size());
  accepted = accepted.substr(0, accepted.find(';'));
  std::vector<std::string> words;
  while (!accepted.empty()) {
    const auto size = std::min(accepted.find(", "), accepted.size());
    const auto word = accepted.substr(0, size);
    if (word.find(' ') == std::string_view::npos)
      words.emplace_back(word.substr(0, word.find_first_of("[=")));
    accepted.remove_prefix(std::min(size + 2, accepted.size()));
  }
  return words;
}

/// Returns the values of options of single commands.
std::vector<std::string> own_words_of(std::string_view name) {
  if (name == "--export") return {"json", "csv", "markdown"};
  if (name == "--victims") return {"all"};
  if (name == "--network") return {"gemini", "infiniband"};
  std::vector<std::string> words;
#ifdef WSTREE_HAS_BENCH
  if (name == "--runtimes") return {"libgomp", "libomp"};
  if (name == "--parts")
    for (const auto& part : cli::bench::k_parts) words.emplace_back(part.name);
  if (name == "--machine")
    for (const auto& machine : simulate::known_machines()) words.emplace_back(machine.name);
  if (name == "--workload") {
    words.emplace_back("all");
    for (const auto& shape : bench::k_cost_shapes) words.emplace_back(shape.name);
  }
#endif
  return words;
}

/// Returns the values of options that are those of a variable, too.
std::vector<std::string> words_of(const std::vector<std::string>& names) {
  using config::Option;
  constexpr std::pair<std::string_view, Option> k_variables[] = {{"--loops", Option::loops},
                                                                 {"--strategy", Option::strategy},
                                                                 {"--batch", Option::batch},
                                                                 {"--fallback", Option::fallback},
                                                                 {"--bind", Option::bind}};
  for (const auto& name : names) {
    if (name == "--schedule") return words_in(cli::all_schedules());
    if (name == "--schedules") return words_in(config::text_of(Option::fallback).accepted);
    const auto* const known =
        std::ranges::find(k_variables, name, &std::pair<std::string_view, Option>::first);
    if (known != std::end(k_variables)) return words_in(config::text_of(known->second).accepted);
    if (auto own = own_words_of(name); !own.empty()) return own;
  }
  return {};
}

Value value_of(const OptionFacts& option, bool may_miss) {
  const auto names = [&](std::string_view part) { return option.value_name.find(part) != std::string::npos; };
  if (option.value_name.empty()) return Value::none;
  if (may_miss) return Value::optional;
  if (!option.words.empty()) return Value::words;
  if (names("DIR")) return Value::folder;
  return names("FILE") || names("RULES") || names("A B") ? Value::file : Value::other;
}

OptionFacts option_facts(const CLI::Option& option) {
  OptionFacts facts;
  for (const auto& name : option.get_lnames()) facts.names.push_back("--" + name);
  for (const auto& name : option.get_snames()) facts.names.push_back("-" + name);
  facts.meaning = option.get_description();
  // CLI11 writes a flag that may have a value as "--stats{default}".
  const bool may_miss = option.get_name(false, true).find('{') != std::string::npos;
  if (option.get_items_expected_max() > 0 || may_miss)
    facts.value_name = option.get_option_text().empty() ? "VALUE" : option.get_option_text();
  if (!facts.value_name.empty()) facts.words = words_of(facts.names);
  facts.value = value_of(facts, may_miss);
  facts.is_list = facts.value_name == "LIST";
  return facts;
}

std::string operand_text(const CLI::Option& operand) {
  auto text = operand.get_name();
  if (operand.get_items_expected_max() > 1) text += "...";
  return operand.get_required() ? text : '[' + text + ']';
}

} // namespace

CommandFacts facts_of(const CLI::App& command) {
  CommandFacts facts;
  facts.name = command.get_name();
  facts.meaning = command.get_description();
  facts.text = command.get_footer();
  facts.details = cli::details_of(command);
  for (const auto& topic : cli::written_topics())
    if (topic.name == facts.name) facts.details += topic.text;
  for (const auto* option : command.get_options()) {
    if (!option->get_positional()) {
      facts.options.push_back(option_facts(*option));
      continue;
    }
    facts.operands += (facts.operands.empty() ? "" : " ") + operand_text(*option);
    facts.operand_meaning = option->get_description();
    if (option->get_name() != "TOPIC") continue;
    for (const auto& topic : cli::written_topics()) facts.operand_words.emplace_back(topic.name);
    facts.operand_words.emplace_back("variables");
    for (const auto* other : command.get_parent()->get_subcommands({}))
      facts.operand_words.push_back(other->get_name());
  }
  // The formatter of a command that starts a program writes operands that CLI11 has no description of.
  if (facts.operands.empty() && command.help().find("PROGRAM [ARGUMENTS...]") != std::string::npos) {
    facts.starts_program = true;
    facts.operands = facts.name == "run" ? "[--] PROGRAM [ARGUMENTS...]" : "[[--] PROGRAM [ARGUMENTS...]]";
  }
  std::ranges::sort(facts.operand_words);
  // Not std::ranges::unique: clang 14 cannot compile that of libstdc++ 12.
  facts.operand_words.erase(std::unique(facts.operand_words.begin(), facts.operand_words.end()),
                            facts.operand_words.end());
  return facts;
}

std::vector<CommandFacts> all_facts(const CLI::App& app) {
  std::vector<CommandFacts> all;
  for (const auto* command : app.get_subcommands({})) all.push_back(facts_of(*command));
  return all;
}

} // namespace wstree::docs
