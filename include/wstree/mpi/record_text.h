// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Figures as text, and their way to libwstree.so.
#pragma once

#include "wstree/mpi/rank_text.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <unistd.h>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Returns the bits of wstree_ranks_tell(); 0 without the library.
inline int wanted_by_library() noexcept {
  return wstree_ranks_tell != nullptr ? wstree_ranks_tell(nullptr) : 0;
}

/// Returns whether the environment asks for statistics of a process without the library.
inline bool wants_lines() noexcept {
  const char* wanted = std::getenv("WSTREE_STATS");
  return wanted != nullptr && *wanted != '\0' && std::string_view(wanted) != "0";
}

/// The library keeps all of it: one block of memory, which is not freed.
inline void give_to_library(const std::string& lines, const std::string& statistics,
                            const std::string& events) {
  const std::size_t size = sizeof(wstree_rank_text) + lines.size() + statistics.size() + events.size() + 3;
  void* const block = std::malloc(size); // NOLINT: the library has it then
  if (block == nullptr) return;
  char* at = static_cast<char*>(block) + sizeof(wstree_rank_text);
  const auto put = [&](const std::string& text) {
    const char* const begin = static_cast<char*>(std::memcpy(at, text.c_str(), text.size() + 1));
    at += text.size() + 1;
    return text.empty() ? nullptr : begin;
  };
  auto* const text = static_cast<wstree_rank_text*>(block);
  *text = {};
  text->bytes = sizeof(wstree_rank_text);
  text->lines = put(lines), text->statistics = put(statistics), text->events = put(events);
  wstree_ranks_tell(text);
}

/// Returns the text of a number that is not negative, with that many digits behind the point, which no
/// locale changes.
inline std::string seconds(double value, unsigned digits) {
  std::uint64_t scale = 1;
  for (unsigned i = 0; i < digits; ++i) scale *= 10;
  const auto whole = static_cast<std::uint64_t>(value > 0 ? value : 0);
  const auto rest = static_cast<std::uint64_t>((value > 0 ? value - static_cast<double>(whole) : 0) *
                                               static_cast<double>(scale));
  const std::string text = std::to_string(rest < scale ? rest : scale - 1);
  return std::to_string(whole) + "." + std::string(digits - text.size(), '0') + text;
}

/// "1 rank", "2 ranks"
inline std::string counted(std::uint64_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

/// `, "key": 12`
inline std::string member(const char* key, std::uint64_t value) {
  return std::string(", \"") + key + "\": " + std::to_string(value);
}

/// Returns the length of the UTF-8 character at the front of the text; 0: there is none.
inline std::size_t character_of(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xC2 ? 0
                             : byte(0) < 0xE0 ? 2
                             : byte(0) < 0xF0 ? 3
                             : byte(0) < 0xF5 ? 4
                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) >> 6 != 2) return 0;
  if (length > 2) { // longer than needed, a surrogate, or behind the last one
    const unsigned two = byte(0) << 8 | byte(1);
    if (two < 0xE0A0 || (two >= 0xEDA0 && two < 0xEE80) || (two >= 0xF000 && two < 0xF090) || two >= 0xF490)
      return 0;
  }
  return length;
}

/// Returns the text with its quotes. A byte that is no UTF-8 becomes a question mark.
inline std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = character_of(text);
    const char c = text.front();
    if (length == 0) {
      result += '?';
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      result += escaped;
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

/// `, "pid": 12, "tid": 4194305`: the numbers of a track that belongs to no thread. Threads of Linux have
/// numbers below 2^22.
inline std::string track_of(std::uint32_t number) {
  constexpr std::uint64_t k_no_thread = std::uint64_t{1} << 22;
  return member("pid", static_cast<std::uint64_t>(getpid())) + member("tid", k_no_thread + number);
}

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
