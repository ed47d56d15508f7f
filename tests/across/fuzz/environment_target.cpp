// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole environment: what load() makes of it, what it says, and what the settings block shows.
#include "support/collected_lines.h"
#include "support/environment_block.h"
#include "support/target.h"

#include "display.h"
#include "options.h"
#include "tokens.h"

#include <optional>
#include <string>
#include <vector>

namespace wstree::fuzz::environment_target {
namespace {

using namespace config;

/// As getenv does it: the first entry with that name counts.
std::optional<std::string_view> find(const EnvironmentBlock& block, std::string_view name) {
  for (const std::string_view entry : block.entries())
    if (entry.substr(0, entry.find('=')) == name && entry.find('=') != std::string_view::npos)
      return entry.substr(name.size() + 1);
  return std::nullopt;
}

bool is_good(Option option, std::string_view value) {
  switch (option) {
  case Option::loops:
    return parse_loops(value).has_value();
  case Option::strategy:
    return parse_strategy(value).has_value();
  case Option::batch:
    return parse_batch(value).has_value();
  case Option::fallback:
    return parse_fallback(value).has_value();
  case Option::bind:
    return parse_bind(value).has_value();
  case Option::stats:
    return parse_stats(value).has_value();
  case Option::record:
  case Option::trace:
    return parse_record(value).has_value();
  case Option::trace_events:
    return parse_trace_events(value).has_value();
  case Option::rules:
    return parse_rules(value).has_value();
  case Option::threads:
  case Option::wait:
    return parse_threads(value).has_value();
  case Option::history:
    return parse_history(value).has_value();
  case Option::counters:
  case Option::ompt:
  case Option::verbose:
    return parse_switch(value).has_value();
  case Option::schedule:
  case Option::display_env:
  case Option::display_affinity:
  case Option::affinity_format:
    return true; // the OpenMP runtime says what is wrong with them
  }
  return true;
}

bool is_unknown(std::string_view entry) {
  const auto name = entry.substr(0, entry.find('='));
  if (!name.starts_with("WSTREE_") || name.starts_with("WSTREE_TEST_")) return false;
  for (const auto& option : k_options)
    if (option.name == name) return false;
  return name != "WSTREE_REQUEST" && name != "WSTREE_LIBRARY" && name != config::k_watched;
}

std::size_t messages_expected(const EnvironmentBlock& block) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < k_option_count; ++i) {
    const auto value = find(block, k_options[i].name);
    if (value && !trim(*value).empty() && !is_good(static_cast<Option>(i), *value)) ++count;
  }
  for (const auto& entry : block.entries()) count += is_unknown(entry) ? 1 : 0;
  return count;
}

void check_origins(const EnvironmentBlock& block, const Options& options) {
  for (std::size_t i = 0; i < k_option_count; ++i) {
    const auto option = static_cast<Option>(i);
    const auto value = find(block, k_options[i].name);
    require(find_variable(block.envp(), k_options[i].name) == value, "variables are found as getenv does it",
            k_options[i].name);
    if (option == Option::schedule) continue;
    const bool counts = value && !trim(*value).empty() && is_good(option, *value);
    require((options.origin(option) == Origin::environment) == counts, "a value counts if it is good",
            k_options[i].name);
  }
}

/// The values of the block, read again, are the same settings.
void check_display(const Options& options) {
  CollectedLines lines;
  display(options, std::nullopt, lines.sink());
  require(lines.all().size() == k_option_count + 2, "the block has a line for each option");
  std::string entries;
  for (const std::string_view line : lines.all()) {
    constexpr std::string_view k_margin = "  [wstree] ";
    const auto quote = line.find("='");
    if (!line.starts_with(k_margin) || quote == std::string_view::npos) continue;
    const auto value = line.substr(quote + 2, line.rfind("'  (") - quote - 2);
    entries.append(line.substr(k_margin.size(), quote - k_margin.size()))
        .append("=")
        .append(value)
        .append("\n");
  }
  CollectedLines problems;
  const Options again = load(EnvironmentBlock(entries).envp(), problems.sink());
  require(problems.all().empty(), "the values shown are good", entries);
  require(again.loops == options.loops && again.strategy == options.strategy &&
              again.batch == options.batch && again.fallback == options.fallback &&
              again.bind == options.bind && again.stats == options.stats && again.ompt == options.ompt &&
              again.verbose == options.verbose && again.display_env == options.display_env &&
              again.display_affinity == options.display_affinity,
          "the values shown are those in force", entries);
}

void body(std::string_view input) {
  const EnvironmentBlock block(input);
  CollectedLines lines;
  const Options options = load(block.envp(), lines.sink());
  for (const auto& line : lines.all()) require_message(line);
  require(lines.all().size() == messages_expected(block),
          "there is one message for each bad value and each unknown name", input);
  check_origins(block, options);
  check_display(options);
}

const Registration registration("environment", body);

} // namespace
} // namespace wstree::fuzz::environment_target
