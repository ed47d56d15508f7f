// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library says, and what every line of it has to be like.
#pragma once

#include "target.h"

#include "options.h"

#include <string>
#include <string_view>
#include <vector>

namespace wstree::fuzz {

inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
inline bool has_control(std::string_view text) {
  for (const char c : text)
    if (is_control(c)) return true;
  return false;
}

class CollectedLines {
public:
  config::LineSink sink() { return {&add, this}; }
  const std::vector<std::string>& all() const { return lines_; }

private:
  static void add(void* context, std::string_view line) noexcept {
    require(!has_control(line), "no message holds control characters", line);
    static_cast<CollectedLines*>(context)->lines_.emplace_back(line);
  }
  std::vector<std::string> lines_;
};

/// A message about a bad value: one line that fits and begins with "wstree: ".
inline void require_message(std::string_view line) {
  require(line.size() <= config::k_max_line, "a message fits on a line", line);
  require(line.starts_with("wstree: "), "a message names the library", line);
}

/// `text` with blanks around it and in the other case.
inline std::string disguised(std::string_view text) {
  std::string result = " \t";
  for (const char c : text) {
    const bool small = c >= 'a' && c <= 'z', large = c >= 'A' && c <= 'Z';
    result += small ? static_cast<char>(c - 'a' + 'A') : large ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result + "\n ";
}

} // namespace wstree::fuzz
