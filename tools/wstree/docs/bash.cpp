// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "writers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wstree::docs {

namespace {

constexpr const char* k_bash = R"bash(# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of wstree for bash, written by wstree_docs from the commands' own definitions.

_wstree_words() {{
  case $1 in
{words}  esac
}}

# What the value of option $2 of command $1 is: "words ...", "list ...", "files", "folders" or "anything"; nothing if it has none.
_wstree_value() {{
  case "$1 $2" in
{values}  esac
}}

_wstree() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} before='' option value first i
  local IFS=$' \t\n'
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{commands}' -- "$current")
    return
  fi
  case $command in
  {starters})
    # Behind the options there is a command line of its own.
    for ((i = 2; i < COMP_CWORD; i++)); do
      before=${{COMP_WORDS[i]}}
      if [[ $before == -- ]]; then
        ((i++))
        break
      fi
      [[ $before == -?* ]] || break
      # bash cuts --stats=text into three words.
      if [[ ${{COMP_WORDS[i + 1]-}} == = ]]; then
        ((i += 2))
      elif [[ -n $(_wstree_value "$command" "$before") ]]; then
        ((i++))
      fi
    done
    if ((i < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
      _command_offset "$i"
      return
    fi
    if ((i < COMP_CWORD)); then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
    fi
    if ((i == COMP_CWORD)) && [[ $before == -- || $current != -* ]]; then
      # The program itself: a command, or a file.
      compopt -o filenames 2>/dev/null
      if [[ $current == */* ]]; then first=-f; else first=-cf; fi
      mapfile -t COMPREPLY < <(compgen "$first" -- "$current" | sort -u)
      return
    fi
    ;;
  esac
  option=${{COMP_WORDS[COMP_CWORD - 1]}}
  # bash cuts --schedule=ws into three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $option == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  value=$(_wstree_value "$command" "$option")
  case $value in
  'list '*)
    first=''
    if [[ $current == *,* ]]; then first=${{current%,*}},; fi
    mapfile -t COMPREPLY < <(compgen -P "$first" -W "${{value#list }}" -- "${{current#"$first"}}")
    compopt -o nospace 2>/dev/null
    ;;
  'words '*) mapfile -t COMPREPLY < <(compgen -W "${{value#words }}" -- "$current") ;;
  files)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    ;;
  folders)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
    ;;
  anything) ;;
  *)
    if [[ $current == -* ]]; then
      mapfile -t COMPREPLY < <(compgen -W "$(_wstree_words "$command")" -- "$current")
    elif [[ $command == help ]]; then
      mapfile -t COMPREPLY < <(compgen -W '{topics}' -- "$current")
    else
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
    ;;
  esac
}}

complete -F _wstree wstree
)bash";

std::string value_text(const OptionFacts& option) {
  switch (option.value) {
  case Value::words:
    return fmt::format("{} {}", option.is_list ? "list" : "words", fmt::join(option.words, " "));
  case Value::file:
    return "files";
  case Value::folder:
    return "folders";
  case Value::other:
    return "anything";
  case Value::none:
  case Value::optional:
    break; // which never takes the next word
  }
  return {};
}

} // namespace

std::string bash_completion(const std::vector<CommandFacts>& commands) {
  std::string words, values;
  std::vector<std::string> names{"--help", "--version"}, starters, topics;
  for (const auto& command : commands) {
    names.push_back(command.name);
    if (command.starts_program) starters.push_back(command.name);
    if (!command.operand_words.empty()) topics = command.operand_words;
    std::vector<std::string> all;
    for (const auto& option : command.options) {
      all.insert(all.end(), option.names.begin(), option.names.end());
      const auto value = value_text(option);
      if (value.empty()) continue;
      std::vector<std::string> patterns;
      for (const auto& name : option.names) patterns.push_back(fmt::format("'{} {}'", command.name, name));
      values += fmt::format("  {}) echo '{}' ;;\n", fmt::join(patterns, " | "), value);
    }
    words += fmt::format("  {}) echo '{}' ;;\n", command.name, fmt::join(all, " "));
  }
  return fmt::format(k_bash, fmt::arg("words", words), fmt::arg("values", values),
                     fmt::arg("commands", fmt::format("{}", fmt::join(names, " "))),
                     fmt::arg("starters", fmt::format("{}", fmt::join(starters, " | "))),
                     fmt::arg("topics", fmt::format("{}", fmt::join(topics, " "))));
}

} // namespace wstree::docs
