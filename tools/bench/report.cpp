// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr const char* k_tree = "wstree";

std::optional<double> median_of(const std::map<std::pair<std::string, std::string>, Series>& all,
                                const std::string& workload, const std::string& candidate) {
  const auto found = all.find({workload, candidate});
  if (found == all.end() || found->second.ratio.empty()) return std::nullopt;
  return median(found->second.ratio);
}

double relative_spread(std::vector<double> values) {
  if (values.size() < 2) return 0;
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 4], high = values[values.size() - 1 - values.size() / 4];
  return (high - low) / 2 / median(values);
}

struct Means {
  std::optional<double> all, without_short, worst; ///< worst: of those that are not short
};

/// Over the rows for which the column has a value.
template <class Column> Means means(const std::vector<Row>& rows, Column column) {
  double sum = 0, sum_long = 0, worst = 0;
  int count = 0, count_long = 0;
  for (const Row& row : rows) {
    const std::optional<double> value = column(row);
    if (!value) continue;
    sum += std::log(*value);
    ++count;
    if (row.info.is_short) continue;
    sum_long += std::log(*value);
    ++count_long;
    worst = std::max(worst, *value);
  }
  Means made;
  if (count) made.all = std::exp(sum / count);
  if (count_long) made.without_short = std::exp(sum_long / count_long), made.worst = worst;
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
  line("geom. mean without SHORT", &Means::without_short);
  line("geom. mean of all", &Means::all);
  line("worst without SHORT", &Means::worst);
}

void print_head(std::FILE* out, const std::vector<Candidate>& candidates) {
  std::fprintf(out, "%-24s %8s", "workload", "seq ms");
  for (const Candidate& candidate : candidates)
    std::fprintf(out, " %*s", width_of(candidate), candidate.name.c_str());
}

void print_table(std::FILE* out, const std::vector<Row>& rows, const std::vector<Candidate>& candidates) {
  print_head(out, candidates);
  std::fprintf(out, " | %6s %7s %-9s %7s %6s %3s\n", "ideal", "/ideal", "best", "/best", "spread", "n");
  for (const Row& row : rows) {
    std::fprintf(out, "%-24s %8.2f", row.info.name.c_str(), row.seq_ms);
    print_cells(out, row.main, candidates);
    std::fprintf(out, " | %6.3f", row.ideal);
    print_cell(out, row.tree ? std::optional(*row.tree / row.ideal) : std::nullopt);
    std::fprintf(out, " %-9s", row.best_name.c_str());
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
    std::fprintf(out, "%-24s %8s", row.info.name.c_str(), "");
    print_cells(out, row.bare, candidates);
    std::fprintf(out, "\n");
  }
  print_means(out, rows, candidates, &Row::bare);
}

/// Collects a figure over many rows; larger is worse.
class Judge {
public:
  Judge(std::string what, double limit) : verdict_{std::move(what), limit, 0, 0, 0, {}} {}
  void add(const std::string& name, double value) {
    ++verdict_.of;
    verdict_.worst = std::max(verdict_.worst, value);
    if (value <= verdict_.limit) {
      ++verdict_.held;
      return;
    }
    char text[160];
    std::snprintf(text, sizeof text, "%s %.3f", name.c_str(), value);
    verdict_.failures.push_back(text);
  }
  /// A workload whose samples were all spoilt: nothing is known, so the figure is not reached.
  void add_unknown(const std::string& name) {
    ++verdict_.of;
    verdict_.failures.push_back(name + " no sample");
  }
  void finish(std::vector<Verdict>& list) {
    if (verdict_.of) list.push_back(std::move(verdict_));
  }

private:
  Verdict verdict_;
};

// A little below 1 ms, so that a workload sized for it counts however fast the machine is today.
constexpr double k_least_ms = 0.9;

/// The range and the queue on loops that any good balancer has to do well.
void judge_models(const std::vector<Row>& rows, const std::vector<Candidate>& candidates, int threads,
                  std::vector<Verdict>& list) {
  if (threads == 1) return;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const int kind = candidates[c].kind;
    if (kind != k_wsrange && kind != k_wsqueue) continue;
    Judge judge("UNIFORM and TRIANGLE of 1 ms and more: " + candidates[c].name + " / ideal", 1.10);
    for (const Row& row : rows) {
      const bool is_meant = row.info.name.starts_with("UNIFORM/") || row.info.name.starts_with("TRIANGLE/");
      if (!is_meant || row.seq_ms < k_least_ms) continue;
      if (row.main[c])
        judge.add(row.info.name, *row.main[c] / row.ideal);
      else
        judge.add_unknown(row.info.name);
    }
    judge.finish(list);
  }
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
      const auto found = results.main.find({info.name, candidate.name});
      if (found != results.main.end())
        seq.insert(seq.end(), found->second.seq_ms.begin(), found->second.seq_ms.end());
      if (candidate.name == k_tree) {
        row.tree = row.main.back();
        if (row.tree) {
          row.tree_spread = relative_spread(found->second.ratio);
          row.tree_samples = found->second.ratio.size();
        }
      }
      if (is_ours(candidate.kind)) continue;
      // Where there is a process without the library, it alone speaks for the runtime: forwarded calls cost a
      // little, and the lower of two medians would be the luckier one.
      const auto value = row.bare.back() ? row.bare.back() : row.main.back();
      if (value && (!row.best || *value < *row.best)) row.best = value, row.best_name = candidate.name;
    }
    row.seq_ms = median(seq);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Verdict> make_verdicts(const std::vector<Row>& rows, const std::vector<Candidate>& candidates,
                                   int threads) {
  std::vector<Verdict> list;
  const auto fixed = std::find_if(candidates.begin(), candidates.end(),
                                  [](const Candidate& candidate) { return candidate.name == "static"; });
  const auto fixed_index = static_cast<std::size_t>(fixed - candidates.begin());
  const auto static_of = [&](const Row& row) -> std::optional<double> {
    if (fixed == candidates.end()) return std::nullopt;
    return row.bare[fixed_index] ? row.bare[fixed_index] : row.main[fixed_index];
  };
  Judge one_thread("one thread, iterations of a nanosecond: wstree / static", 1.01);
  Judge near_ideal("paper's workloads of 1 ms and more: wstree / ideal", 1.03);
  Judge near_best("paper's workloads of 1 ms and more: wstree / best of the runtime's", 1.02);
  Judge mean("geometric mean over ideal without SHORT", 1.01);
  Judge worst("worst over ideal without SHORT", 1.10);
  Judge tiny("loops too short for two threads: wstree / static", 1.05);
  const bool tree_runs = std::any_of(candidates.begin(), candidates.end(),
                                     [](const Candidate& candidate) { return candidate.name == k_tree; });
  judge_models(rows, candidates, threads, list);
  if (!tree_runs) return list;
  for (const Row& row : rows) {
    if (!row.tree) {
      (threads == 1 ? one_thread : row.info.is_short ? tiny : worst).add_unknown(row.info.name);
      continue;
    }
    const auto of_static = static_of(row);
    if (threads == 1) {
      if (row.info.name == "UNIFORM/10M" && of_static) one_thread.add(row.info.name, *row.tree / *of_static);
      continue;
    }
    if (row.info.is_short) {
      if (of_static) tiny.add(row.info.name, *row.tree / *of_static);
      continue;
    }
    worst.add(row.info.name, *row.tree / row.ideal);
    if (row.info.group != Group::paper || row.seq_ms < k_least_ms) continue;
    near_ideal.add(row.info.name, *row.tree / row.ideal);
    if (row.best) near_best.add(row.info.name, *row.tree / *row.best);
  }
  if (threads > 1) {
    const auto over_ideal = [](const Row& row) {
      return row.tree ? std::optional(*row.tree / row.ideal) : std::nullopt;
    };
    if (const Means tree = means(rows, over_ideal); tree.without_short) mean.add("all", *tree.without_short);
  }
  for (Judge* judge : {&one_thread, &near_ideal, &near_best, &mean, &worst, &tiny}) judge->finish(list);
  return list;
}

void print_report(std::FILE* out, const Origin& origin, const Part& part) {
  const std::vector<Row>& rows = part.rows;
  std::fprintf(
      out, "%s: %s\nlibrary: %s\nthreads %d, rounds %d; values are T_par / (T_seq / threads), medians\n\n",
      part.runtime.c_str(), part.file.c_str(), origin.library.empty() ? "none" : origin.library.c_str(),
      origin.threads, origin.rounds);
  print_table(out, rows, part.candidates);
  if (std::any_of(rows.begin(), rows.end(), [](const Row& row) {
        return std::any_of(row.bare.begin(), row.bare.end(),
                           [](const auto& value) { return value.has_value(); });
      })) {
    std::fprintf(out, "\nThe runtime's schedules in a process without the library, one process a round:\n");
    print_bare_table(out, rows, part.candidates);
  }
  print_sizes(out, rows, part.candidates);
  if (part.verdicts.empty()) return;
  std::fprintf(out, "\nVerdict, %s\n", part.runtime.c_str());
  for (const Verdict& verdict : part.verdicts) {
    std::fprintf(out, "  %-4s %s: limit %.2f, worst %.3f, holds for %zu of %zu\n",
                 verdict.failures.empty() ? "yes" : "NO", verdict.what.c_str(), verdict.limit, verdict.worst,
                 verdict.held, verdict.of);
    for (const std::string& failure : verdict.failures) std::fprintf(out, "         %s\n", failure.c_str());
  }
}

namespace {

/// Names of workloads, candidates and verdicts need no more than this; paths may.
std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return made + '"';
}

void write_medians(std::FILE* out, const char* key, const std::vector<std::optional<double>>& values,
                   const std::vector<Candidate>& candidates) {
  std::fprintf(out, ", \"%s\": {", key);
  const char* separator = "";
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!values[c]) continue;
    std::fprintf(out, "%s%s: %.5f", separator, quoted(candidates[c].name).c_str(), *values[c]);
    separator = ", ";
  }
  std::fprintf(out, "}");
}

void write_part(std::FILE* out, const Part& part) {
  std::fprintf(out, "{\"runtime\": %s, \"file\": %s,\n \"workloads\": [", quoted(part.runtime).c_str(),
               quoted(part.file).c_str());
  const char* separator = "\n";
  for (const Row& row : part.rows) {
    std::fprintf(out, "%s  {\"name\": %s, \"seq_ms\": %.4f, \"ideal\": %.4f, \"spread\": %.4f", separator,
                 quoted(row.info.name).c_str(), row.seq_ms, row.ideal, row.tree_spread);
    write_medians(out, "ratio", row.main, part.candidates);
    write_medians(out, "ratio_without_library", row.bare, part.candidates);
    std::fprintf(out, "}");
    separator = ",\n";
  }
  std::fprintf(out, "],\n \"verdicts\": [");
  separator = "\n";
  for (const Verdict& verdict : part.verdicts) {
    std::fprintf(out, "%s  {\"what\": %s, \"limit\": %.3f, \"worst\": %.4f, \"held\": %zu, \"of\": %zu}",
                 separator, quoted(verdict.what).c_str(), verdict.limit, verdict.worst, verdict.held,
                 verdict.of);
    separator = ",\n";
  }
  std::fprintf(out, "]}");
}

} // namespace

bool write_json(const std::string& path, const Origin& origin, const std::vector<Part>& parts) {
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (!out) return false;
  std::fprintf(out, "{\"library\": %s, \"threads\": %d, \"rounds\": %d,\n\"runtimes\": [",
               quoted(origin.library).c_str(), origin.threads, origin.rounds);
  const char* separator = "\n";
  for (const Part& part : parts) {
    std::fputs(separator, out);
    write_part(out, part);
    separator = ",\n";
  }
  std::fprintf(out, "]}\n");
  return std::fclose(out) == 0;
}

} // namespace bench
