// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "diagrams.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

double Diagram::place_of(std::size_t at, std::size_t count) const {
  const double room = width - left - right;
  return count == 1 ? left + room / 2
                    : left + room * static_cast<double>(at) / static_cast<double>(count - 1);
}

void Diagram::begin(SvgPaper& paper, std::size_t at) const {
  const int place = static_cast<int>(at);
  paper.set_origin(place % columns * width, place / columns * height);
  paper.reach(width, height);
}

int Diagram::height_of_all(std::size_t count) const {
  return (static_cast<int>(count) + columns - 1) / columns * height;
}

void Diagram::level(SvgPaper& paper, double part, std::string_view name, std::string_view colour) const {
  const double y = height_of(part);
  paper.line({double(left), y}, {double(width - right), y}, {colour});
  paper.text(left - 6, y + 3, name, {k_tick.size, k_tick.fill, "end"});
}

void Diagram::threads(SvgPaper& paper, const std::vector<std::uint32_t>& numbers) const {
  for (std::size_t t = 0; t < numbers.size(); ++t)
    paper.text(place_of(t, numbers.size()), height - bottom + 14, std::to_string(numbers[t]), k_tick);
}

void draw_marked(SvgPaper& paper, const std::vector<Marked>& marks, const Pen& pen) {
  std::vector<Point> points;
  for (const auto& mark : marks) points.push_back(mark.point);
  paper.line(points, {pen.colour, 1.8, pen.dashes});
  for (const auto& mark : marks) paper.dot(mark.point, 2.4, pen.colour, mark.hint);
}

int draw_legend(SvgPaper& paper, const std::vector<simulate::Schedule>& schedules, int width, int top) {
  constexpr int k_room = 140; // for an entry
  constexpr int k_line = 20;
  const int per_line = std::max(width / k_room, 1);
  for (std::size_t s = 0; s < schedules.size(); ++s) {
    const auto& [colour, dashes] = pen_of(s);
    const double x = 16 + static_cast<int>(s) % per_line * k_room;
    const double y = top + static_cast<int>(s) / per_line * k_line;
    paper.line({x, y}, {x + 26, y}, {colour, 2.4, dashes});
    paper.text(x + 32, y + 4, name_of(schedules[s]), {});
  }
  return top + (static_cast<int>(schedules.size()) + per_line - 1) / per_line * k_line;
}

std::string shortened(std::string_view text, std::size_t most) {
  return text.size() > most ? std::string(text.substr(0, most)) + "..." : std::string(text);
}

} // namespace wstree::cli
