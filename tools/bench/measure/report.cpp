// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

/// Rounds to five digits; further ones are noise.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::string text_of(const Cell& cell) {
  if (!cell.text.empty()) return cell.text;
  return cell.value ? number_text(*cell.value) : "-";
}

} // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double spread_of(std::vector<double> values) {
  if (values.size() < 2) return -1;
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 4], high = values[values.size() - 1 - values.size() / 4];
  return (high - low) / 2 / median(values);
}

std::string number_text(double value) {
  const double size = std::abs(value);
  char text[32];
  std::snprintf(text, sizeof text, "%.*f",
                size < 9.9995   ? 3
                : size < 99.995 ? 2
                : size < 9999.5 ? 1
                                : 0,
                value);
  return text;
}

Cell sample(const std::vector<double>& values) {
  if (values.empty()) return {};
  return {median(values), spread_of(values)};
}

Cell fact(std::optional<double> value, const std::string& more) {
  Cell cell{value};
  cell.is_fact = true;
  if (value && !more.empty()) cell.text = number_text(*value) + more;
  return cell;
}

Cell words(std::string text) {
  Cell cell;
  cell.text = std::move(text);
  return cell;
}

Cell& Table::at(const std::string& row, const std::string& column) {
  auto found =
      std::find_if(rows_.rbegin(), rows_.rend(), [&](const Row& known) { return known.name == row; });
  if (found == rows_.rend()) {
    rows_.push_back({row, {}});
    found = rows_.rbegin();
  }
  const auto at = std::find(columns_.begin(), columns_.end(), column) - columns_.begin();
  const auto index = static_cast<std::size_t>(at);
  if (index == columns_.size()) columns_.push_back(column);
  if (found->cells.size() <= index) found->cells.resize(index + 1);
  return found->cells[index];
}

void Table::print() const {
  std::size_t first = head_.size();
  std::vector<std::size_t> widths;
  for (const std::string& column : columns_) widths.push_back(std::max<std::size_t>(column.size(), 6));
  for (const Row& row : rows_) {
    first = std::max(first, row.name.size());
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      widths[c] = std::max(widths[c], text_of(row.cells[c]).size());
  }
  std::printf("%-*s", static_cast<int>(first), head_.c_str());
  for (std::size_t c = 0; c < columns_.size(); ++c)
    std::printf("  %*s", static_cast<int>(widths[c]), columns_[c].c_str());
  std::printf("\n");
  for (const Row& row : rows_) {
    std::printf("%-*s", static_cast<int>(first), row.name.c_str());
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      std::printf("  %*s", static_cast<int>(widths[c]), text_of(row.cells[c]).c_str());
    std::printf("\n");
  }
}

void Verdict::add(const std::string& name, std::optional<double> value) {
  ++of;
  if (!value) return failures.push_back(name + " no sample");
  worst = std::max(worst, *value);
  if (*value <= limit)
    ++held;
  else
    failures.push_back(name + ' ' + number_text(*value));
}

Table& Report::table(std::string head, std::string unit, std::string runtime) {
  return tables_.emplace_back(std::move(head), std::move(unit), std::move(runtime));
}

Verdict& Report::verdict(const std::string& what, double limit, const std::string& runtime) {
  for (Verdict& known : verdicts_)
    if (known.what == what && known.runtime == runtime) return known;
  return verdicts_.emplace_back(Verdict{what, runtime, limit});
}

void Report::print_verdicts(const std::string& runtime) const {
  const char* head = "\nVerdict";
  for (const Verdict& verdict : verdicts_) {
    if (verdict.of == 0 || verdict.runtime != runtime) continue;
    if (head) std::printf("%s%s%s\n", head, runtime.empty() ? "" : ", ", runtime.c_str());
    head = nullptr;
    std::printf("  %-4s %s: limit %s, worst %s, holds for %zu of %zu\n",
                verdict.failures.empty() ? "yes" : "NO", verdict.what.c_str(),
                number_text(verdict.limit).c_str(), number_text(verdict.worst).c_str(), verdict.held,
                verdict.of);
    for (const std::string& failure : verdict.failures) std::printf("         %s\n", failure.c_str());
  }
}

bool Report::write(const std::string& path) const {
  if (path.empty()) return true;
  Json rows = Json::array(), facts = Json::array(), judged = Json::array();
  for (const Table& table : tables_)
    for (const Table::Row& row : table.rows_)
      for (std::size_t c = 0; c < row.cells.size(); ++c) {
        const Cell& cell = row.cells[c];
        if (!cell.value) continue;
        Json made{{"row", row.name}, {"column", table.columns_[c]}, {"value", rounded(*cell.value)}};
        if (!table.unit_.empty() && !cell.is_fact) made["unit"] = table.unit_;
        if (cell.spread >= 0) made["spread"] = rounded(cell.spread);
        if (!table.runtime_.empty()) made["runtime"] = table.runtime_;
        (cell.is_fact ? facts : rows).push_back(std::move(made));
      }
  for (const Verdict& verdict : verdicts_) {
    if (verdict.of == 0) continue;
    Json made{{"what", verdict.what},
              {"limit", rounded(verdict.limit)},
              {"worst", rounded(verdict.worst)},
              {"held", verdict.held},
              {"of", verdict.of}};
    if (!verdict.runtime.empty()) made["runtime"] = verdict.runtime;
    judged.push_back(std::move(made));
  }
  const Json json{{"threads", threads_}, {"rounds", rounds_}, {"dropped", dropped_},
                  {"rows", rows},        {"facts", facts},    {"verdicts", judged}};
  std::ofstream out(path);
  out << json.dump(1) << '\n';
  if (out.flush()) return true;
  std::fprintf(stderr, "bench: cannot write %s\n", path.c_str());
  return false;
}

} // namespace bench
