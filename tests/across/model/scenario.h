// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked of each scheduler, by name: the tests run all of it, and the mutants are looked for in it.
#pragma once

#include "engine/explorer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace wstree::model {

struct Scenario {
  std::string name; ///< of a test: letters, digits, underscores
  Bounds bounds;
  std::function<std::unique_ptr<Program>()> make;
  std::uint64_t samples = 0; ///< random executions on top, within wide bounds
  bool is_long = false;      ///< only under the ctest label `long`
  std::string fails = {};    ///< part of the failure that is documented; empty: there must be none
  bool is_whole = false;     ///< every execution to its end, also those that come to a state again
};

/// Explores the scenario, and then takes the samples. The first failure ends it.
inline Result run(const Scenario& scenario, std::uint64_t seed, const Mutation& mutation = {}) {
  const auto program = scenario.make();
  Result result = explore(*program, scenario.bounds, mutation, {.merges_states = !scenario.is_whole});
  if (result.failed || scenario.samples == 0) return result;
  Bounds wide = scenario.bounds;
  wide.preemptions = wide.stale = 7;
  Result sampled = sample(*program, wide, scenario.samples, seed, mutation);
  result.failed = sampled.failed;
  result.failure = sampled.failure;
  result.choices = sampled.choices;
  result.story = sampled.story;
  result.sampled = sampled.executions;
  return result;
}

std::vector<Scenario> tree_scenarios();
std::vector<Scenario> range_scenarios();
std::vector<Scenario> queue_scenarios(); ///< the queues alone, and the loops on them
std::vector<Scenario> counter_scenarios();
std::vector<Scenario> team_scenarios();
std::vector<Scenario> task_scenarios(); ///< of taskloops
std::vector<Scenario> reduction_scenarios();
std::vector<Scenario> parallel_scenarios(); ///< of the C++ library, besides reductions
std::vector<Scenario> types_scenarios();    ///< of the public types
std::vector<Scenario> rank_scenarios();     ///< of loops that MPI ranks share

std::vector<Scenario> tested_scenarios(); ///< those of them that a test program is for

} // namespace wstree::model
