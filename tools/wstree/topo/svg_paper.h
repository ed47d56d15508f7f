// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SVG 1.1 of nothing but rectangles and lines of text, so that everything can show it.
#pragma once

#include "boxes.h"

#include <string>
#include <string_view>

namespace wstree::cli {

struct Paint {
  std::string_view fill = "none";
  std::string_view stroke = "none";
};

struct Type {
  int size = 12;
  std::string_view fill = "#1a1a1a";
  std::string_view anchor = "start"; ///< where the given point is: start, middle or end
  bool bold = false;
};

class SvgPaper {
public:
  /// `kind`: class of the element, for those who want to find it. `hint`: shown where the mouse is.
  void rectangle(const Rectangle& area, const Paint& paint, int radius, std::string_view kind = "",
                 std::string_view hint = "");
  /// (x, y): of the base line.
  void text(int x, int y, std::string_view text, const Type& type);
  /// Lines between x and `limit`, broken at blanks; returns the base line for what comes next.
  int paragraph(int x, int y, int limit, std::string_view text, const Type& type);

  /// The whole document.
  [[nodiscard]] std::string finish(std::string_view title, std::string_view description) const;

private:
  void reach(int right, int bottom);

  std::string body_;
  int width_ = 0, height_ = 0; // of what has been drawn
};

} // namespace wstree::cli
