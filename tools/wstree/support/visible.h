// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "utf8.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns `text`, which may hold any bytes, as UTF-8 on one line, with ? for each byte that is a control
/// character or no UTF-8.
inline std::string visible(std::string_view text) {
  std::string result;
  config::for_each_visible(text, [&](char c) { result += c; });
  return result;
}

/// Makes text of several lines visible.
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
