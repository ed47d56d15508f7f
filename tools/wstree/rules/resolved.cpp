// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolved.h"

#include "inspect/elf_file.h"
#include "inspect/loop_calls.h"
#include "inspect/loop_forms.h"
#include "support/meant.h"
#include "support/text_file.h"
#include "words.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

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

/// Returns the text behind the pattern.
std::string_view settings_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  line.remove_prefix(std::min(line.find_first_of(" \t\r"), line.size()));
  return line.substr(0, line.find(" #"));
}

/// Returns the setting that a word of a rule may have meant; empty: nothing is near.
std::string meant_setting(std::string_view word) {
  const auto [name, value] = config::split(word, '=');
  if (!value) {
    std::vector<std::string_view> words(config::k_schedule_words.begin(), config::k_schedule_words.end());
    words.insert(words.end(), {"runtime", "off"});
    const auto [before_colon, after_colon] = config::split(word, ':');
    return std::string(meant(config::split(after_colon.value_or(before_colon), ',').head, words));
  }
  constexpr auto k_names = std::to_array<std::string_view>({"loops", "threads", "history", "chunk", "bind"});
  constexpr auto k_switch = std::to_array<std::string_view>({"off", "on"});
  if (const auto near = meant(name, k_names); !near.empty()) return std::string(near) + '=';
  if (config::same_word(name, "loops")) return std::string(meant_loops(*value));
  if (config::same_word(name, "history")) return std::string(meant(*value, k_switch));
  return std::string(config::same_word(name, "bind") ? meant(*value, config::k_bind_words) : "");
}

/// Returns the name of the setting in a word of a rule.
std::string_view kind_of(std::string_view word) {
  const auto [name, value] = config::split(word, '=');
  return value ? name : "schedule";
}

bool leaves_to_runtime(std::string_view word) {
  return config::same_word(word, "off") || config::same_word(word, "runtime");
}

bool mean_the_same(std::string_view a, std::string_view b) {
  return config::same_word(a, b) || (leaves_to_runtime(a) && leaves_to_runtime(b));
}

/// Describes the settings of a rule that do not count: of settings that contradict each other, the last
/// one does.
std::string replaced_settings(std::string_view line) {
  std::istringstream settings{std::string(settings_of(line))};
  std::vector<std::string> words;
  for (std::string word; settings >> word && word.front() != '#';) words.push_back(word);
  std::string text;
  for (const auto& word : words) {
    const auto counts = std::find_if(words.rbegin(), words.rend(), [&](const std::string& other) {
      return config::same_word(kind_of(word), kind_of(other));
    });
    if (!mean_the_same(word, *counts))
      text +=
          fmt::format("{}'{}' does not count, '{}' behind it does", text.empty() ? "" : "; ", word, *counts);
  }
  return text;
}

bool has_lines(const ProgramSites& sites) {
  return std::ranges::any_of(sites.sites, [](const NamedSite& site) { return site.name.line != 0; });
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

std::optional<RulesText> read_rules(const std::string& value, std::string_view holder) {
  RulesText rules;
  std::error_code error;
  auto text = std::filesystem::is_directory(value, error) ? std::nullopt
                                                          : read_start(value, config::k_most_rule_bytes);
  if (text && (text->size() == config::k_most_rule_bytes || !config::is_text(*text))) return std::nullopt;
  rules.is_file = text.has_value();
  if (!text && value.find_first_of(" \t\n;") == std::string::npos) return std::nullopt;
  rules.origin = text ? value : std::string(holder);
  rules.text = std::make_shared<const std::string>(text ? std::move(*text) : value);
  std::string_view rest = *rules.text;
  std::size_t number = 1;
  while (!rest.empty()) {
    const auto line = config::take_rule_line(rest);
    config::RuleError problem;
    const auto rule = config::parse_rule(line, problem);
    RuleLine read{number, std::string(line), rule, {}, rule ? replaced_settings(line) : std::string()};
    if (problem.word.empty())
      read.problem = problem.reason;
    else
      read.problem =
          fmt::format("'{}' {}{}", problem.word, problem.reason, question(meant_setting(problem.word)));
    rules.lines.push_back(std::move(read));
    // A file has lines, each of which may hold several rules.
    const auto* const end = line.data() + line.size();
    if (!rules.is_file || (end < rest.data() + rest.size() && end != rest.data() && *end == '\n')) ++number;
  }
  return rules;
}

std::string why_unreadable(const std::string& value) {
  std::error_code error;
  std::string cause = "reading fails";
  if (std::filesystem::is_directory(value, error))
    cause = "it is a folder";
  else if (::access(value.c_str(), R_OK) != 0)
    cause = std::strerror(errno);
  else if (const auto start = read_start(value, config::k_most_rule_bytes);
           start && start->size() == config::k_most_rule_bytes)
    cause = fmt::format("it has no end within {} bytes, and files of rules are shorter",
                        config::k_most_rule_bytes);
  else if (start && !config::is_text(*start))
    cause = config::k_no_text;
  return fmt::format("'{}' cannot be read: {}; instead of a file, rules look like \"* wsrange\"", value,
                     cause);
}

std::string where(const RulesText& rules, const RuleLine& line) {
  if (rules.is_file) return fmt::format("{}:{}", rules.origin, line.number);
  return fmt::format("rule {}{}{}", line.number, rules.origin.empty() ? "" : " of ", rules.origin);
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

bool is_of_the_run(const Rule& rule) { return rule.pattern == Rule::Pattern::label; }

std::uint64_t nearest_line(const Rule& rule, const ProgramSites& sites) {
  std::uint64_t nearest = 0;
  if (rule.pattern != Rule::Pattern::lines) return nearest;
  const auto away = [&](std::uint64_t line) {
    return line < rule.first ? rule.first - line : line - rule.first;
  };
  for (const auto& site : sites.sites)
    if (config::matches_path(rule.text, site.name.file) &&
        (nearest == 0 || away(site.name.line) < away(nearest)))
      nearest = site.name.line;
  return nearest;
}

std::string why_unmatched(const Rule& rule, const ProgramSites& sites) {
  if (rule.pattern == Rule::Pattern::program) return fmt::format("the program is called '{}'", sites.program);
  if (is_of_the_run(rule)) return "only the running program knows its labels";
  if (sites.sites.empty() && !sites.unknown.empty())
    return fmt::format("calls in '{}' cannot be read on this processor", sites.unknown.front().string());
  if (sites.sites.empty()) return "neither the program nor its libraries call an OpenMP runtime";
  if (rule.pattern == Rule::Pattern::lines) {
    if (!has_lines(sites))
      return "neither the program nor its libraries have debug information; compile with -g";
    if (const auto nearest = nearest_line(rule, sites); nearest != 0)
      return fmt::format("the nearest loop of that file is in line {}", nearest);
    return fmt::format("no loop is in a file '{}'", rule.text);
  }
  return "no module, source file, function or code location is called so; wstree rules PROGRAM lists them";
}

std::string why_only_a_region(const Rule& rule, const ProgramSites& sites) {
  const auto& ruling = rule.ruling;
  const bool sets_schedule = ruling.names_schedule() || ruling.is_left_to_runtime() || ruling.cuts_chunks() ||
                             ruling.loops({}) != config::LoopKinds{};
  if (rule.pattern != Rule::Pattern::lines || !sets_schedule) return {};
  const auto is_loop = [](const NamedSite& site) { return loop_form(site.call.function).has_value(); };
  const NamedSite* region = nullptr;
  for (const auto& site : sites.sites) {
    if (!matches(rule, site, sites.program)) continue;
    if (is_loop(site)) return {};
    if (region == nullptr || site.name.line > region->name.line) region = &site;
  }
  if (region == nullptr) return {};
  // The next loop in the function is that region's, or another region.
  const NamedSite* next = nullptr;
  for (const auto& site : sites.sites)
    if (site.name.file == region->name.file && site.name.function == region->name.function &&
        site.name.line > rule.last && (next == nullptr || site.name.line < next->name.line))
      next = &site;
  if (next == nullptr || !is_loop(*next)) return {};
  return fmt::format("that is a region; its loop has line {}: write {}:{}-{}", next->name.line, rule.text,
                     rule.first, next->name.line);
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
