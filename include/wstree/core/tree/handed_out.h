// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The roots of a small team that their owners have handed out to the end.
#pragma once

#include "wstree/core/platform.h"

#include <array>
#include <cstdint>

namespace wstree::core {

/// In a short loop without steals, a member that has done its share learns from here, in one line, that the
/// other members have done theirs. It need not look at their roots, and the lines of these stay with their
/// owners, whose next loop begins with a write to them. A root that was split is never marked.
template <class P> class HandedOut {
public:
  /// As many as fit into a pair of lines, together with iteration n-1.
  static constexpr std::uint32_t k_roots = 15;

  /// All units of the root were handed out in execution `loop`.
  void mark(std::uint32_t root, std::uint64_t loop) noexcept {
    // [N13] relaxed: a mark says that there is nothing to read below it, and a missing one is a hint. Numbers
    //       of loops only grow, so one that is not ours is older.
    if (root < k_roots) loops_[root].store(loop, P::order(Tag::mark_handed, std::memory_order_relaxed));
  }
  /// Returns whether the first `roots` roots are known to be handed out.
  bool is_all(std::uint32_t roots, std::uint64_t loop) const noexcept {
    if (roots > k_roots) return false;
    for (std::uint32_t i = 0; i < roots; ++i)
      if (loops_[i].load(P::order(Tag::mark_handed, std::memory_order_relaxed)) != loop) return false; // N13
    return true;
  }

private:
  /// Number of the loop in which the root was handed out most recently.
  std::array<typename P::template Atomic<std::uint64_t>, k_roots> loops_{};
};

} // namespace wstree::core
