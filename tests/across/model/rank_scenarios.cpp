// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that MPI ranks share.
#include "rank_program.h"
#include "scenario.h"

namespace wstree::model {

std::vector<Scenario> rank_scenarios() {
  ScenarioList list(5000);
  const auto add = [&](const char* name, const Bounds& bounds, const RankPlan& plan) {
    list.add(std::string("ranks_") + name, bounds, ranks(plan));
  };
  add("2x3", within(2, 2), {.units = {3}});
  add("2x6", within(2, 1), {.units = {6}, .most = 2});
  add("2x6_switches", within(4, 0), {.units = {6}, .most = 2});
  add("3x3", within(1, 1), {.ranks = 3, .units = {3}});
  // More ranks than units: shares without units.
  add("3x1", within(1, 1), {.ranks = 3, .units = {1}});
  // Words are used again: a range of the previous call must not be taken for one of this call.
  add("two_calls_2x2", within(2, 1), {.units = {2, 3}});
  add("two_calls_3x2", within(1, 1), {.ranks = 3, .units = {1, 2}});
  // Ranks of one node, one of which may be in the next call while another one still looks for work.
  add("rest_2x2", within(2, 1), {.units = {2, 2}, .rests = true});
  add("rest_2x3", within(3, 0), {.units = {3, 3}, .rests = true});
  add("rest_three_calls", within(2, 1), {.units = {1, 2, 1}, .rests = true});
  add("rest_post_2x2", within(2, 1), {.units = {1, 1}, .rests = true, .posts = true});
  add("rest_3x1", within(1, 1), {.ranks = 3, .units = {1, 1}, .rests = true});
  // Pieces that end early, whose rests go back into the word, or are kept.
  add("give_back_2x6", within(2, 1), {.units = {6}, .most = 3, .gives_back = true});
  // The same while thieves take from the word.
  add("give_back_beside_2x6", within(2, 2), {.units = {6}, .most = 2, .gives_back = true});
  add("give_back_beside_2x8", within(2, 1), {.units = {8}, .most = 3, .gives_back = true});
  add("give_back_2x8", within(3, 0), {.units = {8}, .most = 4, .gives_back = true});
  add("give_back_3x6", within(1, 1), {.ranks = 3, .units = {6}, .most = 2, .gives_back = true});
  // A rank that comes when all is done: others have opened its range.
  add("late_2x4", within(2, 1), {.units = {4}, .late = 1});
  add("late_first_3x3", within(1, 1), {.ranks = 3, .units = {3, 3}, .late = 0});
  add("bound_2x4", within(2, 1), {.units = {4}, .bound = 1});
  add("bound_two_calls_2x3", within(2, 1), {.units = {3, 3}, .most = 2, .bound = 0});
  add("2x8_long", within(3, 2), {.units = {8}, .most = 2});
  add("3x4_long", within(2, 1), {.ranks = 3, .units = {4}});
  add("rest_3x2_long", within(1, 1), {.ranks = 3, .units = {2, 3}, .rests = true});
  add("give_back_3x8_long", within(2, 1), {.ranks = 3, .units = {8}, .most = 4, .gives_back = true});
  add("two_calls_3x3_long", within(2, 1), {.ranks = 3, .units = {3, 3}});
  return std::move(list).all();
}

} // namespace wstree::model
