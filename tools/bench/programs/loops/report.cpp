// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {
namespace {

using Samples = std::map<std::pair<std::string, std::string>, Series>;

std::optional<double> median_of(const Samples& all, const std::string& workload,
                                const std::string& candidate) {
  const auto found = all.find({workload, candidate});
  if (found == all.end() || found->second.ratio.empty()) return std::nullopt;
  return median(found->second.ratio);
}

/// Returns the median over the rounds in which both have a sample.
std::optional<double> median_to_static(const Samples& samples, const std::string& workload,
                                       const std::string& candidate) {
  const auto own = samples.find({workload, candidate});
  if (own == samples.end()) return std::nullopt;
  auto base = samples.find({workload, candidate + '/' + k_static_name});
  if (base == samples.end()) base = samples.find({workload, k_static_name});
  if (base == samples.end()) return std::nullopt;
  const Series &series = own->second, &to = base->second;
  std::vector<double> ratios;
  for (std::size_t k = 0; k < series.round.size(); ++k) {
    const auto at = std::find(to.round.begin(), to.round.end(), series.round[k]) - to.round.begin();
    const auto found = static_cast<std::size_t>(at);
    if (found < to.ratio.size()) ratios.push_back(series.ratio[k] / to.ratio[found]);
  }
  if (ratios.empty()) return std::nullopt;
  return median(ratios);
}

Cell cell_of(std::optional<double> value, double spread = -1) {
  Cell cell{value};
  cell.spread = spread;
  return cell;
}

/// Returns whether the ideal time has a meaning: it has none for loops that are too short for two threads, or
/// that memory holds up.
bool is_usual(const RowInfo& info) { return !info.is_short && info.group != Group::memory; }

using Column = std::vector<std::optional<double>> Row::*;

/// Shows means, which follow from the values above them.
void add_means(Table& table, const Part& part, Column column) {
  for (std::size_t c = 0; c < part.candidates.size(); ++c) {
    std::vector<double> all, usual;
    for (const Row& row : part.rows)
      if (const auto value = (row.*column)[c]) {
        all.push_back(*value);
        if (is_usual(row.info)) usual.push_back(*value);
      }
    const auto add = [&](const char* name, double value) {
      table.at(name, part.candidates[c].name) = words(number_text(value));
    };
    if (!all.empty()) add("geom. mean of all", geometric_mean(all));
    if (usual.empty()) continue;
    add("without SHORT, memory", geometric_mean(usual));
    add("worst of those", *std::max_element(usual.begin(), usual.end()));
  }
}

void show_workloads(const Part& part, Report& report) {
  Table& table = report.table("workload", "time / (sequential time / threads)", part.runtime);
  for (const Row& row : part.rows) {
    const std::string& name = row.info.name;
    table.at(name, "seq ms") = fact(row.seq_ms);
    for (std::size_t c = 0; c < part.candidates.size(); ++c)
      table.at(name, part.candidates[c].name) = cell_of(row.main[c], row.spreads[c]);
    table.at(name, "ideal") = fact(row.ideal);
    if (!row.tree) continue;
    table.at(name, "tree/ideal") = words(number_text(*row.tree / row.ideal));
    if (!row.best) continue;
    table.at(name, "tree/best") = words(number_text(*row.tree / *row.best));
    table.at(name, "best") = words(row.best_name);
  }
  add_means(table, part, &Row::main);
  const bool only_grid = std::all_of(part.rows.begin(), part.rows.end(),
                                     [](const Row& row) { return row.info.group == Group::grid; });
  if (!only_grid) table.print(); // the grid is shown as a square
}

void show_bare(const Part& part, Report& report) {
  Table& table = report.table("workload", "time / (sequential time / threads)", part.runtime);
  for (const Row& row : part.rows)
    for (std::size_t c = 0; c < part.candidates.size(); ++c)
      if (row.bare[c])
        table.at(row.info.name, part.candidates[c].name + " without the library") = cell_of(row.bare[c]);
  if (table.empty()) return;
  std::printf("\nThe runtime's schedules in a process without the library, one process a round:\n");
  table.print();
}

/// Returns "16" for EXP/16 and "16/1ms" for EXP/16/1ms. Empty: the workload is not the paper's, or one
/// iteration has nearly all of the work, so that schedules cannot differ.
std::string size_of(const RowInfo& info) {
  const bool is_paper = info.group == Group::paper || info.group == Group::small;
  const std::size_t slash = info.name.find('/');
  if (!is_paper || slash == info.name.npos || info.name.starts_with("RANDIF/16")) return "";
  return info.name.substr(slash + 1);
}

/// Shows each candidate's geometric mean and worst value by number of iterations.
void show_sizes(const Part& part, Report& report) {
  Table& table = report.table("iterations", "", part.runtime);
  std::vector<std::string> sizes;
  for (const Row& row : part.rows)
    if (const std::string size = size_of(row.info);
        !size.empty() && std::find(sizes.begin(), sizes.end(), size) == sizes.end())
      sizes.push_back(size);
  for (const std::string& size : sizes)
    for (std::size_t c = 0; c < part.candidates.size(); ++c) {
      std::vector<double> values;
      for (const Row& row : part.rows)
        if (size_of(row.info) == size && row.value(c)) values.push_back(*row.value(c) / row.ideal);
      if (!values.empty())
        table.at(size, part.candidates[c].name) =
            words(number_text(geometric_mean(values)) + " / " +
                  number_text(*std::max_element(values.begin(), values.end())));
    }
  if (table.empty()) return;
  std::printf("\nGeometric mean / worst of time / ideal by number of iterations (paper's workloads, without "
              "RANDIF/16):\n");
  table.print();
}

/// Shows the tree's values of STEP at every position (across) and of every span (down).
void show_grid(const Part& part, Report& report) {
  Table& table = report.table("span", "", part.runtime);
  for (const Row& row : part.rows)
    if (row.info.group == Group::grid && row.tree) {
      const GridPlace place = grid_place(row.info.name);
      table.at(std::to_string(place.span), std::to_string(place.position)) =
          words(number_text(*row.tree / row.ideal));
    }
  if (table.empty()) return;
  std::printf("\n%s / ideal; across: where the interval begins, from the start to the end of the loop;\n"
              "down: its span in parts of %d of the loop\n",
              k_tree, k_grid_side);
  table.print();
}

/// Shows each candidate's time / that of the best of the runtime's schedules, by pattern of short loops.
void show_patterns(const Part& part, Report& report) {
  const std::vector<Pattern> patterns = patterns_of(part);
  if (patterns.empty()) return;
  Table& table = report.table("pattern", "", part.runtime);
  for (std::size_t c = 0; c < part.candidates.size(); ++c) {
    const std::string& name = part.candidates[c].name;
    for (const Group group : {Group::brief, Group::untuned}) {
      for (const Pattern& pattern : patterns)
        if (const auto ratios = pattern.to_best(c); pattern.group == group && !ratios.empty()) {
          table.at(pattern.name, name) = words(number_text(geometric_mean(ratios)));
          if (name == k_tree)
            table.at(pattern.name, "tree's max") =
                words(number_text(*std::max_element(ratios.begin(), ratios.end())));
        }
      if (const auto mean = mean_of(patterns, group, c))
        table.at(group == Group::brief ? "geom. mean" : "mean of untuned", name) = words(number_text(*mean));
    }
  }
  std::printf("\nShort loops: time / best of the runtime's schedules in each variation, geometric mean\n");
  table.print();
}

} // namespace

std::optional<std::size_t> Part::column(const std::string& name) const {
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (candidates[c].name == name) return c;
  return std::nullopt;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::vector<Row> make_rows(const std::vector<RowInfo>& workloads, const std::vector<Candidate>& candidates,
                           const Results& results, const Settings& settings) {
  std::vector<Row> rows;
  for (const RowInfo& info : workloads) {
    Row row;
    row.info = info;
    row.ideal = std::max(1.0, info.longest_share * settings.speed());
    std::vector<double> seq;
    for (const Candidate& candidate : candidates) {
      row.main.push_back(median_of(results.main, info.name, candidate.name));
      row.bare.push_back(median_of(results.bare, info.name, candidate.name));
      row.to_static.push_back(median_to_static(results.main, info.name, candidate.name));
      row.spreads.push_back(-1);
      const auto& value = row.to_static.back();
      if (value && !is_ours(candidate) && (!row.best_fixed || *value < *row.to_static[*row.best_fixed]))
        row.best_fixed = row.to_static.size() - 1;
      const auto found = results.main.find({info.name, candidate.name});
      if (found == results.main.end()) continue;
      seq.insert(seq.end(), found->second.seq_ms.begin(), found->second.seq_ms.end());
      row.spreads.back() = spread_of(found->second.ratio);
      if (candidate.name == k_tree) row.tree = row.main.back();
    }
    row.seq_ms = median(seq);
    rows.push_back(std::move(row));
  }
  return rows;
}

void find_best_peers(std::vector<Part>& parts) {
  if (parts.empty()) return;
  for (std::size_t r = 0; r < parts.front().rows.size(); ++r) {
    std::string name;
    std::optional<double> best;
    for (const Part& part : parts)
      for (std::size_t c = 0; part.is_peer && c < part.candidates.size(); ++c) {
        const auto value = part.rows[r].value(c);
        if (is_ours(part.candidates[c]) || !value || (best && *best <= *value)) continue;
        best = value;
        name = part.runtime + ' ' + part.candidates[c].name;
      }
    for (Part& part : parts) part.rows[r].best = best, part.rows[r].best_name = name;
  }
}

std::vector<double> Pattern::to_best(std::size_t candidate) const {
  std::vector<double> ratios;
  for (const Row* row : rows)
    if (row->to_static[candidate] && row->best_fixed)
      ratios.push_back(*row->to_static[candidate] / *row->to_static[*row->best_fixed]);
  return ratios;
}

std::vector<Pattern> patterns_of(const Part& part) {
  std::vector<Pattern> patterns;
  for (const Row& row : part.rows) {
    const bool is_pattern = row.info.group == Group::brief || row.info.group == Group::untuned;
    if (!is_pattern || row.info.name.starts_with("JUMP_")) continue;
    const std::string name = row.info.name.substr(0, row.info.name.find('/'));
    if (patterns.empty() || patterns.back().name != name) patterns.push_back({name, row.info.group, {}});
    patterns.back().rows.push_back(&row);
  }
  return patterns;
}

std::optional<double> mean_of(const std::vector<Pattern>& patterns, Group group, std::size_t candidate) {
  std::vector<double> means;
  for (const Pattern& pattern : patterns)
    if (const auto ratios = pattern.to_best(candidate); pattern.group == group && !ratios.empty())
      means.push_back(geometric_mean(ratios));
  return means.empty() ? std::nullopt : std::optional(geometric_mean(means));
}

void show(const Origin& origin, const Part& part, Report& report) {
  std::printf("%s: %s\nlibrary: %s\nthreads %d, rounds %d; values are T_par / (T_seq / threads), medians\n\n",
              part.runtime.c_str(), part.file.c_str(),
              origin.library.empty() ? "none" : origin.library.c_str(), origin.settings.threads,
              origin.settings.rounds);
  show_workloads(part, report);
  show_bare(part, report);
  show_sizes(part, report);
  show_grid(part, report);
  show_patterns(part, report);
  if (part.dropped)
    std::printf("\n%d samples not used: other work on the machine held their threads up\n", part.dropped);
  report.drop(part.dropped);
  judge(part, origin.settings, report);
  report.print_verdicts(part.runtime);
}

} // namespace bench
