// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_SCHEDULE=guided,c on libgomp (gomp_iter_guided_next): R / P of the R iterations that are left, rounded
// up, at least c, by a compare-and-swap. The first chunk of two members is half of the loop.
//
// Shared memory: a load and a compare-and-swap on the same line per chunk, again if another was faster. A
// team of one does the same.
#pragma once

#include "central.h"

#include <algorithm>
#include <cstdint>

namespace wstree::simulate {

template <class P> class GompGuided : public StealsNothing {
public:
  using Loop = LibgompLoop<P>;
  static constexpr bool k_serial = false;

  void enter(Loop&, const core::Entry& entry) noexcept {
    iterations_ = entry.iterations;
    chunk_ = std::clamp<std::uint64_t>(entry.smallest, 1, iterations_);
    members_ = entry.members;
  }
  bool take(Loop& loop, core::Range& out) noexcept {
    std::uint64_t begin = loop.taken();
    while (begin != iterations_) {
      const std::uint64_t left = iterations_ - begin;
      const std::uint64_t part = left / members_ + (left % members_ != 0);
      const std::uint64_t end = begin + std::min(std::max(part, chunk_), left);
      if (!loop.raise(begin, end)) continue;
      out = {begin, end, false};
      return true;
    }
    return false;
  }
  static std::uint64_t unclaimed(Loop& loop, const core::Entry& entry) noexcept {
    return entry.iterations - loop.taken();
  }

private:
  std::uint64_t iterations_ = 0;
  std::uint64_t chunk_ = 1;
  std::uint32_t members_ = 1;
};

} // namespace wstree::simulate
