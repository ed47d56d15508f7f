// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The project's goals, and whether they are reached.
#include "report.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace bench {
namespace {

/// A row, the part that it belongs to, and the number of threads.
struct Case {
  const Row& row;
  const Part& part;
  int threads;

  const std::string& name() const { return row.info.name; }
  bool is_of(Group group) const { return row.info.group == group; }
  /// Returns whether the row shows how well schedules balance, on more than one thread.
  bool is_balance() const {
    return threads > 1 && !row.info.is_short &&
           (is_of(Group::paper) || is_of(Group::program) || is_of(Group::small));
  }
  // A little below 1 ms, so that a workload sized for it counts however fast the machine is today.
  bool takes_a_millisecond() const { return row.seq_ms >= 0.9; }
  /// Returns whether the row counts for fine loops. Only libomp's do: programs avoid these schedules because
  /// of the cost of such loops there.
  bool is_fine() const {
    static constexpr std::array<std::string_view, 4> k_fine{"RANDIF/10M", "STEP_E/10M", "STEP_S/1M",
                                                            "TRIANGLE/1M"};
    return threads > 1 && part.runtime == "libomp" &&
           std::find(k_fine.begin(), k_fine.end(), name()) != k_fine.end();
  }
  std::optional<double> of(const char* candidate) const {
    const auto column = part.column(candidate);
    return column ? row.value(*column) : std::nullopt;
  }
  std::optional<double> to_static(const char* candidate) const {
    const auto column = part.column(candidate);
    return column ? row.to_static[*column] : std::nullopt;
  }
};

using Value = std::optional<double> (*)(const Case&);

/// A goal for the tree: `value` / `by` in all rows that count, or the geometric mean of that.
struct Rule {
  const char* what;
  double limit;
  bool (*counts)(const Case&);
  Value by;
  bool is_mean = false;
  Value value = [](const Case& in) { return in.row.tree; };
};

std::optional<double> ideal(const Case& in) { return in.row.ideal; }
std::optional<double> best(const Case& in) { return in.row.best; }
template <const auto& candidate> std::optional<double> time_of(const Case& in) { return in.of(candidate); }
template <const auto& candidate> std::optional<double> relative(const Case& in) {
  return in.to_static(candidate);
}
constexpr char k_of_static[] = "static", k_of_dyn1[] = "dyn1", k_of_steal1[] = "steal1",
               k_of_guided[] = "guided", k_of_wstree[] = "wstree", k_of_without[] = "no_memory";

std::optional<double> static_or_guided(const Case& in) {
  const auto fixed = in.of("static"), guided = in.of("guided");
  return fixed && guided ? std::optional(std::min(*fixed, *guided)) : std::nullopt;
}

constexpr Rule k_rules[] = {
    {"one thread, iterations of a nanosecond: wstree / static", 1.01,
     [](const Case& in) { return in.threads == 1 && in.name() == "UNIFORM/10M"; }, time_of<k_of_static>},
    {"standard workloads, geometric mean: wstree / ideal", 1.01,
     [](const Case& in) { return in.is_balance() && is_standard(in.row.info); }, ideal, true},
    {"standard workloads: wstree / ideal", 1.10,
     [](const Case& in) { return in.is_balance() && is_standard(in.row.info); }, ideal},
    {"workloads of 1 ms and more: wstree / best of all runtimes", 1.02,
     [](const Case& in) { return in.is_balance() && !in.is_of(Group::small) && in.takes_a_millisecond(); },
     best},
    {"loops of 20 and 100 us: wstree / best of all runtimes", 1.10,
     [](const Case& in) { return in.is_balance() && in.is_of(Group::small); }, best},
    {"loops too short for two threads: wstree / static", 1.05,
     [](const Case& in) { return in.threads > 1 && in.row.info.is_short; }, time_of<k_of_static>},
    {"fine and uneven: wstree / dynamic,1 (20 times as fast)", 1 / 20.0,
     [](const Case& in) { return in.is_fine(); }, time_of<k_of_dyn1>},
    {"fine and uneven: wstree / static_steal,1 (5 times as fast)", 1 / 5.0,
     [](const Case& in) { return in.is_fine(); }, time_of<k_of_steal1>},
    {"fine, STEP at the start: wstree / guided (1.5 times as fast)", 1 / 1.5,
     [](const Case& in) { return in.is_fine() && in.name().starts_with("STEP_S"); }, time_of<k_of_guided>},
    {"STEP at every position and span: wstree / ideal", 1.15,
     [](const Case& in) { return in.threads > 1 && in.is_of(Group::grid); }, ideal},
    {"STEP at every position and span, mean: wstree / ideal", 1.04,
     [](const Case& in) { return in.threads > 1 && in.is_of(Group::grid); }, ideal, true},
    {"STEP of the whole span, that is UNIFORM: wstree / ideal", 1.02,
     [](const Case& in) {
       return in.threads > 1 && in.is_of(Group::grid) && grid_place(in.name()).span == k_grid_side;
     },
     ideal},
    {"repeated over even data: wstree / static", 1.02,
     [](const Case& in) { return in.is_of(Group::memory) && !in.name().starts_with("SPMV_POWER"); },
     time_of<k_of_static>},
    {"repeated over uneven data: wstree / better of static and guided", 1.0,
     [](const Case& in) { return in.is_of(Group::memory) && in.name().starts_with("SPMV_POWER"); },
     static_or_guided},
    // Runtimes are at their best where they do nothing but cut a loop in two.
    {"WAVEFRONT and GROUPS: wstree / static", 1.02,
     [](const Case& in) { return in.name().starts_with("WAVEFRONT/") || in.name().starts_with("GROUPS/"); },
     relative<k_of_static>, false, relative<k_of_wstree>},
    {"calls at which a loop turns into another: wstree / wstree without memory", 1.10,
     [](const Case& in) { return in.name().starts_with("JUMP_") && in.name().ends_with("/jump"); },
     relative<k_of_without>, false, relative<k_of_wstree>}};

void apply(const Rule& rule, const Part& part, int threads, Report& report) {
  Verdict& verdict = report.verdict(rule.what, rule.limit, part.runtime);
  std::vector<double> values;
  for (const Row& row : part.rows) {
    const Case in{row, part, threads};
    if (!rule.counts(in)) continue;
    // Nothing is judged if there is no such candidate; a workload without samples of the tree fails.
    const auto by = rule.by(in), value = rule.value(in);
    if (!by) continue;
    const auto ratio = value ? std::optional(*value / *by) : std::nullopt;
    if (!rule.is_mean)
      verdict.add(in.name(), ratio);
    else if (ratio)
      values.push_back(*ratio);
  }
  if (!values.empty()) verdict.add("all", geometric_mean(values));
}

/// Judges each pattern of short loops, and all together against the schedule of the runtime that is best
/// for all.
void judge_patterns(const Part& part, std::size_t tree, Report& report) {
  const std::vector<Pattern> patterns = patterns_of(part);
  for (const Group group : {Group::brief, Group::untuned}) {
    const std::string what =
        group == Group::brief ? "patterns of short loops" : "patterns that nothing is tuned to";
    for (const Pattern& pattern : patterns)
      if (const auto ratios = pattern.to_best(tree); pattern.group == group && !ratios.empty())
        report.verdict(what + ": wstree / best of the runtime's", 1.05, part.runtime)
            .add(pattern.name, geometric_mean(ratios));
    std::optional<double> least;
    for (std::size_t c = 0; c < part.candidates.size(); ++c)
      if (const auto mean = mean_of(patterns, group, c); mean && !is_ours(part.candidates[c]))
        least = std::min(least.value_or(*mean), *mean);
    if (const auto mean = mean_of(patterns, group, tree); mean && least)
      report.verdict(what + ", geometric mean: wstree / the runtime's best schedule", 0.97, part.runtime)
          .add("all", *mean / *least);
  }
}

/// Judges the range and the queue on loops that any good balancer has to do well.
void judge_models(const Part& part, Report& report) {
  for (std::size_t c = 0; c < part.candidates.size(); ++c) {
    const int kind = part.candidates[c].kind;
    if (kind != k_wsrange && kind != k_wsqueue) continue;
    Verdict& verdict = report.verdict(
        "UNIFORM and TRIANGLE of 1 ms and more: " + part.candidates[c].name + " / ideal", 1.10, part.runtime);
    for (const Row& row : part.rows) {
      const std::string& name = row.info.name;
      if ((name.starts_with("UNIFORM/") || name.starts_with("TRIANGLE/")) && row.info.group == Group::paper &&
          row.seq_ms >= 0.9)
        verdict.add(name, row.main[c] ? std::optional(*row.main[c] / row.ideal) : std::nullopt);
    }
  }
}

} // namespace

bool is_standard(const RowInfo& info) {
  static constexpr std::array<std::string_view, 4> k_sizes = {"/16", "/1k", "/100k", "/10M"};
  static constexpr std::array<std::string_view, 4> k_programs = {"MANDEL", "TRIMV", "TRIMM", "PRIMES"};
  const std::string_view name = info.name;
  if (info.group == Group::program)
    return std::find(k_programs.begin(), k_programs.end(), name) != k_programs.end();
  // RANDIF/16 does not judge a schedule: one of its 16 iterations has nearly all of the work.
  if (info.group != Group::paper || name == "RANDIF/16") return false;
  return std::any_of(k_sizes.begin(), k_sizes.end(),
                     [name](std::string_view suffix) { return name.ends_with(suffix); });
}

void judge(const Part& part, const Settings& settings, Report& report) {
  if (settings.threads > 1) judge_models(part, report);
  const auto tree = part.column(k_tree);
  if (!tree) return;
  for (const Rule& rule : k_rules) apply(rule, part, settings.threads, report);
  if (settings.threads > 1) judge_patterns(part, *tree, report);
}

} // namespace bench
