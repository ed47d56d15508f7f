// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules of others in virtual time: every iteration once, and chunks of those that published_test.cpp
// cannot tell from their times.
#include "simulated.h"

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

TEST(Peers, GuidedGivesOneOutOfTwicePThatAreLeft) {
  // 16/4, 12/4, 9/4; 7 left is less than 2 P (c + 1) = 8.
  EXPECT_THAT(sizes(16, Peer::guided, 0, 2), ElementsAre(4U, 3U, 2U, 1U, 1U, 1U, 1U, 1U, 1U, 1U));
  // 100/4, 75/4, 57/4, 43/4, 33/4; 25 left is more than 24, 19 is not.
  EXPECT_THAT(sizes(100, Peer::guided, 5, 2), ElementsAre(25U, 18U, 14U, 10U, 8U, 6U, 5U, 5U, 5U, 4U));
  EXPECT_THAT(sizes(6, Peer::guided, 0, 2), ElementsAre(1U, 1U, 1U, 1U, 1U, 1U)) << "P (2c + 1) is 6";
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
