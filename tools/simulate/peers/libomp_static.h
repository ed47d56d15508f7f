// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// schedule(runtime) with OMP_SCHEDULE=static on libomp: the blocks of a balanced static schedule, or with a
// chunk c chunk k for member k % P.
//
// Modelled: the shares (kmp_sch_static_balanced, kmp_sch_static_chunked), and that such a loop enters and
// leaves like any other. No shared memory is touched for a chunk. A loop with schedule(static) in the source
// is compiled into the program and does not even enter.
#pragma once

#include "central.h"

#include <algorithm>
#include <cstdint>

namespace wstree::simulate {

template <class P> class LibompStatic : public StealsNothing {
public:
  using Loop = LibompLoop<P>;

  void enter(Loop&, const core::Entry& entry) noexcept {
    const std::uint64_t n = entry.iterations;
    iterations_ = n;
    if (entry.smallest != 0) {
      const std::uint64_t chunk = std::min(entry.smallest, n);
      begin_ = entry.index * chunk;
      size_ = chunk;
      stride_ = entry.members * chunk;
      return;
    }
    const std::uint64_t share = n / entry.members;
    const std::uint64_t extras = n % entry.members;
    begin_ = entry.index * share + std::min<std::uint64_t>(entry.index, extras);
    size_ = share + (entry.index < extras);
    stride_ = n;
    if (size_ == 0) begin_ = n;
  }
  bool take(Loop&, core::Range& out) noexcept {
    if (begin_ >= iterations_) return false;
    out = {begin_, std::min(begin_ + size_, iterations_), false};
    begin_ += stride_;
    return true;
  }
  static std::uint64_t unclaimed(Loop&, const core::Entry&) noexcept { return 0; }

private:
  std::uint64_t iterations_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t stride_ = 0;
};

} // namespace wstree::simulate
