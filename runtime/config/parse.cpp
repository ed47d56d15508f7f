// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"
#include "tokens.h"
#include "words.h"

#include <initializer_list>

namespace wstree::config {
namespace {

/// Returns whether one of the OpenMP runtimes takes the word for true.
bool is_true(std::string_view word) noexcept {
  for (const std::string_view yes : {"true", "1", "yes", "on", ".true.", ".t."})
    if (same_word(word, yes)) return true;
  return false;
}

/// A value of OMP_SCHEDULE without its modifier.
struct Unmodified {
  std::string_view rest; // trimmed
  bool monotonic = false;
};
Unmodified without_modifier(std::string_view value) noexcept {
  const auto [before_colon, after_colon] = split(value, ':');
  if (after_colon && same_word(before_colon, "monotonic")) return {*after_colon, true};
  if (after_colon && same_word(before_colon, "nonmonotonic")) return {*after_colon, false};
  return {trim(value), false};
}

} // namespace

std::optional<ScheduleRequest> parse_schedule(std::string_view value) noexcept {
  const auto [rest, monotonic] = without_modifier(value);
  const auto [word, chunk] = split(rest, ',');
  const auto kind = find_word<ScheduleKind>(k_schedule_words, word);
  if (!kind) return std::nullopt;
  ScheduleRequest request;
  request.kind = *kind;
  request.monotonic = monotonic;
  if (chunk) {
    const auto number = parse_number(*chunk, 1, k_max_chunk);
    request.chunk = number.value_or(1);
    request.chunk_given = number.has_value();
    request.chunk_malformed = !number.has_value();
  }
  return request;
}

bool is_misspelled_schedule(std::string_view value) noexcept {
  const std::string_view rest = without_modifier(value).rest;
  return rest.size() >= 2 && same_word(rest.substr(0, 2), "ws") && !parse_schedule(value);
}

std::optional<LoopKinds> parse_loops(std::string_view value) noexcept {
  unsigned bits = 0;
  for (std::optional<std::string_view> rest = value; rest;) {
    const auto [word, tail] = split(*rest, ',');
    if (same_word(word, "all")) {
      bits |= k_all_loops;
    } else {
      const auto index = find_word<unsigned>(k_loop_words, word);
      if (!index) return std::nullopt;
      bits |= 1u << *index;
    }
    rest = tail;
  }
  return LoopKinds{static_cast<std::uint8_t>(bits)};
}

std::optional<Strategy> parse_strategy(std::string_view value) noexcept {
  return find_word<Strategy>(k_strategy_words, trim(value));
}

std::optional<Batch> parse_batch(std::string_view value) noexcept {
  const auto [word, number] = split(value, ':');
  const auto mode = find_word<BatchMode>(k_batch_words, word);
  if (!mode) return std::nullopt;
  Batch batch{*mode, 0};
  switch (*mode) {
  case BatchMode::timed:
    break;
  case BatchMode::fixed:
    batch.value = k_default_fixed;
    break;
  case BatchMode::exponential:
  case BatchMode::random:
    batch.value = k_default_max_step;
    break;
  }
  if (number) {
    const auto given = parse_number(*number, *mode == BatchMode::timed ? 0 : 1, k_max_batch);
    if (!given) return std::nullopt;
    batch.value = *given;
  }
  return batch;
}

std::optional<Fallback> parse_fallback(std::string_view value) noexcept {
  const auto [word, number] = split(value, ',');
  const auto kind = find_word<FallbackKind>(k_fallback_words, word);
  if (!kind) return std::nullopt;
  Fallback fallback{*kind, 0};
  if (number) {
    const auto chunk = parse_number(*number, 1, k_max_fallback_chunk);
    if (!chunk) return std::nullopt;
    fallback.chunk = *chunk;
  }
  return fallback;
}

std::optional<Bind> parse_bind(std::string_view value) noexcept {
  return find_word<Bind>(k_bind_words, trim(value));
}

std::optional<Stats> parse_stats(std::string_view value) noexcept {
  value = trim(value);
  const auto equals = value.find('=');
  const std::string_view word = trim(value.substr(0, equals));
  if (equals != std::string_view::npos) {
    // Blanks belong to a path, so it is not trimmed in front.
    const std::string_view path = without_first(value, equals + 1);
    const auto format = find_word<StatsFormat>(k_stats_words, word);
    if (path.empty() || path.size() > k_max_path || !format || *format == StatsFormat::off)
      return std::nullopt;
    // To others - means a standard stream. Ours is stderr.
    return Stats{*format, path == "-" ? std::string_view() : path};
  }
  if (word == "1") return Stats{StatsFormat::text, {}};
  const auto format = find_word<StatsFormat>(k_stats_words, word);
  if (!format) return std::nullopt;
  return Stats{*format, {}};
}

std::optional<std::string_view> parse_record(std::string_view value) noexcept {
  value = trim(value);
  if (value == "0") return std::string_view();
  // A user who means "yes" has to say where, because a profile among the lines of a program cannot be found
  // again; files of these names are ./1 and ./-.
  if (value.empty() || value == "1" || value == "-" || value.size() > k_max_path) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_trace_events(std::string_view value) noexcept {
  return parse_number(trim(value), k_fewest_trace_events, k_most_trace_events);
}

std::optional<std::string_view> parse_rules(std::string_view value) noexcept {
  value = trim(value);
  return value == "0" ? std::string_view() : value;
}

std::optional<bool> parse_threads(std::string_view value) noexcept {
  value = trim(value);
  if (same_word(value, "auto")) return true;
  if (same_word(value, "off")) return false;
  return std::nullopt;
}

std::optional<bool> parse_history(std::string_view value) noexcept {
  value = trim(value);
  if (same_word(value, "on")) return true;
  if (same_word(value, "off")) return false;
  return std::nullopt;
}

std::optional<bool> parse_switch(std::string_view value) noexcept {
  value = trim(value);
  if (value == "1") return true;
  if (value == "0") return false;
  return std::nullopt;
}

DisplayEnv parse_display_env(std::string_view value) noexcept {
  value = trim(value);
  if (same_word(value, "verbose")) return DisplayEnv::verbose;
  return is_true(value) ? DisplayEnv::yes : DisplayEnv::no;
}

bool parse_display_affinity(std::string_view value) noexcept { return is_true(trim(value)); }

} // namespace wstree::config
