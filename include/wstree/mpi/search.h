// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search of a rank for its next piece.
#pragma once

#include "wstree/mpi/member.h"

#include <algorithm>
#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Returns the nanoseconds to sleep after so many rounds without work; 0: only give the processor away.
constexpr long nap_after(unsigned rounds) noexcept {
  constexpr unsigned k_yields = 8, k_doublings = 5;
  return rounds < k_yields ? 0 : 20'000L << std::min((rounds - k_yields) / 4, k_doublings);
}

/// The next piece of a rank; from other ranks if it has none. Returns false when the loop is done, or cannot
/// go on.
///
/// Host: `goes_on()`; `bound()`, the first unit that need not be executed, after the rank has told others of
/// its own and heard of theirs; `want(left)`, units to take; `drop(unit)`: units from there on were counted,
/// not executed; `rest()`: the rank has no work; `is_resting()`: and has had none
/// since: other ranks may be in the next call, which its word may be of; `steal()` -> whether something was
/// stolen; `wait(rounds)` after so many rounds without work.
template <class Memory, class Host> bool search(Member<Memory>& member, Host& host, Range& piece) {
  for (unsigned rounds = 0;; ++rounds) {
    if (!host.goes_on()) return false;
    const std::uint32_t bound = host.bound();
    const auto want = [&](Range left) {
      return left.begin >= bound ? std::uint64_t{left.size()} : host.want(left.size());
    };
    if (!host.is_resting() && member.take(want, piece)) {
      if (piece.end > member.units()) return false; // the piece is from a rank with another number of units
      if (piece.end <= bound) return true;
      const std::uint32_t kept = std::clamp(bound, piece.begin, piece.end);
      member.count(piece.end - kept);
      host.drop(kept);
      piece.end = kept;
      if (!piece.empty()) return true;
      continue;
    }
    member.tell();
    host.rest();
    if (member.is_done()) return false;
    if (host.steal())
      rounds = 0;
    else
      host.wait(rounds);
  }
}

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
