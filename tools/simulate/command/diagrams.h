// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the drawings of `wstree simulate` have in common: a diagram for each loop, a line for each schedule.
#pragma once

#include "schedules.h"
#include "support/svg.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Distinguishable without colours as well: each has a dash pattern.
struct Pen {
  std::string_view colour, dashes;
};
inline constexpr std::array<Pen, 12> k_pens{{{"#0b5fa5", "none"},
                                             {"#1b8a5a", "none"},
                                             {"#7a3fa8", "none"},
                                             {"#b07cc6", "6 3"},
                                             {"#c0392b", "none"},
                                             {"#d98324", "8 3"},
                                             {"#8a6d1d", "3 3"},
                                             {"#5c6b73", "8 3 2 3"},
                                             {"#222222", "2 3"},
                                             {"#d4558b", "6 3"},
                                             {"#3aa6b9", "3 3"},
                                             {"#6b8e23", "8 3 2 3"}}};
inline const Pen& pen_of(std::size_t schedule) { return k_pens[schedule % k_pens.size()]; }

/// Sizes of one diagram with its margins, and how many of them stand beside each other.
struct Diagram {
  int columns;
  int width, height;
  int left, top, right, bottom; ///< margins

  /// `part`: of the height between the margins.
  [[nodiscard]] double height_of(double part) const {
    return height - bottom - part * (height - top - bottom);
  }
  /// Of one of `count` numbers of threads.
  [[nodiscard]] double place_of(std::size_t at, std::size_t count) const;
  /// Where the first diagram stands on the paper, the second, and so on.
  void begin(SvgPaper& paper, std::size_t at) const;
  /// The height of that many.
  [[nodiscard]] int height_of_all(std::size_t count) const;

  void level(SvgPaper& paper, double part, std::string_view name, std::string_view colour) const;
  void threads(SvgPaper& paper, const std::vector<std::uint32_t>& numbers) const;
};

inline constexpr Type k_tick{10, "#1a1a1a", "middle"};
inline constexpr std::string_view k_grey = "#555555";

/// A line through all points, and a dot with its hint on each.
struct Marked {
  Point point;
  std::string hint;
};
void draw_marked(SvgPaper& paper, const std::vector<Marked>& marks, const Pen& pen);

/// Lines with the names of the schedules, from `top` on; returns where they end.
int draw_legend(SvgPaper& paper, const std::vector<simulate::Schedule>& schedules, int width, int top);

/// "..." stands for what is behind `most` characters.
std::string shortened(std::string_view text, std::size_t most);

} // namespace wstree::cli
