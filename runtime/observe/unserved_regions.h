// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions whose function was read, and is not called again for pieces of a loop.
#pragma once

#include "report_writer.h"

#include "wstree/core/figures.h"

#include <cstdint>

namespace wstree::observe {

/// Notes a region. `caller` opens it; `reason` lives as long as the process; `at` is the code that is to
/// blame, or nullptr. Any thread, wait-free. If there are very many regions, the later ones are left out.
void note_unserved_region(const void* caller, const char* reason, const void* at) noexcept;

/// Adds an execution of the region that `caller` opens, if that was noted. Any thread, wait-free.
void note_unserved_time(const void* caller, std::uint64_t ticks) noexcept;
/// Starts the times from zero again; call in the child after fork.
void forget_unserved_times() noexcept;

/// Notes that a region may be served. Any thread, wait-free.
void note_served_region() noexcept;
/// Says in one line how many regions were not served, the reason of the first one, and the next step. Says
/// nothing if no such region is noted, or a served one.
void say_unserved() noexcept;

void write_unserved_json(ReportWriter& out, core::TickLength tick) noexcept;
void write_unserved_lines(ReportWriter& out, core::TickLength tick) noexcept;

} // namespace wstree::observe
