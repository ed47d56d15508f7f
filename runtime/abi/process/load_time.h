// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the library was loaded, and how long a tick is.
#pragma once

#include <cstdint>
#include <ctime>

namespace wstree::abi {

/// One moment on two clocks: core::StdPlatform::ticks(), and CLOCK_MONOTONIC.
struct Moment {
  std::uint64_t ticks = 0, nanoseconds = 0;
};

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
    found = {before + apart / 2, static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                                     static_cast<std::uint64_t>(now.tv_nsec)};
  }
  return found;
}

/// Returns whether the thread may read core::StdPlatform::ticks(). A program can forbid that to its threads,
/// and the signal that it asks for instead would meet us where we share out loops.
bool may_read_ticks() noexcept;

/// The library's constructor (lifecycle.cpp) calls this, before there are threads.
void remember_load_time() noexcept;
const Moment& load_time() noexcept;
/// Returns the length of a tick, measured between load time and now, in any thread. In a process that has
/// just been loaded it waits until the span is long enough.
double ns_per_tick() noexcept;
/// Returns the ticks in a time, measured in the same way. Without floats: see core::DefaultFloats.
std::uint64_t ticks_in(std::uint32_t nanoseconds) noexcept;

} // namespace wstree::abi
