// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/folded.h"

#include "support/terminal.h"

#include <algorithm>

namespace wstree::cli {

namespace {

/// Returns the begin of the second column; of the first one if there is no second, or if it would be
/// too narrow.
std::size_t column_of(std::string_view line, std::size_t first, std::size_t width) {
  constexpr std::size_t k_narrowest = 24;
  const auto gap = line.find("  ", first);
  const auto column = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  return column == std::string_view::npos || column + k_narrowest > width ? first : column;
}

void fold_line(std::string& out, std::string_view line, std::size_t width) {
  const auto first = line.find_first_not_of(' ');
  const auto column = column_of(line, first, width);
  const bool is_command = column == first && line.substr(first).starts_with("wstree ");
  const std::string_view mark = is_command ? " \\" : "";
  const std::string indentation(column + (is_command ? 4 : 0), ' ');
  std::string current;
  auto begin = column;
  out += line.substr(0, column);
  current.assign(column, ' ');
  while (line.size() - begin + current.size() > width) {
    const auto room = width - current.size() - mark.size();
    auto end = line.rfind(' ', begin + room);
    if (end == std::string_view::npos || end <= begin) end = line.find(' ', begin); // a word that is too long
    if (end == std::string_view::npos) break;
    out.append(line.substr(begin, end - begin)).append(mark).append(1, '\n').append(indentation);
    current = indentation;
    begin = line.find_first_not_of(' ', end);
  }
  out += line.substr(begin);
}

template <class Append> std::string each_line(std::string_view text, Append append) {
  std::string out;
  while (!text.empty()) {
    const auto size = std::min(text.find('\n'), text.size());
    append(out, text.substr(0, size));
    if (size < text.size()) out += '\n';
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return out;
}

} // namespace

std::string folded(std::string_view text, std::size_t width) {
  return each_line(text, [width](std::string& out, std::string_view line) {
    if (line.size() > width && line.front() == ' ')
      fold_line(out, line, width);
    else
      out += line;
  });
}

std::string laid_out(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  return each_line(text, [width](std::string& out, std::string_view line) {
    if (line.size() <= width) {
      out += line;
    } else if (line.front() == ' ') {
      fold_line(out, line, width);
    } else {
      out += wrapped(line, width);
      out.pop_back(); // the end of the line
    }
  });
}

} // namespace wstree::cli
