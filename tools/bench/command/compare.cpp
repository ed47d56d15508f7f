// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include "support/exit_status.h"
#include "support/message.h"
#include "support/table.h"
#include "support/text_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

namespace wstree::cli::bench {

namespace {

/// Part, runtime, row, column.
using Key = std::tuple<std::string, std::string, std::string, std::string>;

struct Value {
  double value = 0;
  std::optional<double> spread;
};

struct Change {
  Key key;
  double before, after, limit;
  [[nodiscard]] double factor() const { return after / before; }
};

std::map<Key, Value> values_of(const Json& document) {
  std::map<Key, Value> values;
  for (const auto& row : document.at("rows")) {
    Value value{row.at("value"), std::nullopt};
    if (row.contains("spread")) value.spread = row.at("spread").get<double>();
    values[{row.at("part"), row.at("runtime"), row.at("row"), row.at("column")}] = value;
  }
  return values;
}

/// Returns the largest difference of two medians that counts as none. Quartiles of few samples lie too close
/// together, and two runs differ by more than the samples of one run.
double allowed(const Value& before, const Value& after) {
  constexpr double k_unknown = 0.10, k_least = 0.02, k_wide = 2;
  if (!before.spread || !after.spread) return k_unknown;
  return std::max(k_least, k_wide * (*before.spread + *after.spread));
}

void add_changes(std::string& text, const std::string& title, std::vector<Change>& changes) {
  if (changes.empty()) return;
  // The largest change first, in either direction.
  std::ranges::sort(changes, std::ranges::greater{},
                    [](const Change& change) { return std::abs(std::log(change.factor())); });
  Table table;
  table.add({title, "A", "B", "B/A", "allowed"});
  for (const auto& change : changes) {
    const auto& [part, runtime, row, column] = change.key;
    table.add({fmt::format("{} {} {}, {}", part, runtime, row, column), fmt::format("{:.4g}", change.before),
               fmt::format("{:.4g}", change.after), fmt::format("{:.3f}", change.factor()),
               fmt::format("{:.1f} %", 100 * change.limit)});
  }
  text += table.text() + '\n';
}

std::string fact(const Json& document, const char* group, const char* name) {
  return document.value(group, Json::object()).value(name, std::string());
}

/// Returns the differences that make two files hard to compare.
std::string differences(const Json& before, const Json& after) {
  std::string text;
  for (const auto& [group, name] : {std::pair{"machine", "processor"}, std::pair{"machine", "topology"},
                                    std::pair{"machine", "priority"}, std::pair{"software", "libomp"}}) {
    const auto a = fact(before, group, name), b = fact(after, group, name);
    if (a != b) text += fmt::format("Not the same {}: {} in A, {} in B\n", name, a, b);
  }
  if (before.value("size", "") != after.value("size", ""))
    text += fmt::format("Not the same size: {} in A, {} in B\n", before.value("size", ""),
                        after.value("size", ""));
  return text;
}

std::optional<Json> read(const std::string& file) {
  const auto text = read_text(file);
  if (!text) {
    say("--compare: '{}' cannot be read", file);
    return std::nullopt;
  }
  auto document = Json::parse(*text, nullptr, false);
  if (document.is_object() && document.value("schema", 0) == 1 && document.contains("rows")) return document;
  say("--compare: '{}' is no results.json of wstree bench", file);
  return std::nullopt;
}

} // namespace

Comparison compare(const Json& before, const Json& after) {
  Comparison made;
  std::vector<Change> better, worse;
  auto old_values = values_of(before);
  const auto new_values = values_of(after);
  for (const auto& [key, value] : new_values) {
    const auto found = old_values.find(key);
    if (found == old_values.end()) {
      ++made.only_after;
      continue;
    }
    const Value old = found->second;
    old_values.erase(found);
    if (old.value <= 0 || value.value <= 0) continue; // differences of times have no factor
    const Change change{key, old.value, value.value, allowed(old, value)};
    if (change.factor() > 1 + change.limit)
      worse.push_back(change);
    else if (change.factor() < 1 / (1 + change.limit))
      better.push_back(change);
    else
      ++made.same;
  }
  made.only_before = old_values.size();
  made.better = better.size();
  made.worse = worse.size();
  made.text = differences(before, after);
  add_changes(made.text, "worse", worse);
  add_changes(made.text, "better", better);
  made.text +=
      fmt::format("{} values are worse in B, {} better, {} as they were; {} only in A, {} only in B\n",
                  made.worse, made.better, made.same, made.only_before, made.only_after);
  return made;
}

int compare_files(const std::string& before, const std::string& after) {
  const auto a = read(before);
  if (!a) return k_own_error;
  const auto b = read(after);
  if (!b) return k_own_error;
  try {
    const auto comparison = compare(*a, *b);
    fmt::print("{}", comparison.text);
    return comparison.worse == 0 ? k_ok : k_bench_failed;
  } catch (const nlohmann::json::exception&) {
    say("--compare: '{}' or '{}' has rows that are incomplete", before, after);
    return k_own_error;
  }
}

} // namespace wstree::cli::bench
