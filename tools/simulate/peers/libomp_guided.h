// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_SCHEDULE=guided,c on libomp (kmp_sch_guided_iterative_chunked): the next iteration is raised by a
// compare-and-swap, by R / 2P of the R iterations that are left, rounded down; once R is below 2P(c + 1) it
// is chunks of c by fetch-and-add. A loop of no more than P(2c + 1) iterations is dynamic,c.
//
// Shared memory: a load and a compare-and-swap on the same line per chunk, again if another was faster. As
// there, the quotient is a product in floating point.
#pragma once

#include "central.h"
#include "libomp_dynamic.h"

#include <algorithm>
#include <cstdint>

namespace wstree::simulate {

template <class P> class LibompGuided : public StealsNothing {
public:
  using Loop = LibompLoop<P>;

  void enter(Loop&, const core::Entry& entry) noexcept {
    iterations_ = entry.iterations;
    chunk_ = std::max<std::uint64_t>(entry.smallest, 1);
    is_dynamic_ = is_dynamic(entry);
    if (is_dynamic_) dynamic_.enter(entry.iterations, entry.smallest);
    few_ = 2 * entry.members * (chunk_ + 1);
    part_ = 0.5 / entry.members;
  }
  bool take(Loop& loop, core::Range& out) noexcept {
    if (is_dynamic_) return dynamic_.take(loop, out);
    std::uint64_t begin = loop.taken();
    while (begin < iterations_) {
      const std::uint64_t left = iterations_ - begin;
      if (left < few_) return take_chunk(loop, out);
      const std::uint64_t end = begin + static_cast<std::uint64_t>(static_cast<double>(left) * part_);
      if (!loop.raise(begin, end)) continue;
      out = {begin, end, false};
      return true;
    }
    return false;
  }
  static std::uint64_t unclaimed(Loop& loop, const core::Entry& entry) noexcept {
    if (is_dynamic(entry)) return LibompDynamic<P>::unclaimed(loop, entry);
    return entry.iterations - std::min(loop.taken(), entry.iterations);
  }

private:
  static bool is_dynamic(const core::Entry& entry) noexcept {
    // In this order because a chunk may be as large as a number can be.
    const std::uint64_t chunk = std::max<std::uint64_t>(entry.smallest, 1);
    return chunk >= entry.iterations || (2 * chunk + 1) * entry.members >= entry.iterations;
  }
  bool take_chunk(Loop& loop, core::Range& out) noexcept {
    const std::uint64_t begin = loop.take(chunk_);
    if (begin >= iterations_) return false;
    out = {begin, std::min(begin + chunk_, iterations_), false};
    return true;
  }

  std::uint64_t iterations_ = 0;
  std::uint64_t chunk_ = 1;
  std::uint64_t few_ = 0;
  double part_ = 0;
  bool is_dynamic_ = false;
  LibompDynamic<P> dynamic_;
};

} // namespace wstree::simulate
