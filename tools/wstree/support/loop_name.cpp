// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_name.h"

#include "support/terminal.h"

#include <algorithm>

namespace wstree::cli {

namespace {

/// Leaves out the text between the outermost `open` and `close`; returns all of the text if they do
/// not match.
std::string without_insides(std::string_view text, char open, char close) {
  std::string result;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == close && !is_arrow) {
      if (depth == 0) return std::string(text);
      if (--depth == 0) result += "...";
    }
    if (depth == 0) result += c;
    if (c == open) ++depth;
  }
  return depth == 0 ? result : std::string(text);
}

} // namespace

std::string folded_name(std::string_view name, std::size_t most) {
  std::string text(name);
  if (columns_of(text) > most) text = without_insides(text, '<', '>');
  if (columns_of(text) > most) text = without_insides(text, '(', ')');
  return fitted(text, most);
}

} // namespace wstree::cli
