// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of the processor and the system while a program runs: perf_event_open(2), and the energy of the
// packages from /sys/class/powercap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

enum Counter : std::size_t {
  k_cycles,
  k_instructions,
  k_cache_misses,
  k_context_switches,
  k_energy,
  k_counters
};
inline constexpr std::array<std::string_view, k_counters> k_counter_names{
    "cycles", "instructions", "cache_misses", "context_switches", "joules"};

/// Counts of one run; nothing for an event that cannot be counted.
using Counts = std::array<std::optional<double>, k_counters>;

/// Counts in the program that this process starts next, from its exec on, and in its threads and children.
class RunCounters {
public:
  /// `powercap`: the folder of the kernel's.
  explicit RunCounters(const std::filesystem::path& powercap = "/sys/class/powercap");
  ~RunCounters();
  RunCounters(const RunCounters&) = delete;
  RunCounters& operator=(const RunCounters&) = delete;

  /// Reads the counts when the program has ended, and its children with it.
  [[nodiscard]] Counts read() const;
  /// Returns the reasons for missing counts, as sentences for the user; empty: all are there.
  [[nodiscard]] std::string problem() const;

private:
  struct Zone {
    std::filesystem::path file;
    double before, range; ///< joules; the kernel's number begins again behind `range`
  };
  /// Returns the number of the error for which the event is not counted, or 0.
  int error_of(Counter event) const { return std::max(0, -files_[event]); }

  std::array<int, k_energy> files_{}; ///< below 0: the number of an error
  std::vector<Zone> zones_;           ///< one for each package
};

/// Returns the medians of several runs; nothing for an event that one of them has not counted.
Counts medians_of(const std::vector<Counts>& runs);

} // namespace wstree::cli
