// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fences of C++20 under the model checker, and compare-and-swaps that fail without a reason.
#include "litmus.h"

namespace wstree::model::fences {
namespace {

using testing::Contains;
using testing::Not;

/// The tag is that of no fence in particular.
void fence(std::memory_order order) { ModelPlatform::fence(core::Tag::own, order); }

/// Fences between relaxed accesses; relaxed: none.
Outcomes message_passing(std::memory_order writer, std::memory_order reader) {
  return outcomes({[=](Machine& m) {
                     m.x.store(1, relaxed);
                     fence(writer);
                     m.y.store(1, relaxed);
                   },
                   [=](Machine& m) {
                     m.r[0] = m.y.load(relaxed);
                     fence(reader);
                     m.r[1] = m.x.load(relaxed);
                   }},
                  2);
}

TEST(Fences, MessagePassing) {
  const Outcome lost{1, 0};
  for (const auto writer : {release, acq_rel, seq_cst})
    for (const auto reader : {acquire, acq_rel, seq_cst})
      EXPECT_EQ(message_passing(writer, reader), (Outcomes{{0, 0}, {0, 1}, {1, 1}}));
  EXPECT_THAT(message_passing(relaxed, acquire), Contains(lost));
  EXPECT_THAT(message_passing(release, relaxed), Contains(lost));
  EXPECT_THAT(message_passing(acquire, acquire), Contains(lost)) << "an acquire fence releases nothing";
  EXPECT_THAT(message_passing(release, release), Contains(lost)) << "a release fence acquires nothing";
}

/// C++20, atomics.order 4.2 and 4.3: one side has a fence, the other a seq_cst load and store.
TEST(Fences, StoreBufferingBetweenAFenceAndOperations) {
  const auto run = [](std::memory_order store, std::memory_order load) {
    return outcomes({[](Machine& m) {
                       m.x.store(1, relaxed);
                       fence(seq_cst);
                       m.r[0] = m.y.load(relaxed);
                     },
                     [=](Machine& m) {
                       m.y.store(1, store);
                       m.r[1] = m.x.load(load);
                     }},
                    2);
  };
  EXPECT_THAT(run(seq_cst, seq_cst), Not(Contains(Outcome{0, 0})));
  EXPECT_THAT(run(release, seq_cst), Contains(Outcome{0, 0}));
  EXPECT_THAT(run(seq_cst, acquire), Contains(Outcome{0, 0}));
}

TEST(Fences, IndependentReadsOfIndependentWrites) {
  const auto run = [](std::memory_order between) {
    return outcomes({[](Machine& m) { m.x.store(1, relaxed); }, [](Machine& m) { m.y.store(1, relaxed); },
                     [=](Machine& m) {
                       m.r[0] = m.x.load(relaxed);
                       fence(between);
                       m.r[1] = m.y.load(relaxed);
                     },
                     [=](Machine& m) {
                       m.r[2] = m.y.load(relaxed);
                       fence(between);
                       m.r[3] = m.x.load(relaxed);
                     }},
                    4);
  };
  EXPECT_THAT(run(acq_rel), Contains(Outcome{1, 0, 1, 0}));
  EXPECT_THAT(run(seq_cst), Not(Contains(Outcome{1, 0, 1, 0}))) << "C++20 and later";
}

TEST(WeakExchange, FailsWithoutAReasonAsOftenAsTheBoundsSay) {
  const auto tries = [](std::uint32_t spurious) {
    Litmus litmus({[](Machine& m) {
                    int zero = 0;
                    m.r[0] = 0;
                    while (!m.x.compare_exchange_weak(zero, 1, acq_rel, relaxed)) ++m.r[0];
                    m.r[1] = zero;
                  }},
                  2, 1);
    Bounds bounds = k_all;
    bounds.spurious = spurious;
    EXPECT_TRUE(explore(litmus, bounds).exhausted);
    return litmus.outcomes;
  };
  EXPECT_EQ(tries(0), (Outcomes{{0, 0, 1}}));
  EXPECT_EQ(tries(2), (Outcomes{{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}));
}

} // namespace
} // namespace wstree::model::fences
