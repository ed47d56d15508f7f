// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "writers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wstree::docs {

namespace {

std::string fish_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string value_of(const OptionFacts& option) {
  switch (option.value) {
  case Value::words:
    if (option.is_list)
      return fmt::format(" -x -a '(__fish_complete_list , \"printf %s\\\\n {}\")'",
                         fmt::join(option.words, " "));
    return fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
  case Value::file:
    return " -r -F";
  case Value::folder:
    return " -x -a '(__fish_complete_directories)'";
  case Value::other:
    return " -x";
  default:
    return {};
  }
}

std::string fish_names(const OptionFacts& option) {
  std::string text;
  for (const auto& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text;
}

} // namespace

std::string fish_completion(const std::vector<CommandFacts>& commands) {
  std::string script =
      "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
      "# Written by wstree_docs from the commands' own definitions.\n"
      "complete -c wstree -n __fish_use_subcommand -f -l version -d 'Print the version and exit'\n";
  for (const auto& command : commands)
    script += fmt::format("complete -c wstree -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                          fish_escaped(command.meaning));
  for (const auto& command : commands) {
    const auto here = fmt::format("complete -c wstree -n '__fish_seen_subcommand_from {}'", command.name);
    for (const auto& option : command.options)
      script += fmt::format("{}{}{} -d '{}'\n", here, fish_names(option), value_of(option),
                            fish_escaped(option.meaning));
    if (!command.operand_words.empty())
      script += fmt::format("{} -f -a '{}'\n", here, fmt::join(command.operand_words, " "));
    else if (command.starts_program)
      script += fmt::format("{} -a '(__fish_complete_subcommand --fcs-skip=2)'\n", here);
    else if (command.operands.empty())
      script += fmt::format("{} -f\n", here);
  }
  return script;
}

} // namespace wstree::docs
