// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A diagram for each loop: the part of the workers' time that is work against their number, a line for each
// schedule. The grey line is what no schedule exceeds.
#include "prediction.h"

#include "pens.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace wstree::cli {

namespace {

constexpr int k_columns = 2;
constexpr int k_width = 400, k_height = 250; // of a diagram with its margins
constexpr int k_left = 48, k_top = 46, k_right = 16, k_bottom = 42;
constexpr std::size_t k_title = 46; // letters that fit

double height_of(double part) {
  return k_height - k_bottom - std::clamp(part, 0.0, 1.0) * (k_height - k_top - k_bottom);
}

double place_of(std::size_t at, std::size_t count) {
  const double room = k_width - k_left - k_right;
  return count == 1 ? k_left + room / 2
                    : k_left + room * static_cast<double>(at) / static_cast<double>(count - 1);
}

std::string headline(const Prediction& prediction, const Plan& plan) {
  const auto advice = advise(prediction, plan);
  if (!advice) return "";
  const auto workers = plan.threads[advice->threads];
  return fmt::format("{} of work; {} with {} worker{}: {}", duration(prediction.work),
                     name_of(plan.schedules[advice->schedule]), workers, workers == 1 ? "" : "s",
                     duration(advice->time));
}

void axes(std::string& out, const Plan& plan, const Prediction& prediction) {
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 R"(<text x="{0}" y="18" font-size="13" font-weight="bold">{1}</text>)"
                 "\n"
                 R"(<text x="{0}" y="34" font-size="11" fill="#555555">{2}</text>)"
                 "\n",
                 k_left, xml_text(prediction.title, k_title), xml_text(headline(prediction, plan), 60));
  for (int percent = 0; percent <= 100; percent += 25) {
    const double y = height_of(percent / 100.0);
    fmt::format_to(to,
                   R"(<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}" stroke="{}"/>)"
                   R"(<text x="{}" y="{:.1f}" font-size="10" text-anchor="end">{} %</text>)"
                   "\n",
                   k_left, y, k_width - k_right, y, percent == 50 ? "#999999" : "#dddddd", k_left - 6, y + 3,
                   percent);
  }
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    fmt::format_to(to,
                   R"(<text x="{:.1f}" y="{}" font-size="10" text-anchor="middle">{}</text>)"
                   "\n",
                   place_of(t, plan.threads.size()), k_height - k_bottom + 14, plan.threads[t]);
  fmt::format_to(to,
                 R"(<text x="{}" y="{}" font-size="10" text-anchor="middle" fill="#555555">workers</text>)"
                 "\n",
                 (k_left + k_width - k_right) / 2, k_height - k_bottom + 28);
}

void ceiling(std::string& out, const Plan& plan, const Prediction& prediction) {
  out += R"(<polyline fill="none" stroke="#c8c8c8" stroke-width="6" points=")";
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    fmt::format_to(std::back_inserter(out), "{}{:.1f},{:.1f}", t == 0 ? "" : " ",
                   place_of(t, plan.threads.size()),
                   height_of(efficiency(prediction, plan, t, prediction.ideals[t])));
  out += "\"/>\n";
}

/// Through the numbers of workers that were simulated.
void line(std::string& out, const Plan& plan, const Prediction& prediction, std::size_t schedule) {
  const auto& [colour, dashes] = pen_of(schedule);
  auto to = std::back_inserter(out);
  std::string marks;
  fmt::format_to(to, R"(<polyline fill="none" stroke="{}" stroke-width="1.8" stroke-dasharray="{}" points=")",
                 colour, dashes);
  for (std::size_t t = 0; t < plan.threads.size(); ++t) {
    const auto& time = prediction.times[t][schedule];
    if (!time) continue;
    const double part = efficiency(prediction, plan, t, *time);
    const double x = place_of(t, plan.threads.size());
    fmt::format_to(to, "{}{:.1f},{:.1f}", out.ends_with('"') ? "" : " ", x, height_of(part));
    fmt::format_to(
        std::back_inserter(marks),
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.4" fill="{}"><title>{}: {}, {:.0f} %</title></circle>)"
        "\n",
        x, height_of(part), colour, name_of(plan.schedules[schedule]), duration(*time), part * 100);
  }
  out += "\"/>\n" + marks;
}

} // namespace

std::string prediction_svg(const Results& results) {
  const Plan& plan = results.plan();
  const auto loops = predictions(results);
  const int columns = std::min<int>(k_columns, static_cast<int>(loops.size()));
  const int rows = (static_cast<int>(loops.size()) + columns - 1) / columns;
  const int wide = std::max(columns * k_width, 560);
  const int below = rows * k_height + 8;
  std::string body;
  for (std::size_t p = 0; p < loops.size(); ++p) {
    const int at = static_cast<int>(p);
    fmt::format_to(std::back_inserter(body), "<g transform=\"translate({},{})\">\n", at % columns * k_width,
                   at / columns * k_height);
    axes(body, plan, loops[p]);
    ceiling(body, plan, loops[p]);
    // Those that were named first on top.
    for (std::size_t s = plan.schedules.size(); s-- > 0;) line(body, plan, loops[p], s);
    body += "</g>\n";
  }
  body += legend(plan.schedules, wide, below);
  const int note = below + legend_height(plan.schedules, wide);
  fmt::format_to(std::back_inserter(body),
                 R"(<text x="16" y="{}" font-size="11" fill="#555555">{}</text>)"
                 "\n",
                 note + 4, "Height: part of the workers' time that is work. Grey: what no schedule exceeds.");
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif" fill="#1a1a1a">
<title>Part of the workers' time that is work against their number</title>
<desc>{2}; simulated on {3}. No schedule exceeds the grey line.</desc>
<rect width="{0}" height="{1}" fill="#ffffff"/>
{4}</svg>
)",
                     wide, note + 14, xml_text(plan.profile, 200), xml_text(plan.machine.spec.name, 200),
                     body);
}

} // namespace wstree::cli
