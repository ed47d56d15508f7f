// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include "measure/measure.h"
#include "measure/process.h"
#include "verdicts.h"
#include <algorithm>
#include <cstdio>

namespace bench {
namespace {

std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return median(values);
}

const Samples* samples_of(const MeasuredRow& row, const std::string& peer) {
  const auto found = row.samples.find(peer);
  return found == row.samples.end() ? nullptr : &found->second;
}

double spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](std::size_t quarter) { return values[(values.size() - 1) * quarter / 4]; };
  return (at(3) - at(1)) / 2 / at(2);
}

std::string cell(const MeasuredRow& row, const std::string& peer, bool in_us) {
  const auto value = in_us ? row.us(peer) : row.ratio(peer);
  if (!value) return "-";
  char text[32];
  const bool wrong = samples_of(row, peer)->wrong;
  std::snprintf(text, sizeof text, *value < 100 ? "%.3f%s" : "%.0f%s", *value, wrong ? "!" : "");
  return text;
}

void print_table(const ApiReport& report, bool in_us) {
  std::printf("%-30s %12s", in_us ? "us a call" : "time / ideal", in_us ? "sequential" : "seq ms");
  for (const std::string& peer : report.peers) std::printf(" %10s", peer.c_str());
  std::printf("\n");
  for (const MeasuredRow& row : report.rows) {
    if ((in_us && row.is_long) || row.sequential_us.empty()) continue;
    const double us = median(row.sequential_us);
    std::printf("%-30s %12.4f", row.name.c_str(), in_us ? us : us / 1e3);
    for (const std::string& peer : report.peers) std::printf(" %10s", cell(row, peer, in_us).c_str());
    std::printf("\n");
  }
  std::printf("\n");
}

void print_properties(const ApiReport& report) {
  std::vector<std::string> names;
  for (const Property& property : report.properties)
    if (std::ranges::find(names, property.name) == names.end()) names.push_back(property.name);
  std::printf("%-18s", "what holds");
  for (const std::string& peer : report.peers) std::printf(" %16s", peer.c_str());
  std::printf("\n");
  for (const std::string& name : names) {
    std::printf("%-18s", name.c_str());
    for (const std::string& peer : report.peers) {
      const auto found = std::ranges::find_if(report.properties, [&](const Property& property) {
        return property.name == name && property.peer == peer;
      });
      std::printf(" %16s", found == report.properties.end() ? "-" : found->seen.c_str());
    }
    std::printf("\n");
  }
}

} // namespace

std::optional<double> MeasuredRow::ratio(const std::string& peer) const {
  const Samples* const found = samples_of(*this, peer);
  return found ? median_of(found->ratios) : std::nullopt;
}

std::optional<double> MeasuredRow::us(const std::string& peer) const {
  const Samples* const found = samples_of(*this, peer);
  return found ? median_of(found->us) : std::nullopt;
}

void print(const ApiReport& report) {
  std::printf("runtime: %s\n%d threads, medians of %d rounds; ideal: sequential time / threads, in the rows "
              "one_thread and short the sequential time; ! wrong result\n\n",
              runtime_description().c_str(), report.threads, report.rounds);
  print_table(report, false);
  print_table(report, true);
  print_properties(report);
  std::printf("\nVerdict\n");
  for (const ApiVerdict& verdict : verdicts_on(report))
    std::printf("  %-4s %s: %.3f, limit %.3f\n", verdict.value <= verdict.limit ? "yes" : "NO",
                verdict.what.c_str(), verdict.value, verdict.limit);
}

Json to_json(const ApiReport& report) {
  Json json{{"threads", report.threads}, {"rounds", report.rounds}};
  Json& rows = json["api"] = Json::array();
  for (const MeasuredRow& row : report.rows) {
    if (row.sequential_us.empty()) continue;
    Json made{{"name", row.name}, {"sequential_us", rounded(median(row.sequential_us), 4)}};
    for (const auto& [peer, samples] : row.samples) {
      if (samples.ratios.empty()) continue;
      made["ratio"][peer] = rounded(*row.ratio(peer), 4);
      made["us"][peer] = rounded(*row.us(peer), 4);
      if (samples.ratios.size() > 1) made["spreads"][peer] = rounded(spread_of(samples.ratios), 4);
      if (samples.wrong) made["wrong"].push_back(peer);
    }
    rows.push_back(std::move(made));
  }
  Json& properties = json["properties"] = Json::array();
  for (const Property& property : report.properties)
    properties.push_back({{"property", property.name},
                          {"peer", property.peer},
                          {"seen", property.seen},
                          {"holds", property.holds}});
  Json& judged = json["verdicts"] = Json::array();
  for (const ApiVerdict& verdict : verdicts_on(report))
    judged.push_back({{"what", verdict.what},
                      {"value", rounded(verdict.value, 4)},
                      {"limit", rounded(verdict.limit, 4)},
                      {"reached", verdict.value <= verdict.limit}});
  return json;
}

} // namespace bench
