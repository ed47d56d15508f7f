// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static loops that balance themselves, in virtual time: costs that stay, drift and turn, noise,
// unequal cores.
#include "engine/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace wstree::test {
namespace {

using namespace simulate;

constexpr Time k_work = 2'000'000 * k_ns;

Job job_of(const Workload& workload, Peer peer, std::uint32_t members, std::uint32_t rounds) {
  Job job;
  job.workload = &workload;
  job.schedule = {peer, 0};
  job.members = members;
  job.rounds = rounds;
  return job;
}

double worst_after(const std::vector<Round>& rounds, std::size_t first, Time ideal) {
  double worst = 0;
  for (std::size_t r = first; r < rounds.size(); ++r)
    worst = std::max(worst, static_cast<double>(rounds[r].time) / static_cast<double>(ideal));
  return worst;
}
double mean(const std::vector<Round>& rounds) {
  double sum = 0;
  for (const Round& round : rounds) sum += static_cast<double>(round.time);
  return sum / static_cast<double>(rounds.size());
}

TEST(StaticBalanced, EvenAfterFiveExecutions) {
  for (const std::uint32_t members : {2U, 8U})
    for (const auto name :
         {"TRIANGLE", "PARABOLA", "HILL", "EXP", "GAUSSIAN", "STEP_S", "STEP_M", "STEP_E"}) {
      const auto workload = make_workload(name, 100'000, k_work * members);
      const auto rounds = simulate::simulate(job_of(*workload, Peer::static_balanced, members, 40));
      EXPECT_LT(worst_after(rounds, 5, workload->ideal(members)), 1.03) << name << ", " << members;
    }
}

TEST(StaticBalanced, UniformIsAsStatic) {
  const auto workload = make_workload("UNIFORM", 100'000, k_work);
  const auto balanced = simulate::simulate(job_of(*workload, Peer::static_balanced, 4, 50));
  const auto plain = simulate::simulate(job_of(*workload, Peer::static_, 4, 50));
  EXPECT_LT(mean(balanced) / mean(plain), 1.01);
}

TEST(StaticBalanced, HalfSpeedAndNoise) {
  const auto workload = make_workload("UNIFORM", 100'000, k_work);
  Job job = job_of(*workload, Peer::static_balanced, 2, 40);
  job.machine.speeds = {500, 1'000};
  EXPECT_LT(worst_after(simulate::simulate(job), 5, ideal(*workload, 2, job.machine)), 1.05);
  job.schedule = {Peer::static_, 0};
  EXPECT_GT(worst_after(simulate::simulate(job), 5, ideal(*workload, 2, job.machine)), 1.4);
  // Interruptions take 50 us of a member's time now and then.
  Job noisy = job_of(*workload, Peer::static_balanced, 2, 100);
  noisy.machine.noise = {10'000'000 * k_ns, 50'000 * k_ns};
  const double balanced = mean(simulate::simulate(noisy));
  noisy.schedule = {Peer::static_, 0};
  EXPECT_LT(balanced / mean(simulate::simulate(noisy)), 1.02);
}

TEST(StaticBalanced, FollowsChanges) {
  const std::uint64_t n = 10'000;
  std::vector<Workload> drifting, turning;
  for (int k = 0; k < 100; ++k) {
    const double share = k / 100.0;
    const auto at = [](std::uint64_t i) { return (static_cast<double>(i) + 0.5) / 10'000; };
    drifting.emplace_back("drift", n, k_work,
                          [=](std::uint64_t i) { return at(i) * (1 - share) + (1 - at(i)) * share; });
    turning.emplace_back("turn", n, k_work, [=](std::uint64_t i) { return k < 50 ? at(i) : 1 - at(i); });
  }
  Job job = job_of(drifting.front(), Peer::static_balanced, 2, 100);
  job.workload_of = [&](std::uint32_t round) -> const Workload& { return drifting[round]; };
  EXPECT_LT(mean(simulate::simulate(job)) / static_cast<double>(drifting.front().ideal(2)), 1.06);
  job.workload_of = [&](std::uint32_t round) -> const Workload& { return turning[round]; };
  const auto rounds = simulate::simulate(job);
  EXPECT_LT(worst_after({rounds.begin(), rounds.begin() + 50}, 5, turning.front().ideal(2)), 1.03);
  EXPECT_LT(worst_after({rounds.begin() + 50, rounds.end()}, 8, turning.front().ideal(2)), 1.03);
}

} // namespace
} // namespace wstree::test
