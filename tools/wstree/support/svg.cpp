// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "svg.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace wstree::cli {

namespace {

/// Writes only characters that XML allows; names of files and of loops are the only texts that may
/// hold others.
std::string escaped(std::string_view text) {
  constexpr std::string_view k_dot = " · "; // the one sign of ours that is not ASCII
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with(k_dot)) {
      result += k_dot;
      i += k_dot.size() - 1;
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += c < ' ' || c > '~' ? '?' : c; // char may be signed
    }
  }
  return result;
}

/// Returns the number with at most one place behind the point.
std::string number(double value) {
  auto text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string attributes_of(const Stroke& stroke) {
  auto text = fmt::format(R"( stroke="{}")", stroke.colour);
  if (stroke.width != 1) text += fmt::format(R"( stroke-width="{}")", number(stroke.width));
  if (stroke.dashes != "none") text += fmt::format(R"( stroke-dasharray="{}")", stroke.dashes);
  return text;
}

} // namespace

int text_width(std::string_view text, int font) {
  // Bytes that go on with a character of UTF-8 take no room.
  const auto characters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
  return static_cast<int>(std::ceil(0.62 * font * static_cast<double>(characters)));
}

void SvgPaper::set_origin(int x, int y) {
  left_ = x;
  top_ = y;
}

void SvgPaper::reach(double right, double bottom) {
  width_ = std::max(width_, left_ + right);
  height_ = std::max(height_, top_ + bottom);
}

void SvgPaper::rectangle(const Rectangle& area, const Paint& paint, int radius, std::string_view kind,
                         std::string_view hint) {
  auto out = std::back_inserter(body_);
  fmt::format_to(out, R"(<rect x="{}" y="{}" width="{}" height="{}")", left_ + area.x, top_ + area.y,
                 area.width, area.height);
  if (!kind.empty()) fmt::format_to(out, R"( class="{}")", kind);
  if (radius != 0) fmt::format_to(out, R"( rx="{}")", radius);
  fmt::format_to(out, R"( fill="{}")", paint.fill);
  if (paint.stroke != "none") fmt::format_to(out, R"( stroke="{}")", paint.stroke);
  body_ += hint.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(hint));
  reach(area.x + area.width, area.y + area.height);
}

void SvgPaper::line(Point from, Point to, const Stroke& stroke) {
  fmt::format_to(std::back_inserter(body_), "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n",
                 number(left_ + from.x), number(top_ + from.y), number(left_ + to.x), number(top_ + to.y),
                 attributes_of(stroke));
  reach(std::max(from.x, to.x), std::max(from.y, to.y));
}

void SvgPaper::line(std::span<const Point> points, const Stroke& stroke) {
  std::string corners;
  for (const auto& [x, y] : points) {
    corners += fmt::format("{}{},{}", corners.empty() ? "" : " ", number(left_ + x), number(top_ + y));
    reach(x, y);
  }
  body_ += fmt::format("<polyline fill=\"none\"{} points=\"{}\"/>\n", attributes_of(stroke), corners);
}

void SvgPaper::dot(Point centre, double radius, const Paint& paint, std::string_view hint) {
  body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="{}" stroke="{}")", number(left_ + centre.x),
                       number(top_ + centre.y), number(radius), paint.fill, paint.stroke);
  body_ += hint.empty() ? "/>\n" : fmt::format("><title>{}</title></circle>\n", escaped(hint));
  reach(centre.x + radius, centre.y + radius);
}

void SvgPaper::text(double x, double y, std::string_view text, const Type& type) {
  if (text.empty()) return;
  auto out = std::back_inserter(body_);
  fmt::format_to(out, R"(<text x="{}" y="{}" font-size="{}" fill="{}")", number(left_ + x), number(top_ + y),
                 type.size, type.fill);
  if (type.anchor != "start") fmt::format_to(out, R"( text-anchor="{}")", type.anchor);
  if (type.bold) body_ += R"( font-weight="bold")";
  fmt::format_to(out, ">{}</text>\n", escaped(text));
  const bool extends_right = type.anchor == "start";
  reach(extends_right ? x + text_width(text, type.size) : x, y);
}

int SvgPaper::paragraph(int x, int y, int limit, std::string_view words, const Type& type) {
  const int step = type.size * 3 / 2;
  std::istringstream in{std::string(words)};
  std::string line;
  const auto flush = [&] {
    text(x, y, line, type);
    y += step;
  };
  for (std::string word; in >> word;) {
    const auto longer = line.empty() ? word : line + ' ' + word;
    if (!line.empty() && x + text_width(longer, type.size) > limit) {
      flush();
      line = word;
    } else {
      line = longer;
    }
  }
  if (!line.empty()) flush();
  return y;
}

std::string SvgPaper::finish(std::string_view title, std::string_view description) const {
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif">
<title>{2}</title>
<desc>{3}</desc>
<rect width="{0}" height="{1}" fill="#ffffff"/>
{4}</svg>
)",
                     number(std::ceil(width_) + margin_), number(std::ceil(height_) + margin_),
                     escaped(title), escaped(description), body_);
}

} // namespace wstree::cli
