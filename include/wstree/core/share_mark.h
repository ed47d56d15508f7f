// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The share of the loop that a member starts with, while it is free.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::core {

/// Range and queue start from static partitions, one per member. A late member must not hold its share
/// back, and no member may have to wait until another one has laid out all shares: so a share is free until
/// its mark bears the number of the loop, and then belongs to the member that put the number there, mostly
/// its own member on arrival. Zeroed memory is a valid state.
template <class P> class ShareMark {
public:
  /// Claims the share in the execution `loop`. Returns true to one member, which then has the whole share.
  bool take(std::uint64_t loop) noexcept {
    // [S1] relaxed: the share follows from its number, so no data travels with it; the read-modify-write
    //      decides. Numbers of loops only grow, so a value that is not ours is older. Guard: model_range,
    //      model_queue (a plain store hands a share out twice).
    std::uint64_t seen = loop_.load(P::order(Tag::take_share, std::memory_order_relaxed));
    return seen != loop &&
           loop_.compare_exchange_strong(seen, loop, P::order(Tag::take_share, std::memory_order_relaxed),
                                         P::order(Tag::take_share, std::memory_order_relaxed));
  }
  bool is_free(std::uint64_t loop) const noexcept {
    return loop_.load(P::order(Tag::take_share, std::memory_order_relaxed)) != loop; // S1
  }

private:
  typename P::template Atomic<std::uint64_t> loop_{0};
};

} // namespace wstree::core
