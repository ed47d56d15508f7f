// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr const char* k_ours = "wstree";

/// A row's figure, by itself or by that of another peer or row.
struct Rule {
  const char* what;
  const char* row;
  double limit;
  const char *other_peer = "", *other_row = ""; ///< the row itself unless it is named
};
constexpr Rule k_rules[] = {
    {"of the OpenMP reduction", "sum/ints", 1.03, "openmp"},
    {"of the OpenMP reduction", "sum/doubles", 1.03, "openmp"},
    {"of the OpenMP reduction", "sum/reproducible", 0.90, "openmp", "sum/doubles"},
    {"of the OpenMP reduction", "sum/reproducible/one_thread", 0.90, "openmp", "sum/doubles/one_thread"},
    {"of the ideal", "scan/doubles", 1.35},
    {"of the ideal", "scan/matrices", 1.50},
    {"of the ideal", "find/1_percent", 1.3},
    {"of the ideal", "find/middle", 1.2},
    {"of the ideal", "find/late", 1.1},
    {"of the ideal", "filter", 1.10},
    {"of the ideal", "nested/rows", 1.05},
    {"of std::inclusive_scan", "scan/doubles/one_thread", 1.02},
    {"of the outer loop alone", "nested/primes", 1.2, k_ours, "nested/primes/outer_alone"},
    {"of the double loop", "nested/primes/one_thread", 1.10},
    {"of the plain loop", "figure1/variance/one_thread", 1.01},
    {"of the plain loop", "figure1/sum/one_thread", 1.01}};

/// Microseconds of a call.
struct CallRule {
  const char* row;
  double limit;
};
constexpr CallRule k_calls[] = {{"small/100", 0.060}, {"small/1000", 0.70}, {"small/10000", 4.5}};

const MeasuredRow* row_of(const ApiFigures& figures, const std::string& name) {
  const auto found = std::ranges::find(figures.rows, name, &MeasuredRow::name);
  return found == figures.rows.end() ? nullptr : &*found;
}

void apply(const Rule& rule, const ApiFigures& figures, Report& report) {
  const std::string other_row = *rule.other_row ? rule.other_row : rule.row;
  const MeasuredRow *own = row_of(figures, rule.row), *other = row_of(figures, other_row);
  if (!own || !other) return;
  const auto value = own->ratio(k_ours), by = *rule.other_peer ? other->ratio(rule.other_peer) : 1.0;
  if (value && by)
    report.verdict(std::string(rule.row) + ", " + rule.what, rule.limit).add("wstree", *value / *by);
}

} // namespace

void judge(const ApiFigures& figures, Report& report) {
  for (const Rule& rule : k_rules) apply(rule, figures, report);
  double logs = 0;
  int count = 0;
  for (const MeasuredRow& row : figures.rows) {
    const auto value = row.ratio(k_ours), tbb = row.ratio("tbb");
    if (!value) continue;
    if (row.name.starts_with("uneven/")) {
      logs += std::log(*value), ++count;
      report.verdict("uneven, of the ideal", 1.10).add(row.name, value);
    }
    if (row.name.starts_with("scan/short/"))
      report.verdict("scan/short, of std::inclusive_scan", 1.00).add(row.name, value);
    if (row.name.starts_with("sort/") || row.name.starts_with("stable_sort/")) {
      const auto gnu = row.ratio("gnu");
      if (row.name.ends_with("/one_thread"))
        report.verdict("sorts of one thread, of the standard's", 1.02).add(row.name, value);
      else if (tbb || gnu)
        report.verdict("sorts, of the better of oneTBB and gnu", 1.00)
            .add(row.name, *value / std::min(tbb.value_or(HUGE_VAL), gnu.value_or(HUGE_VAL)));
      continue;
    }
    // Scans, short and nested calls, sums with the same bits, and EXP/16 have to be faster by a fifth.
    const bool by_a_fifth = row.name.starts_with("scan/") || row.name.starts_with("small/") ||
                            row.name == "nested/primes" || row.name == "sum/reproducible" ||
                            row.name == "uneven/EXP/16";
    if (tbb)
      report
          .verdict(by_a_fifth ? "of oneTBB's time, by a fifth" : "of oneTBB's time",
                   by_a_fifth ? 1 / 1.2 : 1.02)
          .add(row.name, *value / *tbb);
  }
  if (count != 0)
    report.verdict("uneven, of the ideal, geometric mean", 1.02).add("all", std::exp(logs / count));
  for (const CallRule& rule : k_calls)
    if (const MeasuredRow* const row = row_of(figures, rule.row))
      report.verdict(std::string(rule.row) + ", us a call", rule.limit).add("wstree", row->us(k_ours));
  if (const MeasuredRow* const early = row_of(figures, "find/early"); early && early->us(k_ours))
    report.verdict("find/early, us a call", 2 * median(early->sequential_us) + 0.1)
        .add("wstree", early->us(k_ours));
  for (const Property& property : figures.properties)
    if (property.peer == k_ours)
      report.verdict("what has to hold, failed", 0).add(property.name, property.holds ? 0 : 1);
}

} // namespace bench
