// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the files of the programs, each of its own form, to one list of values.
#include "findings.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli::bench {

namespace {

constexpr const char* k_ratio = "time / (sequential time / threads)";

/// Where a value is from; `row` and `column` say which it is.
struct Place {
  std::string part, runtime;
};

void add_row(Json& rows, const Place& place, const std::string& row, const std::string& column,
             const Json& value, const std::string& unit, const Json& spread = {}) {
  if (!value.is_number()) return;
  Json made{
      {"part", place.part}, {"runtime", place.runtime}, {"row", row}, {"column", column}, {"value", value}};
  if (!unit.empty()) made["unit"] = unit;
  if (spread.is_number()) made["spread"] = spread;
  rows.push_back(std::move(made));
}

/// What the program `loops` writes. `more` stands behind the workload: the number of threads.
void add_loops(Json& rows, const std::string& part, const std::string& more, const Json& loops) {
  const bool can_spread = loops.value("rounds", 0) > 1; // a single sample is equal to itself
  for (const auto& runtime : loops.at("runtimes")) {
    const Place place{part, runtime.at("runtime")};
    for (const auto& workload : runtime.at("workloads")) {
      const auto name = workload.at("name").get<std::string>() + more;
      const auto spreads = workload.value("spreads", Json::object());
      for (const auto& [candidate, ratio] : workload.at("ratio").items()) {
        auto spread = member(spreads, candidate);
        // Files of earlier programs have the spread of the tree alone.
        if (spreads.empty() && candidate == "wstree") spread = member(workload, "spread");
        if (!can_spread) spread = Json();
        add_row(rows, place, name, candidate, ratio, k_ratio, spread);
      }
      const auto bare = workload.value("ratio_without_library", Json::object());
      for (const auto& [candidate, ratio] : bare.items())
        add_row(rows, place, name, candidate + " without the library", ratio, k_ratio);
    }
  }
}

/// What the program `step` writes.
void add_steps(Json& rows, const Place& place, const Json& steps) {
  for (const auto& curve : steps.at("curves"))
    for (const auto& [step, ms] : curve.at("ms").items())
      add_row(rows, place, "STEP=" + step,
              fmt::format("{} P={}", curve.at("schedule").get<std::string>(), curve.at("threads").get<int>()),
              ms, "ms");
}

/// What the program `api` writes.
void add_api(Json& rows, const Place& place, const Json& api) {
  for (const auto& row : api.at("api")) {
    const auto name = row.at("name").get<std::string>();
    for (const auto& [peer, ratio] : member(row, "ratio").items())
      add_row(rows, place, name, peer, ratio, k_ratio, member(member(row, "spreads"), peer));
    for (const auto& [peer, us] : member(row, "us").items())
      add_row(rows, place, name, peer + " us", us, "us");
  }
}

/// What core_steps() makes of Google Benchmark's file.
void add_core_steps(Json& rows, const Place& place, const Json& core) {
  for (const auto& step : core.at("steps"))
    add_row(rows, place, step.at("name"), "ns", step.at("ns"), "ns", member(step, "spread"));
}

/// Of an object inside a list, what tells it from the others there.
std::string label_of(const Json& element, std::size_t index) {
  std::string label;
  for (const auto& [name, value] : element.items())
    if (value.is_string())
      label += fmt::format("{}{}", label.empty() ? "" : " ", value.get<std::string>());
    else if (name == "threads")
      label += fmt::format(" P={}", value.get<int>());
  return label.empty() ? std::to_string(index) : label;
}

/// Every number in a file whose form is not known here: its own name is the row, the way to it the column.
void add_numbers(Json& rows, const Place& place, const Json& json, const std::string& path) {
  const auto inside = [&](const std::string& name) { return path.empty() ? name : path + "/" + name; };
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i)
      add_numbers(rows, place, json[i],
                  inside(json[i].is_object() ? label_of(json[i], i) : std::to_string(i)));
  } else if (json.is_object()) {
    for (const auto& [name, value] : json.items()) {
      // What was asked for, and what is judged, is no measured value.
      if (name == "threads" || name == "rounds" || name == "verdicts" || name == "limit") continue;
      if (value.is_structured())
        add_numbers(rows, place, value, inside(name));
      else
        add_row(rows, place, name, path, value, "");
    }
  }
}

bool is_loops(const Json& data) { return data.is_object() && data.contains("runtimes"); }

void add_verdict(Json& list, const std::string& part, const std::string& runtime, const Json& verdict) {
  Json made{{"part", part}, {"runtime", runtime}, {"what", verdict.at("what")}};
  made["limit"] = verdict.value("limit", Json());
  // Of a single value, or of many.
  const bool single = verdict.contains("reached");
  made["worst"] = single ? verdict.value("value", Json()) : verdict.value("worst", Json());
  made["held"] = single ? Json(verdict.at("reached").get<bool>() ? 1 : 0) : verdict.at("held");
  made["of"] = single ? Json(1) : verdict.at("of");
  list.push_back(std::move(made));
}

void add_verdicts(Json& list, const std::string& part, const std::string& name, const Json& data) {
  if (!data.is_object()) return;
  for (const auto& verdict : data.value("verdicts", Json::array()))
    add_verdict(list, part, is_loops(data) ? "" : name, verdict);
  if (!is_loops(data)) return;
  for (const auto& runtime : data.at("runtimes"))
    for (const auto& verdict : runtime.value("verdicts", Json::array()))
      add_verdict(list, part, runtime.at("runtime"), verdict);
}

/// Of a part that asks for one number of threads after the other, "P=2" belongs to the row.
std::string threads_of(const std::string& name) {
  return name.starts_with("P=") ? " " + name : std::string();
}

} // namespace

Json rows_of(const Json& parts) {
  Json rows = Json::array();
  for (const auto& [part, found] : parts.items())
    for (const auto& [name, data] : member(found, "data").items()) {
      if (name == "simulated") continue;
      if (is_loops(data))
        add_loops(rows, part, threads_of(name), data);
      else if (data.is_object() && data.contains("curves"))
        add_steps(rows, {part, name}, data);
      else if (data.is_object() && data.contains("api"))
        add_api(rows, {part, name}, data);
      else if (data.is_object() && data.contains("steps"))
        add_core_steps(rows, {part, name}, data);
      else
        add_numbers(rows, {part, name}, data, "");
    }
  return rows;
}

Json verdicts_of(const Json& parts) {
  Json list = Json::array();
  for (const auto& [part, found] : parts.items()) {
    // What is asked of a team of the usual size says nothing of others.
    if (part == "workers" || part == "strategies") continue;
    for (const auto& [name, data] : member(found, "data").items()) add_verdicts(list, part, name, data);
  }
  return list;
}

Json noise_of(const Json& rows, const Json& parts) {
  std::vector<double> spreads;
  double worst = 0;
  std::string where;
  for (const auto& row : rows) {
    if (!row.contains("spread")) continue;
    spreads.push_back(row.at("spread"));
    if (spreads.back() <= worst) continue;
    worst = spreads.back();
    where =
        fmt::format("{} {} {} {}", row.at("part").get<std::string>(), row.at("runtime").get<std::string>(),
                    row.at("row").get<std::string>(), row.at("column").get<std::string>());
  }
  std::sort(spreads.begin(), spreads.end());
  long dropped = 0;
  for (const auto& [part, found] : parts.items())
    for (const auto& [name, data] : member(found, "data").items())
      if (is_loops(data))
        for (const auto& runtime : data.at("runtimes")) dropped += runtime.value("dropped", 0L);
  return {{"values", spreads.size()},
          {"median_spread", spreads.empty() ? 0.0 : spreads[spreads.size() / 2]},
          {"worst_spread", worst},
          {"worst", where},
          {"dropped", dropped}};
}

} // namespace wstree::cli::bench
