// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One seed for everything: what a round does follows from the seed of the run, the part and the number of the
// round.
#pragma once

#include <cstdint>

namespace stress {

/// SplitMix64: the same on every compiler, and small enough for tools/stress to have it too.
class Random {
public:
  constexpr explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform enough in [0, bound). Requires bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// In [least, most].
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  bool coin() { return next() >> 63 != 0; }

private:
  std::uint64_t state_;
};

/// splitmix(S, p, r): the seed of round r of part p in a run with the seed S.
inline std::uint64_t round_seed(std::uint64_t seed, std::uint64_t part, std::uint64_t round) {
  return Random(Random(Random(seed).next() + part).next() + round).next();
}

} // namespace stress
