// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace wstree::simulate {

/// Picoseconds: fine enough for iterations of a fraction of a nanosecond.
using Time = std::uint64_t;
inline constexpr Time k_ns = 1'000;
inline constexpr Time k_tick = 400; ///< a tick of a clock of 2.5 GHz

constexpr double in_ns(Time time) { return static_cast<double>(time) / k_ns; }

} // namespace wstree::simulate
