// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pens.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace wstree::cli {

namespace {

constexpr int k_room = 140; // for an entry
constexpr int k_line = 20;

int per_line(int width) { return std::max(width / k_room, 1); }

} // namespace

int legend_height(const std::vector<simulate::Schedule>& schedules, int width) {
  return (static_cast<int>(schedules.size()) + per_line(width) - 1) / per_line(width) * k_line;
}

std::string legend(const std::vector<simulate::Schedule>& schedules, int width, int top) {
  std::string text;
  for (std::size_t s = 0; s < schedules.size(); ++s) {
    const auto& [colour, dashes] = pen_of(s);
    const int x = 16 + static_cast<int>(s) % per_line(width) * k_room;
    const int y = top + static_cast<int>(s) / per_line(width) * k_line;
    fmt::format_to(std::back_inserter(text),
                   R"(<line x1="{0}" y1="{1}" x2="{2}" y2="{1}" stroke="{3}" stroke-width="2.4" )"
                   R"(stroke-dasharray="{4}"/><text x="{5}" y="{6}" font-size="12">{7}</text>)"
                   "\n",
                   x, y, x + 26, colour, dashes, x + 32, y + 4, name_of(schedules[s]));
  }
  return text;
}

std::string xml_text(std::string_view text, std::size_t most) {
  std::string result;
  for (const char c : text.substr(0, most)) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c < ' ' || c > '~' ? '?' : c; // char may be signed
  }
  return text.size() > most ? result + "..." : result;
}

} // namespace wstree::cli
