// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which brief taskloops the runtime executes.
#include "task_choice.h"

#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace wstree::loop {
namespace {

using core::tuning::k_task_gap;
using core::tuning::k_task_looks;
using Way = TaskChoice::Way;

constexpr std::uint64_t k_n = 100;
const core::Settings k_settings;

/// Executes a loop of `n` that takes so many ticks on each way, `times` times. Returns how often the runtime
/// was to execute it.
int execute(TaskChoice& choice, int times, std::uint64_t tree, std::uint64_t runtime, std::uint64_t n = k_n) {
  int own = 0;
  for (int i = 0; i < times; ++i) {
    const Way way = choice.choose(n, k_settings);
    own += way == Way::runtime;
    choice.learn(way, n, way == Way::tree ? tree : runtime);
  }
  return own;
}

TEST(TaskChoice, TriesBothWaysAndTakesTheFasterOne) {
  TaskChoice even, uneven;
  EXPECT_EQ(execute(even, k_task_looks, 12'000, 10'000), 0);
  EXPECT_EQ(execute(even, k_task_looks, 12'000, 10'000), k_task_looks);
  EXPECT_EQ(execute(even, k_task_gap, 12'000, 10'000), k_task_gap - 1); // the tree is tried again
  EXPECT_EQ(execute(uneven, 2 * k_task_looks, 12'000, 15'000), k_task_looks);
  EXPECT_EQ(execute(uneven, k_task_gap, 12'000, 15'000), 1);
}

TEST(TaskChoice, LongLoopsAreForTheTree) {
  const std::uint64_t longest = core::tuning::k_task_brief * k_settings.shortest_target;
  TaskChoice brief, longer;
  EXPECT_GT(execute(brief, 100, longest - k_n, longest / 2), 0);
  EXPECT_EQ(execute(longer, 100, longest + k_n, longest / 2), 0);
  // Of one code location, loops with few iterations are brief, and those with many are not.
  EXPECT_GT(execute(longer, 100, longest / 2, longest / 4, k_n / 2), 0);
  TaskChoice huge;
  EXPECT_EQ(execute(huge, 100, 1, 1, std::uint64_t{1} << 62), 0);
}

TEST(TaskChoice, FollowsALoopThatChanges) {
  TaskChoice choice;
  execute(choice, 100, 12'000, 10'000);
  EXPECT_LE(execute(choice, 20, 12'000, 30'000), 10); // it has become uneven
  EXPECT_LE(execute(choice, 10, 12'000, 30'000), 1);
  EXPECT_GT(execute(choice, 20 * k_task_gap, 12'000, 10'000), k_task_gap); // and even again
  // Long all of a sudden: one execution may be a disturbance.
  EXPECT_LE(execute(choice, 10, 10'000'000, 10'000'000), 3);
}

TEST(TaskChoice, OneDisturbedExecutionChangesNothing) {
  TaskChoice choice;
  execute(choice, 100, 12'000, 10'000);
  for (int i = 0; i < 20; ++i) {
    choice.learn(Way::runtime, k_n, 100'000'000);
    choice.learn(Way::runtime, k_n, 10'000);
  }
  EXPECT_GE(execute(choice, 20, 12'000, 10'000), 19);
}

} // namespace
} // namespace wstree::loop
