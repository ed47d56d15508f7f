// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of our schedules on their way through the OpenMP runtime and to child processes, which do not
// understand them: monotonic:dynamic with a chunk that also serves a process that takes it literally (a
// static child, a plugin that is bound past us).
//
// In the environment the capitals of the text encode our schedule. Inside the process a table has the chunks
// that are marks of ours; a program that asks for monotonic:dynamic itself gets a chunk that is none.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "options.h"

namespace wstree::config {

/// A schedule of ours as a program can set and read it.
struct OwnSchedule {
  ScheduleKind kind = ScheduleKind::wstree;
  std::uint64_t chunk = 1; // 1 to k_max_chunk; 0: none was given, but wstree then has 1
  bool operator==(const OwnSchedule&) const = default;
};

/// Returns the schedule that `request` asks for.
constexpr OwnSchedule schedule_of(const ScheduleRequest& request) noexcept {
  const bool none = !request.chunk_given && request.kind != ScheduleKind::wstree;
  return {request.kind, none ? 0 : request.chunk};
}

/// Returns the value of OMP_SCHEDULE that stands for `request` in front of the runtime and in the environment
/// of children: a schedule that every OpenMP runtime accepts, monotonic:dynamic with the chunk. Its capitals,
/// which the runtimes ignore, distinguish it from a user's value: those in "monotonic" are the binary digits
/// of the kind's number, from 1 on, the first letter for the lowest one; and "dynamic" ends with one.
ValueText to_marked(const ScheduleRequest& request) noexcept;

/// Returns the schedule in a value of to_marked(), made here or in a parent process; nullopt for every
/// other value.
std::optional<ScheduleRequest> parse_marked(std::string_view value) noexcept;

/// Returns the chunk of a value that asks for monotonic:dynamic and is not ours; nullopt for every
/// other value.
std::optional<int> parse_monotonic_dynamic(std::string_view value) noexcept;

/// The meanings of the chunks of monotonic:dynamic in this process. Entries are added and never changed.
/// Any thread.
class MarkTable {
public:
  /// Returns the chunk that stands for `schedule` from now on: about that of the schedule itself.
  int mark(OwnSchedule schedule) noexcept;

  /// Notes that the program asks for monotonic:dynamic with `chunk`. Returns false if that is a mark of ours.
  bool leave_to_program(int chunk) noexcept;

  /// nullopt: `chunk` is the program's own.
  std::optional<OwnSchedule> meaning(int chunk) const noexcept;

private:
  /// | chunk of the mark:31 | kind:5 | chunk of the schedule:26 |, 0: free. Kinds that we do not have are
  /// the program's.
  using Entry = std::uint64_t;
  static constexpr unsigned k_kind_shift = 26;
  static constexpr unsigned k_mark_shift = 31;
  static constexpr std::uint64_t k_programs = 31;
  static_assert(k_max_chunk >> k_kind_shift == 0 && k_schedule_kinds < k_programs);
  /// Marks of a program that has used up the table: | 1 | kind:4 | chunk:26 |. No program means so large
  /// a chunk.
  static constexpr int k_huge = 1 << 30;
  static_assert(k_schedule_kinds << k_kind_shift <= k_huge);

  static constexpr Entry pack(OwnSchedule schedule) noexcept {
    return static_cast<Entry>(schedule.kind) << k_kind_shift | schedule.chunk;
  }
  static constexpr OwnSchedule unpack(Entry entry) noexcept {
    const Entry kind = entry >> k_kind_shift & k_programs;
    return {static_cast<ScheduleKind>(kind), entry & k_max_chunk};
  }
  static constexpr int mark_of(Entry entry) noexcept { return static_cast<int>(entry >> k_mark_shift); }
  static constexpr bool is_programs(Entry entry) noexcept {
    return (entry >> k_kind_shift & k_programs) == k_programs;
  }
  bool is_free(int mark, std::size_t entries) const noexcept;

  std::array<std::atomic<Entry>, 64> entries_{};
};

} // namespace wstree::config
