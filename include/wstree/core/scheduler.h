// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of a model, which shares a loop among the members of a team. The tree is a model; the other
// models stand beside it so that they can be compared on one program: loops, teams, statistics and tests work
// with any of them.
#pragma once

#include "wstree/core/cost.h"
#include "wstree/core/figures.h"
#include "wstree/core/kinds.h"
#include "wstree/core/neighbourhood.h"
#include "wstree/core/prior.h"
#include "wstree/core/settings.h"
#include "wstree/core/shape.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace wstree::core {

/// How fast a member is beside the others of its team, and what a slow one keeps in mind while it leaves work
/// to faster ones (tree/giving_way.h). Private to its member.
struct Pace {
  std::uint32_t ticks = 1;   ///< of the member's probe
  std::uint32_t fastest = 1; ///< of the fastest member's
  /// Sum of the speeds of all clearly faster members, by the speed of the fastest one, << k_cost_bits.
  std::uint64_t faster = 1 << k_cost_bits;

  /// Return what takes this member `ticks` on the fastest core, and the reverse.
  std::uint64_t fast(std::uint64_t slow) const noexcept { return scaled(slow, fastest, ticks); }
  std::uint64_t slow(std::uint64_t fast) const noexcept { return scaled(fast, ticks, fastest); }

  // About the present loop, in ticks:
  std::uint64_t entered = 0;
  std::uint64_t next_look = 0;     ///< before that the end of the loop is not near
  std::uint64_t began_waiting = 0; ///< 0: it is not waiting
  std::uint64_t waiting_since = 0; ///< when another member last took units, or else the wait began
  std::uint64_t left = 0;          ///< units that no member had taken at waiting_since
  std::uint32_t in_vain = 0;       ///< waits after which the member took the unit itself
  bool is_of_few = false;          ///< a unit may be a large part of the loop
};

/// One member's entry into one execution of a loop. Read in enter() only: it need not live longer.
struct Entry {
  std::uint64_t iterations = 1; ///< 1 to 2^63 - 1; the same for all members
  std::uint64_t loop = 1;  ///< number of the execution: grows from use to use of a slot, the same for all
  std::uint64_t use = 1;   ///< number of the use of the slot; grows by one each time
  std::uint32_t index = 0; ///< number of this member
  std::uint32_t members = 1;
  const Settings* settings = nullptr; ///< outlives the loop
  std::uint64_t smallest =
      1; ///< the chunk of the schedule, in iterations; 0: none was given, which means 1 but in static_
  const Neighbourhood* near = nullptr; ///< may be null; outlives the loop
  Prior* prior = nullptr;              ///< of this member, for the loop's code location; may be null
  Pace* pace = nullptr; ///< of a slow member; null: not known, or about as fast as any. Outlives the loop
};

/// For models that need no memory of their own.
struct NoMemory {};

/// One element per member, each at the same place of a larger block that belongs to its member.
template <class T> struct Cells {
  T* first = nullptr;
  std::size_t stride = sizeof(T); ///< bytes from one to the next
  T& operator[](std::uint32_t member) const noexcept {
    return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(first) + member * stride);
  }
};

/// W is one member's private side: entered once per loop, then called for batches until there are none.
///
///   W::Loop     shared state of the members: lives in a slot that is used by one loop after the other.
///   Zeroed
///               memory is a valid state, apart from pointers that the team's storage fills in once. No
///               member waits for another to initialise it: what an earlier use left behind is recognised
///               by its number and counts as fresh.
///   W::Memory   memory of the member alone, empty at the start of a loop
///   enter()     joins a loop; when it returns, thieves can take the member's share
///   next()      gives this member its next batch. Returns false, from then on always, when every
///               iteration is in the hands of some member. The batch with the last iteration says so and is
///               its member's last batch (compilers copy lastprivate variables out of the thread that was
///               told "last", after the loop).
///   unclaimed() returns the number of iterations that no member was handed yet, as far as the shared state
///               tells. Exact while no member is in a call; not for the hot path.
///
/// next() is never a virtual call, takes no lock (but in queue_lock, which is there to show the lock's
/// cost) and does not allocate in the steady state.
template <class W>
concept Scheduler = std::is_trivially_destructible_v<W> &&
    requires(W worker, const W& asked, typename W::Loop& loop, typename W::Memory& memory, const Entry& entry,
             Range& out) {
  { worker.enter(loop, memory, entry) }
  noexcept->std::same_as<void>;
  { worker.next(out) }
  noexcept->std::same_as<bool>;
  { asked.counts() }
  noexcept->std::same_as<const Counts&>;
  { W::unclaimed(loop, entry) }
  noexcept->std::same_as<std::uint64_t>;
};

} // namespace wstree::core
