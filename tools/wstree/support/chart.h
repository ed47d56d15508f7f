// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures with axes, ticks, titles and a legend: diagrams of curves side by side, and bars.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// The style of a curve. Readers tell the pens apart whatever colours they see: the hues are those of Okabe
/// and Ito, and pens of one hue differ in dashes and dots.
struct Pen {
  std::string_view colour;
  std::string_view dashes = "none"; ///< dots of a dashed pen are hollow
};
Pen pen_of(std::size_t index);
/// Returns the pen that a schedule or strategy has in all pictures; of unknown ones that of `index`.
Pen pen_of(std::string_view name, std::size_t index);
/// Returns the pens of all curves of a picture: the same, but no two alike as long as there are others.
std::vector<Pen> pens_of(const std::vector<std::string>& names);

struct Tick {
  double at;
  std::string text;
};

struct Axis {
  std::string label;
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<Tick> ticks = {};

  /// Returns where the value lies between `low` (0) and `high` (1); values beyond them lie there.
  [[nodiscard]] double part_of(double value) const;
};

/// Returns an axis that shows all values: logarithmic with ticks at powers of two, or linear from 0 on.
Axis axis_for(std::string label, const std::vector<double>& values, bool logarithmic);

struct Mark {
  double x, y;
  std::string hint = {}; ///< shown where the mouse is
};

struct Curve {
  std::string name; ///< in the legend; "": not there
  Pen pen;
  std::vector<Mark> marks;
  double width = 1.8;   ///< width of the line; 0: dots alone
  bool has_dots = true; ///< false: the line alone
};

struct Diagram {
  std::string title, subtitle;
  Axis x, y;
  std::vector<Curve> curves = {}; ///< the first one lies above the others
};

struct Picture {
  std::string title, description;
  std::vector<Diagram> diagrams;
  int columns = 3;
  int width = 330, height = 260; ///< size of a diagram
  std::string note = {};         ///< below the legend
};

std::string svg_of(const Picture& picture);

struct Bar {
  std::string name;
  double value;
  std::string text; ///< behind the bar
  Pen pen;
  std::optional<double> low = {}, high = {}; ///< bounds of the interval that holds the value
  std::vector<Mark> runs = {};               ///< dots at x; y is not looked at
};

/// Bars with one axis.
struct BarChart {
  std::string title;
  Axis axis;
  std::vector<Bar> bars;
};

/// Returns charts of horizontal bars below each other.
std::string svg_of_bars(const std::vector<BarChart>& charts);
/// Returns horizontal bars below each other. `reference`: a value that a line marks.
std::string svg_of_bars(const std::string& title, const Axis& axis, const std::vector<Bar>& bars,
                        const std::optional<Tick>& reference = {});

} // namespace wstree::cli
