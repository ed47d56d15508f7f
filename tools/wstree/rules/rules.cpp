// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "inspect/program.h"
#include "resolved.h"
#include "rules/arguments.h"
#include "rules/place_text.h"
#include "support/environment.h"
#include "support/exit_status.h"
#include "support/folded.h"
#include "support/loop_name.h"
#include "support/message.h"
#include "support/terminal.h"
#include "tokens.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using config::Rule;
using nlohmann::ordered_json;

constexpr int k_unmatched = 1;

std::vector<const NamedSite*> matched_by(const Rule& rule, const ProgramSites& sites) {
  std::vector<const NamedSite*> matched;
  for (const auto& site : sites.sites)
    if (matches(rule, site, sites.program)) matched.push_back(&site);
  return matched;
}

ordered_json json_of(const NamedSite& site) {
  return {{"name", text_of(site)},     {"code", code_of(site)},  {"module", site.file.string()},
          {"file", site.name.file},    {"line", site.name.line}, {"function", site.name.function},
          {"call", site.call.function}};
}

int check(const RulesText& rules, const ProgramSites& sites, bool json) {
  const auto width = terminal_of(stdout).width;
  int status = k_ok;
  auto document = ordered_json::array();
  for (const auto& line : rules.lines) {
    const auto place = where(rules, line);
    const auto text = visible(config::trim(line.text));
    if (!line.rule) {
      if (line.problem.empty()) continue;
      status = k_own_error;
      if (json)
        document.push_back({{"where", place}, {"rule", line.text}, {"problem", line.problem}});
      else
        fmt::print("{}: {}\n  is not understood: {}\n", visible(place), text, visible(line.problem));
      continue;
    }
    const auto matched = matched_by(*line.rule, sites);
    const auto why =
        matched.empty() ? why_unmatched(*line.rule, sites) : why_only_a_region(*line.rule, sites);
    if (matched.empty() && !is_of_the_run(*line.rule)) status = std::max(status, k_unmatched);
    if (json) {
      auto list = ordered_json::array();
      for (const auto* site : matched) list.push_back(json_of(*site));
      document.push_back({{"where", place}, {"rule", line.text}, {"matches", list}, {"why_not", why}});
      if (!line.replaced.empty()) document.back()["replaced"] = line.replaced;
      continue;
    }
    fmt::print("{}: {}\n", visible(place), text);
    if (!line.replaced.empty()) fmt::print("  {}\n", visible(line.replaced));
    if (matched.empty())
      fmt::print("{}",
                 laid_out(fmt::format("  {}: {}\n",
                                      is_of_the_run(*line.rule) ? "cannot be checked" : "matches nothing",
                                      visible(why)),
                          width));
    else if (!why.empty())
      fmt::print("{}", laid_out(fmt::format("  matches no loop: {}\n", visible(why)), width));
    for (const auto* site : matched)
      fmt::print("{}", place_text("  ", visible(text_of(*site)), site->call.function + "  " + code_of(*site),
                                  width));
  }
  if (json) fmt::print("{}\n", document.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  return status;
}

void list(const ProgramSites& sites, bool json) {
  const auto width = terminal_of(stdout).width;
  auto document = ordered_json::array();
  for (const auto& site : sites.sites) {
    if (json)
      document.push_back(json_of(site));
    else
      fmt::print("{}",
                 place_text("", visible(text_of(site)), site.call.function + "  " + code_of(site), width));
  }
  if (json)
    fmt::print("{}\n", document.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  else if (sites.sites.empty())
    fmt::print("No loop or region was found in '{}' and its libraries.\n", visible(sites.program));
}

} // namespace

std::string place_text(std::string_view indentation, const std::string& name, const std::string& code,
                       std::size_t width) {
  const auto folded = folded_name(name);
  const auto line = fmt::format("{}{}  {}\n", indentation, folded, code);
  if (width == 0 || columns_of(line) <= width + 1) return line; // the end of the line takes no column
  const auto room = [&](std::size_t before) { return width > before ? width - before : 1; };
  return fmt::format("{}{}\n{}    {}\n", indentation, folded_name(name, room(indentation.size())),
                     indentation, fitted(code, room(indentation.size() + 4)));
}

CLI::App* add_rules(CLI::App& app, RulesRequest& request) {
  auto* rules = app.add_subcommand("rules", "Say what the rules in WSTREE_RULES match in a program");
  rules->footer(
      R"(Without rules the places are listed that rules can name. A rule is a pattern and settings:
  src/solver.c:100-180 wstree,64    lines of a source file
  *fft* runtime                     a module, a source file or a function
  libfft.so+0x12f0 off              a code location, as statistics name it
  app:post* off                     a program
  * loops=dynamic,guided threads=16 history=off bind=none
Exit status: 0, 1 if a rule matches nothing, 125 if a rule is not understood.
Examples:
  wstree rules ./heat                               the places in it that rules can name
  wstree rules --check "heat.c:10-80 wsrange" ./heat)");
  rules->add_option("PROGRAM", request.program, "The program")->required();
  rules->add_option("--check,--rules", request.rules, "File or rules instead of WSTREE_RULES")
      ->option_text("RULES");
  rules->add_flag("--resolved", request.resolved, "Print the rules as wstree run hands them to the library");
  rules->add_flag("--json", request.json, "As JSON");
  return rules;
}

int rules_command(const RulesRequest& request) {
  const auto lookup = find_program(request.program);
  if (lookup.result != Lookup::Result::found) {
    say("'{}' was not found, or may not be executed", request.program);
    return k_own_error;
  }
  const auto sites = sites_of_program(lookup.path);
  const Environment environment;
  const auto value = request.rules ? request.rules : environment.get("WSTREE_RULES");
  if (!value || value->empty() || *value == "0") {
    list(sites, request.json);
    return k_ok;
  }
  // A user who has typed the rules knows which are meant.
  const std::string holder = request.rules ? "" : "WSTREE_RULES";
  const auto rules = read_rules(*value, holder);
  if (!rules) {
    say("{}{}{}", holder, holder.empty() ? "" : ": ", why_unreadable(*value));
    return k_own_error;
  }
  if (request.resolved) {
    fmt::print("{}", resolved(*rules, sites));
    return k_ok;
  }
  return check(*rules, sites, request.json);
}

} // namespace wstree::cli
