// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the processor and the system while the members of teams are in a loop (WSTREE_COUNTERS).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "report_writer.h"

namespace wstree::observe {

enum class Counter : std::uint8_t { cycles, instructions, cache_misses, page_faults, context_switches };
inline constexpr std::array<std::string_view, 5> k_counter_names{"cycles", "instructions", "cache_misses",
                                                                 "page_faults", "context_switches"};
inline constexpr std::size_t k_counters = k_counter_names.size();

/// The counts of one member in one execution, or the sum of several such parts.
struct CounterValues {
  std::array<std::uint64_t, k_counters> values{};
  std::array<std::uint64_t, k_counters> parts{}; ///< in how many parts there was a value
  std::uint64_t all_parts = 0;

  CounterValues& operator+=(const CounterValues& other) noexcept;
  /// Returns whether the value is of all parts. Others would be too small.
  bool has(Counter counter) const noexcept;
  std::uint64_t operator[](Counter counter) const noexcept {
    return values[static_cast<std::size_t>(counter)];
  }
};

/// The sums of one loop. All zero at the start. Any thread may add.
class LoopCounters {
public:
  /// Members with a number of their own; all others share the last one.
  static constexpr std::uint32_t k_members = 256;

  /// Adds one part of a member. Does nothing if there is no memory.
  void add(std::uint32_t member, const CounterValues& part) noexcept;
  CounterValues of(std::uint32_t member) const noexcept;
  CounterValues total() const noexcept;
  /// In a forked child, while it has one thread.
  void clear() noexcept;

private:
  using Sum = std::atomic<std::uint64_t>;
  struct Row {
    Sum values[k_counters];
    Sum parts[k_counters];
    Sum all_parts;
  };
  static constexpr std::size_t k_bytes = k_members * sizeof(Row);
  Row* rows() noexcept;

  std::atomic<Row*> rows_{nullptr}; // made by the first member that adds; kept
};

/// Writes the counts: `, "counters": {...}, "member_counters": [...]`; nothing if nothing was counted.
void json_counters(ReportWriter& out, const LoopCounters& counters) noexcept;
/// Writes the counts for people, in one line.
void text_counters(ReportWriter& out, const LoopCounters& counters) noexcept;

} // namespace wstree::observe
