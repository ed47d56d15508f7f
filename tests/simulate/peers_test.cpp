// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules of others in virtual time: every iteration once, in the chunks that their runtimes make, at
// the price of the lines that they share.
#include "simulated.h"

#include "peers/tbb_auto.h"
#include "peers/workers.h"
#include "platform.h"
#include "seed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace wstree::test {
namespace {

using simulate::Peer;
using testing::ElementsAre;

using P = simulate::SimulatedPlatform;
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::static_>::type>);
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::dynamic>::type>);
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::guided>::type>);
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::trapezoidal>::type>);
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::static_steal>::type>);
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::gomp_guided>::type>);
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::tbb_auto>::type>);
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::cilk_for>::type>);
static_assert(core::Scheduler<simulate::PeerWorker<P, Peer::static_balanced>::type>);

std::vector<Peer> peers() {
  std::vector<Peer> all;
  for (std::size_t p = 0; p < simulate::k_peer_count; ++p) all.push_back(static_cast<Peer>(p));
  return all;
}

using Chunk = std::pair<std::uint64_t, std::uint64_t>;

/// What all members are handed, by its beginning.
std::vector<Chunk> chunks(Job job) {
  std::vector<Chunk> seen;
  job.seen = [&](std::uint32_t, std::uint32_t, const core::Range& range) {
    seen.emplace_back(range.begin, range.end);
    EXPECT_EQ(range.last, range.end == job.workload->iterations());
  };
  simulate::simulate(job);
  std::sort(seen.begin(), seen.end());
  return seen;
}

std::vector<std::uint64_t> sizes(std::uint64_t iterations, Peer peer, std::uint64_t chunk,
                                 std::uint32_t members) {
  const Workload loop = workload("UNIFORM", iterations, 10 * k_ms);
  std::vector<std::uint64_t> found;
  for (const auto& [begin, end] : chunks(with(loop, {peer, chunk}, members))) found.push_back(end - begin);
  return found;
}

TEST(Peers, HaveNames) {
  for (const Peer peer : peers()) EXPECT_EQ(simulate::peer_named(simulate::name_of(peer)), peer);
  EXPECT_EQ(simulate::name_of(Peer::static_), "static");
  EXPECT_EQ(simulate::name_of(Peer::cilk_for), "cilk_for");
  EXPECT_FALSE(simulate::peer_named("wstree"));
}

TEST(Peers, HandOutEveryIterationOnce) {
  std::mt19937_64 random(seed());
  for (const Peer peer : peers())
    for (const std::uint32_t members : {1U, 2U, 3U, 7U, 24U})
      for (const std::uint64_t n : {1ULL, 2ULL, 5ULL, 23ULL, 64ULL, 100ULL, 2'000ULL}) {
        SCOPED_TRACE(testing::Message()
                     << simulate::name_of(peer) << ", " << members << " members, " << n << " iterations");
        const Workload loop = workload(random() % 2 == 0 ? "EXP" : "STEP_S", n, k_ms / (1 + random() % 100));
        Job job = with(loop, {peer, random() % 6}, members);
        job.machine.skew = random() % 20'000 * k_ns;
        job.machine.levels.front().members = static_cast<std::uint32_t>(random() % 5);
        job.seed = random() % 1'000'000;
        job.rounds = 3;
        std::vector<std::vector<int>> hits(job.rounds, std::vector<int>(n));
        std::vector<int> lasts(job.rounds);
        job.seen = [&](std::uint32_t round, std::uint32_t, const core::Range& range) {
          ASSERT_LT(range.begin, range.end);
          ASSERT_LE(range.end, n);
          for (std::uint64_t i = range.begin; i < range.end; ++i) ++hits[round][i];
          lasts[round] += range.last;
        };
        const auto rounds = simulate::simulate(job);
        for (std::uint32_t r = 0; r < job.rounds; ++r) {
          EXPECT_THAT(hits[r], testing::Each(1)) << "round " << r;
          EXPECT_EQ(lasts[r], 1) << "round " << r;
          EXPECT_EQ(rounds[r].counts.iterations, n);
        }
      }
}

TEST(Peers, TheSameRunGivesTheSameResult) {
  const Workload loop = workload("RANDIF", 3'000, k_ms);
  for (const Peer peer : peers()) {
    SCOPED_TRACE(simulate::name_of(peer));
    Job job = with(loop, {peer, 0}, 16);
    job.machine.skew = 1'000 * k_ns;
    job.rounds = 3;
    const auto first = simulate::simulate(job);
    const auto second = simulate::simulate(job);
    for (std::uint32_t r = 0; r < job.rounds; ++r) {
      EXPECT_EQ(first[r].time, second[r].time);
      EXPECT_EQ(first[r].counts.batches, second[r].counts.batches);
      EXPECT_EQ(first[r].counts.steals, second[r].counts.steals);
      EXPECT_EQ(first[r].traffic.transfers, second[r].traffic.transfers);
      EXPECT_EQ(first[r].traffic.waiting, second[r].traffic.waiting);
    }
  }
}

TEST(Peers, StaticGivesBlocksOrChunksInTurn) {
  EXPECT_THAT(sizes(10, Peer::static_, 0, 4), ElementsAre(3U, 3U, 2U, 2U));
  EXPECT_THAT(sizes(2, Peer::static_, 0, 4), ElementsAre(1U, 1U));
  const Workload loop = workload("UNIFORM", 10, k_ms);
  Job job = with(loop, {Peer::static_, 3}, 2);
  std::vector<std::uint64_t> of_second;
  job.seen = [&](std::uint32_t, std::uint32_t member, const core::Range& range) {
    if (member == 1) of_second.push_back(range.begin);
  };
  simulate::simulate(job);
  EXPECT_THAT(of_second, ElementsAre(3U, 9U));
}

TEST(Peers, DynamicGivesChunksOfTheSameSize) {
  EXPECT_THAT(sizes(30, Peer::dynamic, 4, 2), ElementsAre(4U, 4U, 4U, 4U, 4U, 4U, 4U, 2U));
  EXPECT_THAT(sizes(4, Peer::dynamic, 0, 2), ElementsAre(1U, 1U, 1U, 1U));
  EXPECT_THAT(sizes(4, Peer::dynamic, 99, 2), ElementsAre(4U));
}

TEST(Peers, GuidedGivesOneOutOfTwicePThatAreLeft) {
  // 16/4, 12/4, 9/4; 7 left is less than 2 P (c + 1) = 8.
  EXPECT_THAT(sizes(16, Peer::guided, 0, 2), ElementsAre(4U, 3U, 2U, 1U, 1U, 1U, 1U, 1U, 1U, 1U));
  // 100/4, 75/4, 57/4, 43/4, 33/4; 25 left is more than 24, 19 is not.
  EXPECT_THAT(sizes(100, Peer::guided, 5, 2), ElementsAre(25U, 18U, 14U, 10U, 8U, 6U, 5U, 5U, 5U, 4U));
  EXPECT_THAT(sizes(6, Peer::guided, 0, 2), ElementsAre(1U, 1U, 1U, 1U, 1U, 1U)) << "P (2c + 1) is 6";
}

TEST(Peers, GuidedOfLibgompGivesOneOutOfPThatAreLeft) {
  EXPECT_THAT(sizes(16, Peer::gomp_guided, 0, 2), ElementsAre(8U, 4U, 2U, 1U, 1U));
  EXPECT_THAT(sizes(20, Peer::gomp_guided, 3, 3), ElementsAre(7U, 5U, 3U, 3U, 2U));
}

TEST(Peers, TrapezoidalStepsAreWholeNumbers) {
  // From 25 to 1 in ceil(200/26) = 8 chunks: by floor(24/7) = 3.
  EXPECT_THAT(sizes(100, Peer::trapezoidal, 0, 2), ElementsAre(25U, 22U, 19U, 16U, 13U, 5U));
  // From 4 to 1 in 7 chunks: by 0.
  EXPECT_THAT(sizes(16, Peer::trapezoidal, 0, 2), ElementsAre(4U, 4U, 4U, 4U));
}

TEST(Peers, ATeamOfOneGetsTheWholeLoopFromLibompAtOnce) {
  for (const Peer peer : {Peer::static_, Peer::dynamic, Peer::guided, Peer::trapezoidal, Peer::static_steal})
    EXPECT_THAT(sizes(100, peer, 1, 1), ElementsAre(100U)) << simulate::name_of(peer);
}

TEST(Peers, AThiefOfStaticStealTakesAQuarterOrOneChunk) {
  EXPECT_EQ((simulate::ChunkPair{10, 30}.loot()), 5U);
  EXPECT_EQ((simulate::ChunkPair{0, 8}.loot()), 2U);
  EXPECT_EQ((simulate::ChunkPair{0, 7}.loot()), 1U);
  EXPECT_EQ((simulate::ChunkPair{0, 1}.loot()), 1U);
}

/// The iterations that member 1 of two runs, in its order; those of the first half cost nothing.
std::vector<std::uint64_t> second_of_two(Peer peer, std::uint64_t chunk, Time skew) {
  const Workload loop("second half", 200, 10 * k_ms, [](std::uint64_t i) { return i < 100 ? 0.0 : 1.0; });
  Job job = with(loop, {peer, chunk}, 2);
  job.machine.skew = skew;
  std::vector<std::uint64_t> seen;
  job.seen = [&](std::uint32_t, std::uint32_t member, const core::Range& range) {
    if (member == 0 && range.begin >= 100) seen.push_back(range.begin);
  };
  simulate::simulate(job);
  return seen;
}

TEST(Peers, StaticStealFromAMemberThatWorks) {
  // Member 0 has run its 100 iterations before member 1 has run the first of its own: 99 are left, and it
  // takes the last 24.
  const auto stolen = second_of_two(Peer::static_steal, 1, 0);
  ASSERT_GE(stolen.size(), 25U);
  for (std::uint64_t i = 0; i < 24; ++i) EXPECT_EQ(stolen[i], 176 + i);
  // By then member 1 has run 24 more and is in the next one: 51 or 50 are left, of which 12 are taken.
  EXPECT_NEAR(static_cast<double>(stolen[24]), 164, 1);
}

TEST(Peers, StaticStealTakesAllFromAMemberThatIsLate) {
  const auto stolen = second_of_two(Peer::static_steal, 1, 1'000 * k_ms);
  ASSERT_EQ(stolen.size(), 100U);
  EXPECT_EQ(stolen.front(), 100U);
}

TEST(Peers, StaticStealWithFewerChunksThanMembersIsDynamic) {
  EXPECT_THAT(sizes(100, Peer::static_steal, 40, 4), ElementsAre(40U, 40U, 20U));
  const Workload loop = workload("UNIFORM", 100, k_ms);
  Job job = with(loop, {Peer::static_steal, 40}, 4);
  job.machine.skew = 1'000 * k_ms; // member 0 takes all, but steals nothing
  EXPECT_EQ(simulate::simulate(job).front().counts.steals, 0U);
}

TEST(Peers, AChunkThatIsRunCannotBeStolen) {
  // The others find nothing but the two long chunks, which their members run, and leave.
  const Workload loop("two", 4, 10 * k_ms, [](std::uint64_t i) { return i < 2 ? 1.0 : 1'000.0; });
  Job job = with(loop, {Peer::static_steal, 1}, 4);
  EXPECT_NEAR(ratio(job, 1), 1, 0.001);
}

TEST(Peers, TbbSplitsItsPoolFromTheLeft) {
  simulate::TbbPool pool;
  pool.start({0, 64, 0});
  pool.fill(5, 1);
  std::vector<Chunk> taken;
  while (pool.size() != 0) {
    const auto range = pool.take_youngest();
    taken.emplace_back(range.begin, range.end);
  }
  EXPECT_THAT(taken,
              ElementsAre(Chunk{0, 2}, Chunk{2, 4}, Chunk{4, 8}, Chunk{8, 16}, Chunk{16, 32}, Chunk{32, 64}));
  pool.start({0, 1'024, 0});
  pool.fill(20, 1);
  EXPECT_EQ(pool.size(), 8U);
  EXPECT_EQ(pool.take_oldest().begin, 512U);
  EXPECT_EQ(pool.take_oldest().begin, 256U);
  pool.put_back({256, 512, 2});
  EXPECT_EQ(pool.take_oldest().begin, 256U);
}

TEST(Peers, AloneTbbHalvesTwiceAndThenFourTimes) {
  // The first task has 2P = 2 to give and sets its trap, which is a halving each, and has four levels left.
  const auto found = sizes(1'024, Peer::tbb_auto, 0, 1);
  EXPECT_EQ(found.front(), 1'024U >> 6);
  // Each of the others sets a trap and loses a level, down to none.
  EXPECT_EQ(found.back(), 1'024U >> 6);
  EXPECT_EQ(*std::min_element(found.begin(), found.end()), 1'024U >> 6);
}

TEST(Peers, CilkStopsAtItsGrain) {
  EXPECT_THAT(sizes(1'024, Peer::cilk_for, 0, 2), testing::Each(64U));
  EXPECT_THAT(sizes(16, Peer::cilk_for, 0, 2), testing::Each(1U));
  EXPECT_THAT(sizes(1'000'000, Peer::cilk_for, 0, 2), testing::Each(testing::Le(2'048U)));
  EXPECT_THAT(sizes(1'024, Peer::cilk_for, 256, 2), testing::Each(256U));
}

/// When the iterations cost nothing.
double transfers_per_chunk(Peer peer, std::uint32_t members) {
  const Workload loop = workload("UNIFORM", 20'000, 1);
  Job job = with(loop, {peer, 1}, members);
  const auto round = simulate::simulate(job).front();
  return static_cast<double>(round.traffic.transfers) / static_cast<double>(round.counts.batches);
}

TEST(Peers, ASharedCounterHandsOutOneChunkPerTransfer) {
  const Workload loop = workload("UNIFORM", 10'000, 1);
  for (const std::uint32_t members : {4U, 16U}) {
    Job job = with(loop, {Peer::dynamic, 1}, members);
    job.machine.levels.clear();
    // The request for the line travels while others use it.
    const Time turn = job.machine.across / 2 + job.machine.prices.rmw;
    const auto per_chunk = static_cast<double>(simulate::simulate(job).front().time) / 10'000;
    EXPECT_NEAR(per_chunk, static_cast<double>(turn), 0.03 * static_cast<double>(turn)) << members;
  }
}

TEST(Peers, OwnersOfStaticStealShareNothingUntilTheEnd) {
  EXPECT_LT(transfers_per_chunk(Peer::static_steal, 16), 0.2);
  EXPECT_GT(transfers_per_chunk(Peer::dynamic, 16), 0.7);
}

TEST(Peers, StaticStealPaysForItsWalksAroundTheRing) {
  // One iteration is all the work: each of the other members looks at all of them before it leaves.
  const auto transfers = [](std::uint32_t members) {
    const Workload loop("one", 4'096, k_ms, [](std::uint64_t i) { return i == 0 ? 1'000'000.0 : 0.0; });
    return static_cast<double>(
        simulate::simulate(with(loop, {Peer::static_steal, 0}, members)).front().traffic.transfers);
  };
  // With four times the members some sixteen times the looks.
  EXPECT_GT(transfers(64), 6 * transfers(16));
}

TEST(Peers, AThousandMembersEnd) {
  const Workload loop = workload("TRIANGLE", 100'000, 100 * k_ms);
  for (const Peer peer : peers()) {
    Job job = with(loop, {peer, 0}, 1'024);
    job.machine.skew = 1'000 * k_ns;
    EXPECT_GT(ratio(job, 1), 1) << simulate::name_of(peer);
  }
}

} // namespace
} // namespace wstree::test
