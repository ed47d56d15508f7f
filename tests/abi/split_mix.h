// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers for programs that are built apart from the project.
#pragma once

#include <cstdint>

namespace check {

/// SplitMix64: small, seedable, and the same on every compiler, which a replayed seed needs.
class Random {
public:
  constexpr explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform enough in [0, bound) for choosing test data. Requires bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

private:
  std::uint64_t state_;
};

} // namespace check
