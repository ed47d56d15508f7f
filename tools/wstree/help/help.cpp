// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "help/arguments.h"
#include "near_name.h"
#include "options.h"
#include "support/details.h"
#include "support/exit_status.h"
#include "support/folded.h"
#include "support/message.h"
#include "support/terminal.h"
#include "topics.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

constexpr std::string_view k_variables = "variables";
constexpr std::string_view k_about_variables =
    "The environment variables of the library. wstree env shows the values in force.";

/// Returns the variables from the table of options, which the library reads, too.
std::string variables_text(std::size_t width) {
  auto text = std::string(k_about_variables) + "\n";
  for (const auto& option : config::k_options) {
    text += fmt::format("\n{}={}\n", option.name, option.accepted);
    if (!option.default_value.empty()) text += fmt::format("  default: {}\n", option.default_value);
    for (auto rest = wrapped(option.meaning, width - 2); !rest.empty(); rest.erase(0, rest.find('\n') + 1))
      text += "  " + rest.substr(0, rest.find('\n') + 1);
  }
  return text + "\nNext: wstree env\n";
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find_first_of(":.?\n")); }

std::vector<HelpTopic> topics() {
  auto all = written_topics();
  all.push_back({k_variables, k_about_variables});
  std::ranges::sort(all, {}, &HelpTopic::name);
  return all;
}

std::string text_of_topic(const HelpTopic& topic) {
  constexpr std::size_t k_usual_width = 100;
  const auto width = terminal_of(stdout).width;
  if (topic.name == k_variables)
    return variables_text(width != 0 ? std::max<std::size_t>(width, 40) : k_usual_width);
  return laid_out(topic.text, width);
}

std::string list() {
  std::string text = "Topics of wstree help:\n";
  for (const auto& topic : topics()) text += fmt::format("  {:<16}{}\n", topic.name, first_line(topic.text));
  return text + "\nA command is a topic too: wstree help run. Next: wstree help troubleshooting\n";
}

/// Returns the screen of --help, and the details that do not fit there.
std::string with_details(const CLI::App& command) {
  const auto details = details_of(command);
  return laid_out(command.help("wstree"), terminal_of(stdout).width) +
         (details.empty() ? std::string() : fmt::format("\n{}\n", details));
}

int unknown(const std::string& topic, const CLI::App& app) {
  std::vector<std::string_view> names;
  std::vector<std::string> commands;
  for (const auto& known : topics()) names.push_back(known.name);
  for (const auto* command : app.get_subcommands({})) commands.push_back(command->get_name());
  auto all = names;
  all.insert(all.end(), commands.begin(), commands.end());
  const auto near = config::nearest_word(topic, all);
  say("there is no help on '{}'; {}topics are {}, and every command", topic,
      near.empty() ? std::string() : fmt::format("did you mean {}? ", near), fmt::join(names, ", "));
  return k_own_error;
}

} // namespace

CLI::App* add_help(CLI::App& app, HelpRequest& request) {
  auto* help = app.add_subcommand("help", "Explain a topic, such as schedules, placement, rules or trace");
  help->footer("Examples:\n  wstree help\n  wstree help troubleshooting");
  help->add_option("TOPIC", request.topic, "A topic or a command; none lists the topics");
  help->add_flag("--json", request.json, "As JSON");
  return help;
}

int help_command(const HelpRequest& request, const CLI::App& app) {
  const auto all = topics();
  if (request.topic.empty() && request.json) {
    auto document = nlohmann::ordered_json::array();
    for (const auto& topic : all) document.push_back({{"topic", topic.name}, {"text", text_of_topic(topic)}});
    fmt::print("{}\n", document.dump(2));
    return k_ok;
  }
  if (request.topic.empty()) {
    fmt::print("{}", list());
    return k_ok;
  }
  const auto found = std::ranges::find(all, request.topic, &HelpTopic::name);
  // A topic that is a command, too, has the options at its end.
  std::string text = found != all.end() ? text_of_topic(*found) : std::string();
  const auto commands = app.get_subcommands({});
  const auto is_asked = [&](const CLI::App* known) { return known->get_name() == request.topic; };
  if (const auto command = std::ranges::find_if(commands, is_asked); command != commands.end())
    text +=
        text.empty() ? with_details(**command) : fmt::format("\nOptions: wstree {} --help\n", request.topic);
  if (text.empty()) return unknown(request.topic, app);
  if (request.json)
    fmt::print("{}\n", nlohmann::ordered_json::array({{{"topic", request.topic}, {"text", text}}}).dump(2));
  else
    fmt::print("{}", text);
  return k_ok;
}

} // namespace wstree::cli
