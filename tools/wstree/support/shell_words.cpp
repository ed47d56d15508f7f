// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shell_words.h"

namespace wstree::cli {

std::string shell_word(std::string_view word) {
  constexpr std::string_view k_plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                       "_-./,:=+@%{}";
  if (!word.empty() && word.find_first_not_of(k_plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words, std::string_view otherwise) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : " ").append(shell_word(word));
  return text.empty() ? std::string(otherwise) : text;
}

} // namespace wstree::cli
