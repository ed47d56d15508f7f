// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "settings.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

using config::Option;

constexpr std::string_view k_accepted_schedules =
    "wstree, static, dynamic, guided, auto, trapezoidal, static_steal, each with [,chunk] behind and "
    "[monotonic:|nonmonotonic:] in front";

std::string not_understood(std::string_view option, std::string_view value, std::string_view accepted) {
  return fmt::format("{} '{}' is not understood (accepted: {})", option, value, accepted);
}

bool is_runtime_schedule(std::string_view value) {
  // The kinds are those of the fallback, and LLVM's own one, which the library has no use for.
  constexpr std::string_view k_steal = "static_steal";
  if (const auto colon = value.find(':'); colon != std::string_view::npos) {
    const auto modifier = value.substr(0, colon);
    if (modifier != "monotonic" && modifier != "nonmonotonic") return false;
    value.remove_prefix(colon + 1);
  }
  if (value.starts_with(k_steal))
    return config::parse_fallback(fmt::format("static{}", value.substr(k_steal.size()))).has_value();
  return config::parse_fallback(value).has_value();
}

bool is_schedule(std::string_view value) {
  const auto request = config::parse_schedule(value);
  return request ? !request->chunk_malformed : is_runtime_schedule(value);
}

bool is_chunk(std::string_view value) {
  const auto request = config::parse_schedule(fmt::format("wstree,{}", value));
  return request && !request->chunk_malformed;
}

/// The schedule that the program is to see; nothing if it is in the environment already.
std::optional<std::string> wanted_schedule(const RunRequest& request, std::string_view present) {
  const auto chunk = request.chunk ? fmt::format(",{}", *request.chunk) : std::string();
  if (request.schedule) return *request.schedule + chunk;
  const auto asked = requested_schedule(present);
  if (!asked || request.chunk) return "wstree" + chunk;
  if (config::parse_schedule(present)) return std::nullopt;
  return std::string(config::to_text(*asked).view());
}

} // namespace

std::optional<std::string> check_values(const RunRequest& request) {
  struct Check {
    std::string_view option;
    const std::optional<std::string>& value;
    bool good;
    std::string_view accepted;
  };
  // Each parser has a type of its own, so the answers are collected first.
  const auto good = [](const std::optional<std::string>& value, auto parse) {
    return !value || parse(*value);
  };
  const auto with = [](auto parse) {
    return [parse](std::string_view value) { return parse(value).has_value(); };
  };
  const Check checks[] = {
      {"--schedule", request.schedule, good(request.schedule, is_schedule), k_accepted_schedules},
      {"--chunk", request.chunk, good(request.chunk, is_chunk),
       "a number of iterations from 1 to 2147483647"},
      {"--loops", request.loops, good(request.loops, with(config::parse_loops)),
       text_of(Option::loops).accepted},
      {"--strategy", request.strategy, good(request.strategy, with(config::parse_strategy)),
       text_of(Option::strategy).accepted},
      {"--batch", request.batch, good(request.batch, with(config::parse_batch)),
       text_of(Option::batch).accepted},
      {"--fallback", request.fallback, good(request.fallback, with(config::parse_fallback)),
       text_of(Option::fallback).accepted},
      {"--bind", request.bind, good(request.bind, with(config::parse_bind)), text_of(Option::bind).accepted},
      {"--stats", request.stats, good(request.stats, with(config::parse_stats)),
       text_of(Option::stats).accepted},
  };
  for (const Check& check : checks) {
    if (!check.good) return not_understood(check.option, *check.value, check.accepted);
  }
  if (request.chunk && request.schedule && request.schedule->find(',') != std::string::npos) {
    return fmt::format("--schedule '{}' has a chunk already; leave out --chunk {}", *request.schedule,
                       *request.chunk);
  }
  return std::nullopt;
}

std::optional<config::ScheduleRequest> requested_schedule(std::string_view value) {
  if (!value.starts_with(config::k_marked_kind)) return config::parse_schedule(value);
  return config::parse_schedule(fmt::format("wstree{}", value.substr(config::k_marked_kind.size())));
}

config::LoopKinds loops_in_force(const RunRequest& request, const Environment& environment) {
  const auto value = request.loops ? request.loops : environment.get(text_of(Option::loops).name);
  return config::parse_loops(value.value_or("")).value_or(config::LoopKinds{});
}

std::optional<std::string> apply(const RunRequest& request, Environment& environment) {
  const auto set = [&](Option option, const std::optional<std::string>& value) {
    if (value) environment.set(text_of(option).name, *value);
  };
  set(Option::loops, request.loops);
  set(Option::strategy, request.strategy);
  set(Option::batch, request.batch);
  set(Option::fallback, request.fallback);
  set(Option::bind, request.bind);
  set(Option::stats, request.stats);
  if (request.verbose) environment.set(text_of(Option::verbose).name, "1");

  const auto name = text_of(Option::schedule).name;
  const auto present = environment.get(name).value_or("");
  const auto wanted = wanted_schedule(request, present);
  if (!wanted) return std::nullopt;
  environment.set(name, *wanted);
  if (request.schedule || present.empty() || requested_schedule(present)) return std::nullopt;
  return fmt::format("{}='{}' is set, but this run uses '{}'; to keep it, say --schedule {}", name, present,
                     *wanted, present);
}

} // namespace wstree::cli
