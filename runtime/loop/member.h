// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread in one parallel region: entering loops, asking for chunks, leaving.
#pragma once

#include "any_worker.h"
#include "measured.h"
#include "ring_member.h"

#include <algorithm>
#include <cstdint>

namespace wstree::loop {

/// Private to its thread; lives as long as the thread is in the region. A thread outside of any region, or
/// alone in one, is a member of no team: it gets each loop in one piece.
template <class P, class Sizes = UsualSizes> class Member {
public:
  using Opening = typename Team<P, Sizes>::Opening;
  /// `team`, which was opened with `opening`, may be null if `members` is 1.
  Member(Team<P, Sizes>* team, const Opening& opening, std::uint32_t index, std::uint32_t members) noexcept
      : ring_(team, opening, index, members) {}
  Member(Team<P, Sizes>* team, std::uint32_t index, std::uint32_t members) noexcept
      : Member(team, team != nullptr ? team->opening() : Opening{}, index, members) {}
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  std::uint32_t index() const noexcept { return ring_.index(); }
  std::uint32_t members() const noexcept { return ring_.members(); }
  /// Sets where the other members are; before the first loop. `near` and the memory that it points to outlive
  /// the region.
  void set_neighbourhood(const core::Neighbourhood& near) noexcept { near_ = near; }
  /// Keeps this member from ever ending the ring, however long it waits for a slot. Before the first loop.
  void keep_ring() noexcept { ring_.keep(); }
  Team<P, Sizes>* team() const noexcept { return ring_.team(); }
  bool in_loop() const noexcept { return in_loop_; }
  /// Returns whether another member has started the loop that this one is about to enter, or has left the
  /// region. Not in teams of one.
  bool others_are_ahead() noexcept { return ring_.others_are_ahead(); }

  /// Starts the region's next loop, of `iterations` > 0, scheduled by `model` with the chunk `smallest`.
  /// Returns false, to all members alike, if there is no memory or the ring has ended (ring_end.h); nothing
  /// was started. leave() has been called for the previous loop; `settings` outlives this one. `caller`:
  /// the code location of the loop, which need not be the same for all members.
  [[gnu::always_inline]] bool enter(std::uint64_t iterations, const core::Settings& settings,
                                    std::uint64_t smallest, core::Model model = core::Model::tree,
                                    const void* caller = nullptr) noexcept {
    const std::uint32_t members = ring_.members();
    if (members != 1 && !ring_.start_next(settings, model == core::Model::tree)) [[unlikely]]
      return false;
    settings_ = &settings;
    if (settings.clocked) entered_ = P::ticks();
    if (members == 1 || (model == core::Model::static_ && smallest == 0)) [[likely]]
      worker_.start_piece(core::equal_part(iterations, members, index()));
    else
      start_shared(iterations, smallest, model, caller);
    in_loop_ = true;
    return true;
  }

  /// Records the times of iterations, right after enter(), which was with Settings::clocked. `memory` is for
  /// a member that is alone (may be nullptr, then nothing is recorded); a member of a larger team has its
  /// own. `iterations` and `smallest` as for enter(); `pace` outlives the loop.
  void record(const Pace& pace, std::uint64_t iterations, std::uint64_t smallest,
              Recording* memory) noexcept {
    if (members() != 1) {
      Recording*& own = ring_.account().memory;
      if (own == nullptr) own = Recording::create<P>(Recording::capacity(members()));
      memory = own;
    }
    if (memory == nullptr) return;
    memory->start(pace, iterations, smallest, entered_);
    worker_.record(*memory);
  }

  /// Writes to `track` this member's events in the loop, right after enter() or record(). `like`: the known
  /// fields of the events; the rest is filled in here.
  void trace(Track& track, Event like, std::uint64_t shortest) noexcept {
    like.begin = like.end = entered_;
    like.member = index();
    like.members = members();
    like.execution = members() == 1 ? 0 : execution_of(team(), ring_.loop());
    worker_.trace(track, like, shortest);
  }

  /// Enters a loop without iterations: there is nothing to share, and no slot is used.
  void enter_empty() noexcept { worker_.start_piece({}); }

  /// Gives this member its next chunk. Returns false if there is none; the member leaves the loop by leave().
  bool next(core::Range& out) noexcept { return next_quickly(out) || next_slowly(out); }
  /// The two halves of next(): if the first one returns false, the caller has to call the second one.
  [[gnu::always_inline]] bool next_quickly(core::Range& out) noexcept { return worker_.next_quickly(out); }
  bool next_slowly(core::Range& out) noexcept { return worker_.next_slowly(out); }
  /// Return whether this member has its share of the loop in one piece, and take it.
  bool has_piece() const noexcept { return worker_.has_piece(); }
  [[gnu::always_inline]] bool next_piece(core::Range& out) noexcept { return worker_.next_piece(out); }

  /// Ends this member's part in a loop, finished or not.
  void leave() noexcept { in_loop_ = false; }
  /// Leaves a loop that was entered with Settings::clocked: the last member to leave calls
  /// `report(Execution)`. `preempted`: ticks since its entry in which the member had no processor.
  template <class Report> void leave(Report&& report, std::uint64_t preempted = 0) noexcept {
    if (!in_loop_) return;
    if (settings_->clocked) measure(ring_, worker_, entered_, preempted, report);
    leave();
  }

  /// Leaves the region: the other members need not wait for this one any more. Further calls do nothing.
  void depart() noexcept {
    if (departed_) return;
    departed_ = true;
    if (members() != 1)
      ring_.depart();
    else if (team() != nullptr)
      team()->note_alone();
  }

private:
  /// Joins a loop whose members may take work from each other.
  [[gnu::noinline]] void start_shared(std::uint64_t iterations, std::uint64_t smallest, core::Model model,
                                      const void* caller) noexcept {
    core::Entry entry{iterations,
                      ring_.loop(),
                      ring_.use(),
                      index(),
                      members(),
                      settings_,
                      smallest,
                      &near_,
                      model == core::Model::tree && caller != nullptr && iterations > members()
                          ? &ring_.priors().at(caller)
                          : nullptr};
    if (entry.prior != nullptr) entry.pace = ring_.pace(*entry.prior, iterations, *settings_);
    worker_.start(model, ring_.slot(), ring_.fresh_arena(), entry);
  }

  RingMember<P, Sizes> ring_;
  bool departed_ = false;
  bool in_loop_ = false;
  // About the present loop:
  std::uint64_t entered_; // in ticks
  const core::Settings* settings_;
  core::Neighbourhood near_;
  AnyWorker<P> worker_;
};

} // namespace wstree::loop
