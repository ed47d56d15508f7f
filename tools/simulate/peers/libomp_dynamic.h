// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_SCHEDULE=dynamic,c on libomp (kmp_sch_dynamic_chunked): chunk k is the result of a fetch-and-add on the
// team's counter. libgomp's does the same with iterations instead of chunks.
//
// Shared memory: the counter's line once per chunk, and once more by each member that finds no chunk left.
#pragma once

#include "central.h"

#include <algorithm>
#include <cstdint>

namespace wstree::simulate {

template <class P> class LibompDynamic : public StealsNothing {
public:
  using Loop = LibompLoop<P>;

  void enter(Loop&, const core::Entry& entry) noexcept { enter(entry.iterations, entry.smallest); }
  void enter(std::uint64_t iterations, std::uint64_t chunk) noexcept {
    iterations_ = iterations;
    chunk_ = usable(chunk, iterations);
    chunks_ = iterations / chunk_ + (iterations % chunk_ != 0);
  }
  bool take(Loop& loop, core::Range& out) noexcept {
    const std::uint64_t number = loop.take(1);
    if (number >= chunks_) return false;
    out = {number * chunk_, std::min((number + 1) * chunk_, iterations_), false};
    return true;
  }
  static std::uint64_t unclaimed(Loop& loop, const core::Entry& entry) noexcept {
    return entry.iterations -
           std::min(loop.taken() * usable(entry.smallest, entry.iterations), entry.iterations);
  }

private:
  static std::uint64_t usable(std::uint64_t chunk, std::uint64_t iterations) noexcept {
    return std::clamp<std::uint64_t>(chunk, 1, iterations);
  }

  std::uint64_t iterations_ = 0;
  std::uint64_t chunk_ = 1;
  std::uint64_t chunks_ = 0;
};

} // namespace wstree::simulate
