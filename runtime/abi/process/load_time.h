// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the library was loaded, and how long a tick is.
#pragma once

#include <cstdint>

namespace wstree::abi {

/// The same time on two clocks: core::StdPlatform::ticks(), and CLOCK_MONOTONIC.
struct Moment {
  std::uint64_t ticks = 0, nanoseconds = 0;
};

/// By the constructor of the library (lifecycle.cpp), before there are threads.
void remember_load_time() noexcept;
const Moment& load_time() noexcept;
/// Measured between load time and now, by any thread. In a process that has just been loaded it waits until
/// the span is long enough.
double ns_per_tick() noexcept;

} // namespace wstree::abi
