// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures, which gnuplot draws.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace wstree::cli::bench {

struct Picture {
  std::string name;   ///< of the files, without .svg and .png
  std::string script; ///< for gnuplot, without terminal and output; data is inside
  int width = 900, height = 600;
};

/// Writes NAME.svg and NAME.png for each into the folder. Returns lines for the user about what could not be
/// drawn; empty if all is well.
std::vector<std::string> draw(const std::vector<Picture>& pictures, const std::filesystem::path& folder);

/// A point's coordinates.
using Points = std::vector<std::pair<double, double>>;

/// "$NAME << EOD" with the points.
std::string block(const std::string& name, const Points& points);
/// A text between quotes, as gnuplot takes it literally.
std::string literal(std::string_view text);

/// A colour and a point type that belong to the same candidate in all pictures.
struct Style {
  std::string colour;
  int point;
};
/// By the candidate's name as the programs print it; `index` for those that are not known.
Style style_of(std::string_view candidate, std::size_t index);

} // namespace wstree::cli::bench
