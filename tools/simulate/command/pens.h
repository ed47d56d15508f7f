// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the drawings of `wstree simulate` have in common.
#pragma once

#include "schedules.h"

#include <array>
#include <cstddef>
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

/// Lines with the names of the schedules, from `top` on.
std::string legend(const std::vector<simulate::Schedule>& schedules, int width, int top);
int legend_height(const std::vector<simulate::Schedule>& schedules, int width);

/// What XML takes for a text, from anything; "..." stands for what is behind `most` characters.
std::string xml_text(std::string_view text, std::size_t most);

} // namespace wstree::cli
