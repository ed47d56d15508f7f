// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "meant.h"

#include "near_name.h"
#include "words.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace wstree::cli {

std::string_view meant(std::string_view word, std::span<const std::string_view> words) {
  const auto is_it = [word](std::string_view known) { return config::same_word(known, word); };
  return std::ranges::any_of(words, is_it) ? std::string_view() : config::nearest_word(word, words);
}

std::string_view meant_loops(std::string_view list) {
  std::vector<std::string_view> words(config::k_loop_words.begin(), config::k_loop_words.end());
  words.push_back("all");
  for (std::optional<std::string_view> rest = list; rest;) {
    const auto [word, tail] = config::split(*rest, ',');
    if (const auto near = meant(word, words); !near.empty()) return near;
    rest = tail;
  }
  return {};
}

std::string question(std::string_view word) {
  return word.empty() ? std::string() : fmt::format("; did you mean {}?", word);
}

} // namespace wstree::cli
