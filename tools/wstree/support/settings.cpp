// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "settings.h"

#include "marked_schedule.h"
#include "meant.h"
#include "schedule_names.h"
#include "words.h"

#include <fmt/format.h>
#include <span>

namespace wstree::cli {

namespace {

using config::Option;

/// Returns the message about a bad value. `near`: the accepted value nearest to it; empty: none is near.
std::string not_understood(std::string_view option, std::string_view value, std::string_view accepted,
                           std::string_view near = {}) {
  return fmt::format("{} '{}' is not understood{} (accepted: {})", option, value, question(near), accepted);
}

/// Returns the word before the number or the path in a value.
std::string_view first_word(const std::optional<std::string>& value, char separator) {
  return value ? config::split(*value, separator).head : std::string_view();
}

bool is_schedule(std::string_view value) {
  const auto request = config::parse_schedule(value);
  return request ? !request->chunk_malformed : is_runtime_schedule(value);
}

std::string bad_schedule(std::string_view value) {
  const auto near = nearest_schedule(value);
  const auto request = config::parse_schedule(value);
  return fmt::format("--schedule '{}' is not understood{} (accepted: {}, each with [,chunk] behind and "
                     "[monotonic:|nonmonotonic:] in front{})",
                     value, question(near), all_schedules(),
                     request ? fmt::format(", chunk from 1 to {}", config::k_max_chunk) : "");
}

/// Returns the kind of schedule for which --chunk is given.
std::string_view kind_of(const RunRequest& request) {
  if (!request.schedule) return "wstree";
  return std::string_view(*request.schedule).substr(0, request.schedule->find(','));
}

std::string bad_chunk(const RunRequest& request) {
  return not_understood("--chunk", *request.chunk,
                        fmt::format("a number of iterations from 1 to {}",
                                    is_runtime_schedule(kind_of(request)) ? config::k_max_fallback_chunk
                                                                          : config::k_max_chunk));
}

/// Returns the schedule that the program is to see; nothing if it is in the environment already.
std::optional<std::string> wanted_schedule(const RunRequest& request, std::string_view present) {
  const auto chunk = request.chunk ? fmt::format(",{}", *request.chunk) : std::string();
  if (request.schedule) return *request.schedule + chunk;
  auto asked = requested_schedule(present);
  if (!asked) return "wstree" + chunk;
  if (!request.chunk && config::parse_schedule(present)) return std::nullopt;
  if (request.chunk) asked->chunk_given = false;
  return std::string(config::to_text(*asked).view()) + chunk;
}

} // namespace

std::optional<std::string> check_values(const RunRequest& request) {
  if (request.schedule && !is_schedule(*request.schedule)) return bad_schedule(*request.schedule);
  if (request.chunk && !is_schedule(fmt::format("{},{}", kind_of(request), *request.chunk)))
    return bad_chunk(request);
  struct Check {
    std::string_view option;
    const std::optional<std::string>& value;
    bool good;
    std::string_view accepted;
    std::string_view near;
  };
  // Each parser has a type of its own, so the answers are collected first.
  const auto good = [](const std::optional<std::string>& value, auto parse) {
    return !value || parse(*value);
  };
  const auto with = [](auto parse) {
    return [parse](std::string_view value) { return parse(value).has_value(); };
  };
  const Check checks[] = {
      {"--loops", request.loops, good(request.loops, with(config::parse_loops)),
       text_of(Option::loops).accepted, meant_loops(request.loops.value_or(""))},
      {"--strategy", request.strategy, good(request.strategy, with(config::parse_strategy)),
       text_of(Option::strategy).accepted,
       meant(first_word(request.strategy, ','), config::k_strategy_words)},
      {"--batch", request.batch, good(request.batch, with(config::parse_batch)),
       text_of(Option::batch).accepted, meant(first_word(request.batch, ':'), config::k_batch_words)},
      {"--fallback", request.fallback, good(request.fallback, with(config::parse_fallback)),
       text_of(Option::fallback).accepted,
       meant(first_word(request.fallback, ','), config::k_fallback_words)},
      {"--bind", request.bind, good(request.bind, with(config::parse_bind)), text_of(Option::bind).accepted,
       meant(first_word(request.bind, ','), config::k_bind_words)},
      {"--stats", request.stats, good(request.stats, with(config::parse_stats)),
       text_of(Option::stats).accepted,
       meant(first_word(request.stats, '='), std::span(config::k_stats_words).subspan(1))},
      {"--trace", request.trace, good(request.trace, with(config::parse_record)),
       text_of(Option::trace).accepted, std::string_view()},
  };
  for (const Check& check : checks) {
    if (!check.good) return not_understood(check.option, *check.value, check.accepted, check.near);
  }
  if (request.chunk && request.schedule && request.schedule->find(',') != std::string::npos) {
    return fmt::format("--schedule '{}' has a chunk already; leave out --chunk {}", *request.schedule,
                       *request.chunk);
  }
  return std::nullopt;
}

std::optional<config::ScheduleRequest> requested_schedule(std::string_view value) {
  const auto marked = config::parse_marked(value);
  return marked ? marked : config::parse_schedule(value);
}

config::LoopKinds loops_in_force(const RunRequest& request, const Environment& environment) {
  const auto value = request.loops ? request.loops : environment.get(text_of(Option::loops).name);
  return config::parse_loops(value.value_or("")).value_or(k_loops_of_run);
}

std::optional<std::string> apply(const RunRequest& request, Environment& environment) {
  const auto set = [&](Option option, const std::optional<std::string>& value) {
    if (value) environment.set(text_of(option).name, *value);
  };
  const auto loops = text_of(Option::loops).name;
  if (request.loops || environment.get(loops).value_or("").empty())
    environment.set(loops, request.loops.value_or(std::string(config::to_text(k_loops_of_run).view())));
  set(Option::strategy, request.strategy);
  set(Option::batch, request.batch);
  set(Option::fallback, request.fallback);
  set(Option::bind, request.bind);
  set(Option::stats, request.stats);
  if (request.counters) {
    environment.set(text_of(Option::counters).name, "1");
    if (!environment.get(text_of(Option::stats).name)) environment.set(text_of(Option::stats).name, "text");
  }
  set(Option::trace, request.trace);
  set(Option::rules, request.rules);
  if (request.verbose) environment.set(text_of(Option::verbose).name, "1");

  const auto name = text_of(Option::schedule).name;
  const auto present = environment.get(name).value_or("");
  const auto wanted = wanted_schedule(request, present);
  if (!wanted) return std::nullopt;
  environment.set(name, *wanted);
  if (request.schedule || present.empty() || requested_schedule(present)) return std::nullopt;
  if (config::is_misspelled_schedule(present)) {
    return fmt::format("{}='{}' is none of the library's schedules ({}), so this run uses '{}'", name,
                       present, own_schedules(), *wanted);
  }
  return fmt::format("{}='{}' is set, but this run uses '{}'; to keep it, say --schedule {}", name, present,
                     *wanted, present);
}

} // namespace wstree::cli
