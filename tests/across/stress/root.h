// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that opens regions, with its team and the threads that join it.
#pragma once

#include "crew.h"
#include "oracle.h"
#include "plan.h"

#include "member.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace stress {

/// Told of a violation, by any thread; does not return.
[[noreturn]] void give_up(const std::string& story);

class Root {
public:
  using Team = wstree::loop::Team<HostilePlatform>;
  using Member = wstree::loop::Member<HostilePlatform>;

  /// Forgets the team's memory. Between regions.
  void renew_team() { team_ = std::make_unique<Team>(); }

  /// One region, from fork to join, and its checks.
  void run(const RegionPlan& plan) {
    plan_ = &plan;
    if (notes_.size() < plan.members) notes_.resize(plan.members);
    if (plan.members <= k_most_nesting)
      while (inner_.size() < plan.members) inner_.push_back(nullptr);
    arrange();
    met_.store(0, std::memory_order_relaxed);
    team_->open();
    crew_.run(plan.members, [this](std::uint32_t m) { work(m); });
    team_->close();
    if (auto wrong = oracle_.check(plan, notes_, totals_)) give_up(*wrong);
  }

  /// And of the teams inside.
  Totals totals() const {
    Totals all = totals_;
    for (const auto& inner : inner_)
      if (inner) all.add(inner->totals());
    return all;
  }

private:
  static constexpr std::uint32_t k_most_nesting = 4;

  /// Everything that member `index` does in the region.
  void work(std::uint32_t index) {
    const RegionPlan& plan = *plan_;
    Random random(plan.member_seed(index));
    Notes& notes = notes_[index];
    notes.clear();
    if (plan.together) meet();
    Interruptions::mine().begin(plan.weather, random.next());
    Member member(team_.get(), index, plan.members);
    if (plan.near) member.set_neighbourhood(near_[index]);
    for (std::uint32_t loop = 0; loop < plan.leaves_before[index]; ++loop) {
      if (random.one_in(64)) Interruptions::mine().interrupt();
      notes.entered.push_back(share(member, loop, random, notes));
    }
    member.depart();
    if (random.coin()) member.depart(); // a cancelled region ends twice
    Interruptions::mine().end();
  }

  Entered share(Member& member, std::uint32_t number, Random& random, Notes& notes) {
    const LoopPlan& loop = plan_->loops[number];
    if (loop.iterations == 0)
      member.enter_empty();
    else if (!member.enter(loop.iterations, loop.settings, loop.chunk, loop.model,
                           location_of(loop, member.index(), random)))
      return Entered::refused;
    const bool leaves = loop.cancelled && member.index() != plan_->keeper && random.coin();
    std::uint64_t pieces = leaves ? random.below(4) : ~std::uint64_t{0};
    bool retired = false;
    bool drained = false;
    for (wstree::core::Range range; pieces > 0; --pieces) {
      if (!member.next(range)) {
        drained = !retired;
        if (member.next(range)) note(notes, number, "a piece after the end");
        break;
      }
      if (retired) note(notes, number, "a piece after the last iteration");
      notes.pieces.push_back({range.begin, range.end, number, range.last});
      retired = range.last;
      run_bodies(loop, range);
      if (loop.nests && random.one_in(8)) nest(member.index(), random.next());
      if (random.one_in(256)) Interruptions::mine().interrupt();
    }
    const Entered entered = drained ? Entered::drained : Entered::served;
    if (loop.iterations == 0) return entered;
    member.leave([&](const wstree::loop::Execution& all) {
      notes.reports.push_back(
          {number, all.members, all.total.iterations, all.total.batches, all.total.steals});
    });
    return entered;
  }

  static void note(Notes& notes, std::uint32_t loop, const char* violation) {
    notes.violation = violation;
    notes.violation_loop = loop;
  }

  /// Keeps the processor busy for as long as the iterations take.
  static void run_bodies(const LoopPlan& loop, const wstree::core::Range& range) {
    if (loop.cost == Cost::nothing) return;
    for (auto i = range.begin; i < range.end; ++i) {
      std::uint64_t turns = 30;
      if (loop.cost == Cost::rising) turns = i;
      if (loop.cost == Cost::spike) turns = i % 97 == 96 || i + 1 == loop.iterations ? 3'000 : 3;
      for (; turns > 0; --turns) __asm__ volatile("");
    }
  }

  void nest(std::uint32_t index, std::uint64_t seed) {
    if (!inner_[index]) inner_[index] = std::make_unique<Root>();
    const Interruptions outside = Interruptions::mine();
    if (plan_->region == 0)
      inner_[index]->run(draw_region(seed, {2, 3}, false));
    else // the same region each time
      inner_[index]->run(draw_again(draw_remembered(plan_->region, {2, 3}, false), seed));
    Interruptions::mine() = outside;
  }

  /// Returns an address that no code has; the library does not read there.
  static const void* code(std::uint64_t location) { return reinterpret_cast<const void*>(location); }

  /// Members need not come to a loop by the same code.
  const void* location_of(const LoopPlan& loop, std::uint32_t member, Random& random) const {
    return code(plan_->region + 32 * loop.location + (member != 0 && random.coin() ? 16 : 0));
  }

  /// Orders nothing that the members do before or afterwards.
  void meet() {
    met_.fetch_add(1, std::memory_order_relaxed);
    while (met_.load(std::memory_order_relaxed) < plan_->members) StdPlatform::yield();
  }

  /// Draws which members are near each other: a hint, so the members may disagree about it.
  void arrange() {
    if (!plan_->near) return;
    const std::uint32_t members = plan_->members;
    Random random(round_seed(plan_->seed, 2, 0));
    near_.assign(members, {});
    domains_.assign(members, {});
    for (std::uint32_t m = 0; m < members; ++m) {
      for (std::uint32_t size = 1; size < members; size *= 2)
        if (random.coin())
          domains_[m].push_back({m / size * size, std::min(m / size * size + size, members)});
      near_[m].position = m;
      near_[m].domains = domains_[m].data();
      near_[m].count = static_cast<std::uint32_t>(domains_[m].size());
    }
  }

  std::unique_ptr<Team> team_ = std::make_unique<Team>();
  const RegionPlan* plan_ = nullptr;
  std::vector<Notes> notes_;
  std::vector<wstree::core::Neighbourhood> near_;
  std::vector<std::vector<wstree::core::Domain>> domains_;
  std::vector<std::unique_ptr<Root>> inner_; // by member
  std::atomic<std::uint32_t> met_{0};
  Oracle oracle_;
  Totals totals_;
  Crew crew_;
};

} // namespace stress
