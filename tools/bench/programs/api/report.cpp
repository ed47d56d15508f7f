// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include "measure/process.h"
#include <cstdio>

namespace bench {
namespace {

std::optional<double> median_of(const MeasuredRow& row, const std::string& peer,
                                std::vector<double> Samples::*values) {
  const auto found = row.samples.find(peer);
  if (found == row.samples.end() || (found->second.*values).empty()) return std::nullopt;
  return median(found->second.*values);
}

/// Shows the ratios, or microseconds a call of the rows that have short calls.
void show_table(const ApiFigures& figures, bool in_us, Report& report) {
  Table& table =
      report.table(in_us ? "us a call" : "time / ideal", in_us ? "us" : "time / (sequential time / threads)");
  for (const MeasuredRow& row : figures.rows) {
    if ((in_us && row.is_long) || row.sequential_us.empty()) continue;
    table.at(row.name, in_us ? "sequential us" : "sequential ms") =
        fact(median(row.sequential_us) / (in_us ? 1 : 1e3));
    for (const std::string& peer : figures.peers) {
      const auto found = row.samples.find(peer);
      Cell& cell = table.at(row.name, in_us ? peer + " us" : peer);
      if (found == row.samples.end()) continue;
      cell = sample(in_us ? found->second.us : found->second.ratios);
      if (found->second.wrong && cell.value) cell.text = number_text(*cell.value) + '!';
    }
  }
  table.print();
  std::printf("\n");
}

} // namespace

std::optional<double> MeasuredRow::ratio(const std::string& peer) const {
  return median_of(*this, peer, &Samples::ratios);
}
std::optional<double> MeasuredRow::us(const std::string& peer) const {
  return median_of(*this, peer, &Samples::us);
}

void show(const ApiFigures& figures, Report& report) {
  std::printf("runtime: %s\n%d threads, medians of %d rounds; ideal: sequential time / threads, in the rows "
              "one_thread and short the sequential time; ! wrong result\n\n",
              runtime_description().c_str(), figures.threads, figures.rounds);
  show_table(figures, false, report);
  show_table(figures, true, report);
  Table& table = report.table("what holds", "");
  for (const Property& property : figures.properties)
    table.at(property.name, property.peer) = words(property.seen);
  if (!table.empty()) table.print();
  judge(figures, report);
  report.print_verdicts();
}

} // namespace bench
