// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

std::optional<double> median_of(const std::map<std::pair<std::string, std::string>, Series>& all,
                                const std::string& workload, const std::string& candidate) {
  const auto found = all.find({workload, candidate});
  if (found == all.end() || found->second.ratio.empty()) return std::nullopt;
  return median(found->second.ratio);
}

/// Of the samples that both have in a round.
std::optional<double> median_to(const Results& results, const std::string& workload,
                                const std::string& candidate) {
  const auto own = results.main.find({workload, candidate});
  if (own == results.main.end()) return std::nullopt;
  auto base = results.main.find({workload, candidate + '/' + k_static_name});
  if (base == results.main.end()) base = results.main.find({workload, k_static_name});
  if (base == results.main.end()) return std::nullopt;
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

double relative_spread(std::vector<double> values) {
  if (values.size() < 2) return 0;
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 4], high = values[values.size() - 1 - values.size() / 4];
  return (high - low) / 2 / median(values);
}

struct Means {
  std::optional<double> all, usual, worst; ///< worst: of the usual
};

/// Ideal means nothing for loops that are too short for two threads, or that memory holds up.
bool is_usual(const RowInfo& info) { return !info.is_short && info.group != Group::memory; }

/// Over the rows for which the column has a value.
template <class Column> Means means(const std::vector<Row>& rows, Column column) {
  double sum = 0, sum_usual = 0, worst = 0;
  int count = 0, count_usual = 0;
  for (const Row& row : rows) {
    const std::optional<double> value = column(row);
    if (!value) continue;
    sum += std::log(*value);
    ++count;
    if (!is_usual(row.info)) continue;
    sum_usual += std::log(*value);
    ++count_usual;
    worst = std::max(worst, *value);
  }
  Means made;
  if (count) made.all = std::exp(sum / count);
  if (count_usual) made.usual = std::exp(sum_usual / count_usual), made.worst = worst;
  return made;
}

void print_cell(std::FILE* out, std::optional<double> value, int width = 7) {
  if (!value)
    std::fprintf(out, " %*s", width, "-");
  else
    std::fprintf(out, " %*.*f", width, *value < 9.995 ? 3 : 1, *value);
}

int width_of(const Candidate& candidate) { return std::max(7, static_cast<int>(candidate.name.size())); }

/// One value for each candidate.
void print_cells(std::FILE* out, const std::vector<std::optional<double>>& values,
                 const std::vector<Candidate>& candidates) {
  for (std::size_t c = 0; c < candidates.size(); ++c) print_cell(out, values[c], width_of(candidates[c]));
}

using Column = std::vector<std::optional<double>> Row::*;

void print_means(std::FILE* out, const std::vector<Row>& rows, const std::vector<Candidate>& candidates,
                 Column column) {
  const auto line = [&](const char* name, auto which) {
    std::fprintf(out, "%-24s %8s", name, "");
    std::vector<std::optional<double>> values;
    for (std::size_t c = 0; c < candidates.size(); ++c)
      values.push_back(means(rows, [&](const Row& row) { return (row.*column)[c]; }).*which);
    print_cells(out, values, candidates);
    std::fprintf(out, "\n");
  };
  line("geom. mean of all", &Means::all);
  line("without SHORT, memory", &Means::usual);
  line("worst of those", &Means::worst);
}

void print_head(std::FILE* out, const std::vector<Candidate>& candidates) {
  std::fprintf(out, "%-24s %8s", "workload", "seq ms");
  for (const Candidate& candidate : candidates)
    std::fprintf(out, " %*s", width_of(candidate), candidate.name.c_str());
}

void print_table(std::FILE* out, const std::vector<Row>& rows, const std::vector<Candidate>& candidates) {
  print_head(out, candidates);
  std::fprintf(out, " | %6s %7s %-16s %7s %6s %3s\n", "ideal", "/ideal", "best", "/best", "spread", "n");
  for (const Row& row : rows) {
    if (row.info.group == Group::grid) continue;
    std::fprintf(out, "%-24s %8.2f", row.info.name.c_str(), row.seq_ms);
    print_cells(out, row.main, candidates);
    std::fprintf(out, " | %6.3f", row.ideal);
    print_cell(out, row.tree ? std::optional(*row.tree / row.ideal) : std::nullopt);
    std::fprintf(out, " %-16s", row.best_name.c_str());
    print_cell(out, row.tree && row.best ? std::optional(*row.tree / *row.best) : std::nullopt);
    if (row.tree) std::fprintf(out, " %5.1f%% %3zu", 100 * row.tree_spread, row.tree_samples);
    std::fprintf(out, "\n");
  }
  print_means(out, rows, candidates, &Row::main);
}

void print_bare_table(std::FILE* out, const std::vector<Row>& rows,
                      const std::vector<Candidate>& candidates) {
  print_head(out, candidates);
  std::fprintf(out, "\n");
  for (const Row& row : rows) {
    if (row.info.group == Group::grid) continue;
    std::fprintf(out, "%-24s %8s", row.info.name.c_str(), "");
    print_cells(out, row.bare, candidates);
    std::fprintf(out, "\n");
  }
  print_means(out, rows, candidates, &Row::bare);
}

} // namespace

std::vector<Row> make_rows(const std::vector<RowInfo>& workloads, const std::vector<Candidate>& candidates,
                           const Results& results, int threads) {
  std::vector<Row> rows;
  for (const RowInfo& info : workloads) {
    Row row;
    row.info = info;
    row.ideal = std::max(1.0, info.longest_share * threads);
    std::vector<double> seq;
    for (const Candidate& candidate : candidates) {
      row.main.push_back(median_of(results.main, info.name, candidate.name));
      row.bare.push_back(median_of(results.bare, info.name, candidate.name));
      row.spreads.push_back(0);
      row.to_static.push_back(median_to(results, info.name, candidate.name));
      const auto& value = row.to_static.back();
      if (value && !is_ours(candidate) && (!row.best_fixed || *value < *row.to_static[*row.best_fixed]))
        row.best_fixed = row.to_static.size() - 1;
      const auto found = results.main.find({info.name, candidate.name});
      if (found == results.main.end()) continue;
      seq.insert(seq.end(), found->second.seq_ms.begin(), found->second.seq_ms.end());
      row.spreads.back() = relative_spread(found->second.ratio);
      if (candidate.name != k_tree || !row.main.back()) continue;
      row.tree = row.main.back();
      row.tree_spread = row.spreads.back();
      row.tree_samples = found->second.ratio.size();
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
    for (const Part& part : parts) {
      if (!part.is_peer) continue;
      for (std::size_t c = 0; c < part.candidates.size(); ++c) {
        const auto value = part.rows[r].value(c);
        if (is_ours(part.candidates[c]) || !value || (best && *best <= *value)) continue;
        best = value;
        name = part.runtime + ' ' + part.candidates[c].name;
      }
    }
    for (Part& part : parts) part.rows[r].best = best, part.rows[r].best_name = name;
  }
}

void print_report(std::FILE* out, const Origin& origin, const Part& part) {
  const std::vector<Row>& rows = part.rows;
  std::fprintf(
      out, "%s: %s\nlibrary: %s\nthreads %d, rounds %d; values are T_par / (T_seq / threads), medians\n\n",
      part.runtime.c_str(), part.file.c_str(), origin.library.empty() ? "none" : origin.library.c_str(),
      origin.threads, origin.rounds);
  const bool only_grid =
      std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.info.group == Group::grid; });
  if (!only_grid) print_table(out, rows, part.candidates);
  if (!only_grid && std::any_of(rows.begin(), rows.end(), [](const Row& row) {
        return std::any_of(row.bare.begin(), row.bare.end(),
                           [](const auto& value) { return value.has_value(); });
      })) {
    std::fprintf(out, "\nThe runtime's schedules in a process without the library, one process a round:\n");
    print_bare_table(out, rows, part.candidates);
  }
  print_sizes(out, rows, part.candidates);
  print_grid(out, part);
  print_short(out, part);
  if (part.dropped)
    std::fprintf(out, "\n%d samples not used: other work on the machine held their threads up\n",
                 part.dropped);
  if (part.verdicts.empty()) return;
  std::fprintf(out, "\nVerdict, %s\n", part.runtime.c_str());
  for (const Verdict& verdict : part.verdicts) {
    std::fprintf(out, "  %-4s %s: limit %.2f, worst %.3f, holds for %zu of %zu\n",
                 verdict.failures.empty() ? "yes" : "NO", verdict.what.c_str(), verdict.limit, verdict.worst,
                 verdict.held, verdict.of);
    for (const std::string& failure : verdict.failures) std::fprintf(out, "         %s\n", failure.c_str());
  }
}

} // namespace bench
