// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "options.h"
#include "support/exit_status.h"
#include "support/settings.h"
#include "support/visible.h"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace wstree::cli {

namespace {

using config::Option;

struct Row {
  config::OptionText text;
  std::optional<std::string> value; ///< nothing: not set and without a default
  config::Origin origin = config::Origin::default_value;
};

std::string_view to_text(config::Origin origin) {
  return origin == config::Origin::environment ? "environment" : "default";
}

void print_line(void*, std::string_view line) noexcept {
  const auto text = visible(line) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Row schedule_row(config::LineSink errors) {
  Row row{text_of(Option::schedule), std::nullopt};
  const auto value = config::find_variable(environ, row.text.name);
  if (!value || value->empty()) return row;
  row.origin = config::Origin::environment;
  row.value = *value; // a schedule of the OpenMP runtime stays as it is
  if (const auto request = requested_schedule(*value)) {
    config::report_schedule(*value, *request, errors);
    row.value = config::to_text(*request).view();
  } else if (config::is_misspelled_schedule(*value)) {
    row.value = "static"; // schedule that the library puts in its place
    config::report_misspelled_schedule(*value, *row.value, errors);
  }
  return row;
}

std::string value_of(Option option, const config::Options& options) {
  switch (option) {
  case Option::schedule:
    break; // belongs to the tasks of a program and not to the options
  case Option::loops:
    return std::string(config::to_text(options.loops).view());
  case Option::strategy:
    return std::string(config::to_text(options.strategy));
  case Option::batch:
    return std::string(config::to_text(options.batch).view());
  case Option::history:
    return options.history ? "on" : "off";
  case Option::fallback:
    return std::string(config::to_text(options.fallback).view());
  case Option::bind:
    return std::string(config::to_text(options.bind));
  case Option::threads:
    return options.counts_threads ? "auto" : "off";
  case Option::wait:
    return options.adapts_waiting ? "auto" : "off";
  case Option::stats: {
    const auto format = config::to_text(options.stats);
    const auto path = options.stats_path.view();
    return path.empty() ? std::string(format) : fmt::format("{}={}", format, path);
  }
  case Option::counters:
    return options.counters ? "1" : "0";
  case Option::record:
    return options.record_path.empty() ? "0" : std::string(options.record_path.view());
  case Option::trace:
    return options.trace_path.empty() ? "0" : std::string(options.trace_path.view());
  case Option::trace_events:
    return std::to_string(options.trace_events);
  case Option::rules:
    return options.rules.empty() ? "0" : std::string(options.rules.view());
  case Option::ompt:
    return options.ompt ? "1" : "0";
  case Option::verbose:
    return options.verbose ? "1" : "0";
  case Option::display_env:
    return std::string(config::to_text(options.display_env));
  case Option::display_affinity:
    return options.display_affinity ? "true" : "false";
  case Option::affinity_format:
    return std::string(options.affinity_format.view());
  }
  return {};
}

std::vector<Row> all_rows() {
  const config::LineSink errors{print_line, nullptr};
  const auto options = config::load(environ, errors);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < config::k_option_count; ++i) {
    const auto option = static_cast<Option>(i);
    if (option == Option::schedule) {
      rows.push_back(schedule_row(errors));
    } else {
      rows.push_back({text_of(option), value_of(option, options), options.origin(option)});
    }
  }
  return rows;
}

/// Prints a paragraph of at most 100 columns.
void print_indented(const std::string& text) {
  constexpr std::size_t k_width = 100;
  std::istringstream words(text);
  std::string line = "   ";
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > k_width) {
      fmt::print("{}\n", line);
      line = "   ";
    }
    line += ' ' + word;
  }
  fmt::print("{}\n", line);
}

void print_json(const std::vector<Row>& rows) {
  auto options = nlohmann::ordered_json::array();
  for (const auto& row : rows) {
    nlohmann::ordered_json option;
    option["name"] = row.text.name;
    option["value"] = nullptr;
    if (row.value) option["value"] = *row.value;
    option["origin"] = to_text(row.origin);
    option["default"] = row.text.default_value;
    option["accepted"] = row.text.accepted;
    option["meaning"] = row.text.meaning;
    options.push_back(std::move(option));
  }
  nlohmann::ordered_json document;
  document["version"] = WSTREE_VERSION;
  document["options"] = std::move(options);
  // A value may hold bytes that are not UTF-8.
  fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_text(const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    fmt::print("{}={}  ({})\n", row.text.name, visible(row.value.value_or("")),
               row.value ? to_text(row.origin) : "not set");
    print_indented(std::string(row.text.meaning));
    print_indented(fmt::format("Accepted: {}", row.text.accepted));
  }
}

} // namespace

int env_command(bool json) {
  const auto rows = all_rows();
  if (json) {
    print_json(rows);
  } else {
    print_text(rows);
  }
  return k_ok;
}

} // namespace wstree::cli
