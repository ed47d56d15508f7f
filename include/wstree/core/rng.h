// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small pseudo-random generator for coins and samples.
#pragma once

#include <cstdint>

namespace wstree::core {

/// xorshift64*: one word of state, good enough to break ties between workers. Not for anything that must
/// be unpredictable.
class Rng {
public:
  constexpr explicit Rng(std::uint64_t seed = 1) noexcept : state_(seed * 0x9E3779B97F4A7C15ULL | 1) {}

  constexpr std::uint64_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  constexpr bool coin() noexcept { return next() >> 63 != 0; }
  /// Returns a number in [0, bound), uniform enough, 0 < bound < 2^32.
  constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }

private:
  std::uint64_t state_;
};

} // namespace wstree::core
