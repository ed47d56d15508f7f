// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the model checker explores: waiting, livelocks, stories, states that are recognised.
#include "litmus.h"

namespace wstree::model {
namespace {

TEST(Exploring, AWaitingLoopEnds) {
  const auto seen = outcomes({[](Machine& m) { m.x.store(1, relaxed); },
                              [](Machine& m) {
                                while (m.x.load(relaxed) == 0) ModelPlatform::relax();
                                m.r[0] = 1;
                              }},
                             1);
  EXPECT_EQ(seen, (Outcomes{{1}}));
}

TEST(Exploring, ALoopThatNobodyEndsIsALivelock) {
  Litmus litmus({[](Machine& m) { m.y.store(1, relaxed); },
                 [](Machine& m) {
                   while (m.x.load(relaxed) == 0) ModelPlatform::yield();
                 }},
                0);
  const auto result = explore(litmus, {.steps = 200});
  EXPECT_TRUE(result.failed);
  EXPECT_THAT(result.failure, testing::HasSubstr("no end after"));
}

/// A failure is the same when it is replayed from its choices.
TEST(Exploring, AFailureTellsItsStory) {
  Litmus litmus({[](Machine& m) { m.x.store(1, relaxed); },
                 [](Machine& m) {
                   if (m.x.load(relaxed) == 1 && m.x.load(relaxed) == 1) Execution::now->fail("saw it");
                 }},
                0);
  for (const auto& result : {explore(litmus, k_all), sample(litmus, k_all, 1000, 1)}) {
    EXPECT_TRUE(result.failed);
    EXPECT_EQ(result.failure, "saw it");
    ASSERT_GE(result.story.size(), 3U);
    EXPECT_EQ(result.story.back(), "FAILED: saw it");
  }
}

/// The states that are recognised leave out executions, not outcomes.
TEST(Exploring, RandomExecutionsShowNothingNew) {
  const auto bodies = [] {
    std::vector<Body> made;
    for (int t = 0; t < 3; ++t)
      made.push_back([t](Machine& m) {
        const auto i = static_cast<std::size_t>(t);
        m.v[i].store(1, relaxed);
        m.r[2 * i] = m.v[(i + 1) % 3].load(acquire);
        m.r[2 * i + 1] = m.v[(i + 2) % 3].fetch_add(2, acq_rel);
      });
    return made;
  };
  const Outcomes all = outcomes(bodies(), 6, 3);
  Litmus litmus(bodies(), 6, 3);
  EXPECT_FALSE(sample(litmus, k_all, 200'000, 7).failed);
  EXPECT_EQ(litmus.outcomes, all);
}

} // namespace
} // namespace wstree::model
