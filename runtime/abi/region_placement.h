// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which regions are placed, and when: the link between regions and runtime/place.
#pragma once

#include "frame.h"
#include "thread_pin.h"

#include <pthread.h>

#include <cstdint>
#include <optional>

namespace wstree::place {
class Placement;
}

namespace wstree::abi {

/// One region, from before the fork until after the join, on the stack of the thread that forks it.
///
/// Placed are the regions of the outermost level, one at a time: teams of two root threads would be pinned to
/// the same CPUs. WSTREE_BIND=auto gives up for good when it meets two at once, or teams inside teams. It
/// also waits until served loops have been running for a while, because asking for the topology costs
/// milliseconds.
class RegionPlacement {
public:
  explicit RegionPlacement(const void* caller) noexcept; ///< before the fork; `caller`: see next_symbol()
  ~RegionPlacement();                                    ///< after the join
  RegionPlacement(const RegionPlacement&) = delete;
  RegionPlacement& operator=(const RegionPlacement&) = delete;

  /// What a member has to know before it looks at this object, which stands in the forking thread's memory.
  struct Summary {
    bool placed = false; ///< the members are
    bool nested = false; ///< the region is inside another team
  };
  Summary summary() const noexcept { return {placement_ != nullptr, nested_}; }

  /// Every member, at the beginning of the region: puts the thread in its place and tells `frame` where the
  /// others are. No system calls if the thread is in its place. `region` is looked at only if it is not.
  static void enter(const RegionPlacement& region, Summary summary, Frame& frame) noexcept {
    const std::uint32_t members = frame.member.members();
    frame.parallel = summary.nested || members > 1;
    if (members == 1) return;
    if (summary.placed)
      enter_placed(region, frame);
    else
      enter_unplaced(summary, frame.member.index());
  }

private:
  static void enter_placed(const RegionPlacement& region, Frame& frame) noexcept;
  static void enter_unplaced(Summary summary, std::uint32_t index) noexcept;

  place::Placement* placement_ = nullptr; // nullptr: the members are not placed
  bool nested_ = false;                   // inside another team
  pthread_t opener_ = pthread_self();
  /// A pinned worker opens a team of its own, whose size may depend on its mask.
  std::optional<place::Unpinned> unpinned_;
};

/// Served loops have run in a region of the calling thread, which is over.
void note_served_region() noexcept;

} // namespace wstree::abi
