// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace wstree::cli {

namespace {

std::string with_commas(std::uint64_t value) {
  const auto digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string ratio(double value) { return fmt::format("{:.{}f}", value, value < 99.995 ? 2 : 0); }

/// Columns as wide as they have to be, the first one flush left.
class Table {
public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      for (std::size_t c = 0; c < row.size(); ++c)
        out += c == 0 ? fmt::format("{:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c]);
      out += '\n';
    }
    return out;
  }

private:
  std::vector<std::vector<std::string>> rows_;
};

std::string head(const Plan& plan) {
  auto out = fmt::format("{} iterations, {:g} ms of work, median of {} round{}; batches {}, strategy {}",
                         with_commas(plan.iterations), plan.work_ms, plan.rounds, plan.rounds == 1 ? "" : "s",
                         config::to_text(plan.batch).view(), config::to_text(plan.strategy));
  if (plan.settings.roots != 0)
    out += fmt::format(", {} root{}", plan.settings.roots, plan.settings.roots == 1 ? "" : "s");
  out += "\nmachine:";
  for (const auto& [name, value] : values_of(plan.machine))
    fmt::format_to(std::back_inserter(out), " {}={}", name, value);
  return out + "\ntime / ideal; ideal is max(work / threads, longest iteration)\n";
}

std::string matrix(const Results& results, std::size_t t) {
  const Plan& plan = results.plan();
  Table table;
  const auto threads = plan.threads[t];
  std::vector<std::string> row{fmt::format("{} thread{}", threads, threads == 1 ? "" : "s")};
  for (const auto& schedule : plan.schedules) row.push_back(name_of(schedule));
  table.add(row);
  for (std::size_t w = 0; w < plan.workloads.size(); ++w) {
    row = {plan.workloads[w].name()};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) row.push_back(ratio(results.at(t, w, s).ratio));
    table.add(row);
  }
  if (plan.workloads.size() > 1) {
    row = {"geometric mean"};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s)
      row.push_back(ratio(results.geometric_mean(t, s)));
    table.add(row);
    row = {"worst"};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) row.push_back(ratio(results.worst(t, s)));
    table.add(row);
  }
  return table.text();
}

std::string details_of(const Results& results, std::size_t t) {
  const Plan& plan = results.plan();
  Table table;
  table.add({fmt::format("{} thread{}", plan.threads[t], plan.threads[t] == 1 ? "" : "s"), "schedule",
             "time/ideal", "time us", "batches", "steals", "nodes", "transfers", "waiting us"});
  for (std::size_t w = 0; w < plan.workloads.size(); ++w)
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
      const auto& [value, ideal, round] = results.at(t, w, s);
      const auto us = [](simulate::Time time) {
        return fmt::format("{:.1f}", static_cast<double>(time) / (1'000 * simulate::k_ns));
      };
      table.add({plan.workloads[w].name(), name_of(plan.schedules[s]), ratio(value), us(round.time),
                 with_commas(round.counts.batches), with_commas(round.counts.steals),
                 with_commas(round.counts.nodes), with_commas(round.traffic.transfers),
                 us(round.traffic.waiting)});
    }
  return table.text();
}

} // namespace

std::string simulate_text(const Results& results, bool details) {
  auto out = head(results.plan());
  for (std::size_t t = 0; t < results.plan().threads.size(); ++t) {
    out += '\n';
    out += details ? details_of(results, t) : matrix(results, t);
  }
  return out;
}

} // namespace wstree::cli
