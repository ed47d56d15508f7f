// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a thread is: which region, as which member of which team, and in which loop.
#pragma once

#include "member.h"
#include "session.h"
#include "statistics.h"

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::abi {

using Platform = core::StdPlatform;
using Team = loop::Team<Platform>;
using Member = loop::Member<Platform>;

/// One entry of a thread's stack of regions. The frame of a parallel region lives on the stack of its wrapper
/// function, that of a serialised region or of code outside of any region on the heap.
struct Frame {
  /// Member `index` of `members` of a region whose loops are served with batches of at least `chunk`, at
  /// nesting `level`.
  Frame(Team* team, std::uint32_t index, std::uint32_t members, int nesting, std::uint64_t chunk) noexcept
      : member(team, index, members), level(nesting), smallest(chunk) {}
  /// A thread alone, whose schedule is asked for at every loop.
  explicit Frame(int nesting) noexcept : member(nullptr, 0, 1), level(nesting), asks(true) {}

  Frame* outer = nullptr;
  Member member;
  int level;           // omp_get_level() of the region; a loop at another level is somebody else's
  bool serves = true;  // the region's loops go to the tree
  bool asks = false;   // the task's schedule decides at each loop
  bool pushed = false; // by a serialised region
  /// Whom the next dispatch_next is for.
  enum class Loop : std::uint8_t {
    none,          // the runtime
    served,        // us
    foreign_inside // us, but a loop of a region that was opened out of our sight may be running inside ours
  };
  Loop loop = Loop::none;
  bool measured = false;         // leaving the loop has something to do
  bool last_loop_served = false; // nor has the runtime seen its end
  bool doacross = false;         // the next loop has cross-iteration dependences
  std::uint64_t smallest = 1;
  std::uint64_t lower = 0;  // of the served loop, modulo 2^64
  std::uint64_t stride = 1; // likewise
  observe::LoopSite* site = nullptr;
};

/// The calling thread's innermost frame; nullptr if it never met a served region or loop.
extern constinit thread_local Frame* t_frame __attribute__((tls_model("initial-exec")));

Frame* make_base_frame() noexcept;
/// t_frame, or a new one for code outside of any region. nullptr: no memory.
inline Frame* innermost_frame() noexcept { return t_frame != nullptr ? t_frame : make_base_frame(); }

/// For serialised regions: a frame at `level` on top of the others; nothing happens if there is no memory.
void push_alone(int level) noexcept;
/// Undoes the push_alone() of the region at `level`, if there was one.
void pop_alone() noexcept;

/// A team of the calling thread that no open region uses. nullptr: no memory.
Team* borrow_team() noexcept;
void give_back_team(Team* team) noexcept;

void leave_measured_loop(Frame& frame) noexcept;
/// The member of `frame` leaves its loop, finished or not.
inline void leave_loop(Frame& frame) noexcept {
  frame.loop = Frame::Loop::none;
  if (frame.measured) [[unlikely]]
    leave_measured_loop(frame);
  else
    frame.member.leave();
}

} // namespace wstree::abi
