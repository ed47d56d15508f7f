// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search for the known word that is nearest to a misspelled one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns the nearest of `words` to `word`; empty if `word` is one of them or like none of them.
std::string_view meant(std::string_view word, std::span<const std::string_view> words);

/// Returns the nearest word for the first misspelled word of a list of kinds of loops, as --loops has it.
std::string_view meant_loops(std::string_view list);

/// Returns "; did you mean WORD?", or nothing if `word` is empty.
std::string question(std::string_view word);

} // namespace wstree::cli
