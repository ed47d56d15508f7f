// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How our schedules travel through the OpenMP runtime and to child processes, which know nothing of them: as
// one of their own kinds whose chunk also says which of ours is meant.
#ifndef WSTREE_CONFIG_MARKED_SCHEDULE_H
#define WSTREE_CONFIG_MARKED_SCHEDULE_H

#include <cstdint>
#include <optional>
#include <string_view>

#include "options.h"

namespace wstree::config {

/// A schedule of ours as a program can set it and ask for it.
struct OwnSchedule {
  ScheduleKind kind = ScheduleKind::wstree;
  std::uint64_t chunk = 1; // 1 to k_max_chunk; 0: none was given, but wstree then has 1
  bool operator==(const OwnSchedule&) const = default;
};

/// | kind:5 | chunk:26 | in a positive int. The tree is kind 0, so that its chunk stands there as it is.
inline constexpr unsigned k_mark_shift = 26;
static_assert(k_max_chunk >> k_mark_shift == 0);
static_assert((k_schedule_kinds << k_mark_shift) < (std::uint64_t{1} << 31));

constexpr int encode(OwnSchedule schedule) noexcept {
  return static_cast<int>((std::uint64_t{static_cast<std::uint8_t>(schedule.kind)} << k_mark_shift) |
                          schedule.chunk);
}

/// Never fails: a number that encode() does not make counts as the tree's, with the chunk in its lower bits.
constexpr OwnSchedule decode(int chunk) noexcept {
  const auto bits = static_cast<std::uint64_t>(chunk < 0 ? 0 : chunk);
  if (bits - 1 < k_max_chunk) [[likely]]
    return {ScheduleKind::wstree, bits};
  const std::uint64_t kind = bits >> k_mark_shift;
  OwnSchedule schedule{static_cast<ScheduleKind>(kind < k_schedule_kinds ? kind : 0), bits & k_max_chunk};
  if (schedule.kind == ScheduleKind::wstree && schedule.chunk == 0) schedule.chunk = 1;
  return schedule;
}

/// The schedule that `request` asks for.
constexpr OwnSchedule schedule_of(const ScheduleRequest& request) noexcept {
  const bool none = !request.chunk_given && request.kind != ScheduleKind::wstree;
  return {request.kind, none ? 0 : request.chunk};
}

/// The value of OMP_SCHEDULE that stands for `request` in front of the runtime and in the environment of
/// children.
ValueText to_marked(const ScheduleRequest& request) noexcept;

/// What to_marked() wrote, here or in a parent process; nullopt for every other value.
std::optional<ScheduleRequest> parse_marked(std::string_view value) noexcept;

} // namespace wstree::config

#endif
