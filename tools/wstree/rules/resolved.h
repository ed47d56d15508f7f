// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inspect/call_sites.h"
#include "names.h"
#include "rule.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

/// A place where a program or one of its libraries begins a loop or a region.
struct NamedSite {
  std::filesystem::path file;
  std::string build_id;
  CallSite call;
  names::Name name;
};
/// Returns "solver.c:120 assemble()", or the module and the offset.
std::string text_of(const NamedSite& site);
/// Returns "8badf00d+0x12f0", the library's name for the site.
std::string code_of(const NamedSite& site);

/// The call sites of a program and of the libraries that it is linked with.
struct ProgramSites {
  std::string program; ///< name of its file
  std::vector<NamedSite> sites;
  std::vector<std::filesystem::path> unknown; ///< files whose calls cannot be read
};
ProgramSites sites_of_program(const std::filesystem::path& program);

/// A line of a rules file.
struct RuleLine {
  std::size_t number = 0;           ///< number of the line in its file, or of the rule
  std::string text;                 ///< as written
  std::optional<config::Rule> rule; ///< its texts point into the text that was read
  std::string problem;              ///< why there is none; empty: the line is blank
  std::string replaced;             ///< which of its settings do not count, and why; often empty
};
struct RulesText {
  std::string origin; ///< path of a file, or the holder of the rules themselves
  bool is_file = false;
  std::shared_ptr<const std::string> text; ///< shared, so that it stays where it is
  std::vector<RuleLine> lines;
};
/// Returns the rules that a value of WSTREE_RULES or of an option names; nothing if it is a file that cannot
/// be read. `holder` is the user's name for the place of the value, as WSTREE_RULES or --rules; empty: it
/// needs no name.
std::optional<RulesText> read_rules(const std::string& value, std::string_view holder);
/// Returns the reason why read_rules() has nothing, for the user: it names the value.
std::string why_unreadable(const std::string& value);
/// Returns "FILE:12" or "rule 2 of --rules".
std::string where(const RulesText& rules, const RuleLine& line);

bool matches(const config::Rule& rule, const NamedSite& site, const std::string& program);
/// Returns whether only the running program shows which loops the rule matches.
bool is_of_the_run(const config::Rule& rule);
/// Returns the line of the loop that is nearest to those of a rule, in the file that it names; 0: it names
/// none with a loop.
std::uint64_t nearest_line(const config::Rule& rule, const ProgramSites& sites);
/// Returns the reason why a rule matches nothing, for the user.
std::string why_unmatched(const config::Rule& rule, const ProgramSites& sites);

/// Returns the reason why a rule that sets a schedule sets it for no loop though it matches a region, for the
/// user: it has the line of the pragma, and the loop of that region has a later one. Empty: that is not so.
std::string why_only_a_region(const config::Rule& rule, const ProgramSites& sites);

/// Returns the rules in a form that needs no source lines: behind each rule that needs debug information come
/// the code locations that it matches.
std::string resolved(const RulesText& rules, const ProgramSites& sites);

} // namespace wstree::cli
