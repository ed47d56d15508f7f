// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolved.h"

#include "inspect/elf_file.h"
#include "inspect/loop_calls.h"
#include "support/text_file.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

using config::Rule;

void add_sites(ProgramSites& found, const std::filesystem::path& file, names::Resolver& resolver) {
  const auto of_file = call_sites(file);
  if (!of_file.known) found.unknown.push_back(file);
  for (const auto& call : of_file.sites)
    found.sites.push_back(
        {file, of_file.build_id, call, resolver.name(file.string(), of_file.build_id, call.offset)});
}

bool needs_names(const Rule& rule) {
  return rule.pattern == Rule::Pattern::lines || rule.pattern == Rule::Pattern::name;
}

/// What stands behind the pattern.
std::string_view settings_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  line.remove_prefix(std::min(line.find_first_of(" \t\r"), line.size()));
  return line.substr(0, line.find(" #"));
}

} // namespace

std::string code_of(const NamedSite& site) {
  const auto module = site.build_id.empty() ? site.file.filename().string() : site.build_id;
  return fmt::format("{}+0x{:x}", module, site.call.offset);
}

std::string text_of(const NamedSite& site) {
  const auto text = names::text_of(site.name);
  return text.empty() ? fmt::format("{}+0x{:x}", site.file.filename().string(), site.call.offset) : text;
}

ProgramSites sites_of_program(const std::filesystem::path& program) {
  names::Resolver resolver;
  ProgramSites found;
  found.program = program.filename().string();
  add_sites(found, program, resolver);
  if (const auto file = ElfFile::open(program); file && !file->loader().empty())
    for (const auto& library : loaded_libraries(file->loader(), program)) add_sites(found, library, resolver);
  return found;
}

std::optional<RulesText> read_rules(const std::string& value) {
  RulesText rules;
  if (auto text = read_text(value)) {
    rules.origin = value;
    rules.text = std::make_shared<const std::string>(std::move(*text));
  } else {
    if (value.find_first_of(" \t\n;") == std::string::npos) return std::nullopt;
    rules.origin = "WSTREE_RULES";
    rules.text = std::make_shared<const std::string>(value);
  }
  std::string_view rest = *rules.text;
  std::size_t number = 1;
  while (!rest.empty()) {
    const auto line = config::take_rule_line(rest);
    config::RuleError error;
    const auto rule = config::parse_rule(line, error);
    RuleLine read{number, std::string(line), rule, {}};
    if (!error.reason.empty()) {
      read.problem =
          error.word.empty() ? std::string(error.reason) : fmt::format("'{}' {}", error.word, error.reason);
    }
    rules.lines.push_back(std::move(read));
    const auto* const end = line.data() + line.size();
    if (end < rest.data() + rest.size() && end != rest.data() && *end == '\n') ++number;
  }
  return rules;
}

bool matches(const Rule& rule, const NamedSite& site, const std::string& program) {
  const auto module = site.file.filename().string();
  return config::matches(rule, {module,
                                site.build_id,
                                site.call.offset,
                                site.name.file,
                                site.name.function,
                                site.name.line,
                                program,
                                {}});
}

std::string resolved(const RulesText& rules, const ProgramSites& sites) {
  std::string text;
  for (const auto& line : rules.lines) {
    if (!line.rule) continue;
    text += line.text + '\n';
    if (!needs_names(*line.rule)) continue;
    for (const auto& site : sites.sites)
      if (matches(*line.rule, site, sites.program))
        text += code_of(site) + std::string(settings_of(line.text)) + '\n';
  }
  return text;
}

} // namespace wstree::cli
