// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Whether the project's figures are reached.
#include "report.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace bench {
namespace {

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
  /// Two figures of a row, of which one is divided by the other. Nothing is judged if there is no such
  /// candidate; a workload whose samples were all spoilt does not reach the figure.
  void add(const Row& row, std::optional<double> value, std::optional<double> by) {
    if (!by) return;
    if (value)
      add(row.info.name, *value / *by);
    else
      add_unknown(row.info.name);
  }
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

/// Everything that is judged of the tree on one runtime.
class TreeJudges {
public:
  TreeJudges(const Part& part, int threads) : part_(part), threads_(threads) {}

  std::vector<Verdict> judge() {
    for (const Row& row : part_.rows) {
      if (threads_ == 1)
        one_thread_.add(row, row.info.name == "UNIFORM/10M" ? row.tree : std::nullopt,
                        row.info.name == "UNIFORM/10M" ? of(row, "static") : std::nullopt);
      else if (row.info.is_short)
        tiny_.add(row, row.tree, of(row, "static"));
      else if (row.info.group == Group::memory)
        judge_memory(row);
      else if (row.info.group == Group::grid)
        judge_grid(row);
      else if (is_jump(row.info))
        jumps_.add(row, relative(row, k_tree), relative(row, k_no_memory));
      else if (row.info.group == Group::brief || row.info.group == Group::untuned)
        judge_brief(row);
      else
        judge_balance(row);
    }
    judge_patterns();
    add_mean(mean_, logarithms_, [](double sum) { return std::exp(sum); });
    add_mean(grid_mean_, grid_values_, [](double sum) { return sum; });
    std::vector<Verdict> list;
    for (Judge* judge : {&one_thread_,    &mean_,         &worst_,       &near_best_,     &near_best_small_,
                         &tiny_,          &over_dynamic_, &over_steal_,  &over_guided_,   &grid_worst_,
                         &grid_mean_,     &grid_even_,    &memory_even_, &memory_uneven_, &patterns_,
                         &patterns_mean_, &brief_static_, &jumps_,       &untuned_,       &untuned_mean_})
      judge->finish(list);
    return list;
  }

private:
  /// The value of one of the runtime's schedules.
  std::optional<double> of(const Row& row, std::string_view name) const {
    for (std::size_t c = 0; c < part_.candidates.size(); ++c)
      if (part_.candidates[c].name == name) return row.value(c);
    return std::nullopt;
  }

  std::optional<double> relative(const Row& row, const char* name) const {
    const auto column = column_of(part_, name);
    return column ? row.to_static[*column] : std::nullopt;
  }

  void judge_balance(const Row& row) {
    if (is_standard(row.info)) {
      worst_.add(row, row.tree, row.ideal);
      if (row.tree) logarithms_.push_back(std::log(*row.tree / row.ideal));
    }
    if (row.info.group == Group::small)
      near_best_small_.add(row, row.tree, row.best);
    else if (row.seq_ms >= k_least_ms)
      near_best_.add(row, row.tree, row.best);
    judge_fine(row);
  }

  /// Against libomp alone: what the loops cost there is why people avoid these schedules.
  void judge_fine(const Row& row) {
    static constexpr std::array<std::string_view, 4> k_fine = {"RANDIF/10M", "STEP_E/10M", "STEP_S/1M",
                                                               "TRIANGLE/1M"};
    if (part_.runtime != "libomp" || std::find(k_fine.begin(), k_fine.end(), row.info.name) == k_fine.end())
      return;
    over_dynamic_.add(row, row.tree, of(row, "dyn1"));
    over_steal_.add(row, row.tree, of(row, "steal1"));
    if (row.info.name.starts_with("STEP_S")) over_guided_.add(row, row.tree, of(row, "guided"));
  }

  void judge_memory(const Row& row) {
    const auto fixed = of(row, "static"), guided = of(row, "guided");
    if (!row.info.name.starts_with("SPMV_POWER"))
      memory_even_.add(row, row.tree, fixed);
    else if (fixed && guided)
      memory_uneven_.add(row, row.tree, std::min(*fixed, *guided));
  }

  void judge_grid(const Row& row) {
    grid_worst_.add(row, row.tree, row.ideal);
    if (grid_place(row.info.name).span == k_grid_side) grid_even_.add(row, row.tree, row.ideal);
    if (row.tree) grid_values_.push_back(*row.tree / row.ideal);
  }

  /// Runtimes are at their best where they do nothing but cut a loop in two.
  void judge_brief(const Row& row) {
    if (row.info.name.starts_with("WAVEFRONT/") || row.info.name.starts_with("GROUPS/"))
      brief_static_.add(row, relative(row, k_tree), 1);
  }

  void judge_patterns() {
    const auto tree = column_of(part_, k_tree);
    const std::vector<Pattern> patterns = patterns_of(part_);
    for (const Pattern& pattern : patterns)
      if (const auto figure = pattern.to_best(*tree))
        (pattern.group == Group::brief ? patterns_ : untuned_).add(pattern.name, figure->mean);
    judge_mean(patterns_mean_, patterns, Group::brief, *tree);
    judge_mean(untuned_mean_, patterns, Group::untuned, *tree);
  }
  /// Against the schedule of the runtime that is best for all patterns of `group` together.
  void judge_mean(Judge& judge, const std::vector<Pattern>& patterns, Group group, std::size_t tree) {
    std::optional<double> least;
    for (std::size_t c = 0; c < part_.candidates.size(); ++c) {
      if (is_ours(part_.candidates[c])) continue;
      if (const auto mean = mean_of(patterns, group, c)) least = std::min(least.value_or(*mean), *mean);
    }
    const auto mean = mean_of(patterns, group, tree);
    if (mean && least) judge.add("all", *mean / *least);
  }

  template <class Finish>
  static void add_mean(Judge& judge, const std::vector<double>& values, const Finish& finish) {
    if (values.empty()) return;
    double sum = 0;
    for (const double value : values) sum += value;
    judge.add("all", finish(sum / static_cast<double>(values.size())));
  }

  const Part& part_;
  int threads_;
  std::vector<double> logarithms_, grid_values_;
  Judge one_thread_{"one thread, iterations of a nanosecond: wstree / static", 1.01};
  Judge mean_{"standard workloads, geometric mean: wstree / ideal", 1.01};
  Judge worst_{"standard workloads: wstree / ideal", 1.10};
  Judge near_best_{"workloads of 1 ms and more: wstree / best of all runtimes", 1.02};
  Judge near_best_small_{"loops of 20 and 100 us: wstree / best of all runtimes", 1.10};
  Judge tiny_{"loops too short for two threads: wstree / static", 1.05};
  Judge over_dynamic_{"fine and uneven: wstree / dynamic,1 (20 times as fast)", 1 / 20.0};
  Judge over_steal_{"fine and uneven: wstree / static_steal,1 (5 times as fast)", 1 / 5.0};
  Judge over_guided_{"fine, STEP at the start: wstree / guided (1.5 times as fast)", 1 / 1.5};
  Judge grid_worst_{"STEP at every position and span: wstree / ideal", 1.15};
  Judge grid_mean_{"STEP at every position and span, mean: wstree / ideal", 1.04};
  Judge grid_even_{"STEP of the whole span, that is UNIFORM: wstree / ideal", 1.02};
  Judge memory_even_{"repeated over even data: wstree / static", 1.02};
  Judge memory_uneven_{"repeated over uneven data: wstree / better of static and guided", 1.0};
  Judge patterns_{"patterns of short loops: wstree / best of the runtime's", 1.05};
  Judge patterns_mean_{"patterns of short loops, geometric mean: wstree / the runtime's best schedule", 0.97};
  Judge brief_static_{"WAVEFRONT and GROUPS: wstree / static", 1.02};
  Judge jumps_{"calls at which a loop turns into another: wstree / wstree without memory", 1.10};
  Judge untuned_{"patterns that nothing is tuned to: wstree / best of the runtime's", 1.05};
  Judge untuned_mean_{
      "patterns that nothing is tuned to, geometric mean: wstree / the runtime's best schedule", 0.97};
};

/// The range and the queue on loops that any good balancer has to do well.
void judge_models(const Part& part, int threads, std::vector<Verdict>& list) {
  if (threads == 1) return;
  for (std::size_t c = 0; c < part.candidates.size(); ++c) {
    const int kind = part.candidates[c].kind;
    if (kind != k_wsrange && kind != k_wsqueue) continue;
    Judge judge("UNIFORM and TRIANGLE of 1 ms and more: " + part.candidates[c].name + " / ideal", 1.10);
    for (const Row& row : part.rows) {
      const bool is_meant = row.info.name.starts_with("UNIFORM/") || row.info.name.starts_with("TRIANGLE/");
      if (is_meant && row.info.group == Group::paper && row.seq_ms >= k_least_ms)
        judge.add(row, row.main[c], row.ideal);
    }
    judge.finish(list);
  }
}

} // namespace

bool is_standard(const RowInfo& info) {
  static constexpr std::array<std::string_view, 4> k_sizes = {"/16", "/1k", "/100k", "/10M"};
  static constexpr std::array<std::string_view, 4> k_programs = {"MANDEL", "TRIMV", "TRIMM", "PRIMES"};
  const std::string_view name = info.name;
  if (info.group == Group::program)
    return std::find(k_programs.begin(), k_programs.end(), name) != k_programs.end();
  // One of 16 iterations with nearly all of the work says nothing on a schedule.
  if (info.group != Group::paper || name == "RANDIF/16") return false;
  return std::any_of(k_sizes.begin(), k_sizes.end(),
                     [name](std::string_view suffix) { return name.ends_with(suffix); });
}

std::vector<Verdict> make_verdicts(const Part& part, int threads) {
  std::vector<Verdict> list;
  judge_models(part, threads, list);
  const bool tree_runs = std::any_of(part.candidates.begin(), part.candidates.end(),
                                     [](const Candidate& candidate) { return candidate.name == k_tree; });
  if (!tree_runs) return list;
  for (Verdict& verdict : TreeJudges(part, threads).judge()) list.push_back(std::move(verdict));
  return list;
}

} // namespace bench
