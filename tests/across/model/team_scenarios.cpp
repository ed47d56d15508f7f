// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams: the ring of slots, regions one after another, members that leave early, missing memory.
#include "narrow_marks.h"
#include "scenario.h"
#include "team_program.h"

namespace wstree::model {
namespace {

using core::Model;
using enum core::Model;
using Part = RegionPlan::Part;
using Parts = std::vector<Part>;
using Narrow2 = test::WithMarks<TeamPlatform, test::NarrowMarks<2>>;
using Narrow3 = test::WithMarks<TeamPlatform, test::NarrowMarks<3>>;

/// `count` loops of `iterations` each.
std::vector<TeamLoop> many(std::size_t count, Model model, std::uint64_t iterations, bool measured = false) {
  return std::vector<TeamLoop>(count, TeamLoop{iterations, model, measured});
}
std::vector<TeamLoop> each_of(const std::vector<Model>& models, std::uint64_t iterations,
                              bool measured = false) {
  std::vector<TeamLoop> loops;
  for (const Model model : models) loops.push_back({iterations, model, measured});
  return loops;
}
TeamPlan one_region(std::uint32_t members, std::vector<TeamLoop> loops, Parts early = {}) {
  return {.regions = {{members, std::move(loops), std::move(early)}}};
}
TeamPlan with(TeamPlan plan, std::uint64_t TeamPlan::*member, std::uint64_t value) {
  plan.*member = value;
  return plan;
}
TeamPlan with(TeamPlan plan, bool TeamPlan::*property) {
  plan.*property = true;
  return plan;
}
/// Regions of one loop and of so many members one after another.
TeamPlan regions_of(const std::vector<std::uint32_t>& members, Model model) {
  TeamPlan plan;
  for (const std::uint32_t count : members) plan.regions.push_back({count, many(1, model, count), {}});
  return plan;
}
/// Regions of so many loops each, of `members` members.
TeamPlan rounds(const std::vector<std::size_t>& loops, std::uint32_t members, Model model,
                std::uint64_t iterations) {
  TeamPlan plan;
  for (const std::size_t count : loops) plan.regions.push_back({members, many(count, model, iterations), {}});
  return plan;
}

/// Members that are loops apart. The third loop of a region is the first that has to wait for its slot.
void add_ring(ScenarioList& list) {
  list.add("ring_2x4", within(2, 1), team(one_region(2, many(4, static_, 2))));
  list.add("ring_3x3", within(1, 1), team(one_region(3, many(3, static_, 3))));
  list.add("ring_fixed_2x3", within(2, 1), team(one_region(2, many(3, fixed, 2))));
  list.add("ring_tree_2x3", within(2, 1), team(one_region(2, many(3, tree, 2))));
  // A model finds in its slot what another model left there, while members are in the loop between.
  const auto in_turn = each_of({tree, fixed, queue, range, tree, guided}, 3);
  list.add("ring_models_2x6", within(1, 1), team(one_region(2, in_turn)));
  list.add(
      "ring_all_models_2x9", within(1, 0),
      team(one_region(
          2, each_of({tree, range, queue, queue_lock, fixed, guided, factoring, trapezoid, static_}, 3))));
  // Loops before and after the marks come round.
  constexpr auto k_round = [](auto mark) { return 2 * (decltype(mark)::k_mask + 1); };
  list.add("ring_epoch_tree_2x4", within(2, 0),
           team(with(one_region(2, many(4, tree, 2)), &TeamPlan::first_loop,
                     k_round(core::UsualMarks::Word{}) - 2)));
  list.add("ring_epoch_fixed_2x4", within(2, 0),
           team(with(one_region(2, many(4, fixed, 2)), &TeamPlan::first_loop,
                     k_round(core::UsualMarks::Counter{}) - 2)));
  list.add("ring_2x6_long", within(3, 1), team(one_region(2, many(6, static_, 2))));
  list.add("ring_3x4_long", within(2, 1), team(one_region(3, many(4, static_, 3))));
  list.add("ring_4x3_long", within(1, 1), team(one_region(4, many(3, static_, 4))));
  list.add("ring_fixed_2x4_long", within(3, 1), team(one_region(2, many(4, fixed, 2))));
  list.add("ring_tree_2x4_long", within(3, 1), team(one_region(2, many(4, tree, 2))));
  list.add("ring_models_2x6_long", within(2, 0), team(one_region(2, in_turn)));
}

/// Marks of 2 and 3 bits, which go round in 8 and 16 loops of this ring. A region with fewer loops than the
/// one before leaves numbers out, and one without loops takes one number, so the second slot goes without use
/// between the first region and the last, for exactly one round.
void add_rounds(ScenarioList& list) {
  const std::vector<std::size_t> idle{7, 1, 2};
  list.add("round_idle_tree_2", within(1, 0), team<Narrow2>(rounds(idle, 2, tree, 3)));
  list.add("round_idle_tree_3", within(0, 0), team<Narrow2>(rounds(idle, 3, tree, 4))).samples = 100;
  list.add("round_idle_3bits_tree_2_long", within(0, 0), team<Narrow3>(rounds({15, 1, 2}, 2, tree, 3)));
  for (const auto& [name, model] :
       {std::pair{"range", range}, {"queue", queue}, {"fixed", fixed}, {"guided", guided}})
    list.add("round_idle_" + std::string(name) + "_2", within(0, 0),
             team<Narrow2>(rounds(idle, 2, model, 3)));
  TeamPlan measured = rounds(idle, 2, tree, 3);
  for (RegionPlan& region : measured.regions)
    for (TeamLoop& loop : region.loops) loop.measured = true;
  measured.regions[1].early = {{1, 1, 1}}; // the count of members that have left this loop stays at one
  list.add("round_idle_measured_2", within(0, 0), team<Narrow2>(measured));
  // One region that goes round: roots without units between, a member that has left, models that take turns.
  const TeamLoop full{3, tree}, small{1, tree}, other{2, static_}, counted{3, fixed};
  list.add("round_in_a_region_2x10", within(1, 0),
           team<Narrow2>(one_region(2, {full, full, small, small, small, small, small, small, full, full})));
  list.add("round_departed_2x11", within(1, 0), team<Narrow2>(one_region(2, many(11, tree, 3), {{1, 2, 1}})));
  list.add(
      "round_models_2x10", within(1, 0),
      team<Narrow2>(one_region(2, {full, counted, other, other, other, other, other, other, full, counted})));
}

/// A member that waits for a slot ends the ring at once, or finds that it need not.
void add_ends(ScenarioList& list) {
  const auto add = [&](const std::string& name, const Bounds& bounds, TeamPlan plan) {
    list.add("ends_" + name, bounds, team(with(std::move(plan), &TeamPlan::is_hasty)));
  };
  add("2x4", within(3, 2), one_region(2, many(4, static_, 2)));
  add("3x4", within(2, 0), one_region(3, many(4, static_, 3)));
  add("departed_3x4", within(2, 0), one_region(3, many(4, fixed, 2), {{1, 1, 1}}));
  add("absent_2x4", within(2, 1), one_region(2, many(4, fixed, 2), {{1, 0}}));
  add("twice_2x4", within(2, 0), rounds({4, 4}, 2, static_, 2));
  add("3x4_long", within(2, 1), one_region(3, many(4, static_, 3)));
  add("3x5_long", within(2, 1), one_region(3, many(5, static_, 3)));
}

/// Members that leave the region early: where it is cancelled, or where they were never needed.
void add_departures(ScenarioList& list) {
  const auto add = [&](const std::string& name, const Bounds& bounds, std::uint32_t members,
                       std::vector<TeamLoop> loops, Parts early) {
    list.add(name, bounds, team(one_region(members, std::move(loops), std::move(early))));
  };
  add("departs_after_one_2x4", within(2, 1), 2, many(4, fixed, 2), {{1, 1}});
  add("departs_in_the_middle_2x4", within(2, 1), 2, {{4, fixed}, {2, tree}, {4, fixed}, {2, tree}},
      {{1, 1, 1}});
  add("departs_in_the_middle_of_a_tree_2x4", within(2, 1), 2, {{4, tree}, {2, fixed}, {2, tree}},
      {{1, 1, 1}});
  // All but the first number of loops have to be told, and the highest one counts.
  list.add("departs_apart_3x4", within(1, 0),
           team({.regions = {{3, many(4, static_, 3), {{1, 2}, {2, 3}}}, {2, many(1, static_, 2), {}}}}));
  list.add("departs_apart_3x3", within(1, 1),
           team({.regions = {{3, many(3, static_, 3), {{1, 1}, {2, 2}}}, {2, many(1, static_, 2), {}}}}));
  // No member does the share of one that has left, and none waits for it: early, late, by blocks, by chunks.
  add("departs_static_3x4", within(1, 1), 3, {{5}, {5, static_, false, 0}, {5}, {5, static_, false, 2}},
      {{1, 1, 1}, {2, 3}});
  // Member 1 leaves when there is no storage yet, or when there is.
  add("absent_2x3", within(2, 1), 2, many(3, fixed, 2), {{1, 0, ~0U, true}});
  add("absent_twice_3x3", within(2, 1), 3, many(3, fixed, 2), {{1, 0}, {2, 0, ~0U, true}});
  // Its line still has what it wrote in an earlier region.
  list.add("absent_in_the_second_region", within(2, 1),
           team({.regions = {{2, many(1, static_, 2), {}}, {2, many(3, fixed, 2), {{1, 0}}}}}));
  add("departs_apart_3x4_long", within(2, 0), 3, many(4, fixed, 2), {{1, 1}, {2, 3, 1}});
  add("absent_3x4_long", within(2, 1), 3, many(4, fixed, 2), {{2, 0}});
}

/// The first member that needs storage makes it, or several members at once, and again for a larger team.
void add_growth(ScenarioList& list) {
  list.add("growth_2", within(5, 3), team(regions_of({2}, static_)));
  list.add("growth_3", within(3, 2), team(regions_of({3}, static_)));
  list.add("growth_2_3_2", within(1, 1), team(regions_of({2, 3, 2}, static_)));
  list.add("growth_tree_2_3", within(1, 1), team(regions_of({2, 3}, tree)));
  list.add("growth_with_an_absent_member", within(1, 1),
           team({.regions = {{2, many(1, static_, 2), {}}, {3, many(3, static_, 3), {{2, 0}}}}}));
  list.add("growth_2_3_4_long", within(1, 1), team(regions_of({2, 3, 4}, static_)));
}

/// Every set of the first requests of the members is refused in turn. Then the second request of one, which
/// is for nodes, and the third; that there are no more is checked.
void add_refusals(ScenarioList& list) {
  for (std::uint32_t mask = 1; mask < 8; ++mask) {
    TeamPlan plan = regions_of({3, 2}, static_);
    for (std::uint32_t m = 0; m < 3; ++m) plan.refusals.requests[m] = mask >> m & 1;
    plan.most_requests = 3; // the third if no member got storage: close() makes it for the next region
    list.add("refused_storage_" + std::to_string(mask), within(2, 1), team(plan));
  }
  for (std::uint32_t k = 0; k < 3; ++k) {
    TeamPlan plan{.regions = {{2, {{5, tree}, {2, tree}, {5, tree}}, {}}, {3, many(1, tree, 3), {}}}};
    plan.refusals.requests[0] = 1U << k;
    plan.most_requests = 3;
    list.add("refused_nodes_" + std::to_string(k), within(1, 0), team(plan));
  }
}

/// The member that leaves a loop last reads the accounts of all members.
void add_measured(ScenarioList& list) {
  list.add("measured_2x3", within(2, 1), team(one_region(2, many(3, static_, 2, true))));
  list.add("measured_3x1", within(2, 1), team(one_region(3, many(1, static_, 3, true))));
  list.add("measured_tree_2x3", within(1, 1), team(one_region(2, many(3, tree, 3, true))));
  list.add("measured_models_2x4", within(1, 1),
           team(one_region(2, each_of({range, queue, fixed, guided}, 3, true))));
  // Some loops are measured; no member reports one that a member has left out.
  list.add("measured_departs_3x3", within(1, 0),
           team(one_region(3, {{3, fixed, true}, {3, fixed}, {3, fixed, true}}, {{2, 1, 1}})));
  list.add("measured_3x3_long", within(2, 0), team(one_region(3, many(3, static_, 3, true))));
}

/// A member that is suspended stops the members that are a ring ahead of it, and no other member.
void add_suspended(ScenarioList& list) {
  list.add("suspended_member_delays_none_2x2", within(2, 1, 1), team(one_region(2, many(2, fixed, 2))));
  list.add("suspended_member_delays_none_3x2", within(1, 0, 1), team(one_region(3, {{3, fixed}, {3, tree}})));
  const auto add = [&](const char* name, const Bounds& bounds, TeamPlan plan) {
    list.add(name, bounds, team(with(std::move(plan), &TeamPlan::may_wait_in_vain)));
  };
  add("suspended_2x4", within(1, 0, 1), one_region(2, many(4, fixed, 2)));
  add("suspended_3x3", within(1, 0, 1), one_region(3, many(3, fixed, 2)));
  add("suspended_tree_2x4", within(1, 0, 1), one_region(2, many(4, tree, 2)));
  add("suspended_absent_3x3", within(1, 0, 1), one_region(3, many(3, fixed, 2), {{1, 0}}));
  add("suspended_3x5_long", within(1, 1, 1), one_region(3, many(5, fixed, 3)));
}

} // namespace

std::vector<Scenario> team_scenarios() {
  ScenarioList list(1000);
  add_measured(list);
  add_departures(list);
  add_growth(list);
  add_refusals(list);
  add_ring(list);
  add_rounds(list);
  add_ends(list);
  add_suspended(list);
  return std::move(list).all();
}

} // namespace wstree::model
