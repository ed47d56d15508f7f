// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One seed for everything: what a round does follows from the seed of the run,
// the part and the number of the round.
#pragma once

#include "../../abi/split_mix.h"

#include <cstdint>

namespace stress {

/// tools/stress has next() too.
class Random : public check::Random {
public:
  using check::Random::Random;
  /// In [least, most].
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  bool coin() { return next() >> 63 != 0; }
};

/// splitmix(S, p, r): the seed of round r of part p in a run with the seed S.
inline std::uint64_t round_seed(std::uint64_t seed, std::uint64_t part, std::uint64_t round) {
  return Random(Random(Random(seed).next() + part).next() + round).next();
}

} // namespace stress
