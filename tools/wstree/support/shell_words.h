// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Returns the word as a shell reads it, in quotes where they are needed.
std::string shell_word(std::string_view word);
/// Returns a command as a shell reads it; `otherwise` for no command.
std::string shell_words(const std::vector<std::string>& words, std::string_view otherwise = "PROGRAM");

} // namespace wstree::cli
