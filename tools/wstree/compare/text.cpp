// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "show.h"

#include "support/table.h"
#include "support/visible.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

namespace wstree::cli {

namespace {

constexpr std::size_t k_usual_width = 100;

using Row = std::vector<std::string>;

std::string columns_text(const std::vector<Row>& rows, const Terminal& terminal) {
  Table table;
  for (const auto& row : rows) table.add(row);
  return table.text({true, terminal.width, &terminal});
}

std::string seconds_text(double seconds) { return duration_text(seconds); }

Row row_of(const Contest& comparison, const Samples& samples, const Terminal& terminal) {
  const auto& name = samples.variant.name;
  if (!samples.is_usable()) return {name, "-", "", "", visible(samples.problem).substr(0, 40)};
  const auto interval = median_interval(samples.seconds);
  Row row = {name, seconds_text(interval.middle),
             fmt::format("{} .. {}", seconds_text(interval.low), seconds_text(interval.high))};
  if (samples.variant.role == Role::as_it_is) {
    row.emplace_back("1.000");
    row.emplace_back();
    return row;
  }
  const auto ratio = comparison.ratio(name, k_as_it_is);
  row.push_back(fmt::format("{:.3f} ({:.3f} .. {:.3f})", ratio.middle, ratio.low, ratio.high));
  const auto verdict =
      ratio.enough ? verdict_text(ratio) : fmt::format("too few to tell: {} runs", samples.seconds.size());
  row.push_back(ratio.is_faster()   ? inked(terminal, Ink::good, verdict)
                : ratio.is_slower() ? inked(terminal, Ink::bad, verdict)
                                    : verdict);
  return row;
}

std::string variants_text(const Contest& comparison, const Terminal& terminal) {
  std::vector<Row> rows = {{"schedule", "median", "range", "of as it is", "verdict"}};
  std::vector<Row> causes = {{"to see why", "median", "range", "of as it is", "verdict"}};
  for (const auto& samples : comparison.samples)
    (samples.variant.role == Role::cause ? causes : rows).push_back(row_of(comparison, samples, terminal));
  return columns_text(rows, terminal) + "\n" + columns_text(causes, terminal);
}

std::string loops_table(const Contest& comparison, const Terminal& terminal) {
  std::vector<std::string> variants;
  for (const auto& samples : comparison.samples)
    if (samples.variant.role == Role::per_loop && samples.is_usable())
      variants.push_back(samples.variant.name);
  Row head = {"loop", "calls"};
  head.insert(head.end(), variants.begin(), variants.end());
  head.emplace_back(k_tree);
  head.emplace_back("the tree");
  std::vector<Row> rows = {head};
  const auto cell = [](const LoopTimes& loop, const std::string& name) {
    const auto found = loop.seconds.find(name);
    return found == loop.seconds.end() ? std::string("-") : seconds_text(median_of(found->second));
  };
  for (const auto& loop : comparison.loops) {
    Row row = {visible(loop.name), std::to_string(loop.calls)};
    for (const auto& name : variants) row.push_back(cell(loop, name));
    row.push_back(cell(loop, k_tree));
    const auto verdict = judge_loop(loop);
    row.push_back(loop.too_short          ? "too short to tell"
                  : verdict.other.empty() ? ""
                  : verdict.against.is_same()
                      ? verdict_text(verdict.against)
                      : fmt::format("{} than {}", verdict_text(verdict.against), verdict.other));
    rows.push_back(row);
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
  const bool same =
      std::all_of(comparison.samples.begin(), comparison.samples.end(),
                  [&](const Samples& one) { return outputs_of(comparison, one) == Outputs::same; });
  if (same)
    text += wrapped("All runs printed the same. Files that the program writes were not compared.", width);
  for (const auto& warning : judgement.warnings) text += wrapped("warning: " + visible(warning), width);
  return text + wrapped(visible(judgement.paragraph), width);
}

} // namespace wstree::cli
