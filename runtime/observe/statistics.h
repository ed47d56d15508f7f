// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics of served loops, summed up per code location. Nothing here allocates or takes a lock (the first
// execution of a location calls the dynamic linker for its module, which locks for a moment).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "options.h"

#include "wstree/core/figures.h"

namespace wstree::observe {

/// One code location with a served loop. Lives in static storage and is never freed, so a pointer to it stays
/// valid even when the code is unloaded.
class LoopSite;
class Label;

/// Number of locations that are told apart. Further ones share one site named "(other loops)".
inline constexpr std::uint32_t k_max_sites = 4096;

/// Returns the site of the loop whose entry call returns to `return_address` (not null). `psource` is the
/// location text that the compiler passes (";file;function;line;column;;" or null). `schedule` names the
/// schedule in the report, for example "wsrange". The three pointers together identify the site, so a name of
/// a schedule has to stand at one place; with a `label`, that takes the place of `psource`. Both texts are
/// read at the first call for a site only and copied. Never null. Any thread; wait-free for a known site.
LoopSite* find_site(const void* return_address, const char* psource, std::string_view schedule,
                    const Label* label = nullptr) noexcept;

/// Adds one finished execution; its number at the site, counted from 1. Any thread, wait-free. Ticks are
/// those of the clock whose tick is given to write_report().
std::uint64_t record(LoopSite& site, const core::Execution& execution) noexcept;

/// Returns the number of executions recorded so far in this process.
std::uint64_t executions_recorded() noexcept;

/// Starts all figures from zero again; call in the child after fork, while it has one thread.
void forget_executions() noexcept;

/// Writes the figures of all sites that were executed, in the format of options.stats and to
/// options.stats_path. Sites that could save most if they were even come first; nothing for StatsFormat::off.
/// Preserves errno.
///
/// A path may contain %p (process id), %h (host), %r (MPI rank, else 0), %e (program name) and %%. Missing
/// folders are created and an existing file is never touched: .1, .2 and so on is appended until the name is
/// new (something that is no regular file, such as /dev/null or a pipe, is written to). In a setuid program
/// the path is ignored. If the file cannot be written, there is one line on stderr.
///
/// Meant for the end of the program, also from destructors of a library; loops that are still running are
/// counted as far as they were recorded. A second call at the same time returns at once.
void write_report(const config::Options& options, core::TickLength tick, std::uint32_t max_threads,
                  const char* version) noexcept;

/// Writes the report as JSON into `buffer`, which has room for `size` bytes, cut off to fit and with a 0
/// behind it. Returns how many bytes the whole text has without the 0. 0: another thread has been writing a
/// report for too long. Preserves errno.
std::size_t write_report_to(char* buffer, std::size_t size, core::TickLength tick, std::uint32_t max_threads,
                            const char* version) noexcept;

} // namespace wstree::observe
