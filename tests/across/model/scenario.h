// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked of each scheduler, by name: the tests run all of it, and the mutants are looked for in it.
#pragma once

#include "engine/explorer.h"

#include "wstree/core/settings.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wstree::model {

/// All strategies and batch modes of the tree.
inline constexpr std::pair<const char*, core::Strategy> k_strategies[] = {
    {"find_max", core::Strategy::find_max},       {"predefined", core::Strategy::predefined},
    {"assign", core::Strategy::assign},           {"assign_top", core::Strategy::assign_top},
    {"random_walk", core::Strategy::random_walk}, {"random_all", core::Strategy::random_all}};
inline constexpr std::pair<const char*, core::BatchMode> k_batches[] = {
    {"fixed", core::BatchMode::fixed},
    {"exponential", core::BatchMode::exponential},
    {"random", core::BatchMode::random},
    {"timed", core::BatchMode::timed}};

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

/// Bounds that most scenarios differ in.
constexpr Bounds within(std::uint32_t preemptions, std::uint32_t stale, std::uint32_t suspensions = 0,
                        std::uint32_t patience = Bounds::k_unbounded) {
  return {.preemptions = preemptions, .stale = stale, .suspensions = suspensions, .patience = patience};
}

/// The scenarios of one scheduler. Those with wide bounds are called `_long`.
class ScenarioList {
public:
  /// `samples`: random executions on top, fifty times as many of long ones, none where a thread is suspended.
  explicit ScenarioList(std::uint64_t samples) : samples_(samples) {}
  Scenario& add(const std::string& name, const Bounds& bounds,
                std::function<std::unique_ptr<Program>()> make) {
    const bool is_long = name.ends_with("_long");
    const std::uint64_t samples = bounds.suspensions != 0 ? 0 : is_long ? 50 * samples_ : samples_;
    return all_.emplace_back(Scenario{name, bounds, std::move(make), samples, is_long});
  }
  std::vector<Scenario> all() && { return std::move(all_); }

private:
  std::uint64_t samples_;
  std::vector<Scenario> all_;
};

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
