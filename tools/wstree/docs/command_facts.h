// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command's facts for the manual and the completions, taken from its definition.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace wstree::docs {

enum class Value { none, optional, words, file, folder, other };

struct OptionFacts {
  std::vector<std::string> names; ///< with their dashes, the long ones first
  std::string value_name;         ///< "LIST"; empty if there is no value
  std::string meaning;
  Value value = Value::none;
  std::vector<std::string> words; ///< words that the value may begin with
  bool is_list = false;           ///< the value is a list of such words, with commas between
};

struct CommandFacts {
  std::string name, meaning;
  std::string operands;                   ///< "FILE...", or empty
  std::string operand_meaning;            ///< empty for a program to start
  std::vector<std::string> operand_words; ///< empty: files
  bool starts_program = false;            ///< the operands are a command line of their own
  std::vector<OptionFacts> options;
  std::string text;    ///< text of --help below the options
  std::string details; ///< text that only the manual has
};

/// Returns the facts of `command`, which is the application itself or one of its commands.
CommandFacts facts_of(const CLI::App& command);

/// Returns the facts of all commands of `app`, in its order.
std::vector<CommandFacts> all_facts(const CLI::App& app);

} // namespace wstree::docs
