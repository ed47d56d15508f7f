// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "writers.h"

#include "support/folded.h"

#include <algorithm>

namespace wstree::docs {

namespace {

std::string_view next_line(std::string_view& rest) {
  const auto size = std::min(rest.find('\n'), rest.size());
  const auto line = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return line;
}

/// Kinds of lines: filled, kept as they are, or blank between paragraphs.
enum class Line { text, kept, blank };

Line kind_of(std::string_view line) {
  if (line.empty()) return Line::blank;
  return line.front() == ' ' ? Line::kept : Line::text;
}

} // namespace

std::string roff_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-' || c == '^' || c == '~' || c == '`' || c == '\'')
      escaped += std::string(c == '-'   ? "\\-"
                             : c == '^' ? "\\(ha"
                             : c == '~' ? "\\(ti"
                             : c == '`' ? "\\(ga"
                                        : "\\(aq");
    else
      escaped += c;
  }
  return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

std::string roff_of(std::string_view source) {
  // Room in 80 columns behind the indentation of paragraphs; the lines' own two blanks go.
  constexpr std::size_t k_width = 80 - 9 + 2;
  const auto narrow = cli::folded(source, k_width);
  std::string_view text = narrow;
  std::string roff;
  bool kept = false, separated = false;
  while (!text.empty()) {
    const auto line = next_line(text);
    const auto kind = kind_of(line);
    if (kind == Line::blank) {
      separated = true;
      continue;
    }
    if (kind == Line::text && kept) roff += ".fi\n.RE\n";
    if (kind == Line::text && (separated || kept) && !roff.empty()) roff += ".PP\n";
    if (kind == Line::kept && !kept) roff += roff.empty() ? ".RS 2\n.nf\n" : ".PP\n.RS 2\n.nf\n";
    kept = kind == Line::kept;
    separated = false;
    const auto begin = kept ? std::min<std::size_t>(2, line.find_first_not_of(' ')) : 0;
    roff += roff_escaped(line.substr(begin)) + '\n';
  }
  if (kept) roff += ".fi\n.RE\n";
  return roff;
}

std::string narrow(std::string_view roff) {
  constexpr std::size_t k_widest = 80;
  std::string text;
  bool fills = true;
  while (!roff.empty()) {
    auto line = next_line(roff);
    if (line == ".nf" || line == ".fi") fills = line == ".fi";
    while (fills && !line.starts_with('.') && line.size() > k_widest) {
      // A line must not begin with a request. Two blanks are a gap that stays.
      auto blank = line.rfind(' ', k_widest);
      while (blank != std::string_view::npos && blank > 0 &&
             (line[blank - 1] == ' ' || line[blank + 1] == '.' || line[blank + 1] == ' '))
        blank = line.rfind(' ', blank - 1);
      if (blank == std::string_view::npos || blank == 0) break;
      text += std::string(line.substr(0, blank)) + '\n';
      line.remove_prefix(blank + 1);
    }
    text += std::string(line) + '\n';
  }
  return text;
}

TextParts parts_of(std::string_view text) {
  TextParts parts;
  auto* part = &parts.description;
  while (!text.empty()) {
    const auto line = next_line(text);
    if (line == "Examples:") {
      part = &parts.examples;
      continue;
    }
    if (line.starts_with("Exit status")) part = &parts.exit_status;
    const bool ends = part != &parts.description && !line.starts_with(' ') && line.empty();
    if (ends)
      part = &parts.description;
    else
      *part += std::string(line) + '\n';
  }
  return parts;
}

} // namespace wstree::docs
