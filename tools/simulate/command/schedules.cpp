// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedules.h"

#include "support/schedule_names.h"
#include "support/user_text.h"

#include "options.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <variant>

namespace wstree::cli {

namespace {

using simulate::Peer;
using simulate::Schedule;

/// Schedules of OpenMP runtimes; the other peers are no schedules of loops in OpenMP programs.
constexpr std::array<std::string_view, 5> k_of_runtimes{"static", "dynamic", "guided", "trapezoidal",
                                                        "static_steal"};

std::string peer_names() {
  std::vector<std::string_view> names;
  for (std::size_t p = 0; p < simulate::k_peer_count; ++p)
    names.push_back(simulate::name_of(static_cast<Peer>(p)));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Splits a list such as "wsfixed,64,wstree": a number belongs to the schedule before it.
std::vector<std::string> split_schedules(std::string_view text) {
  std::vector<std::string> schedules;
  for (const auto& part : parts_of(text, ',')) {
    if (!schedules.empty() && whole_number(part))
      schedules.back() += ',' + part;
    else
      schedules.push_back(part);
  }
  return schedules;
}

std::optional<Schedule> peer_schedule(std::string_view name) {
  const auto comma = name.find(',');
  std::string kind(name.substr(0, comma));
  std::ranges::transform(kind, kind.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto peer = simulate::peer_named(kind);
  if (!peer) return std::nullopt;
  if (comma == std::string_view::npos) return Schedule{*peer, 0};
  const auto chunk = whole_number(name.substr(comma + 1));
  if (!chunk || *chunk == 0 || *chunk > config::k_max_chunk) return std::nullopt;
  return Schedule{*peer, *chunk};
}

} // namespace

std::vector<std::string> names_of(const std::vector<Schedule>& schedules) {
  std::vector<std::string> names;
  for (const auto& schedule : schedules) names.push_back(name_of(schedule));
  return names;
}

std::optional<Schedule> schedule_named(std::string_view name) {
  const auto request = config::parse_schedule(name);
  if (!request) return peer_schedule(name);
  if (request->chunk_malformed) return std::nullopt;
  return Schedule{static_cast<core::Model>(request->kind), request->chunk_given ? request->chunk : 0};
}

std::optional<std::string> take_schedules(const std::string& text, std::vector<Schedule>& schedules) {
  for (const auto& name : split_schedules(text)) {
    if (name == "all") {
      for (std::size_t m = 0; m < core::k_model_count; ++m)
        schedules.push_back({static_cast<core::Model>(m), 0});
    } else if (name == "peers") {
      for (std::size_t p = 0; p < simulate::k_peer_count; ++p) schedules.push_back({static_cast<Peer>(p), 0});
    } else if (const auto schedule = schedule_named(name)) {
      schedules.push_back(*schedule);
    } else {
      return fmt::format(
          "--schedule '{}' is not understood (accepted: all, peers, or a list of {}, {}, each also "
          "with ,chunk from 1 to {})",
          name, own_schedules(), peer_names(), config::k_max_chunk);
    }
  }
  return std::nullopt;
}

std::string name_of(const Schedule& schedule) {
  const auto* const peer = std::get_if<Peer>(&schedule.kind);
  const auto name = std::string(peer != nullptr ? simulate::name_of(*peer)
                                                : config::to_text(static_cast<config::ScheduleKind>(
                                                      std::get<core::Model>(schedule.kind))));
  return schedule.chunk == 0 ? name : fmt::format("{},{}", name, schedule.chunk);
}

bool is_own(const Schedule& schedule) { return std::holds_alternative<core::Model>(schedule.kind); }

bool can_be_set(const Schedule& schedule) {
  const auto* const peer = std::get_if<Peer>(&schedule.kind);
  return peer == nullptr || std::ranges::find(k_of_runtimes, simulate::name_of(*peer)) != k_of_runtimes.end();
}

std::uint64_t batches_of(const Schedule& schedule, std::uint64_t iterations) {
  const auto name = name_of({schedule.kind, 0});
  const bool is_share =
      (name == "wsstatic" || name == "static" || name == "static_balanced") && schedule.chunk == 0;
  constexpr std::array<std::string_view, 5> k_fixed{"wsfixed", "dynamic", "static_steal", "wsstatic",
                                                    "static"};
  constexpr std::uint64_t k_largest_grain = 2'048; // largest grain of cilk_for
  if (name == "cilk_for") return iterations / (schedule.chunk != 0 ? schedule.chunk : k_largest_grain);
  if (is_share || std::ranges::find(k_fixed, name) == k_fixed.end()) return 0;
  return iterations / std::max<std::uint64_t>(schedule.chunk, 1);
}

} // namespace wstree::cli
