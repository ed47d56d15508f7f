// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::config {

// The character functions of the C library depend on the locale, which may not exist yet.
constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns all but the first `count` bytes, which must be there. substr() would bring in the machinery
/// that throws.
constexpr std::string_view without_first(std::string_view text, std::size_t count) noexcept {
  text.remove_prefix(count);
  return text;
}

constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

constexpr bool same_word(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

/// Cuts `text` at the first `separator`; both parts are trimmed. Without a separator `tail` is nullopt.
struct Split {
  std::string_view head;
  std::optional<std::string_view> tail;
};
constexpr Split split(std::string_view text, char separator) noexcept {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {trim(text), std::nullopt};
  return {trim(text.substr(0, at)), trim(without_first(text, at + 1))};
}

/// Returns the number in decimal digits, without sign, from `least` to `most`.
inline std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least,
                                                 std::uint64_t most) noexcept {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc{} || result.ptr != end || number < least || number > most) return std::nullopt;
  return number;
}

} // namespace wstree::config
