// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of a team under the model checker: runtime/loop as it is, with a ring of two slots.
#pragma once

#include "team_checks.h"
#include "team_platform.h"

#include "member.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace wstree::model {

/// The loops of a region follow one another without a barrier; before and after a region all threads meet, as
/// at the fork and the join.
template <class P = TeamPlatform> class TeamProgram final : public Program {
public:
  using Team = loop::Team<P, SmallSizes>;
  using Member = loop::Member<P, SmallSizes>;

  explicit TeamProgram(TeamPlan plan) : plan_(std::move(plan)), checks_(plan_) {
    plain_ = {
        .batch = core::BatchMode::fixed, .limit = 1, .steal_cost = 0, .near_enough = 0, .clocked = false};
    if (plan_.is_hasty) plain_.patience = 0;
    measured_ = plain_;
    measured_.clocked = true;
  }

  std::uint32_t threads() const override { return plan_.threads(); }

  void reset() override {
    TeamMemory::now = &memory_;
    TeamWaiting::now = &waiting_;
    memory_.reset(plan_.refusals);
    waiting_.reset();
    checks_.reset();
    team_ =
        ::new (static_cast<void*>(team_bytes_)) Team; // the last one may have ended in the middle of anything
    if (plan_.first_loop != 0) team_->reached(plan_.first_loop - 1);
    region_ = 0;
    team_->open();
    checks_.open(0, team_->base());
  }

  void body(std::uint32_t thread) override {
    for (std::size_t region = 0; region < plan_.regions.size(); ++region) {
      if (thread < plan_.regions[region].members) take_part(thread, plan_.regions[region]);
      if (region + 1 == plan_.regions.size()) return;
      Execution::now->meet([this] {
        close();
        ++region_;
        memory_.open_region();
        team_->open();
        checks_.open(region_, team_->base());
      });
    }
  }

  void finish() override {
    if (waiting_.has_ended()) return checks_.judge_waiting(waiting_, positions());
    close();
    memory_.end();
    team_->~Team();
    if (const auto blocks = memory_.unreleased(); blocks != 0)
      fail(std::to_string(blocks) + " blocks of memory are not given back");
    if (memory_.most_asked() > plan_.most_requests)
      fail("a thread asks for memory " + std::to_string(memory_.most_asked()) + " times");
  }

  void without(std::uint32_t suspended) override { checks_.judge_missing(suspended); }

private:
  static void fail(const std::string& why) { Execution::now->fail(why); }

  void take_part(std::uint32_t me, const RegionPlan& region) {
    Member& member = members_[me].emplace(team_, me, region.members);
    const RegionPlan::Part part = region.part(me);
    for (std::size_t i = 0; i < region.loops.size() && i < part.loops; ++i)
      run_loop(member, me, region.loops[i], i, i + 1 == part.loops ? part.pieces : ~0U);
    checks_.leave(me);
    checks_.depart(me);
    member.depart();
    if (part.departs_twice) member.depart();
    checks_.departed(me);
  }

  void run_loop(Member& member, std::uint32_t me, const TeamLoop& loop, std::size_t number,
                std::uint32_t most) {
    checks_.leave(me);
    waiting_.begin();
    checks_.start(me, number);
    const core::Settings& settings = loop.measured ? measured_ : plain_;
    const bool served = member.enter(loop.iterations, settings, loop.smallest, loop.model);
    if (!checks_.agree(me, number, served, memory_.refused())) return;
    auto* const storage = newest_storage();
    if (storage == nullptr) return fail("a loop is served without storage");
    memory_.look_at(storage);
    checks_.enter(me, number, positions());
    core::Range range;
    for (std::uint32_t pieces = 0; pieces != most; ++pieces) {
      waiting_.begin();
      if (!member.next(range)) break;
      checks_.see(me, number, range);
    }
    if (!loop.measured) return member.leave();
    checks_.account(me, number);
    member.leave([&](const loop::Execution& all) { checks_.report(me, number, all); });
  }

  void close() {
    const bool any = team_->close();
    checks_.close(any, next_base());
  }
  std::uint64_t next_base() {
    Team& team = *team_;
    team.open(); // once more than necessary: it changes nothing but what it reads
    return team.base();
  }

  typename Team::Store* newest_storage() {
    typename Team::Store* storage = nullptr;
    Execution::now->quietly([&] { storage = team_->existing_storage(plan_.regions[region_].members); });
    return storage;
  }
  /// What stands in the lines of the members at this moment.
  Positions positions() {
    Positions positions{};
    auto* const storage = newest_storage();
    if (storage == nullptr) return positions;
    Execution::now->quietly([&] {
      for (std::uint32_t m = 0; m < plan_.regions[region_].members; ++m)
        positions[m] = storage->line(m).position.load(std::memory_order_relaxed);
    });
    return positions;
  }

  TeamPlan plan_;
  TeamChecks checks_;
  TeamMemory memory_;
  TeamWaiting waiting_;
  core::Settings plain_;
  core::Settings measured_;
  alignas(Team) std::byte team_bytes_[sizeof(Team)];
  Team* team_ = nullptr;
  std::array<std::optional<Member>, View::k_most_threads> members_;
  std::size_t region_ = 0;
};

template <class P = TeamPlatform> std::function<std::unique_ptr<Program>()> team(TeamPlan plan) {
  return [plan] { return std::make_unique<TeamProgram<P>>(plan); };
}

} // namespace wstree::model
