// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a thread is: which region, as which member of which team, and in which loop.
#pragma once

#include "member.h"
#include "process/session.h"
#include "resolve/omp_queries.h"
#include "statistics.h"

#include "wstree/core/platform.h"

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace wstree::abi {

using Platform = core::StdPlatform;
using Team = loop::Team<Platform>;
using Member = loop::Member<Platform>;

/// What the program calls the iterations of a loop: values modulo 2^64. We hand out units, which are
/// the chunks of a loop that says how long they are, and single iterations otherwise.
struct Bounds {
  std::uint64_t lower = 0;  // of the first iteration
  std::uint64_t end = 0;    // upper bound of the last chunk, inclusive or exclusive as the interface has it
  std::uint64_t step = 1;   // from one iteration to the next
  std::uint64_t stride = 1; // from one unit to the next
  std::uint64_t unit = 1;   // iterations in a unit; the last one may have fewer
  std::uint64_t iterations = 0;
};

/// One entry of a thread's stack of regions. The frame of a parallel region lives on the stack of its wrapper
/// function, that of a serialised region or of code outside of any region on the heap.
struct Frame {
  /// Member `index` of `members` of the region at `here`. Without a team the runtime serves what more than
  /// one member has to share.
  Frame(Team* team, const Team::Opening& opening, std::uint32_t index, std::uint32_t members,
        Place here) noexcept
      : member(team, opening, index, members), place(here), serves(members == 1 || team != nullptr) {}
  /// A thread alone, whose schedule is asked for at every loop.
  explicit Frame(Place here) noexcept : member(nullptr, 0, 1), place(here), asks(true), alone(true) {}

  /// Whether code at `caller` is in the region of this frame, and not in one that was opened out of our
  /// sight.
  bool is_at(const void* caller) const noexcept {
    const Place here = runtime_place(caller);
    return here.level == place.level && (here.runtime == place.runtime || place.runtime == nullptr);
  }

  /// Whether the tasks of the members have schedules of their own, which have to agree.
  bool is_team_that_asks() const noexcept { return asks && !alone && member.members() > 1 && serves; }

  Frame* outer = nullptr;
  Member member;
  Place place;
  bool serves = true;    // there is a team
  bool ours = false;     // the region's schedule(runtime) loops are ours, as was decided at the fork ...
  bool asks = false;     // ... or the task's schedule decides at each loop
  bool alone = false;    // no region that we saw opening
  bool pushed = false;   // by a serialised region
  bool has_set = false;  // its own schedule, in the region; what it was before stands below
  bool parallel = false; // inside a team of more than one, here or further out
  /// Whom the next dispatch_next is for.
  enum class Loop : std::uint8_t {
    none,          // the runtime
    served,        // us
    foreign_inside // us, but a loop of a region that was opened out of our sight may be running inside ours
  };
  Loop loop = Loop::none;
  bool measured = false;                 // leaving the loop has something to do
  bool registered = false;               // with the runtime as well, which therefore ends it
  bool last_loop_served = false;         // nor has the runtime seen its end
  bool doacross = false;                 // the next loop has cross-iteration dependences
  std::uint32_t missing = 0;             // open serialised regions inside that got no frame of their own
  core::Model model = core::Model::tree; // of the region's schedule
  std::uint64_t smallest = 1;            // its chunk, 0: none
  Bounds bounds;                         // of the served loop
  observe::LoopSite* site = nullptr;
  loop::Recording* recording = nullptr; // of the served loop, if a member alone lends it its memory
};

/// The calling thread's innermost frame; nullptr if it never met a served region or loop.
extern constinit thread_local Frame* t_frame __attribute__((tls_model("initial-exec")));

Frame* make_base_frame() noexcept;
/// t_frame, or a new one for code outside of any region. nullptr: no memory.
inline Frame* innermost_frame() noexcept { return t_frame != nullptr ? t_frame : make_base_frame(); }

/// For serialised regions: a frame at `here` on top of the others; without memory only the count of them.
void push_alone(Place here) noexcept;
/// Undoes the latest push_alone(), if there was one.
void pop_alone() noexcept;

/// What the members of a region have to know besides their numbers. All but the number of the first loop is
/// mostly the same from region to region.
struct Terms {
  const void* caller = nullptr; // who forks: see real_symbol()
  Team::Store* storage = nullptr;
  std::uint64_t loops = 1; // see Team::Opening
  TaskSchedule schedule;   // captured at the fork
  pthread_t opener{};
  bool placed = false; // the members are
  bool nested = false; // the region is inside another team
  bool operator==(const Terms&) const = default;
};

/// A team with the terms of its latest region. They are written only if they differ from those of the one
/// before: what nobody writes stays in the members' caches, and fetching a line takes as long as dispatching
/// several chunks.
class KeptTeam final : public Team {
public:
  void set_terms(const Terms& terms) noexcept {
    if (!(terms_ == terms)) terms_ = terms;
  }
  const Terms& terms() const noexcept { return terms_; }

  /// A member has set its schedule for the first time in the region whose first loop is number `base`.
  void count_setter(std::uint64_t base) noexcept {
    const std::uint64_t tag = base << 32;
    std::uint64_t seen = setters_.load(std::memory_order_relaxed);
    // release, with the acquire below: counts are read-modify-writes, so who sees that all have set theirs,
    // and then says so to others by starting a loop, says it for good. Guard: members_set_late in
    // tests/abi/schedule_icv.cpp; property.loop_programs.
    while (!setters_.compare_exchange_weak(seen, (seen >> 32 << 32 == tag ? seen : tag) + 1,
                                           std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  bool all_have_set(std::uint64_t base, std::uint32_t members) const noexcept {
    const std::uint64_t seen = setters_.load(std::memory_order_acquire);
    return seen >> 32 << 32 == base << 32 && (seen & 0xFFFFFFFF) >= members;
  }
  /// As if all had, for whoever asks from now on.
  void suppose_all_have_set(std::uint64_t base, std::uint32_t members) noexcept {
    setters_.store(base << 32 | members, std::memory_order_release);
  }

private:
  alignas(core::k_line_pair) Terms terms_;
  std::atomic<std::uint64_t> setters_{0}; // | first loop of the region:32 | members:32 |
};

/// A team of the calling thread that no open region uses. nullptr: no memory.
KeptTeam* borrow_team() noexcept;
void give_back_team(KeptTeam* team) noexcept;

/// Records what the iterations of the loop take that the member of `frame` has entered with `chunk`.
void record_loop(Frame& frame, const loop::Pace& pace, std::uint64_t units, std::uint64_t chunk) noexcept;

void leave_measured_work(Frame& frame) noexcept;
/// The member of `frame` takes no more of its loop, finished or not.
inline void leave_work(Frame& frame) noexcept {
  if (frame.measured) [[unlikely]]
    leave_measured_work(frame);
  else
    frame.member.leave();
}
/// The same, and the loop is over: what is asked next is not for us.
inline void leave_loop(Frame& frame) noexcept {
  frame.loop = Frame::Loop::none;
  leave_work(frame);
}

/// Whether the calling thread asks about its served loop although a foreign one was seen inside that.
bool is_back_in_served_loop(Frame& frame, const void* caller) noexcept;
inline bool asks_about_served_loop(Frame& frame, const void* caller) noexcept {
  if (frame.loop == Frame::Loop::served) [[likely]]
    return true;
  return frame.loop == Frame::Loop::foreign_inside && is_back_in_served_loop(frame, caller);
}

} // namespace wstree::abi
