// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "writers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wstree::docs {

namespace {

/// Escapes a text in single quotes in which _arguments gives brackets and colons a meaning.
std::string zsh_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'')
      escaped += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      escaped += std::string("\\") + c;
    else
      escaped += c;
  }
  return escaped;
}

std::string action(const OptionFacts& option) {
  switch (option.value) {
  case Value::words:
    if (option.is_list)
      return fmt::format("_values -s , {} {}", option.value_name, fmt::join(option.words, " "));
    return fmt::format("({})", fmt::join(option.words, " "));
  case Value::file:
    return "_files";
  case Value::folder:
    return "_files -/";
  default:
    return " ";
  }
}

/// Returns the form of a value behind an equals sign.
const char* equals_of(const OptionFacts& option, const std::string& name) {
  if (option.value == Value::optional) return "=-"; // and nowhere else
  return option.value != Value::none && name.starts_with("--") ? "=" : "";
}

std::string zsh_option(const OptionFacts& option) {
  std::string lines;
  for (const auto& name : option.names) {
    lines += fmt::format("        '{}{}[{}]", name, equals_of(option, name), zsh_escaped(option.meaning));
    if (option.value == Value::optional)
      lines += fmt::format("::{}: ", zsh_escaped(option.value_name));
    else if (option.value != Value::none)
      lines += fmt::format(":{}:{}", zsh_escaped(option.value_name), action(option));
    lines += "' \\\n";
  }
  return lines;
}

} // namespace

std::string zsh_completion(const std::vector<CommandFacts>& commands) {
  std::string script = "#compdef wstree\n# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                       "# Written by wstree_docs from the commands' own definitions.\n\n_wstree() {\n"
                       "  local -a known\n  known=(\n";
  for (const auto& command : commands)
    script += fmt::format("    '{}:{}'\n", command.name, zsh_escaped(command.meaning));
  script += "  )\n  if ((CURRENT == 2)); then\n    _describe command known\n"
            "    _arguments '--version[Print the version and exit]' '--help[Print the options and exit]'\n"
            "    return\n  fi\n  local wanted=$words[2]\n  shift words\n  ((CURRENT--))\n  case $wanted in\n";
  for (const auto& command : commands) {
    // -S: the words behind -- are the program. An action that begins with a blank is called as it stands.
    script += fmt::format("    {})\n      _arguments -S \\\n", command.name);
    for (const auto& option : command.options) script += zsh_option(option);
    if (command.starts_program)
      script += "        '(-):program: _command_names -e' '*::arguments: _normal'\n";
    else if (!command.operand_words.empty())
      script += fmt::format("        '*:topic:({})'\n", fmt::join(command.operand_words, " "));
    else if (!command.operands.empty())
      script += "        '*:file:_files'\n";
    script += "\n      ;;\n";
  }
  return script + "  esac\n}\n\n_wstree \"$@\"\n";
}

} // namespace wstree::docs
