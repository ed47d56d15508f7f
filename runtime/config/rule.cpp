// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rule.h"

#include "tokens.h"

namespace wstree::config {
namespace {

constexpr std::string_view k_app = "app:";
constexpr std::string_view k_label = "label:";
constexpr std::string_view k_utf8_mark = "\xEF\xBB\xBF";
constexpr std::uint64_t k_any_number = ~std::uint64_t{0};

std::string_view take_word(std::string_view& text) noexcept {
  text = trim(text);
  std::size_t size = 0;
  while (size < text.size() && !is_blank(text[size])) ++size;
  const std::string_view word(text.data(), size);
  text.remove_prefix(size);
  return word;
}

std::optional<std::uint64_t> parse_offset(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number, 16);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

/// Parses FILE:LINE, FILE:FIRST-LAST, where LAST may be wrong. Returns false if the word is no such thing.
bool parse_lines(std::string_view word, Rule& rule) noexcept {
  const auto colon = word.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view numbers = without_first(word, colon + 1);
  const auto dash = numbers.find('-');
  const auto first = parse_number(numbers.substr(0, dash), 1, k_any_number);
  const auto last = dash == std::string_view::npos
                        ? first
                        : parse_number(without_first(numbers, dash + 1), 1, k_any_number);
  if (!first || !last) return false;
  rule.pattern = Rule::Pattern::lines;
  rule.text = word.substr(0, colon);
  rule.first = *first;
  rule.last = *last;
  return true;
}

bool parse_code(std::string_view word, Rule& rule) noexcept {
  const auto plus = word.rfind("+0x");
  if (plus == std::string_view::npos || plus == 0) return false;
  const auto offset = parse_offset(without_first(word, plus + 3));
  if (!offset) return false;
  rule.pattern = Rule::Pattern::code;
  rule.text = word.substr(0, plus);
  rule.first = rule.last = *offset;
  return true;
}

void parse_pattern(std::string_view word, Rule& rule) noexcept {
  if (word == "*") return;
  if (word.starts_with(k_app)) {
    rule.pattern = Rule::Pattern::program;
    rule.text = without_first(word, k_app.size());
  } else if (word.starts_with(k_label)) {
    rule.pattern = Rule::Pattern::label;
    rule.text = without_first(word, k_label.size());
  } else if (!parse_lines(word, rule) && !parse_code(word, rule)) {
    rule.pattern = Rule::Pattern::name;
    rule.text = word;
  }
}

/// Parses one setting into `rule`. Returns the error; empty: there is none.
std::string_view parse_setting(std::string_view word, Rule& rule) noexcept {
  const auto [name, value] = split(word, '=');
  if (!value) {
    if (same_word(word, "runtime") || same_word(word, "off")) {
      rule.ruling.leave_to_runtime();
      return {};
    }
    const auto schedule = parse_schedule(word);
    if (!schedule)
      return "is neither a schedule of the library nor one of runtime, off, loops=, threads=, history=, "
             "chunk=1, bind=";
    static_assert(k_max_chunk == 67'108'863);
    if (schedule->chunk_malformed) return "has a chunk that is no number from 1 to 67108863";
    if (schedule->monotonic && !is_monotonic(schedule->kind)) return "cannot be monotonic";
    rule.ruling.set_schedule(schedule->kind, schedule->chunk_given ? schedule->chunk : 0);
    return {};
  }
  if (same_word(name, "loops")) {
    const auto loops = parse_loops(*value);
    if (!loops) return "is no list of runtime, dynamic, guided, auto, static, taskloop";
    rule.ruling.set_loops(*loops);
  } else if (same_word(name, "threads")) {
    const auto threads = parse_number(*value, 1, k_most_ruled_threads);
    static_assert(k_most_ruled_threads == 1'048'575);
    if (!threads) return "is no number of threads from 1 to 1048575";
    rule.ruling.set_threads(*threads);
  } else if (same_word(name, "history")) {
    const auto history = parse_history(*value);
    if (!history) return "is neither on nor off";
    rule.ruling.set_history(*history);
  } else if (same_word(name, "chunk")) {
    if (*value != "1") return "is not chunk=1, which lets threads share the chunks of the source";
    rule.ruling.cut_chunks();
  } else if (same_word(name, "bind")) {
    if (rule.pattern != Rule::Pattern::everything && rule.pattern != Rule::Pattern::program)
      return "holds for whole programs: the pattern has to be * or app:...";
    const auto bind = parse_bind(*value);
    if (!bind) return "is none of auto, close, spread, none";
    rule.bind = *bind;
  } else {
    return "is none of loops=, threads=, history=, chunk=1, bind=";
  }
  return {};
}

} // namespace

std::optional<Rule> parse_rule(std::string_view line, RuleError& error) noexcept {
  error = {};
  line = trim(line);
  if (line.empty() || line.front() == '#') return std::nullopt;
  Rule rule;
  const auto pattern = take_word(line);
  parse_pattern(pattern, rule);
  if (rule.pattern != Rule::Pattern::everything && rule.text.empty()) {
    error.reason = "nothing stands behind app: or label: in the pattern";
    return std::nullopt;
  }
  if (rule.last < rule.first) {
    error = {pattern, "names lines that end before they begin"};
    return std::nullopt;
  }
  bool any = false;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (word.front() == '#') break;
    error.reason = parse_setting(word, rule);
    if (!error.reason.empty()) {
      error.word = word;
      return std::nullopt;
    }
    any = true;
  }
  if (any) return rule;
  error.reason = "no setting follows the pattern, such as wstree,64 or off";
  return std::nullopt;
}

bool matches_glob(std::string_view glob, std::string_view text) noexcept {
  // After a mismatch, only the latest * has to take a character more: the earlier * matched as little as
  // they could.
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool matches_path(std::string_view glob, std::string_view path) noexcept {
  if (glob.starts_with("./")) glob.remove_prefix(2);
  for (;;) {
    if (matches_glob(glob, path)) return true;
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

bool matches(const Rule& rule, const RulePlace& place) noexcept {
  switch (rule.pattern) {
  case Rule::Pattern::everything:
    return true;
  case Rule::Pattern::program:
    return matches_glob(rule.text, place.program);
  case Rule::Pattern::label:
    return !place.label.empty() && matches_glob(rule.text, place.label);
  case Rule::Pattern::lines:
    return place.line >= rule.first && place.line <= rule.last && !place.file.empty() &&
           matches_path(rule.text, place.file);
  case Rule::Pattern::code:
    return place.offset == rule.first && (rule.text == place.build_id || rule.text == place.module);
  case Rule::Pattern::name:
    return (!place.module.empty() && matches_glob(rule.text, place.module)) ||
           (!place.function.empty() && matches_glob(rule.text, place.function)) ||
           (!place.file.empty() && matches_path(rule.text, place.file));
  }
  return false;
}

std::string_view take_rule_line(std::string_view& text) noexcept {
  const std::size_t end = text.find_first_of("\n;");
  const std::size_t size = end == std::string_view::npos ? text.size() : end;
  std::string_view line(text.data(), size);
  if (line.starts_with(k_utf8_mark)) line.remove_prefix(k_utf8_mark.size());
  text.remove_prefix(size < text.size() ? size + 1 : size);
  return line;
}

} // namespace wstree::config
