// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has to be true of the regions of a team, seen from outside.
#pragma once

#include "team_platform.h"

#include "member.h"

#include "wstree/core/scheduler.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wstree::model {

struct TeamLoop {
  std::uint64_t iterations = 2;
  core::Model model = core::Model::static_;
  bool measured = false;
  std::uint64_t smallest = 1;
};

struct RegionPlan {
  /// A member leaves the region when it has started `loops` of its loops, the last of which it leaves after
  /// `pieces` of it.
  struct Part {
    std::uint32_t member = 0;
    std::uint32_t loops = ~0U;
    std::uint32_t pieces = ~0U;
    bool departs_twice = false;
  };
  std::uint32_t members = 2;
  std::vector<TeamLoop> loops{};
  std::vector<Part> early{}; ///< all other members run all loops

  Part part(std::uint32_t member) const {
    for (const Part& each : early)
      if (each.member == member) return each;
    return {member};
  }
  bool runs(std::uint32_t member, std::size_t loop) const { return loop < part(member).loops; }
  /// Whether all members run the loop to its end.
  bool is_whole(std::size_t loop) const {
    return std::all_of(early.begin(), early.end(), [loop](const Part& each) {
      return loop + 1 < each.loops || (loop + 1 == each.loops && each.pieces == ~0U);
    });
  }
};

struct TeamPlan {
  std::vector<RegionPlan> regions;
  std::uint64_t first_loop = 0; ///< number of the first loop; 0: as in a new team
  TeamMemory::Refusals refusals{};
  std::uint32_t most_requests = 4; ///< of memory, by each thread
  bool is_hasty = false;           ///< a member that waits for a slot ends the ring at once
  bool may_wait_in_vain = false;   ///< a member may be suspended that other members have to wait for

  std::uint32_t threads() const {
    std::uint32_t most = 0;
    for (const RegionPlan& region : regions) most = std::max(most, region.members);
    return most;
  }
};

/// Of each member | number of the loop that it started last:63 | it has left the region:1 |.
using Positions = std::array<std::uint64_t, View::k_most_threads>;

/// The Cells here are plain data, touched where the team's contract says that it is safe. So a race
/// on one of them is a missing order, whatever the values that happened to be read.
class TeamChecks {
public:
  explicit TeamChecks(const TeamPlan& plan) : plan_(plan) {}

  void reset() {
    highest_ = 0;
    region_ = nullptr;
  }

  void open(std::size_t region, std::uint64_t base) {
    region_ = &plan_.regions[region];
    if (base <= highest_) return fail("numbers of loops come again");
    base_ = base;
    served_.assign(region_->loops.size(), Served::open);
    hits_.assign(region_->loops.size(), {});
    for (std::size_t i = 0; i < hits_.size(); ++i) hits_[i].assign(region_->loops[i].iterations, 0);
    tallies_.assign(region_->loops.size(), {});
    const std::size_t pairs = std::size_t{region_->members} * region_->members;
    uses_.assign(region_->loops.size() * pairs, {});
    for (auto& slot : accounts_) slot.fill(Cell<int>());
    at_.fill(k_before);
    departs_.fill(false);
    gone_.fill(false);
    last_.fill(0);
    retired_.fill(k_before);
  }

  /// Notes that the member leaves the loop that it ran; it has not started the next one yet.
  void leave(std::uint32_t me) {
    if (at_[me] == k_before || served_[static_cast<std::size_t>(at_[me])] != Served::yes) return;
    for (std::uint32_t m = 0; m < region_->members; ++m)
      static_cast<void>(use(static_cast<std::size_t>(at_[me]), me, m).read());
  }
  void start(std::uint32_t me, std::size_t number) { at_[me] = static_cast<std::int64_t>(number); }
  void depart(std::uint32_t me) { departs_[me] = true; }
  void departed(std::uint32_t me) { gone_[me] = true; }

  /// Checks that all members get the same answer about each loop, and about all loops behind one that is
  /// not served. Returns whether the loop is served.
  bool agree(std::uint32_t me, std::size_t number, bool served, bool refused) {
    if (!served && !refused && !plan_.is_hasty) fail("a loop is not served although there was memory");
    const Served answer = served ? Served::yes : Served::no;
    if (served_[number] == Served::open) served_[number] = answer;
    const auto first = served_.begin();
    const auto here = first + static_cast<std::ptrdiff_t>(number);
    const bool is_behind = std::find(first, here, Served::no) != here;
    const bool is_before = std::find(here + 1, served_.end(), Served::yes) != served_.end();
    if (served_[number] != answer || (served ? is_behind : is_before))
      fail("member " + std::to_string(me) + " is told something else than the others");
    return served;
  }

  /// Checks after enter() that every member that used the slot before has left it, and that all that it did
  /// there is known.
  void enter(std::uint32_t me, std::size_t number, const Positions& positions) {
    for (std::uint32_t m = 0; m < region_->members; ++m) {
      if (positions[m] < last_[m]) return fail("a position goes back");
      last_[m] = positions[m];
      if (m == me || number < k_ring) continue;
      const std::size_t before = number - k_ring;
      if (!departs_[m] && at_[m] <= static_cast<std::int64_t>(before))
        return fail("the slot is used again while member " + std::to_string(m) + " is in it");
      use(before, m, me).write(1);
    }
    if (positions[me] != (base_ + number) << 1) fail("a member is not where it says");
  }

  void see(std::uint32_t me, std::size_t number, const core::Range& range) {
    auto& hits = hits_[number];
    if (Execution::now->is_told())
      Execution::now->tell("is handed " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                           " of loop " + std::to_string(number) + (range.last ? ", the last" : ""));
    if (range.begin >= range.end || range.end > hits.size())
      return fail("a range that is empty or outside of the loop");
    if (retired_[me] == static_cast<std::int64_t>(number)) return fail("a range after the last one");
    if (range.last != (range.end == hits.size())) return fail("\"last\" is wrong");
    for (std::uint64_t i = range.begin; i < range.end; ++i)
      if (++hits[i] != 1) return fail("iteration " + std::to_string(i) + " was handed out twice");
    if (range.last) retired_[me] = static_cast<std::int64_t>(number);
    tallies_[number].lasts += range.last;
    ++tallies_[number].pieces;
  }

  /// The member is about to hand in its account.
  void account(std::uint32_t me, std::size_t number) { accounts_[slot(number)][me].write(1); }
  void report(std::uint32_t, std::size_t number, const loop::Execution& all) {
    const TeamLoop& loop = region_->loops[number];
    Tally& tally = tallies_[number];
    for (std::uint32_t m = 0; m < region_->members; ++m) static_cast<void>(accounts_[slot(number)][m].read());
    if (++tally.reports != 1) return fail("a loop is reported twice");
    if (all.members != region_->members) return fail("a report of another team");
    if (all.total.iterations != loop.iterations && region_->is_whole(number))
      return fail("the report says " + std::to_string(all.total.iterations) + " iterations");
    if (all.total.batches != tally.pieces) return fail("the report says the wrong number of pieces");
    if (all.total.nodes < all.members) return fail("the report has too few nodes");
    if (all.busy_max_ticks > all.wall_ticks || all.total.busy_ticks > all.busy_max_ticks * all.members)
      fail("the times of the report do not agree");
  }

  /// Checks the region after the join.
  void close(bool had_loops, std::uint64_t next_base) {
    const auto started = std::max_element(at_.begin(), at_.end());
    const bool any = *started != k_before && served_[0] == Served::yes;
    if (had_loops != any) return fail("the team is wrong about whether there were loops");
    if (any) highest_ = base_ + static_cast<std::uint64_t>(*started);
    if (next_base <= highest_) return fail("numbers of loops come again");
    for (std::size_t i = 0; any && i < hits_.size(); ++i)
      if (served_[i] == Served::yes) check_loop(i);
  }

  /// Checks, when no member but `suspended` can go on, that of the loops that the other members have left
  /// nothing is missing but what `suspended` has in its hands.
  void judge_missing(std::uint32_t suspended) {
    auto left = static_cast<std::int64_t>(hits_.size());
    for (std::uint32_t m = 0; m < region_->members; ++m)
      if (m != suspended && !gone_[m]) left = std::min(left, at_[m]);
    for (std::size_t i = 0; static_cast<std::int64_t>(i) < left; ++i) {
      if (region_->loops[i].model == core::Model::static_ || served_[i] != Served::yes) continue;
      const auto missing = std::count(hits_[i].begin(), hits_[i].end(), 0);
      if (missing > (at_[suspended] == static_cast<std::int64_t>(i) ? 1 : 0))
        fail(std::to_string(missing) + " iterations of loop " + std::to_string(i) +
             " are missing without member " + std::to_string(suspended));
    }
  }

  /// Checks, when a member waits and all other members wait, have ended or are suspended, that they may.
  void judge_waiting(const TeamWaiting& waiting, const Positions& positions) {
    std::uint32_t slowest = View::k_most_threads;
    for (std::uint32_t m = 0; m < region_->members; ++m)
      if (!gone_[m] && (slowest == View::k_most_threads || at_[m] < at_[slowest])) slowest = m;
    if (!plan_.may_wait_in_vain || slowest == View::k_most_threads) return fail("members wait for nobody");
    const std::uint64_t started = std::max(positions[slowest] >> 1, base_) - base_;
    for (std::uint32_t m = 0; m < region_->members; ++m)
      if (m != slowest && !gone_[m] &&
          (!waiting.waits(m) || at_[m] != static_cast<std::int64_t>(started + k_ring)))
        return fail("member " + std::to_string(m) + " waits in loop " + std::to_string(at_[m]) +
                    " for member " + std::to_string(slowest) + ", who is not a ring behind");
    judge_missing(slowest);
  }

private:
  static constexpr std::uint64_t k_ring = SmallSizes::k_ring;
  static constexpr std::int64_t k_before = -1;
  enum class Served : std::uint8_t { open, yes, no };
  struct Tally {
    std::uint32_t lasts = 0;
    std::uint32_t pieces = 0;
    std::uint32_t reports = 0;
  };

  static void fail(const std::string& why) { Execution::now->fail(why); }

  std::size_t slot(std::size_t number) const { return (base_ + number) % k_ring; }
  /// Touched by `user` in the loop, and by `next` when that begins to use the slot again.
  Cell<int>& use(std::size_t loop, std::uint32_t user, std::uint32_t next) {
    return uses_[(loop * region_->members + user) * region_->members + next];
  }

  void check_loop(std::size_t i) {
    const TeamLoop& loop = region_->loops[i];
    const std::string name = "loop " + std::to_string(i);
    const bool whole = region_->is_whole(i);
    bool anybody = false;
    for (std::uint32_t m = 0; m < region_->members; ++m) {
      const RegionPlan::Part part = region_->part(m);
      anybody |= i + 1 < part.loops || (i + 1 == part.loops && part.pieces == ~0U);
    }
    const bool done = loop.model == core::Model::static_ ? whole : anybody;
    for (std::uint64_t k = 0; done && k < hits_[i].size(); ++k)
      if (hits_[i][k] == 0) return fail("iteration " + std::to_string(k) + " of " + name + " was lost");
    if (done && tallies_[i].lasts != 1) return fail("\"last\" was not said once in " + name);
    std::uint32_t left = 0;
    for (std::uint32_t m = 0; m < region_->members; ++m) left += region_->runs(m, i);
    const bool all_left = left == region_->members;
    if (tallies_[i].reports > (loop.measured ? 1U : 0U) ||
        (all_left && loop.measured && tallies_[i].reports == 0))
      fail(name + " was reported " + std::to_string(tallies_[i].reports) + " times");
  }

  const TeamPlan& plan_;
  const RegionPlan* region_ = nullptr;
  std::uint64_t base_ = 0;
  std::uint64_t highest_ = 0;  ///< number of any loop so far
  std::vector<Served> served_; ///< of each loop
  std::vector<std::vector<std::uint8_t>> hits_;
  std::vector<Tally> tallies_;
  std::vector<Cell<int>> uses_;
  std::array<std::array<Cell<int>, View::k_most_threads>, k_ring> accounts_;
  std::array<std::int64_t, View::k_most_threads> at_{}; ///< the loop that the member is in, or starts
  std::array<bool, View::k_most_threads> departs_{};    ///< it has begun to
  std::array<bool, View::k_most_threads> gone_{};       ///< it has done so
  std::array<std::int64_t, View::k_most_threads> retired_{};
  Positions last_{};
};

} // namespace wstree::model
