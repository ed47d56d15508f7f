// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pictures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace wstree::cli::bench {

namespace {

constexpr double k_least = 0.88, k_most = 16; // what is further out stands at the edge
constexpr int k_row_height = 24, k_margins = 130;

/// Rows of one picture.
struct Page {
  std::vector<std::string> workloads;
  std::vector<std::string> candidates;
  std::map<std::pair<std::string, std::string>, double> values; ///< by workload and candidate

  void add(const std::string& workload, const std::string& candidate, double value) {
    if (std::ranges::find(workloads, workload) == workloads.end()) workloads.push_back(workload);
    if (std::ranges::find(candidates, candidate) == candidates.end()) candidates.push_back(candidate);
    values[{workload, candidate}] = value;
  }
};

/// Workloads that belong together: "EXP/16/1ms" goes to "paper-1ms".
std::string page_of(const Json& workload) {
  const auto name = workload.at("name").get<std::string>();
  const auto first = name.find('/');
  const auto group = workload.value("group", first == std::string::npos ? "program" : "paper");
  const auto second = first == std::string::npos ? first : name.find('/', first + 1);
  return second == std::string::npos ? group : group + "-" + name.substr(second + 1);
}

/// What a candidate takes for ideal = 1. The runtime's own schedules count without the library, where that
/// was measured.
void add_workload(const Json& workload, Page& page) {
  const double ideal = workload.value("ideal", 1.0);
  const auto bare = workload.value("ratio_without_library", Json::object());
  for (const auto& [candidate, ratio] : workload.at("ratio").items()) {
    const auto& value = member(bare, candidate).is_number() ? member(bare, candidate) : ratio;
    page.add(workload.at("name"), candidate, value.get<double>() / ideal);
  }
}

/// The tree is drawn last, above the others.
std::vector<std::string> drawing_order(std::vector<std::string> candidates) {
  const auto tree = std::ranges::find(candidates, "wstree");
  if (tree != candidates.end()) std::rotate(tree, tree + 1, candidates.end());
  return candidates;
}

std::string names_of_rows(const Page& page) {
  std::string tics;
  for (std::size_t w = 0; w < page.workloads.size(); ++w)
    tics += fmt::format("{}{} {}", w == 0 ? "" : ", ", literal(page.workloads[w]), page.workloads.size() - w);
  return tics;
}

/// Points of equal ratio stand a little above each other.
Points points_of(const Page& page, const std::string& candidate, std::size_t c) {
  const double share = (static_cast<double>(c) + 0.5) / static_cast<double>(page.candidates.size());
  Points points;
  for (std::size_t w = 0; w < page.workloads.size(); ++w) {
    const auto found = page.values.find({page.workloads[w], candidate});
    if (found == page.values.end()) continue;
    const double row = static_cast<double>(page.workloads.size() - w);
    points.emplace_back(std::clamp(found->second, k_least, k_most), row + 0.35 - 0.7 * share);
  }
  return points;
}

Picture picture_of(const std::string& name, const std::string& title, const Page& page) {
  const auto order = drawing_order(page.candidates);
  std::string script, plot;
  for (std::size_t c = 0; c < order.size(); ++c) {
    script += block(fmt::format("d{}", c), points_of(page, order[c], c));
    const auto style = style_of(order[c], c);
    plot +=
        fmt::format("{}$d{} using 1:2 with points lc rgb '{}' pt {} ps {} title {}", c == 0 ? "plot " : ", ",
                    c, style.colour, style.point, order[c] == "wstree" ? 0.9 : 0.7, literal(order[c]));
  }
  script += fmt::format(
      "set title {}\nset logscale x 2\nset xrange [{}:{}]\nset yrange [0.4:{}.6]\n"
      "set xtics ('0.9' 0.9, '1' 1, '1.1' 1.1, '1.25' 1.25, '1.5' 1.5, '2' 2, '3' 3, '4' 4, '6' 6, "
      "'8' 8, '16+' 16)\nset ytics ({})\nset grid xtics ytics lt 1 lw 0.5 lc rgb "
      "'#dddddd'\nset arrow from 1,0.4 to 1,{}.6 nohead lc rgb '#333333' dt 2\n"
      "set key outside right top Left reverse\nset xlabel 'time / ideal'\n",
      literal(title), k_least, 1.05 * k_most, page.workloads.size(), names_of_rows(page),
      page.workloads.size());
  return {name, script + plot + "\n", 980,
          k_margins + k_row_height * static_cast<int>(page.workloads.size())};
}

} // namespace

void add_ratio_pictures(const Json& parts, std::vector<Picture>& pictures) {
  const auto& loops = member(member(member(parts, "loops"), "data"), "loops");
  const auto& runtimes = member(loops, "runtimes");
  for (const auto& runtime : runtimes) {
    const auto name = runtime.at("runtime").get<std::string>();
    if (name == "oneTBB") continue; // stands beside each of the others
    std::map<std::string, Page> pages;
    for (const auto& workload : runtime.at("workloads")) add_workload(workload, pages[page_of(workload)]);
    for (const auto& other : runtimes) {
      if (other.at("runtime") != "oneTBB") continue;
      for (const auto& workload : other.at("workloads"))
        if (const auto page = pages.find(page_of(workload)); page != pages.end())
          add_workload(workload, page->second);
    }
    auto file = name;
    std::ranges::replace_if(
        file, [](char c) { return c == ' ' || c == '/'; }, '-');
    for (const auto& [group, page] : pages)
      if (!page.values.empty())
        pictures.push_back(picture_of(
            fmt::format("ratio-{}-{}", file, group),
            fmt::format("Time / ideal, {} threads, {}, {}", loops.value("threads", 0), name, group), page));
  }
}

} // namespace wstree::cli::bench
