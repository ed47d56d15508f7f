// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

namespace wstree::config {

/// Returns the bytes of the well-formed UTF-8 sequence at the front of `text` (not empty), or 0 if there
/// is none.
constexpr std::size_t utf8_size(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool surrogate = byte(0) == 0xed && byte(1) >= 0xa0;
  const bool too_large = byte(0) == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : size;
}

/// Returns whether the well-formed sequence of `size` bytes at the front of `text` is a control character of
/// those that terminals obey: U+0000 to U+001F and U+007F to U+009F.
constexpr bool is_control(std::string_view text, std::size_t size) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (size == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  return size == 2 && byte(0) == 0xc2 && byte(1) < 0xa0;
}

/// Hands `put` the bytes of `text`, which may hold anything, one by one and as many as there are: ? for each
/// byte that is no UTF-8 or belongs to a control character.
template <class Put> constexpr void for_each_visible(std::string_view text, Put put) noexcept {
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    const bool hidden = size == 0 || is_control(text, size);
    const std::size_t taken = size != 0 ? size : 1;
    for (const char c : text.substr(0, taken)) put(hidden ? '?' : c);
    text.remove_prefix(taken);
  }
}

} // namespace wstree::config
