// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the processor and the system while a thread executes its part of a measured loop: one group of
// perf events for each thread, which the thread opens for itself.
#pragma once

#include "loop_counters.h"

namespace wstree::abi {

/// The calling thread enters a measured loop, in which it has `part` (the address of its frame). The first
/// call opens the thread's events; one line names the events that may not be counted.
void begin_counting(const void* part) noexcept;
/// Ends the counting when the calling thread leaves the loop. Returns the counts, inner loops of the
/// same thread included; nothing if the events could not be read, also because the program has closed
/// their descriptor.
observe::CounterValues end_counting(const void* part) noexcept;
/// Closes the calling thread's events, at its end.
void close_counters() noexcept;
/// Forgets the thread's events in a forked child, where they are the parent's until the child opens its own.
void forget_counters() noexcept;

} // namespace wstree::abi
