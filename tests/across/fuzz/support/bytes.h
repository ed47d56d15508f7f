// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes an input apart: choices from its bytes, or its lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace wstree::fuzz {

/// Choices, one byte after the other; 0 when there are none left.
class Bytes {
public:
  explicit Bytes(std::string_view input) : rest_(input) {}

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  /// least to most.
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + byte() % (most - least + 1);
  }
  std::string_view rest() const { return rest_; }

private:
  std::string_view rest_;
};

inline std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}
inline std::vector<std::string_view> lines_of(std::string_view text) { return split_at(text, '\n'); }

} // namespace wstree::fuzz
