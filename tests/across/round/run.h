// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs sequences of regions on a team, the members by turns in one thread or each in its own.
#pragma once

#include "../stress/crew.h"
#include "narrow_marks.h"
#include "notes.h"
#include "platform.h"

#include "member.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wstree::round {

template <std::uint64_t ring> struct SizesOf {
  static constexpr std::uint64_t k_ring = ring;
  static constexpr std::uint32_t k_first_pairs = 8;
  static constexpr std::size_t k_page = 1024;
  static constexpr std::uint32_t k_spins = 200;
};
template <> struct SizesOf<8> : loop::UsualSizes {};

/// Asked for by loops of so many iterations without any memory but what a team starts with.
inline constexpr std::uint32_t k_few_iterations = 8;
static_assert(loop::UsualSizes::k_first_pairs >= k_few_iterations);

/// An address in no code.
inline const void* code(std::uint64_t place) { return reinterpret_cast<const void*>(4096 + 64 * place); }

/// One member's way through one region.
template <class Member> class Walk {
public:
  Walk(Member& member, const Sequence& sequence, const Region& region, std::uint64_t place, Notes& notes)
      : member_(&member), sequence_(&sequence), region_(&region), place_(place), notes_(&notes) {
    if (!sequence.neighbours) return;
    pair_ = {member.index() / 2 * 2, member.index() / 2 * 2 + 2};
    member.set_neighbourhood({nullptr, &pair_, 1, member.index()});
  }
  /// Before loop `loop` the member leaves the region.
  void leave_before(std::uint32_t loop) { leaves_before_ = loop; }
  /// It may leave loops early.
  void let_stop(Random random) { stops_ = random; }

  bool is_over() const { return over_; }
  bool in_loop() const { return in_loop_; }
  /// Loops that it has started and that take a slot.
  std::uint64_t started() const { return started_; }
  /// The next step starts such a loop.
  bool is_before_slot() const {
    return !in_loop_ && !is_before_end() && region_->loops[at_].iterations != 0 && region_->members > 1;
  }

  /// One call to the library, or two; ticks that the member is busy afterwards.
  std::uint64_t step() {
    if (in_loop_) return ask();
    if (!is_before_end()) return enter();
    member_->depart();
    over_ = true;
    return 0;
  }

private:
  bool is_before_end() const { return at_ == region_->loops.size() || at_ == leaves_before_; }
  const Loop& loop() const { return region_->loops[at_]; }

  std::uint64_t enter() {
    ++notes_->came;
    in_loop_ = true;
    retired_ = false;
    pieces_ = 0;
    most_ = stops_ && stops_->one_in(4) ? stops_->below(4) : ~std::uint64_t{0};
    if (loop().iterations == 0) {
      member_->enter_empty();
      return 0;
    }
    if (region_->members > 1) ++started_;
    if (!member_->enter(loop().iterations, sequence_->settings[loop().settings], loop().chunk, loop().model,
                        code(1024 + 64 * place_ + at_)))
      fail();
    else if (notes_->ended != Notes::k_never)
      notes_->violation = "has started loop " + std::to_string(at_ + 1) + " behind the end of the ring";
    return 0;
  }

  /// The present loop and the further ones are the runtime's, if the ring has ended.
  void fail() {
    in_loop_ = false;
    notes_->ended = std::min(notes_->ended, at_);
    if (!sequence_->impatient) notes_->violation = "found no memory";
    ++at_;
  }

  std::uint64_t ask() {
    if (pieces_ == most_) {
      notes_->stopped.push_back(at_);
      return leave();
    }
    core::Range range;
    if (!member_->next(range)) {
      if (!retired_) notes_->drained.push_back(at_);
      return leave();
    }
    if (++pieces_ > loop().iterations) {
      notes_->violation = "was handed more pieces than loop " + std::to_string(at_ + 1) + " has iterations";
      return leave();
    }
    retired_ = range.last;
    notes_->pieces.push_back({range.begin, range.end, at_, range.last});
    return loop().cost * (range.end - range.begin);
  }

  std::uint64_t leave() {
    if (loop().iterations != 0)
      member_->leave([&](const loop::Execution& all) {
        notes_->reports.push_back({at_, all.members, all.total.iterations, all.total.batches});
      });
    in_loop_ = false;
    ++at_;
    return 0;
  }

  Member* member_;
  core::Domain pair_;
  const Sequence* sequence_;
  const Region* region_;
  std::uint64_t place_;
  Notes* notes_;
  std::optional<Random> stops_;
  std::uint32_t leaves_before_ = ~std::uint32_t{0};
  std::uint32_t at_ = 0; // loop of the region
  std::uint64_t started_ = 0;
  std::uint64_t pieces_ = 0; // of the present loop
  std::uint64_t most_ = 0;   // of them, before it stops
  bool in_loop_ = false;
  bool retired_ = false;
  bool over_ = false;
};

/// What members do besides taking what they are given, drawn for one execution of a region.
template <class Walk>
void draw_whims(Walk& walk, const Sequence& sequence, const Region& region, std::uint64_t number,
                std::uint32_t member) {
  if (!sequence.leavers && !sequence.cancels) return;
  const std::uint64_t seed = stress::round_seed(sequence.seed, 1, number);
  if (Random(seed).below(region.members) == member) return; // one member is there all the time
  Random random(stress::round_seed(seed, 2, member));
  if (sequence.leavers && random.one_in(4))
    walk.leave_before(static_cast<std::uint32_t>(random.below(region.loops.size() + 1)));
  if (sequence.cancels) walk.let_stop(Random(random.next()));
}

/// All members in one thread, by turns.
template <class Sizes, class Marks> class StepRegion {
public:
  using P = test::WithMarks<StepPlatform, Marks>;
  using Team = loop::Team<P, Sizes>;
  using Member = loop::Member<P, Sizes>;
  static constexpr std::uint32_t k_most_members = 16;

  void run(Team& team, const Sequence& sequence, const Region& region, std::uint64_t place,
           std::uint64_t number, std::vector<Notes>& notes) {
    region_ = &region;
    waits_ = !sequence.impatient;
    Random random(stress::round_seed(sequence.seed, 3, number));
    StepPlatform::clocks = Clocks(random.next());
    for (std::uint32_t m = 0; m < region.members; ++m) {
      members_[m].emplace(&team, m, region.members);
      walks_[m].emplace(*members_[m], sequence, region, place, notes[m]);
      draw_whims(*walks_[m], sequence, region, number, m);
    }
    favourite_ = static_cast<std::uint32_t>(random.below(region.members));
    present_ = favourite_;
    StepPlatform::yields = 0;
    for (left_ = (1U << region.members) - 1; left_ != 0;) {
      present_ = choose(sequence.turns, random);
      StepPlatform::now += 40 + walks_[present_]->step();
      if (walks_[present_]->is_over()) left_ &= ~(1U << present_);
    }
  }

private:
  bool may_go(std::uint32_t member) const {
    if ((left_ >> member & 1) == 0) return false;
    const auto& walk = *walks_[member];
    if (!waits_ || !walk.is_before_slot() || walk.started() < Sizes::k_ring) return true;
    for (std::uint32_t m = 0; m < region_->members; ++m)
      if (m != member && !walks_[m]->is_over() && walks_[m]->started() + Sizes::k_ring < walk.started() + 2)
        return false;
    return true;
  }

  /// Returns a member that may go, searched from a random one on; `but` only if no other may.
  std::uint32_t any_member(Random& random, std::uint32_t but) const {
    const auto first = static_cast<std::uint32_t>(random.below(region_->members));
    for (std::uint32_t i = 0; i < region_->members; ++i) {
      const std::uint32_t m = first + i < region_->members ? first + i : first + i - region_->members;
      if (m != but && may_go(m)) return m;
    }
    return but;
  }

  std::uint32_t choose(Turns turns, Random& random) const {
    switch (turns) {
    case Turns::bursts:
      if (random.below(8) != 0 && may_go(present_)) return present_;
      break;
    case Turns::one_ahead:
      if (may_go(favourite_)) return favourite_;
      break;
    case Turns::one_late:
      return any_member(random, favourite_);
    case Turns::one_by_one:
      if (may_go(present_)) return present_;
      break;
    case Turns::any:
      break;
    }
    return any_member(random, region_->members);
  }

  const Region* region_ = nullptr;
  bool waits_ = true;      // a member that would wait for a slot may not go
  std::uint32_t left_ = 0; // members that are in the region, as bits
  std::uint32_t favourite_ = 0;
  std::uint32_t present_ = 0;
  std::array<std::optional<Member>, k_most_members> members_;
  std::array<std::optional<Walk<Member>>, k_most_members> walks_;
};

/// Each member in a thread of its own.
template <class Sizes, class Marks> class ThreadRegion {
public:
  using P = test::WithMarks<HostilePlatform, Marks>;
  using Team = loop::Team<P, Sizes>;
  using Member = loop::Member<P, Sizes>;

  void run(Team& team, const Sequence& sequence, const Region& region, std::uint64_t place,
           std::uint64_t number, std::vector<Notes>& notes) {
    crew().run(region.members, [&](std::uint32_t m) {
      CountingPlatform::clocks = Clocks(stress::round_seed(sequence.seed, 3 + m, number));
      Member member(&team, m, region.members);
      Walk<Member> walk(member, sequence, region, place, notes[m]);
      draw_whims(walk, sequence, region, number, m);
      Interruptions::mine().begin(stress::round_seed(sequence.seed, 67 + m, number), region.members);
      while (!walk.is_over())
        for (std::uint64_t ticks = walk.step(); ticks > 0; --ticks) __asm__ volatile("");
      Interruptions::mine().end();
    });
  }

private:
  static stress::Crew& crew() {
    static stress::Crew threads;
    return threads;
  }
};

struct Totals {
  std::uint64_t regions = 0;
  std::uint64_t loops = 0;
  std::uint64_t pieces = 0;
};

/// One team through a whole sequence.
template <class Sizes, class Marks, template <class, class> class RegionOf> class Run {
public:
  using Region_ = RegionOf<Sizes, Marks>;
  using Team = typename Region_::Team;

  /// What went wrong, or nothing.
  std::string run(const Sequence& sequence, Totals& totals) {
    sequence_ = &sequence;
    totals_ = &totals;
    lap_began_ = regions_ = 0;
    notes_.resize(std::max<std::size_t>(notes_.size(), sequence.most_members()));
    const std::uint64_t before = Memory::bytes;
    team_ = std::make_unique<Team>();
    std::string wrong = laps();
    team_.reset();
    if (wrong.empty() && Memory::bytes != before) wrong = "the team has kept memory";
    return wrong;
  }

private:
  std::string laps() {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    // The first lap has to have the largest region, for which memory is asked; it need not be filled up.
    if (fills())
      if (std::string wrong = region(filler(), 511); !wrong.empty()) return wrong;
    for (std::uint32_t lap = 0; lap < sequence_->laps; ++lap) {
      if (std::string wrong = repeat_first_ones(); !wrong.empty()) return wrong;
      for (std::size_t r = 0; r < sequence_->last.size(); ++r)
        if (std::string wrong = region(sequence_->last[r], r + 512); !wrong.empty()) return wrong;
      if (lap == 0) {
        blocks = Memory::blocks;
        bytes = Memory::bytes;
      }
    }
    if (!has_many_iterations() && Memory::blocks != blocks)
      return "asked for memory " + std::to_string(Memory::blocks - blocks) + " times after the first lap";
    if (Memory::bytes > bytes + most_growth())
      return "has grown by " + std::to_string(Memory::bytes - bytes) + " bytes since the first lap";
    return {};
  }

  /// Loops of many iterations need more nodes now and then, up to a limit.
  bool has_many_iterations() const { return sequence_->most_iterations() > k_few_iterations; }
  std::uint64_t most_growth() const {
    const std::uint64_t nodes = 4ULL * std::bit_ceil(sequence_->most_iterations()) + 128;
    return std::uint64_t{sequence_->most_members()} * Sizes::k_ring * nodes *
           sizeof(core::Node<StepPlatform>);
  }

  bool fills() const { return sequence_->fills && sequence_->most_members() > 1; }
  Region filler() const { return {sequence_->most_members(), {Loop{}}}; }

  std::string repeat_first_ones() {
    if (sequence_->periods != 0) {
      for (std::uint64_t period = 0; period < sequence_->periods; ++period)
        if (std::string wrong = repeated(); !wrong.empty()) return wrong;
      return {};
    }
    // By the numbers that the team itself gives to loops. Where no region takes any, that would not end.
    const std::uint64_t until = lap_began_ + sequence_->uses * Sizes::k_ring;
    for (std::uint64_t times = 0; times < sequence_->uses * Sizes::k_ring; ++times) {
      const std::uint64_t began = next_loop();
      if (std::string wrong = repeated(); !wrong.empty()) return wrong;
      if (2 * next_loop() - began > until) break; // once more would be too far
    }
    while (fills() && next_loop() < until)
      if (std::string wrong = region(filler(), 511); !wrong.empty()) return wrong;
    lap_began_ = next_loop();
    return {};
  }
  std::string repeated() {
    for (std::size_t r = 0; r < sequence_->repeated.size(); ++r)
      if (std::string wrong = region(sequence_->repeated[r], r); !wrong.empty()) return wrong;
    return {};
  }

  /// Number of the first loop of the latest region.
  std::uint64_t next_loop() const { return team_->base(); }

  std::string region(const Region& region, std::uint64_t place) {
    for (std::uint32_t m = 0; m < region.members; ++m) notes_[m].clear();
    team_->open();
    part_.run(*team_, *sequence_, region, place, regions_, notes_);
    team_->close();
    ++regions_;
    ++totals_->regions;
    totals_->loops += region.loops.size();
    for (std::uint32_t m = 0; m < region.members; ++m) totals_->pieces += notes_[m].pieces.size();
    std::string wrong = checks_.find_fault(*sequence_, region, notes_);
    if (wrong.empty()) return {};
    return "after " + std::to_string(regions_ - 1) + " regions, the first loop of this one has number " +
           std::to_string(team_->base()) + ": " + wrong;
  }

  const Sequence* sequence_ = nullptr;
  Totals* totals_ = nullptr;
  std::uint64_t lap_began_ = 0;
  std::uint64_t regions_ = 0;
  std::unique_ptr<Team> team_;
  std::vector<Notes> notes_;
  Region_ part_;
  Checks checks_;
};

} // namespace wstree::round
