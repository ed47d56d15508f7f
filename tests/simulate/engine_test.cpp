// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator itself: every schedule hands out every iteration once in it, the same run gives the same
// result, and sharing a line costs what it says.
#include "simulated.h"

#include "caches.h"
#include "once.h"
#include "seed.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace wstree::test {
namespace {

using simulate::Caches;
using simulate::Prices;
using simulate::VirtualMachine;

/// In slots that are used again, by members that come when they like, under each strategy and batch mode.
void expect_once(const Workload& loop, Job job, std::mt19937_64& random) {
  job.settings.limit = 1 + random() % 64;
  job.machine.skew = random() % 2'000 * k_ns;
  job.machine.levels.front().members = static_cast<std::uint32_t>(random() % 5);
  job.seed = random() % 1'000'000;
  job.rounds = 3;
  std::vector<Once> seen(job.rounds, Once(loop.iterations(), job.members));
  job.seen = [&](std::uint32_t round, std::uint32_t member, const core::Range& range) {
    seen[round].see(member, range);
  };
  const auto rounds = simulate::simulate(job);
  for (std::uint32_t r = 0; r < job.rounds; ++r) seen[r].expect_done(rounds[r].counts.iterations);
}

TEST(Engine, EveryScheduleHandsOutEveryIterationOnce) {
  std::mt19937_64 random(seed());
  for (const Model model : k_models)
    for (unsigned way = 0; way < 24; way += model == Model::tree ? 1 : 6) // others have no strategies
      for (const std::uint32_t members : {1U, 2U, 7U, 24U})
        for (const std::uint64_t n : {1ULL, 5ULL, 64ULL, 2'000ULL}) {
          SCOPED_TRACE(testing::Message() << "model " << static_cast<int>(model) << ", way " << way << ", "
                                          << members << " members, " << n << " iterations");
          const Workload loop = workload("EXP", n, k_ms / 10);
          Job job = with(loop, {model, random() % 5}, members);
          job.settings.strategy = static_cast<core::Strategy>(way % 6);
          job.settings.batch = static_cast<core::BatchMode>(way / 6);
          expect_once(loop, job, random);
        }
}

TEST(Engine, TheSameRunGivesTheSameResult) {
  const Workload loop = workload("RANDIF", 3'000, k_ms);
  for (const Model model : k_models) {
    Job job = with(loop, {model, 0}, 16);
    job.machine.skew = 1'000 * k_ns;
    job.rounds = 3;
    const auto first = simulate::simulate(job);
    const auto second = simulate::simulate(job);
    for (std::uint32_t r = 0; r < job.rounds; ++r) {
      EXPECT_EQ(first[r].time, second[r].time) << static_cast<int>(model);
      EXPECT_EQ(first[r].counts.batches, second[r].counts.batches) << static_cast<int>(model);
      EXPECT_EQ(first[r].traffic.transfers, second[r].traffic.transfers) << static_cast<int>(model);
      EXPECT_EQ(first[r].traffic.waiting, second[r].traffic.waiting) << static_cast<int>(model);
    }
    job.seed = 2; // other arrivals
    EXPECT_NE(simulate::simulate(job)[0].time, first[0].time) << static_cast<int>(model);
  }
}

TEST(Engine, AloneALoopTakesItsWorkAndItsDispatches) {
  const Workload loop = workload("UNIFORM", 1'000, k_ms);
  const auto round = simulate::simulate(with(loop, {Model::fixed, 10}, 1)).front();
  EXPECT_EQ(round.counts.batches, 100U);
  EXPECT_EQ(round.traffic.transfers, 0U);
  // 101 calls of 18 ns with a read-modify-write of 8 ns each, and what entering takes.
  EXPECT_GE(round.time, k_ms + 100 * 26 * k_ns);
  EXPECT_LE(round.time, k_ms + 103 * 28 * k_ns);
}

TEST(Engine, ALineIsFetchedFromTheNearestAndTakenFromAll) {
  const VirtualMachine machine{8, {4}};
  Prices prices;
  prices.overlap = 1;
  const Time near = prices.transfer[0];
  const Time far = prices.transfer[1];
  Caches caches(machine, prices);
  alignas(64) const int line = 0;
  EXPECT_EQ(caches.modify(&line, 0, 0), prices.rmw) << "no member had it";
  EXPECT_EQ(caches.modify(&line, 0, 1'000'000), 1'000'000 + prices.rmw) << "still mine";
  EXPECT_EQ(caches.read(&line, 1, 2'000'000), 2'000'000 + near);
  EXPECT_EQ(caches.read(&line, 4, 3'000'000), 3'000'000 + far);
  EXPECT_EQ(caches.read(&line, 5, 4'000'000), 4'000'000 + near) << "4 has it";
  EXPECT_EQ(caches.read(&line, 5, 5'000'000), 5'000'000 + prices.hit);
  EXPECT_EQ(caches.modify(&line, 0, 6'000'000), 6'000'000 + far + prices.rmw) << "4 and 5 have it";
  EXPECT_EQ(caches.read(&line, 5, 7'000'000), 7'000'000 + far) << "0 took it away";
  EXPECT_EQ(caches.traffic().transfers, 5U);
  EXPECT_EQ(caches.traffic().waiting, 0U);
}

TEST(Engine, RequestsForABusyLineQueue) {
  const VirtualMachine machine{4, {}};
  Prices prices;
  prices.keep = 1'000'000;
  const Time half = prices.transfer[0] / 2; // the request travels while others use the line
  const Time turn = half + prices.rmw;
  Caches caches(machine, prices);
  alignas(64) const int line = 0;
  caches.modify(&line, 0, 0);
  for (std::uint32_t m = 1; m < 4; ++m)
    EXPECT_EQ(caches.modify(&line, m, 1'000'000), 1'000'000 + half + m * turn);
  EXPECT_EQ(caches.traffic().waiting, 2 * half + 3 * turn) << "a transfer and an access, and another turn";
  // A store costs its member nothing, but the others the transfer.
  EXPECT_EQ(caches.write(&line, 0, 2'000'000), 2'000'000 + prices.hit);
  EXPECT_EQ(caches.modify(&line, 1, 2'000'000), 2'000'000 + prices.transfer[0] + turn)
      << "is there and leaves";
}

TEST(Engine, ASharedCounterHandsOutOneChunkPerTransfer) {
  // Iterations that cost nothing: all members queue for the counter's line.
  const Workload loop = workload("UNIFORM", 10'000, 1);
  for (const std::uint32_t members : {4U, 16U}) {
    Job job = with(loop, {Model::fixed, 1}, members);
    job.machine.levels.clear();
    const auto round = simulate::simulate(job).front();
    const Time turn = job.machine.across / 2 + job.machine.prices.rmw;
    const auto per_chunk = static_cast<double>(round.time) / 10'000;
    EXPECT_NEAR(per_chunk, static_cast<double>(turn), 0.03 * static_cast<double>(turn)) << members;
  }
}

} // namespace
} // namespace wstree::test
