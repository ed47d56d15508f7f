// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The work of one iteration.
#pragma once
#include <cstdint>

namespace bench {

/// Nanoseconds per unit of spin() on the machine the workloads were sized on; only the sizes depend on it.
inline constexpr double k_ns_per_unit = 1.3;

/// Executes `units` dependent steps of shift, exclusive or and multiply. The multiply's latency paces the
/// chain and no compiler has a closed form for it, so that the time is proportional to `units` and the result
/// needs every step.
inline std::uint64_t spin(std::uint64_t seed, std::uint64_t units) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;
  for (std::uint64_t k = 0; k < units; ++k) {
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
  }
  return x;
}

/// Returns spin(seed, 1), but without a loop, where a compiler would make one loop of this and a longer one.
inline std::uint64_t one_unit(std::uint64_t seed) {
  const std::uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;
  return (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
}

/// Returns a number that depends on `i` alone, uniform over 64 bits.
inline std::uint64_t scatter(std::uint64_t i) { return spin(i, 2); }

} // namespace bench
