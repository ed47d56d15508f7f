// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SVG 1.1 of nothing but rectangles, lines, dots and lines of text, so that everything can show it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wstree::cli {

struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
};

struct Point {
  double x = 0, y = 0;
};

struct Paint {
  std::string_view fill = "none";
  std::string_view stroke = "none";
};

struct Stroke {
  std::string_view colour;
  double width = 1;
  std::string_view dashes = "none"; ///< as stroke-dasharray has them
};

struct Type {
  int size = 12;
  std::string_view fill = "#1a1a1a";
  std::string_view anchor = "start"; ///< position of the given point: start, middle or end
  bool bold = false;
};

/// Returns about how wide a text is.
int text_width(std::string_view text, int font);

class SvgPaper {
public:
  /// Constructs a paper that ends `margin` behind the drawing.
  explicit SvgPaper(int margin) : margin_(margin) {}

  /// Sets the point from which all coordinates that follow count.
  void set_origin(int x, int y);
  /// Makes the paper at least so large, without its margin.
  void reach(double right, double bottom);

  /// Draws a rectangle. `kind`: class of the element, for tests and scripts. `hint`: shown where the
  /// mouse is.
  void rectangle(const Rectangle& area, const Paint& paint, int radius, std::string_view kind = "",
                 std::string_view hint = "");
  void line(Point from, Point to, const Stroke& stroke);
  void line(std::span<const Point> points, const Stroke& stroke);
  void dot(Point centre, double radius, const Paint& paint, std::string_view hint);
  /// Writes a text; (x, y) is on its base line.
  void text(double x, double y, std::string_view text, const Type& type);
  /// Lines between x and `limit`, broken at blanks; returns the base line for the next text.
  int paragraph(int x, int y, int limit, std::string_view text, const Type& type);

  /// Returns the whole document.
  [[nodiscard]] std::string finish(std::string_view title, std::string_view description) const;

private:
  std::string body_;
  int margin_;
  int left_ = 0, top_ = 0;        // position of the origin
  double width_ = 0, height_ = 0; // size of the drawn part
};

} // namespace wstree::cli
