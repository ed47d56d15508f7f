// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the library was loaded, and how long a tick is.
#pragma once

#include "wstree/core/figures.h"

#include <cstdint>
#include <ctime>

namespace wstree::abi {

/// One moment on two clocks: core::StdPlatform::ticks(), and CLOCK_MONOTONIC.
struct Moment {
  std::uint64_t ticks = 0, nanoseconds = 0;
};

inline std::uint64_t to_nanoseconds(const timespec& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Looks at both clocks, ticks() and `get(clock, &time)`, until nothing has come between the looks, which
/// then are at most `together` ticks apart: a thread that waits for a processor there would make ticks seem
/// many times too long or too short. If calls are slow, this never happens; the closest looks count then.
template <class Ticks, class Get> Moment moment_by(std::uint64_t together, Ticks ticks, Get get) noexcept {
  constexpr int k_attempts = 20;
  Moment found;
  std::uint64_t closest = ~std::uint64_t{0};
  for (int attempts = 0; attempts < k_attempts && closest > together; ++attempts) {
    timespec now{};
    const std::uint64_t before = ticks();
    get(CLOCK_MONOTONIC, &now);
    const std::uint64_t apart = ticks() - before;
    if (apart > closest) continue;
    closest = apart;
    found = {before + apart / 2, to_nanoseconds(now)};
  }
  return found;
}

/// Returns whether the thread may read core::StdPlatform::ticks(). A program can forbid that to its threads,
/// and the signal that it asks for instead would meet us where we share out loops.
bool may_read_ticks() noexcept;

/// The library's constructor (lifecycle.cpp) calls this, before there are threads.
void remember_load_time() noexcept;
const Moment& load_time() noexcept;
/// Returns the time between load time and now on both clocks, which is long enough to compare them: in a
/// process that has just been loaded it waits for that. Any thread.
Moment since_load() noexcept;
/// Return the length of a tick, and the ticks in a time, by since_load().
core::TickLength tick_length() noexcept;
std::uint64_t ticks_in(std::uint64_t nanoseconds) noexcept;

} // namespace wstree::abi
