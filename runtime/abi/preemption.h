// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time that the system lets a thread wait for a processor while it executes its part of a measured loop.
#pragma once

#include <cstdint>

namespace wstree::abi {

/// The calling thread enters a measured loop, in which it has `part` (the address of its frame).
void begin_preemption(const void* part) noexcept;
/// Notes that the calling thread has left the loop. Returns the ticks in which it had no processor though it
/// wanted one. 0 too if the part was brief or not timed, or contained another measured loop, or if the thread
/// has slept by itself, which hides how long it waited.
std::uint64_t end_preemption(const void* part) noexcept;

} // namespace wstree::abi
