// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rules/in_force.h"

#include "rules/resolved.h"
#include "support/message.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

bool is_off(const std::string& rules) { return rules.empty() || rules == "0"; }

/// Returns whether the rule may match a loop of the program. Labels are known only when it runs.
bool may_match(const config::Rule& rule, const ProgramSites& sites) {
  if (is_of_the_run(rule)) return true;
  return std::ranges::any_of(sites.sites,
                             [&](const NamedSite& site) { return matches(rule, site, sites.program); });
}

/// Returns advice if no loop has a source that a rule could name.
std::string without_sources(const ProgramSites& sites) {
  const auto has_source = [](const NamedSite& site) { return !site.name.file.empty(); };
  return std::ranges::any_of(sites.sites, has_source)
             ? std::string()
             : std::string(", without sources: build it with -g, or name functions");
}

/// Returns whether there are rules, but none of them matches a loop that the files show.
bool match_nothing(const RulesText& rules, const ProgramSites& sites) {
  if (sites.sites.empty() || !sites.unknown.empty()) return false;
  const auto is_rule = [](const RuleLine& line) { return line.rule.has_value(); };
  return std::ranges::any_of(rules.lines, is_rule) &&
         std::ranges::none_of(
             rules.lines, [&](const RuleLine& line) { return line.rule && may_match(*line.rule, sites); });
}

/// Says which rules mean no loop: lines of a file that has loops, and with `all` every other rule.
void report_unmatched(const RulesText& rules, const ProgramSites& sites, bool all) {
  if (sites.sites.empty() || !sites.unknown.empty()) return;
  for (const auto& line : rules.lines)
    if (line.rule && !may_match(*line.rule, sites) && (all || nearest_line(*line.rule, sites) != 0))
      say("{} matches nothing: {}", where(rules, line), why_unmatched(*line.rule, sites));
  for (const auto& line : rules.lines)
    if (const auto why = line.rule ? why_only_a_region(*line.rule, sites) : std::string(); !why.empty())
      say("{} matches no loop: {}", where(rules, line), why);
}

} // namespace

config::LoopKinds loops_under(const std::string& rules, config::LoopKinds otherwise) {
  const auto text = is_off(rules) ? std::nullopt : read_rules(rules, "");
  if (!text) return otherwise;
  for (const auto& line : text->lines)
    if (line.rule)
      otherwise.bits = static_cast<std::uint8_t>(otherwise.bits | line.rule->ruling.loops(otherwise).bits);
  return otherwise;
}

std::optional<std::string> problem_of_rules(const std::string& rules) {
  if (is_off(rules) || read_rules(rules, "")) return std::nullopt;
  return fmt::format("--rules {}", why_unreadable(rules));
}

void resolve_rules(Environment& environment, const std::filesystem::path& program, std::string_view holder,
                   bool tells_all) {
  constexpr std::size_t k_most = 100'000; // the system takes no longer variable
  const auto& variable = text_of(config::Option::rules).name;
  const auto value = environment.get(variable).value_or("");
  const auto rules = is_off(value) ? std::nullopt : read_rules(value, holder);
  if (!rules) return; // the library reports a file that cannot be read
  for (const auto& line : rules->lines) {
    if (!line.problem.empty()) say("{}: {} (the rule is left out)", where(*rules, line), line.problem);
    if (!line.replaced.empty()) say("{}: {}", where(*rules, line), line.replaced);
  }
  // To look for places takes longer than to start a program.
  const auto names_places = [](const RuleLine& line) {
    return line.rule && line.rule->pattern != config::Rule::Pattern::everything;
  };
  const auto sites =
      std::ranges::any_of(rules->lines, names_places) ? sites_of_program(program) : ProgramSites{};
  if (match_nothing(*rules, sites))
    say("{}: no rule matches a loop of '{}' or of its libraries; wstree rules {} lists these{}",
        rules->origin, sites.program, program.string(), without_sources(sites));
  report_unmatched(*rules, sites, tells_all);
  const auto text = resolved(*rules, sites);
  if (text.size() > k_most)
    say("{}: the rules match too many places; only those hold that name no source", rules->origin);
  else
    environment.set(variable, text.empty() ? "0" : text);
}

} // namespace wstree::cli
