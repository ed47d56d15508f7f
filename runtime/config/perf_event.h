// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// perf_event_open(2), for the library and for the command.
#pragma once

#include "system_call.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <sys/syscall.h>

namespace wstree::config {

/// Events that the processor or the system can count.
struct CountedEvent {
  std::uint32_t type;
  std::uint64_t config;
  bool in_kernel; ///< counts in the kernel, where switches happen; many users may count nothing else there

  /// Opens the event for the calling thread. `attributes` has the rest of what is asked for; `leader` is the
  /// descriptor of the first event of a group, or -1. Returns a descriptor, or the negative number of an
  /// error. With more events than the processor has counters they take turns: read() also returns both times.
  long open(perf_event_attr attributes, int leader = -1) const noexcept {
    attributes.size = sizeof attributes;
    attributes.type = type;
    attributes.config = config;
    attributes.exclude_kernel = attributes.exclude_hv = in_kernel ? 0 : 1;
    attributes.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return system_call(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
  }
};

inline constexpr CountedEvent k_cycles_event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false};
inline constexpr CountedEvent k_instructions_event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false};
inline constexpr CountedEvent k_cache_misses_event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false};
inline constexpr CountedEvent k_page_faults_event{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false};
inline constexpr CountedEvent k_switches_event{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true};

} // namespace wstree::config
