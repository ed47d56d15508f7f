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
                             1, 0, {.preemptions = 7, .stale = 7});
  EXPECT_EQ(seen, (Outcomes{{1}}));
}

TEST(Exploring, ALoopThatNoThreadEndsIsALivelock) {
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

/// A program in which three threads write, read and exchange what they share.
std::vector<Body> busy_bodies() {
  std::vector<Body> made;
  for (int t = 0; t < 3; ++t)
    made.push_back([t](Machine& m) {
      const auto i = static_cast<std::size_t>(t);
      m.v[i].store(1, relaxed);
      m.r[2 * i] = m.v[(i + 1) % 3].load(acquire);
      m.r[2 * i + 1] = m.v[(i + 2) % 3].fetch_add(2, acq_rel);
    });
  return made;
}

/// Two threads, more operations of each kind.
std::vector<Body> mixed_bodies() {
  const auto body = [](std::size_t i) {
    return [i](Machine& m) {
      int expected = 0;
      m.v[i].store(1, i == 0 ? seq_cst : release);
      m.r[i] = m.v[1 - i].load(i == 0 ? seq_cst : relaxed);
      if (i == 1) ModelPlatform::fence(core::Tag::own, seq_cst);
      m.r[2 + i] = static_cast<int>(m.z.compare_exchange_weak(expected, 1 + m.r[i], acq_rel, acquire));
      m.r[4 + i] = m.v[1 - i].exchange(3, relaxed);
    };
  };
  return {body(0), body(1)};
}

/// What is left out because a state was reached before, by the same operations in another order, has no
/// outcome of its own.
TEST(Exploring, MergedStatesLoseNoOutcome) {
  const std::pair<std::vector<Body>, Bounds> programs[] = {
      {mixed_bodies(), k_all},
      {mixed_bodies(), {.preemptions = 2, .stale = 2}},
      {mixed_bodies(), {.preemptions = 1, .stale = 3, .spurious = 0}},
      {busy_bodies(), {.preemptions = 2, .stale = 2}},
      {busy_bodies(), {.preemptions = 2, .stale = Bounds::k_unbounded}}};
  for (const auto& [bodies, bounds] : programs) {
    Litmus merged(bodies, 6, 3);
    Litmus whole(bodies, 6, 3);
    const Result less = explore(merged, bounds);
    const Result all = explore(whole, bounds, {}, {.merges_states = false});
    EXPECT_TRUE(less.exhausted && all.exhausted) << less << "\n" << all;
    EXPECT_LT(less.executions, all.executions);
    EXPECT_EQ(all.complete, all.executions);
    EXPECT_EQ(merged.outcomes, whole.outcomes) << less << "\n" << all;
  }
}

/// Data of another use of the same memory, although it was handed over well.
TEST(Exploring, DataOfAnotherUseIsNotForAThread) {
  const auto run = [](std::uint64_t use) {
    Litmus litmus({[](Machine& m) {
                     Execution::now->works_for(2);
                     m.data.write(1);
                     m.x.store(1, release);
                   },
                   [use](Machine& m) {
                     Execution::now->works_for(use);
                     if (m.x.load(acquire) == 1) m.r[0] = m.data.read();
                   }},
                  1);
    return explore(litmus, k_all);
  };
  EXPECT_FALSE(run(2).failed);
  EXPECT_THAT(run(1).failure, testing::HasSubstr("reads what was written for use 2"));
}

} // namespace
} // namespace wstree::model
