// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The regions to place, and the time: the link between regions and runtime/place.
#pragma once

#include "frame.h"
#include "member_frame.h"
#include "thread_pin.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>

namespace wstree::place {
class Placement;
class TeamPlan;
} // namespace wstree::place

namespace wstree::abi {

/// The interface whose entry opens a region. libomp has the entries of both.
enum class Interface : std::uint8_t { kmpc, gomp };

/// One region, from before the fork until after the join, on the stack of the thread that forks it.
///
/// We place the regions of the outermost level, one at a time: the teams of two root threads would get
/// the same CPUs. WSTREE_BIND=auto gives up for good when it meets two at once, or teams inside teams.
/// It also waits until served loops have been running for a while, because asking for the topology
/// costs milliseconds.
class RegionPlacement {
public:
  explicit RegionPlacement(const void* caller) noexcept; ///< before the fork; `caller`: see Real
  ~RegionPlacement();                                    ///< after the join
  RegionPlacement(const RegionPlacement&) = delete;
  RegionPlacement& operator=(const RegionPlacement&) = delete;

  bool is_nested() const noexcept { return nested_; } ///< the region is inside another team
  /// Returns the members' data about this placement, and about the region that `caller` opens.
  /// `before`: the data of the region before. libomp's loops would wait as well, so there the ring is
  /// kept (loop/ring_end.h).
  Terms describe(const void* caller, Interface interface, const TaskSchedule& schedule,
                 const Terms& before) const noexcept {
    Terms terms;
    terms.caller = caller;
    terms.schedule = schedule;
    terms.keeps_ring = interface == Interface::kmpc ||
                       (caller == before.caller ? before.keeps_ring : runtime_is_llvms(caller));
    terms.opener = opener_;
    terms.placed = placement_ != nullptr;
    terms.nested = nested_;
    return terms;
  }

  /// Every member calls this when it enters the region: it puts the thread in its place and writes the places
  /// of the other members into `frame`. It makes no system call if the thread is in its place.
  static void enter(const Terms& terms, Frame& frame) noexcept {
    const std::uint32_t members = frame.member.members();
    frame.in_parallel = terms.nested || members > 1;
    if (members == 1) return;
    if (terms.placed)
      enter_placed(terms.opener, frame);
    else
      enter_unplaced(terms.nested, frame.member.index());
  }

private:
  static void enter_placed(pthread_t opener, Frame& frame) noexcept;
  [[gnu::noinline]] static void settle(place::Placement& placement, place::TeamPlan& plan, bool is_new,
                                       pthread_t opener, Frame& frame) noexcept;
  static void enter_unplaced(bool nested, std::uint32_t index) noexcept;

  place::Placement* placement_ = nullptr; // nullptr: the members stay where they are
  bool nested_ = false;                   // the region is inside another team
  pthread_t opener_ = pthread_self();
  /// A pinned worker opens a team of its own, whose size may depend on its mask.
  std::optional<place::Unpinned> unpinned_;
};

/// A region whose loops we may serve, from before the fork until after the join.
class ServedRegion {
public:
  /// `schedule`: that of the region, if it goes by one. `code`: where the members' work begins, if static
  /// loops in there may be cut by us; `source` as the compiler passes it.
  ServedRegion(const void* caller, Interface interface, const TaskSchedule& schedule,
               const void* code = nullptr, const char* source = nullptr) noexcept;
  ~ServedRegion();
  ServedRegion(const ServedRegion&) = delete;
  ServedRegion& operator=(const ServedRegion&) = delete;

  KeptTeam* team() const noexcept { return team_; } ///< nullptr, no memory: the runtime serves the loops
  std::uint64_t base() const noexcept { return base_; }
  const Terms& terms() const noexcept { return team_ != nullptr ? team_->terms() : *lone_terms_; }

private:
  [[gnu::noinline]] void watch(const void* caller) noexcept;
  [[gnu::noinline]] const RegionWords* find_words(const void* caller, const void* code,
                                                  const char* source) noexcept;

  KeptTeam* team_;
  std::uint64_t base_ = 0; ///< number of the first loop
  RegionPlacement placement_;
  std::optional<Terms> lone_terms_; ///< without a team
  std::uint64_t watched_since_ = 0; ///< 0: no option needs the begin and the end of the region
};

/// A member of such a region, for as long as its thread is in the region: see member_frame.h.
class ServedMember : public Lent<ServedMember> {
public:
  [[gnu::always_inline]] static Frame* enter(void* memory, std::uint32_t index, int members, KeptTeam* team,
                                             const Terms* terms, std::uint64_t base) noexcept {
    auto& frame =
        *::new (memory) Frame(team, {terms->storage, base, base + terms->loops}, index,
                              static_cast<std::uint32_t>(std::max(members, 1)), runtime_place(terms->caller));
    if (members <= 0) frame.kind = Frame::Kind::unserved; // the runtime cannot be asked
    frame.schedule = terms->schedule;
    if (terms->keeps_ring) frame.member.keep_ring();
    RegionPlacement::enter(*terms, frame);
    frame.push();
    if (terms->words != nullptr) [[unlikely]]
      listen(frame, *terms->words);
    return &frame;
  }
  [[gnu::always_inline]] static void leave(Frame& frame) noexcept {
    if (frame.member.in_loop()) leave_loop(frame); // cancelled
    if (frame.may_serve()) frame.member.depart();
    t_frame = frame.outer;
    t_label = nullptr;
  }

private:
  [[gnu::noinline]] static void listen(Frame& frame, const RegionWords& words) noexcept {
    t_label = words.label;
    frame.hint = words.hint;
    frame.statics = loop::StaticLoops<Platform>(words.balanced);
  }
};

} // namespace wstree::abi
