// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that MPI ranks share.
#include "rank_program.h"
#include "scenario.h"

namespace wstree::model {

std::vector<Scenario> rank_scenarios() {
  const Bounds narrow{.preemptions = 2, .stale = 1};
  const Bounds stale{.preemptions = 2, .stale = 2};
  const Bounds three{.preemptions = 1, .stale = 1};
  return {
      {"ranks_2x3", stale, ranks({.units = {3}}), 10'000},
      {"ranks_2x6", narrow, ranks({.units = {6}, .most = 2}), 10'000},
      {"ranks_2x6_switches", {.preemptions = 4, .stale = 0}, ranks({.units = {6}, .most = 2}), 10'000},
      {"ranks_3x3", three, ranks({.ranks = 3, .units = {3}}), 10'000},
      // More ranks than units: shares without units.
      {"ranks_3x1", three, ranks({.ranks = 3, .units = {1}}), 10'000},
      // Words are used again: a range of the previous call must not be taken for one of this call.
      {"ranks_two_calls_2x2", narrow, ranks({.units = {2, 3}}), 10'000},
      {"ranks_two_calls_3x2", three, ranks({.ranks = 3, .units = {1, 2}}), 10'000},
      // Ranks of one node, one of which may be in the next call while another one still looks for work.
      {"ranks_rest_2x2", narrow, ranks({.units = {2, 2}, .rests = true}), 10'000},
      {"ranks_rest_2x3", {.preemptions = 3, .stale = 0}, ranks({.units = {3, 3}, .rests = true}), 10'000},
      {"ranks_rest_three_calls", narrow, ranks({.units = {1, 2, 1}, .rests = true}), 10'000},
      {"ranks_rest_post_2x2", narrow, ranks({.units = {1, 1}, .rests = true, .posts = true}), 10'000},
      {"ranks_rest_3x1", three, ranks({.ranks = 3, .units = {1, 1}, .rests = true}), 10'000},
      // Pieces that end early, whose rests go back into the word, or are kept.
      {"ranks_give_back_2x6", narrow, ranks({.units = {6}, .most = 3, .gives_back = true}), 10'000},
      // The same while thieves take from the word.
      {"ranks_give_back_beside_2x6", stale, ranks({.units = {6}, .most = 2, .gives_back = true}), 10'000},
      {"ranks_give_back_beside_2x8", narrow, ranks({.units = {8}, .most = 3, .gives_back = true}), 10'000},
      {"ranks_give_back_2x8",
       {.preemptions = 3, .stale = 0},
       ranks({.units = {8}, .most = 4, .gives_back = true}),
       10'000},
      {"ranks_give_back_3x6", three, ranks({.ranks = 3, .units = {6}, .most = 2, .gives_back = true}),
       10'000},
      // A rank that comes when all is done: others have opened its range.
      {"ranks_late_2x4", narrow, ranks({.units = {4}, .late = 1}), 10'000},
      {"ranks_late_first_3x3", three, ranks({.ranks = 3, .units = {3, 3}, .late = 0}), 10'000},
      {"ranks_bound_2x4", narrow, ranks({.units = {4}, .bound = 1}), 10'000},
      {"ranks_bound_two_calls_2x3", narrow, ranks({.units = {3, 3}, .most = 2, .bound = 0}), 10'000},
      {"ranks_2x8_long", {.preemptions = 3, .stale = 2}, ranks({.units = {8}, .most = 2}), 500'000, true},
      {"ranks_3x4_long", narrow, ranks({.ranks = 3, .units = {4}}), 500'000, true},
      {"ranks_rest_3x2_long", three, ranks({.ranks = 3, .units = {2, 3}, .rests = true}), 500'000, true},
      {"ranks_give_back_3x8_long", narrow, ranks({.ranks = 3, .units = {8}, .most = 4, .gives_back = true}),
       500'000, true},
      {"ranks_two_calls_3x3_long", narrow, ranks({.ranks = 3, .units = {3, 3}}), 500'000, true},
  };
}

} // namespace wstree::model
