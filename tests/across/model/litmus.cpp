// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the model checker shows and does not show of small programs whose outcomes are known.
#include "litmus.h"

namespace wstree::model {
namespace {

using testing::Contains;
using testing::Not;

TEST(Litmus, StoreBufferingWithExchange) {
  const auto run = [](std::memory_order exchange, std::memory_order load) {
    return outcomes({[=](Machine& m) {
                       m.x.exchange(1, exchange);
                       m.r[0] = m.y.load(load);
                     },
                     [=](Machine& m) {
                       m.y.exchange(1, exchange);
                       m.r[1] = m.x.load(load);
                     }},
                    2);
  };
  EXPECT_THAT(run(seq_cst, seq_cst), Not(Contains(Outcome{0, 0})));
  EXPECT_THAT(run(acq_rel, seq_cst), Contains(Outcome{0, 0}));
  EXPECT_THAT(run(seq_cst, acquire), Contains(Outcome{0, 0}));
}

Outcomes message_passing(std::memory_order store, std::memory_order load) {
  return outcomes({[=](Machine& m) {
                     m.x.store(1, relaxed);
                     m.y.store(1, store);
                   },
                   [=](Machine& m) {
                     m.r[0] = m.y.load(load);
                     m.r[1] = m.x.load(relaxed);
                   }},
                  2);
}

TEST(Litmus, MessagePassing) {
  const Outcomes all{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(message_passing(relaxed, relaxed), all);
  EXPECT_EQ(message_passing(release, relaxed), all);
  EXPECT_EQ(message_passing(relaxed, acquire), all);
  EXPECT_EQ(message_passing(release, acquire), (Outcomes{{0, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(message_passing(seq_cst, seq_cst), (Outcomes{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(Litmus, PlainDataBehindAMessage) {
  const auto run = [](std::memory_order store, std::memory_order load) {
    Litmus litmus({[=](Machine& m) {
                     m.data.write(1);
                     m.x.store(1, store);
                   },
                   [=](Machine& m) {
                     if (m.x.load(load) == 1) m.r[0] = m.data.read();
                   }},
                  1);
    return explore(litmus, k_all);
  };
  EXPECT_FALSE(run(release, acquire).failed);
  EXPECT_TRUE(run(release, relaxed).failed);
  EXPECT_TRUE(run(relaxed, acquire).failed);
}

/// Without promises: C++ would allow {1, 1} of relaxed accesses.
TEST(Litmus, LoadBufferingIsNotModelled) {
  const auto seen = outcomes({[](Machine& m) {
                                m.r[0] = m.x.load(relaxed);
                                m.y.store(1, relaxed);
                              },
                              [](Machine& m) {
                                m.r[1] = m.y.load(relaxed);
                                m.x.store(1, relaxed);
                              }},
                             2);
  EXPECT_EQ(seen, (Outcomes{{0, 0}, {0, 1}, {1, 0}}));
}

/// Two readers agree on the order of two stores.
TEST(Litmus, CoherenceAmongReaders) {
  const auto seen =
      outcomes({[](Machine& m) { m.x.store(1, relaxed); }, [](Machine& m) { m.x.store(2, relaxed); },
                [](Machine& m) {
                  m.r[0] = m.x.load(relaxed);
                  m.r[1] = m.x.load(relaxed);
                },
                [](Machine& m) {
                  m.r[2] = m.x.load(relaxed);
                  m.r[3] = m.x.load(relaxed);
                }},
               4);
  EXPECT_THAT(seen, Contains(Outcome{1, 2, 1, 2}));
  EXPECT_THAT(seen, Contains(Outcome{2, 1, 2, 1}));
  EXPECT_THAT(seen, Not(Contains(Outcome{1, 2, 2, 1})));
}

Outcomes two_plus_two_writes(std::memory_order store) {
  return outcomes({[=](Machine& m) {
                     m.x.store(1, store);
                     m.y.store(2, store);
                   },
                   [=](Machine& m) {
                     m.y.store(1, store);
                     m.x.store(2, store);
                   }},
                  0, 2);
}

TEST(Litmus, TwoPlusTwoWrites) {
  EXPECT_THAT(two_plus_two_writes(relaxed), Contains(Outcome{1, 1}));
  EXPECT_THAT(two_plus_two_writes(release), Contains(Outcome{1, 1}));
  EXPECT_THAT(two_plus_two_writes(seq_cst), Not(Contains(Outcome{1, 1})));
  EXPECT_EQ(two_plus_two_writes(seq_cst).size(), 3U);
}

TEST(Litmus, ReadModifyWritesAreAtomic) {
  const auto add = [](Machine& m) { m.x.fetch_add(1, relaxed); };
  EXPECT_EQ(outcomes({add, add, add}, 0, 1), (Outcomes{{3}}));
  const auto claim = [](int i) {
    return [i](Machine& m) {
      int zero = 0;
      m.r[static_cast<std::size_t>(i)] =
          static_cast<int>(m.x.compare_exchange_strong(zero, i + 1, relaxed, relaxed));
    };
  };
  EXPECT_EQ(outcomes({claim(0), claim(1)}, 2), (Outcomes{{0, 1}, {1, 0}}));
}

/// C++20: nor does a later store of the releasing thread.
TEST(Litmus, ALaterStoreOfTheSameThreadIsNotInTheReleaseSequence) {
  const auto seen = outcomes({[](Machine& m) {
                                m.y.store(1, relaxed);
                                m.x.store(1, release);
                                m.x.store(2, relaxed);
                              },
                              [](Machine& m) {
                                m.r[0] = m.x.load(acquire);
                                m.r[1] = m.y.load(relaxed);
                              }},
                             2);
  EXPECT_THAT(seen, Contains(Outcome{2, 0}));
  EXPECT_THAT(seen, Not(Contains(Outcome{1, 0})));
}

} // namespace
} // namespace wstree::model
