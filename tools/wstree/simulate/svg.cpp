// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small diagram for each workload: time / ideal against the number of threads, a line for each schedule.
#include "plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace wstree::cli {

namespace {

constexpr int k_columns = 3;
constexpr int k_width = 300, k_height = 210; // of a diagram with its margins
constexpr int k_left = 44, k_top = 30, k_right = 14, k_bottom = 34;
constexpr int k_legend = 20; // height of a line
constexpr double k_highest = 16;

/// Distinguishable without colours as well: each has a dash pattern.
struct Pen {
  std::string_view colour, dashes;
};
constexpr std::array<Pen, 9> k_pens{{{"#0b5fa5", ""},
                                     {"#1b8a5a", ""},
                                     {"#7a3fa8", ""},
                                     {"#b07cc6", "6 3"},
                                     {"#c0392b", ""},
                                     {"#d98324", "8 3"},
                                     {"#8a6d1d", "3 3"},
                                     {"#5c6b73", "8 3 2 3"},
                                     {"#222222", "2 3"}}};

double height_of(double ratio) {
  const double part = std::log2(std::clamp(ratio, 1.0, k_highest)) / std::log2(k_highest);
  return k_height - k_bottom - part * (k_height - k_top - k_bottom);
}

double place_of(std::size_t at, std::size_t count) {
  const double room = k_width - k_left - k_right;
  return count == 1 ? k_left + room / 2
                    : k_left + room * static_cast<double>(at) / static_cast<double>(count - 1);
}

void axes(std::string& out, const Plan& plan, const std::string& title) {
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 R"(<text x="{}" y="18" font-size="13" font-weight="bold">{}</text>)"
                 "\n",
                 k_left, title);
  for (double tick = 1; tick <= k_highest; tick *= 2) {
    fmt::format_to(to,
                   R"(<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}" stroke="#dddddd"/>)"
                   "\n",
                   k_left, height_of(tick), k_width - k_right, height_of(tick));
    fmt::format_to(to,
                   R"(<text x="{}" y="{:.1f}" font-size="10" text-anchor="end">{:g}</text>)"
                   "\n",
                   k_left - 6, height_of(tick) + 3, tick);
  }
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    fmt::format_to(to,
                   R"(<text x="{:.1f}" y="{}" font-size="10" text-anchor="middle">{}</text>)"
                   "\n",
                   place_of(t, plan.threads.size()), k_height - k_bottom + 14, plan.threads[t]);
}

void line(std::string& out, const Results& results, std::size_t workload, std::size_t schedule) {
  const auto& [colour, dashes] = k_pens[schedule % k_pens.size()];
  const auto count = results.plan().threads.size();
  auto to = std::back_inserter(out);
  fmt::format_to(to, R"(<polyline fill="none" stroke="{}" stroke-width="1.8" stroke-dasharray="{}" points=")",
                 colour, dashes.empty() ? "none" : dashes);
  for (std::size_t t = 0; t < count; ++t)
    fmt::format_to(to, "{}{:.1f},{:.1f}", t == 0 ? "" : " ", place_of(t, count),
                   height_of(results.at(t, workload, schedule).ratio));
  out += "\"/>\n";
  for (std::size_t t = 0; t < count; ++t)
    fmt::format_to(to,
                   R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.4" fill="{}"><title>{}: {:.2f}</title></circle>)"
                   "\n",
                   place_of(t, count), height_of(results.at(t, workload, schedule).ratio), colour,
                   name_of(results.plan().schedules[schedule]), results.at(t, workload, schedule).ratio);
}

} // namespace

std::string simulate_svg(const Results& results) {
  const Plan& plan = results.plan();
  const int columns = std::min<int>(k_columns, static_cast<int>(plan.workloads.size()));
  const int rows = (static_cast<int>(plan.workloads.size()) + columns - 1) / columns;
  const int wide = std::max(columns, 2) * k_width;
  const int per_line = std::max(wide / 140, 1);
  const int lines = (static_cast<int>(plan.schedules.size()) + per_line - 1) / per_line;
  const int legend = rows * k_height + 8;
  std::string body;
  for (std::size_t w = 0; w < plan.workloads.size(); ++w) {
    const int at = static_cast<int>(w);
    fmt::format_to(std::back_inserter(body), "<g transform=\"translate({},{})\">\n", at % columns * k_width,
                   at / columns * k_height);
    axes(body, plan, plan.workloads[w].name());
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) line(body, results, w, s);
    body += "</g>\n";
  }
  for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
    const auto& [colour, dashes] = k_pens[s % k_pens.size()];
    const int x = 16 + static_cast<int>(s) % per_line * 140;
    const int y = legend + static_cast<int>(s) / per_line * k_legend;
    fmt::format_to(std::back_inserter(body),
                   R"(<line x1="{0}" y1="{1}" x2="{2}" y2="{1}" stroke="{3}" stroke-width="2.4" )"
                   R"(stroke-dasharray="{4}"/><text x="{5}" y="{6}" font-size="12">{7}</text>)"
                   "\n",
                   x, y, x + 26, colour, dashes.empty() ? "none" : dashes, x + 32, y + 4,
                   name_of(plan.schedules[s]));
  }
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif" fill="#1a1a1a">
<title>Time / ideal against the number of threads</title>
<desc>{2} iterations, {3:g} ms of work; simulated. Ratios above {4:g} are drawn at {4:g}.</desc>
<rect width="{0}" height="{1}" fill="#ffffff"/>
{5}</svg>
)",
                     wide, legend + lines * k_legend, plan.iterations, plan.work_ms, k_highest, body);
}

} // namespace wstree::cli
