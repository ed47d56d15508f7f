// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small diagram for each workload: time / ideal against the number of threads, a line for each schedule.
#include "prediction.h"

#include "pens.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace wstree::cli {

namespace {

constexpr int k_columns = 3;
constexpr int k_width = 300, k_height = 210; // of a diagram with its margins
constexpr int k_left = 44, k_top = 30, k_right = 14, k_bottom = 34;
constexpr double k_highest = 16;

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
  const auto& [colour, dashes] = pen_of(schedule);
  const auto count = results.plan().threads.size();
  auto to = std::back_inserter(out);
  fmt::format_to(to, R"(<polyline fill="none" stroke="{}" stroke-width="1.8" stroke-dasharray="{}" points=")",
                 colour, dashes);
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
  if (!results.plan().profile.empty()) return prediction_svg(results);
  const Plan& plan = results.plan();
  const int columns = std::min<int>(k_columns, static_cast<int>(plan.workloads.size()));
  const int rows = (static_cast<int>(plan.workloads.size()) + columns - 1) / columns;
  const int wide = std::max(columns, 2) * k_width;
  const int below = rows * k_height + 8;
  std::string body;
  for (std::size_t w = 0; w < plan.workloads.size(); ++w) {
    const int at = static_cast<int>(w);
    fmt::format_to(std::back_inserter(body), "<g transform=\"translate({},{})\">\n", at % columns * k_width,
                   at / columns * k_height);
    axes(body, plan, plan.workloads[w].name());
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) line(body, results, w, s);
    body += "</g>\n";
  }
  body += legend(plan.schedules, wide, below);
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif" fill="#1a1a1a">
<title>Time / ideal against the number of threads</title>
<desc>{2} iterations, {3:g} ms of work; simulated. Ratios above {4:g} are drawn at {4:g}.</desc>
<rect width="{0}" height="{1}" fill="#ffffff"/>
{5}</svg>
)",
                     wide, below + legend_height(plan.schedules, wide), plan.iterations, plan.work_ms,
                     k_highest, body);
}

} // namespace wstree::cli
