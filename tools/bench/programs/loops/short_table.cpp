// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace bench {
namespace {

constexpr const char* k_surprise = "JUMP_";

bool is_surprise(const RowInfo& info) { return info.name.starts_with(k_surprise); }

/// The schedule of the runtime that is best in most of the rows.
std::string most_often_best(const Part& part, const Pattern& pattern) {
  std::map<std::string, int> counts;
  for (const Row* row : pattern.rows)
    if (row->best_fixed) ++counts[part.candidates[*row->best_fixed].name];
  if (counts.empty()) return "-";
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

void print_value(std::FILE* out, std::optional<double> value, std::size_t width = 9) {
  const int columns = static_cast<int>(width);
  if (value)
    std::fprintf(out, " %*.3f", columns, *value);
  else
    std::fprintf(out, " %*s", columns, "-");
}

std::size_t column_width(const Candidate& candidate) {
  return std::max<std::size_t>(7, candidate.name.size());
}

/// A block of one group, with its means.
void print_group(std::FILE* out, const Part& part, const std::vector<Pattern>& patterns, Group group) {
  const auto tree = column_of(part, k_tree);
  double worst = 0;
  for (const Pattern& pattern : patterns) {
    if (pattern.group != group) continue;
    std::fprintf(out, "%-18s", pattern.name.c_str());
    for (std::size_t c = 0; c < part.candidates.size(); ++c) {
      const auto figure = pattern.to_best(c);
      print_value(out, figure ? std::optional(figure->mean) : std::nullopt, column_width(part.candidates[c]));
      if (figure && tree && c == *tree) worst = std::max(worst, figure->worst);
    }
    const auto figure = tree ? pattern.to_best(*tree) : std::nullopt;
    print_value(out, figure ? std::optional(figure->worst) : std::nullopt);
    std::fprintf(out, "  %s\n", most_often_best(part, pattern).c_str());
  }
  std::fprintf(out, "%-18s", group == Group::brief ? "geom. mean" : "mean of untuned");
  for (std::size_t c = 0; c < part.candidates.size(); ++c)
    print_value(out, mean_of(patterns, group, c), column_width(part.candidates[c]));
  print_value(out, tree ? std::optional(worst) : std::nullopt);
  std::fprintf(out, "\n");
}

/// The calls at which a loop's work changes, and those after it, against the tree without memory.
void print_surprises(std::FILE* out, const Part& part) {
  const auto tree = column_of(part, k_tree), without = column_of(part, k_no_memory);
  for (const Row& row : part.rows) {
    if (!is_surprise(row.info) || !tree || !row.to_static[*tree] || !row.best_fixed) continue;
    const double time = *row.to_static[*tree];
    std::fprintf(out, "%-18s wstree / best %.3f (%s)", row.info.name.c_str(),
                 time / *row.to_static[*row.best_fixed], part.candidates[*row.best_fixed].name.c_str());
    if (without && row.to_static[*without])
      std::fprintf(out, ", / wstree without memory %.3f", time / *row.to_static[*without]);
    std::fprintf(out, "\n");
  }
}

} // namespace

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::optional<Pattern::Figure> Pattern::to_best(std::size_t candidate) const {
  std::vector<double> ratios;
  for (const Row* row : rows)
    if (row->to_static[candidate] && row->best_fixed)
      ratios.push_back(*row->to_static[candidate] / *row->to_static[*row->best_fixed]);
  if (ratios.empty()) return std::nullopt;
  return Figure{geometric_mean(ratios), *std::max_element(ratios.begin(), ratios.end())};
}

std::optional<double> mean_of(const std::vector<Pattern>& patterns, Group group, std::size_t candidate) {
  std::vector<double> means;
  for (const Pattern& pattern : patterns) {
    if (pattern.group != group) continue;
    if (const auto figure = pattern.to_best(candidate)) means.push_back(figure->mean);
  }
  return means.empty() ? std::nullopt : std::optional(geometric_mean(means));
}

bool is_jump(const RowInfo& info) { return is_surprise(info) && info.name.ends_with("/jump"); }

std::optional<std::size_t> column_of(const Part& part, const std::string& name) {
  for (std::size_t c = 0; c < part.candidates.size(); ++c)
    if (part.candidates[c].name == name) return c;
  return std::nullopt;
}

std::vector<Pattern> patterns_of(const Part& part) {
  std::vector<Pattern> patterns;
  for (const Row& row : part.rows) {
    const bool is_pattern = row.info.group == Group::brief || row.info.group == Group::untuned;
    if (!is_pattern || is_surprise(row.info)) continue;
    const std::string name = row.info.name.substr(0, row.info.name.find('/'));
    if (patterns.empty() || patterns.back().name != name) patterns.push_back({name, row.info.group, {}});
    patterns.back().rows.push_back(&row);
  }
  return patterns;
}

void print_short(std::FILE* out, const Part& part) {
  const std::vector<Pattern> patterns = patterns_of(part);
  if (!patterns.empty()) {
    std::fprintf(
        out, "\nShort loops: time / best of the runtime's schedules in each variation, geometric mean\n%-18s",
        "pattern");
    for (const Candidate& candidate : part.candidates)
      std::fprintf(out, " %*s", static_cast<int>(column_width(candidate)), candidate.name.c_str());
    std::fprintf(out, " %9s  %s\n", "tree's max", "most often best");
    for (const Group group : {Group::brief, Group::untuned})
      if (std::any_of(patterns.begin(), patterns.end(), [&](const Pattern& p) { return p.group == group; }))
        print_group(out, part, patterns, group);
  }
  print_surprises(out, part);
}

} // namespace bench
