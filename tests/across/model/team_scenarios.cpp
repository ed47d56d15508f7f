// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams: the ring of slots, regions one after another, members that leave early, missing memory.
#include "narrow_marks.h"
#include "scenario.h"
#include "team_program.h"

namespace wstree::model {
namespace {

using core::Model;

using Part = RegionPlan::Part;

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
TeamPlan one_region(std::uint32_t members, std::vector<TeamLoop> loops, std::vector<Part> early = {}) {
  return {.regions = {{members, std::move(loops), std::move(early)}}};
}
TeamPlan starting_at(std::uint64_t loop, TeamPlan plan) {
  plan.first_loop = loop;
  return plan;
}
TeamPlan waiting_in_vain(TeamPlan plan) {
  plan.may_wait_in_vain = true;
  return plan;
}
/// Regions of one loop and of so many members one after another.
TeamPlan regions_of(const std::vector<std::uint32_t>& members, Model model) {
  TeamPlan plan;
  for (const std::uint32_t count : members) plan.regions.push_back({count, many(1, model, count), {}});
  return plan;
}

constexpr Bounds k_one{.preemptions = 1, .stale = 1};
constexpr Bounds k_narrow{.preemptions = 2, .stale = 1};
constexpr Bounds k_usual{.preemptions = 3, .stale = 1};
constexpr Bounds k_switches{.preemptions = 2, .stale = 0};

/// Members that are loops apart. The third loop of a region is the first that has to wait for its slot.
void add_ring(std::vector<Scenario>& all) {
  all.push_back({"ring_2x4", k_narrow, team(one_region(2, many(4, Model::static_, 2))), 1000});
  all.push_back({"ring_3x3", k_one, team(one_region(3, many(3, Model::static_, 3))), 1000});
  all.push_back({"ring_fixed_2x3", k_narrow, team(one_region(2, many(3, Model::fixed, 2))), 1000});
  all.push_back({"ring_tree_2x3", k_narrow, team(one_region(2, many(3, Model::tree, 2))), 1000});
  // A model finds in its slot what another model left there, while members are in the loop between.
  const std::vector<Model> one_after_the_other{Model::tree,  Model::fixed, Model::queue,
                                               Model::range, Model::tree,  Model::guided};
  all.push_back({"ring_models_2x6", k_one, team(one_region(2, each_of(one_after_the_other, 3))), 1000});
  all.push_back(
      {"ring_all_models_2x9",
       {.preemptions = 1, .stale = 0},
       team(one_region(2, each_of({Model::tree, Model::range, Model::queue, Model::queue_lock, Model::fixed,
                                   Model::guided, Model::factoring, Model::trapezoid, Model::static_},
                                  3))),
       1000});
  // Loops before and after the marks come round.
  constexpr auto k_round = [](auto mark) { return 2 * (decltype(mark)::k_mask + 1); };
  all.push_back(
      {"ring_epoch_tree_2x4", k_switches,
       team(starting_at(k_round(core::UsualMarks::Word{}) - 2, one_region(2, many(4, Model::tree, 2)))),
       1000});
  all.push_back(
      {"ring_epoch_fixed_2x4", k_switches,
       team(starting_at(k_round(core::UsualMarks::Counter{}) - 2, one_region(2, many(4, Model::fixed, 2)))),
       1000});
  all.push_back({"ring_2x6_long", k_usual, team(one_region(2, many(6, Model::static_, 2))), 100'000, true});
  all.push_back({"ring_3x4_long", k_narrow, team(one_region(3, many(4, Model::static_, 3))), 100'000, true});
  all.push_back({"ring_4x3_long", k_one, team(one_region(4, many(3, Model::static_, 4))), 100'000, true});
  all.push_back(
      {"ring_fixed_2x4_long", k_usual, team(one_region(2, many(4, Model::fixed, 2))), 100'000, true});
  all.push_back({"ring_tree_2x4_long", k_usual, team(one_region(2, many(4, Model::tree, 2))), 100'000, true});
  all.push_back({"ring_models_2x6_long", k_switches, team(one_region(2, each_of(one_after_the_other, 3))),
                 100'000, true});
}

using Narrow2 = test::WithMarks<TeamPlatform, test::NarrowMarks<2>>;
using Narrow3 = test::WithMarks<TeamPlatform, test::NarrowMarks<3>>;

/// Regions of so many loops each, of `members` members.
TeamPlan rounds(const std::vector<std::size_t>& loops, std::uint32_t members, Model model,
                std::uint64_t iterations, std::vector<Part> early = {}) {
  TeamPlan plan;
  for (const std::size_t count : loops)
    plan.regions.push_back({members, many(count, model, iterations), early});
  return plan;
}

/// Marks of 2 and 3 bits, which go round in 8 and 16 loops of this ring. A region with fewer loops than the
/// one before leaves numbers out, and one without loops takes one number, so the second slot goes without use
/// between the first region and the last, for exactly one round.
void add_rounds(std::vector<Scenario>& all) {
  constexpr Bounds k_calm{.preemptions = 1, .stale = 0};
  constexpr Bounds k_in_turn{.preemptions = 0, .stale = 0};
  const std::vector<std::size_t> idle{7, 1, 2};
  const std::vector<std::size_t> idle_3bits{15, 1, 2};
  all.push_back({"round_idle_tree_2", k_calm, team<Narrow2>(rounds(idle, 2, Model::tree, 3)), 1000});
  all.push_back({"round_idle_tree_3", k_in_turn, team<Narrow2>(rounds(idle, 3, Model::tree, 4)), 100});
  all.push_back({"round_idle_3bits_tree_2", k_in_turn, team<Narrow3>(rounds(idle_3bits, 2, Model::tree, 3)),
                 100, true});
  for (const auto& [name, model] : {std::pair{"range", Model::range},
                                    {"queue", Model::queue},
                                    {"fixed", Model::fixed},
                                    {"guided", Model::guided}})
    all.push_back({"round_idle_" + std::string(name) + "_2", k_in_turn,
                   team<Narrow2>(rounds(idle, 2, model, 3)), 1000});
  TeamPlan measured = rounds(idle, 2, Model::tree, 3, {});
  for (RegionPlan& region : measured.regions)
    for (TeamLoop& loop : region.loops) loop.measured = true;
  measured.regions[1].early = {{1, 1, 1}}; // the count of members that have left this loop stays at one
  all.push_back({"round_idle_measured_2", k_in_turn, team<Narrow2>(measured), 1000});
  // One region that goes round: roots without units between, a member that has left, models that take turns.
  const TeamLoop full{3, Model::tree};
  const TeamLoop small{1, Model::tree};
  const TeamLoop other{2, Model::static_};
  const TeamLoop counted{3, Model::fixed};
  all.push_back(
      {"round_in_a_region_2x10", k_calm,
       team<Narrow2>(one_region(2, {full, full, small, small, small, small, small, small, full, full})),
       1000});
  all.push_back({"round_departed_2x11", k_calm,
                 team<Narrow2>(one_region(2, many(11, Model::tree, 3), {{1, 2, 1}})), 1000});
  all.push_back(
      {"round_models_2x10", k_calm,
       team<Narrow2>(one_region(2, {full, counted, other, other, other, other, other, other, full, counted})),
       1000});
}

TeamPlan hasty(TeamPlan plan) {
  plan.is_hasty = true;
  return plan;
}

/// A member that waits for a slot ends the ring at once, or finds that it need not.
void add_ends(std::vector<Scenario>& all) {
  all.push_back({"ends_2x4",
                 {.preemptions = 3, .stale = 2},
                 team(hasty(one_region(2, many(4, Model::static_, 2)))),
                 1000});
  all.push_back({"ends_3x4",
                 {.preemptions = 2, .stale = 0},
                 team(hasty(one_region(3, many(4, Model::static_, 3)))),
                 1000});
  all.push_back({"ends_departed_3x4",
                 {.preemptions = 2, .stale = 0},
                 team(hasty(one_region(3, many(4, Model::fixed, 2), {{1, 1, 1}}))),
                 1000});
  all.push_back({"ends_absent_2x4",
                 {.preemptions = 2, .stale = 1},
                 team(hasty(one_region(2, many(4, Model::fixed, 2), {{1, 0}}))),
                 1000});
  all.push_back({"ends_twice_2x4",
                 {.preemptions = 2, .stale = 0},
                 team(hasty(rounds({4, 4}, 2, Model::static_, 2))),
                 1000});
  for (const std::size_t count : {4U, 5U})
    all.push_back({"ends_3x" + std::to_string(count) + "_long",
                   {.preemptions = 2, .stale = 1},
                   team(hasty(one_region(3, many(count, Model::static_, 3)))),
                   10'000,
                   true});
}

/// Members that leave the region early: where it is cancelled, or where they were never needed.
void add_departures(std::vector<Scenario>& all) {
  const auto fixed = [](std::uint32_t members, std::vector<Part> early) {
    return one_region(members, many(4, Model::fixed, 2), std::move(early));
  };
  all.push_back({"departs_after_one_2x4", k_narrow, team(fixed(2, {{1, 1}})), 1000});
  all.push_back(
      {"departs_in_the_middle_2x4", k_narrow,
       team(one_region(2, {{4, Model::fixed}, {2, Model::tree}, {4, Model::fixed}, {2, Model::tree}},
                       {{1, 1, 1}})),
       1000});
  all.push_back({"departs_in_the_middle_of_a_tree_2x4", k_narrow,
                 team(one_region(2, {{4, Model::tree}, {2, Model::fixed}, {2, Model::tree}}, {{1, 1, 1}})),
                 1000});
  // All but the first number of loops have to be told, and the highest one counts.
  all.push_back({"departs_apart_3x4",
                 {.preemptions = 1, .stale = 0},
                 team({.regions = {{3, many(4, Model::static_, 3), {{1, 2}, {2, 3}}},
                                   {2, many(1, Model::static_, 2), {}}}}),
                 1000});
  all.push_back({"departs_apart_3x3", k_one,
                 team({.regions = {{3, many(3, Model::static_, 3), {{1, 1}, {2, 2}}},
                                   {2, many(1, Model::static_, 2), {}}}}),
                 1000});
  // No member does the share of one that has left, and none waits for it: early, late, by blocks, by chunks.
  all.push_back({"departs_static_3x4", k_one,
                 team(one_region(3, {{5}, {5, Model::static_, false, 0}, {5}, {5, Model::static_, false, 2}},
                                 {{1, 1, 1}, {2, 3}})),
                 1000});
  // Member 1 leaves when there is no storage yet, or when there is.
  all.push_back(
      {"absent_2x3", k_narrow, team(one_region(2, many(3, Model::fixed, 2), {{1, 0, ~0U, true}})), 1000});
  all.push_back({"absent_twice_3x3", k_narrow,
                 team(one_region(3, many(3, Model::fixed, 2), {{1, 0}, {2, 0, ~0U, true}})), 1000});
  // Its line still has what it wrote in an earlier region.
  all.push_back(
      {"absent_in_the_second_region", k_narrow,
       team({.regions = {{2, many(1, Model::static_, 2), {}}, {2, many(3, Model::fixed, 2), {{1, 0}}}}}),
       1000});
  all.push_back({"departs_apart_3x4_long", k_switches, team(fixed(3, {{1, 1}, {2, 3, 1}})), 100'000, true});
  all.push_back({"absent_3x4_long", k_narrow, team(fixed(3, {{2, 0}})), 100'000, true});
}

/// The first member that needs storage makes it, or several members at once, and again for a larger team.
void add_growth(std::vector<Scenario>& all) {
  all.push_back({"growth_2", {.preemptions = 5, .stale = 3}, team(regions_of({2}, Model::static_)), 1000});
  all.push_back({"growth_3", {.preemptions = 3, .stale = 2}, team(regions_of({3}, Model::static_)), 1000});
  all.push_back({"growth_2_3_2", k_one, team(regions_of({2, 3, 2}, Model::static_)), 1000});
  all.push_back({"growth_tree_2_3", k_one, team(regions_of({2, 3}, Model::tree)), 1000});
  all.push_back(
      {"growth_with_an_absent_member", k_one,
       team({.regions = {{2, many(1, Model::static_, 2), {}}, {3, many(3, Model::static_, 3), {{2, 0}}}}}),
       1000});
  all.push_back({"growth_2_3_4_long", k_one, team(regions_of({2, 3, 4}, Model::static_)), 100'000, true});
}

/// Every set of the first requests of the members is refused in turn. Then the second request of one, which
/// is for nodes, and the third; that there are no more is checked.
void add_refusals(std::vector<Scenario>& all) {
  for (std::uint32_t mask = 1; mask < 8; ++mask) {
    TeamPlan plan = regions_of({3, 2}, Model::static_);
    for (std::uint32_t m = 0; m < 3; ++m) plan.refusals.requests[m] = mask >> m & 1;
    plan.most_requests = 3; // the third if no member got storage: close() makes it for the next region
    all.push_back({"refused_storage_" + std::to_string(mask), k_narrow, team(plan), 1000});
  }
  for (std::uint32_t k = 0; k < 3; ++k) {
    TeamPlan plan{.regions = {{2, {{5, Model::tree}, {2, Model::tree}, {5, Model::tree}}, {}},
                              {3, many(1, Model::tree, 3), {}}}};
    plan.refusals.requests[0] = 1U << k;
    plan.most_requests = 3;
    all.push_back({"refused_nodes_" + std::to_string(k), {.preemptions = 1, .stale = 0}, team(plan), 1000});
  }
}

/// The member that leaves a loop last reads the accounts of all members.
void add_measured(std::vector<Scenario>& all) {
  all.push_back({"measured_2x3", k_narrow, team(one_region(2, many(3, Model::static_, 2, true))), 1000});
  all.push_back({"measured_3x1", k_narrow, team(one_region(3, many(1, Model::static_, 3, true))), 1000});
  all.push_back({"measured_tree_2x3", k_one, team(one_region(2, many(3, Model::tree, 3, true))), 1000});
  all.push_back(
      {"measured_models_2x4", k_one,
       team(one_region(2, each_of({Model::range, Model::queue, Model::fixed, Model::guided}, 3, true))),
       1000});
  // Some loops are measured; no member reports one that a member has left out.
  all.push_back({"measured_departs_3x3",
                 {.preemptions = 1, .stale = 0},
                 team(one_region(3, {{3, Model::fixed, true}, {3, Model::fixed}, {3, Model::fixed, true}},
                                 {{2, 1, 1}})),
                 1000});
  all.push_back({"measured_3x3_long", k_switches, team(one_region(3, many(3, Model::static_, 3, true))),
                 100'000, true});
}

/// A member that is suspended stops the members that are a ring ahead of it, and no other member.
void add_suspended(std::vector<Scenario>& all) {
  const Bounds usual{.preemptions = 1, .stale = 0, .suspensions = 1};
  all.push_back({"suspended_member_delays_none_2x2",
                 {.preemptions = 2, .stale = 1, .suspensions = 1},
                 team(one_region(2, many(2, Model::fixed, 2)))});
  all.push_back({"suspended_member_delays_none_3x2", usual,
                 team(one_region(3, {{3, Model::fixed}, {3, Model::tree}}))});
  all.push_back({"suspended_2x4", usual, team(waiting_in_vain(one_region(2, many(4, Model::fixed, 2))))});
  all.push_back({"suspended_3x3", usual, team(waiting_in_vain(one_region(3, many(3, Model::fixed, 2))))});
  all.push_back({"suspended_tree_2x4", usual, team(waiting_in_vain(one_region(2, many(4, Model::tree, 2))))});
  all.push_back({"suspended_absent_3x3", usual,
                 team(waiting_in_vain(one_region(3, many(3, Model::fixed, 2), {{1, 0}})))});
  all.push_back({"suspended_3x5_long",
                 {.preemptions = 1, .stale = 1, .suspensions = 1},
                 team(waiting_in_vain(one_region(3, many(5, Model::fixed, 3)))),
                 0,
                 true});
}

} // namespace

std::vector<Scenario> team_scenarios() {
  std::vector<Scenario> all;
  add_measured(all);
  add_departures(all);
  add_growth(all);
  add_refusals(all);
  add_ring(all);
  add_rounds(all);
  add_ends(all);
  add_suspended(all);
  return all;
}

} // namespace wstree::model
