// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_SCHEDULE=trapezoidal,c on libomp (kmp_sch_trapezoidal): chunks from n / 2P, rounded down, by equal
// steps to c. The step is a whole number, so that a loop of less than about 8 P^2 iterations gets chunks of
// one size. core::TrapezoidRule does not round it.
//
// Shared memory: as dynamic, one fetch-and-add per chunk.
#pragma once

#include "central.h"

#include <algorithm>
#include <cstdint>

namespace wstree::simulate {

template <class P> class LibompTrapezoidal : public StealsNothing {
public:
  using Loop = LibompLoop<P>;

  void enter(Loop&, const core::Entry& entry) noexcept {
    iterations_ = entry.iterations;
    first_ = std::max<std::uint64_t>(iterations_ / (2 * std::uint64_t{entry.members}), 1);
    const std::uint64_t last = std::clamp<std::uint64_t>(entry.smallest, 1, first_);
    chunks_ = std::max<std::uint64_t>((2 * iterations_ + first_ + last - 1) / (first_ + last), 2);
    step_ = (first_ - last) / (chunks_ - 1);
  }
  bool take(Loop& loop, core::Range& out) noexcept {
    const std::uint64_t number = loop.take(1);
    const std::uint64_t begin = before(number);
    if (number >= chunks_ || begin >= iterations_) return false;
    out = {begin, std::min(before(number + 1), iterations_), false};
    return true;
  }
  static std::uint64_t unclaimed(Loop& loop, const core::Entry& entry) noexcept {
    LibompTrapezoidal rule;
    rule.enter(loop, entry);
    return entry.iterations - std::min(rule.before(std::min(loop.taken(), rule.chunks_)), entry.iterations);
  }

private:
  /// Iterations before chunk `number`, as if there were no end.
  std::uint64_t before(std::uint64_t number) const noexcept {
    return number == 0 ? 0 : number * (2 * first_ - (number - 1) * step_) / 2;
  }

  std::uint64_t iterations_ = 0;
  std::uint64_t first_ = 1;
  std::uint64_t chunks_ = 0;
  std::uint64_t step_ = 0;
};

} // namespace wstree::simulate
