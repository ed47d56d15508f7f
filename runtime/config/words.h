// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of the option values, in the order of their enums: one list for reading and for printing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "tokens.h"

#include "wstree/core/kinds.h"

namespace wstree::config {

#define WSTREE_KIND_WORD(model, word, ...) #word,
inline constexpr auto k_schedule_words = std::to_array<std::string_view>({WSTREE_KINDS(WSTREE_KIND_WORD)});
#undef WSTREE_KIND_WORD
// The kinds of loops are bits: word i belongs to bit i.
inline constexpr auto k_loop_words =
    std::to_array<std::string_view>({"runtime", "dynamic", "guided", "auto", "static", "taskloop", "proven"});
inline constexpr auto k_strategy_words = std::to_array<std::string_view>(
    {"predefined", "assign", "assigntop", "randomwalk", "randomall", "findmax"});
inline constexpr auto k_batch_words =
    std::to_array<std::string_view>({"timed", "exponential", "fixed", "random"});
inline constexpr auto k_fallback_words =
    std::to_array<std::string_view>({"static", "dynamic", "guided", "auto", "trapezoidal"});
inline constexpr auto k_bind_words = std::to_array<std::string_view>({"auto", "close", "spread", "none"});
inline constexpr auto k_stats_words = std::to_array<std::string_view>({"0", "text", "json"});
inline constexpr auto k_display_words = std::to_array<std::string_view>({"false", "true", "verbose"});

template <class Enum, std::size_t Count>
constexpr std::optional<Enum> find_word(const std::array<std::string_view, Count>& words,
                                        std::string_view word) noexcept {
  for (std::size_t i = 0; i < Count; ++i)
    if (same_word(words[i], word)) return static_cast<Enum>(i);
  return std::nullopt;
}

template <class Enum, std::size_t Count>
constexpr std::string_view word_of(const std::array<std::string_view, Count>& words, Enum value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < Count ? words[index] : std::string_view("?");
}

} // namespace wstree::config
