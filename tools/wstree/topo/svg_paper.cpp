// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "svg_paper.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace wstree::cli {

namespace {

constexpr int k_paper_margin = 16;

/// Only what XML allows; names of files are the only texts that may hold anything else.
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

} // namespace

void SvgPaper::reach(int right, int bottom) {
  width_ = std::max(width_, right + k_paper_margin);
  height_ = std::max(height_, bottom + k_paper_margin);
}

void SvgPaper::rectangle(const Rectangle& area, const Paint& paint, int radius, std::string_view kind,
                         std::string_view hint) {
  auto out = std::back_inserter(body_);
  fmt::format_to(out, R"(<rect x="{}" y="{}" width="{}" height="{}")", area.x, area.y, area.width,
                 area.height);
  if (!kind.empty()) fmt::format_to(out, R"( class="{}")", kind);
  if (radius != 0) fmt::format_to(out, R"( rx="{}")", radius);
  fmt::format_to(out, R"( fill="{}")", paint.fill);
  if (paint.stroke != "none") fmt::format_to(out, R"( stroke="{}")", paint.stroke);
  body_ += hint.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(hint));
  reach(area.x + area.width, area.y + area.height);
}

void SvgPaper::text(int x, int y, std::string_view text, const Type& type) {
  auto out = std::back_inserter(body_);
  fmt::format_to(out, R"(<text x="{}" y="{}" font-size="{}" fill="{}")", x, y, type.size, type.fill);
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
                     width_, height_, escaped(title), escaped(description), body_);
}

} // namespace wstree::cli
