// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"

#include "arguments.h"
#include "inspect/statistics.h"
#include "support/exit_status.h"
#include "support/message.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using nlohmann::ordered_json;

/// Returns the report with the names of loops.
ordered_json with_names(std::string_view report, names::Resolver& resolver) {
  auto document = ordered_json::parse(report);
  for (auto& loop : document["loops"]) {
    if (!loop.is_object()) continue;
    const nlohmann::json plain = loop;
    const auto name = name_of_loop(plain, resolver);
    loop["name"] = loop_text(plain, name);
    loop["file"] = name.file;
    loop["line"] = name.line;
    loop["function"] = name.function;
    loop["inlined_in"] = name.inlined_in;
  }
  return document;
}

} // namespace

CLI::App* add_stats(CLI::App& app, StatsRequest& request) {
  auto* stats =
      app.add_subcommand("stats", "Show figures that WSTREE_STATS=json=FILE wrote, with the names of loops");
  stats->footer(
      R"(Names come from the debug information of the program (-g); it may be stripped to separate files.
Examples:
  WSTREE_STATS=json=heat.json wstree run ./heat
  wstree stats heat.json)");
  stats->add_option("FILE", request.files, "Files that WSTREE_STATS=json=FILE or --stats=json=FILE wrote")
      ->required();
  stats->add_flag("--json", request.json, "A list of the reports as JSON");
  return stats;
}

int stats_command(const StatsRequest& request) {
  names::Resolver resolver;
  auto reports = ordered_json::array();
  for (const auto& file : request.files) {
    const auto text = read_text(file);
    if (!text) {
      say("'{}' cannot be read: {}", file, std::strerror(errno));
      return k_own_error;
    }
    const auto statistics = read_statistics(*text, resolver);
    if (!statistics) {
      say("'{}' holds no figures in JSON; WSTREE_STATS=json=FILE writes them", file);
      return k_own_error;
    }
    if (const auto problem = negative_figure(nlohmann::json::parse(*text)); !problem.empty()) {
      say("'{}': {}", file, problem);
      return k_own_error;
    }
    if (request.json)
      reports.push_back(with_names(*text, resolver));
    else
      fmt::print("{}", statistics_text(*statistics, terminal_of(stdout), request.files.size() > 1));
  }
  if (request.json) fmt::print("{}\n", reports.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  return k_ok;
}

} // namespace wstree::cli
