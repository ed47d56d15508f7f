// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "utf8.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace wstree::cli {

/// `text`, which may hold anything, as UTF-8 on one line: ? for each byte that is none or a control
/// character.
inline std::string visible(std::string_view text) {
  std::string result;
  config::for_each_visible(text, [&](char c) { result += c; });
  return result;
}

/// The same for text of several lines.
inline std::string visible_lines(std::string_view text) {
  std::string result;
  for (;;) {
    const auto size = std::min(text.find('\n'), text.size());
    result += visible(text.substr(0, size));
    if (size == text.size()) return result;
    result += '\n';
    text.remove_prefix(size + 1);
  }
}

} // namespace wstree::cli
