// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "show.h"

#include "support/loop_name.h"
#include "support/table.h"
#include "support/visible.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace wstree::cli {

namespace {

constexpr std::size_t k_usual_width = 100;

using Row = Table::Row;

/// Returns lines that fit the width: the first column is cut.
std::string columns_text(const std::vector<Row>& rows, const Terminal& terminal) {
  return Table(rows).text({TableStyle::Left::first_and_last, terminal.width, &terminal});
}

std::string seconds_text(double seconds) { return duration_text(seconds); }

/// The columns that a table shows of each variant; fewer in a narrow window.
struct Shown {
  bool range = true, full_names = true, interval = true, cpu = true;
};

Row head_of(const char* first, const Shown& shown) {
  Row row{first, "median"};
  if (shown.range) row.push_back({"range"});
  if (shown.cpu) row.push_back({"CPU time"});
  row.push_back({"of as it is"});
  row.push_back({"verdict"});
  return row;
}

Row row_of(const Contest& comparison, const Samples& samples, const Shown& shown) {
  Row row{shown.full_names ? samples.variant.name : short_name(samples.variant)};
  if (!samples.is_usable()) {
    row.push_back({"-"});
    if (shown.range) row.emplace_back();
    if (shown.cpu) row.emplace_back();
    row.emplace_back();
    row.push_back({visible(samples.problem).substr(0, shown.range ? 40 : 22)});
    return row;
  }
  const auto interval = median_interval(samples.seconds);
  row.push_back({seconds_text(interval.middle)});
  if (shown.range)
    row.push_back({fmt::format("{} .. {}", seconds_text(interval.low), seconds_text(interval.high))});
  if (shown.cpu) row.push_back({seconds_text(median_of(samples.cpu_seconds))});
  if (samples.variant.role == Role::as_it_is) {
    row.push_back({"1.000"});
    row.emplace_back();
    return row;
  }
  const auto ratio = comparison.ratio(samples.variant.name, k_as_it_is);
  row.push_back({shown.interval
                     ? fmt::format("{:.3f} ({:.3f} .. {:.3f})", ratio.middle, ratio.low, ratio.high)
                     : fmt::format("{:.3f}", ratio.middle)});
  row.push_back(
      {ratio.enough ? brief_verdict(ratio) : fmt::format("too few to tell: {} runs", samples.seconds.size()),
       ratio.is_faster()   ? std::optional(Ink::good)
       : ratio.is_slower() ? std::optional(Ink::bad)
                           : std::nullopt});
  return row;
}

std::string variants_text(const Contest& comparison, const Terminal& terminal) {
  for (const Shown shown : {Shown{}, Shown{false}, Shown{false, false}, Shown{false, false, true, false},
                            Shown{false, false, false, false}}) {
    std::vector<Row> rows = {head_of("schedule", shown)}, causes = {head_of("to see why", shown)};
    for (const auto& samples : comparison.samples)
      (samples.variant.role == Role::cause ? causes : rows).push_back(row_of(comparison, samples, shown));
    const bool fits =
        terminal.width == 0 || std::max(Table(rows).width(), Table(causes).width()) <= terminal.width;
    if (fits || !shown.interval)
      return columns_text(rows, terminal) + (causes.size() > 1 ? "\n" + columns_text(causes, terminal) : "");
  }
  return {};
}

/// Returns a text such as "1.23 G"; a dash for an unknown count.
std::string count_text(const std::optional<double>& count) {
  if (!count) return "-";
  for (const auto& [unit, name] : {std::pair(1e9, " G"), std::pair(1e6, " M"), std::pair(1e3, " k")})
    if (*count >= unit) return fmt::format("{:.2f}{}", *count / unit, name);
  return fmt::format("{:.4g}", *count);
}

std::string counters_table(const Contest& comparison, const Terminal& terminal) {
  std::vector<Row> rows{
      Row{"medians of a run", "cycles", "instructions", "per cycle", "cache misses", "switches", "energy"}};
  for (const auto& samples : comparison.samples) {
    if (!samples.is_usable() || samples.counts.empty()) continue;
    const auto counts = medians_of(samples.counts);
    const bool has_both = counts[k_cycles] && counts[k_instructions] && *counts[k_cycles] > 0;
    rows.push_back({short_name(samples.variant), count_text(counts[k_cycles]),
                    count_text(counts[k_instructions]),
                    has_both ? fmt::format("{:.2f}", *counts[k_instructions] / *counts[k_cycles]) : "-",
                    count_text(counts[k_cache_misses]), count_text(counts[k_context_switches]),
                    counts[k_energy] ? fmt::format("{:.2f} J", *counts[k_energy]) : "-"});
  }
  return rows.size() > 1 ? columns_text(rows, terminal) + "\n" : "";
}

std::string verdict_of(const LoopTimes& loop, bool brief) {
  const auto verdict = judge_loop(loop);
  if (loop.too_short) return "too short to tell";
  if (verdict.best.starts_with(k_tree) && verdict.best != k_tree) return "faster with shared chunks";
  if (verdict.other.empty()) return {};
  // Fewer rounds show a difference to the source's schedule than to the best of several.
  const bool of_best = verdict.against.enough;
  const auto& ratio = of_best ? verdict.against : verdict.gain;
  if (!ratio.enough) return "too few to tell";
  if (ratio.is_same() || brief) return brief_verdict(ratio);
  return fmt::format("{} than {}", brief_verdict(ratio), of_best ? verdict.other : loop.as_it_is);
}

std::string loops_table(const Contest& comparison, const Terminal& terminal) {
  std::vector<std::string> variants;
  for (const auto& samples : comparison.samples)
    if (samples.variant.role == Role::per_loop && samples.is_usable())
      variants.push_back(samples.variant.name);
  const auto cell = [](const LoopTimes& loop, const std::string& name) {
    const auto found = loop.seconds.find(name);
    return found == loop.seconds.end() ? std::string("-") : seconds_text(median_of(found->second));
  };
  std::vector<Row> rows;
  for (const bool brief : {false, true}) {
    rows = {Row{"loop"}};
    if (!brief) rows[0].push_back({"calls"});
    for (const auto& name : variants) rows[0].push_back({name});
    rows[0].push_back({k_tree});
    rows[0].push_back({"the tree"});
    for (const auto& loop : comparison.loops) {
      Row row{folded_name(visible(loop.name))};
      if (!brief) row.push_back({std::to_string(loop.calls)});
      for (const auto& name : variants) row.push_back({cell(loop, name)});
      row.push_back({cell(loop, k_tree)});
      row.push_back({verdict_of(loop, brief)});
      rows.push_back(std::move(row));
    }
    constexpr std::size_t k_readable = 32; // columns of a loop's name
    const auto names = std::max_element(
        comparison.loops.begin(), comparison.loops.end(), [](const LoopTimes& a, const LoopTimes& b) {
          return columns_of(folded_name(visible(a.name))) < columns_of(folded_name(visible(b.name)));
        });
    const auto longest = names == comparison.loops.end() ? 0 : columns_of(folded_name(visible(names->name)));
    if (terminal.width == 0 ||
        Table(rows).width() - longest + std::min(longest, k_readable) <= terminal.width)
      break;
  }
  return columns_text(rows, terminal);
}

} // namespace

std::string comparison_text(const Contest& comparison, const Judgement& judgement, const Terminal& terminal,
                            bool per_loop) {
  const auto width = terminal.width != 0 ? std::min(terminal.width, std::size_t{120}) : k_usual_width;
  const auto rounds =
      comparison.rounds == 1 ? std::string("1 round") : fmt::format("{} rounds", comparison.rounds);
  auto text = fmt::format("{}: {} in shuffled order (--seed {}), medians\n\n", visible(comparison.program),
                          rounds, comparison.seed);
  text += variants_text(comparison, terminal) + "\n";
  if (per_loop) text += loops_table(comparison, terminal) + "\n";
  text += counters_table(comparison, terminal);
  if (!comparison.counters_problem.empty()) text += wrapped(comparison.counters_problem, width);
  const bool same =
      std::all_of(comparison.samples.begin(), comparison.samples.end(),
                  [&](const Samples& one) { return outputs_of(comparison, one) == Outputs::same; });
  if (same)
    text += wrapped("All runs printed the same. Files that the program writes were not compared.", width);
  for (const auto& warning : judgement.warnings) text += wrapped("warning: " + visible(warning), width);
  return text + wrapped(visible(judgement.paragraph), width);
}

} // namespace wstree::cli
