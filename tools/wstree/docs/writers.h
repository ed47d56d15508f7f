// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command_facts.h"

#include <string>
#include <string_view>
#include <vector>

namespace wstree::docs {

/// Returns the script that the shell sources to complete the words of wstree.
std::string bash_completion(const std::vector<CommandFacts>& commands);
std::string zsh_completion(const std::vector<CommandFacts>& commands);
std::string fish_completion(const std::vector<CommandFacts>& commands);

/// wstree(1), the page of one command, and wstree(7) with the variables and the topics of `wstree help`.
std::string main_page(const CommandFacts& app, const std::vector<CommandFacts>& commands);
std::string command_page(const CommandFacts& command);
std::string variables_page();

/// Escapes `text` so that troff prints it as it is, also at the beginning of a line.
std::string roff_escaped(std::string_view text);

/// Returns plain text as troff's source: paragraphs are filled, indented lines stay as they are.
std::string roff_of(std::string_view text);

/// Returns the page with lines of at most 80 bytes, where lines are filled.
std::string narrow(std::string_view roff);

/// Cut out of the text below the options, by its lines "Examples:" and "Exit status...".
struct TextParts {
  std::string description, exit_status, examples;
};
TextParts parts_of(std::string_view text);

} // namespace wstree::docs
