// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules with a clock that ticks seldom: the counter of Arm processors has 19 to 100 MHz in most machines,
// so that a batch of the first microsecond takes 25 ticks or less, and many iterations take none.
#include "simulated.h"

#include <gtest/gtest.h>

namespace wstree::test {
namespace {

/// 500, 50, 25 and 19.2 MHz, as machines have them, and 10 MHz: in ticks of the usual clock.
constexpr std::uint64_t k_coarsenesses[] = {5, 50, 100, 130, 250};

/// A loop of the tree on such a clock, with the durations of the settings converted as the library does.
Round run(const Workload& loop, std::uint32_t members, std::uint64_t coarseness) {
  Job job = with(loop, {Model::tree, 0}, members);
  for (std::uint64_t* duration :
       {&job.settings.shortest_target, &job.settings.longest_target, &job.settings.tail_batch,
        &job.settings.steal_cost, &job.settings.near_enough})
    *duration = (*duration + coarseness / 2) / coarseness;
  job.machine.clock_step *= coarseness;
  return simulate::simulate(job).front();
}

double time_of(const Workload& loop, std::uint32_t members, std::uint64_t coarseness) {
  return static_cast<double>(run(loop, members, coarseness).time);
}

/// Time that the members spend in the loop and not in its iterations.
double searched(const Workload& loop, std::uint32_t members, std::uint64_t coarseness) {
  double sum = -static_cast<double>(loop.cost(0, loop.iterations()));
  for (const Time left : run(loop, members, coarseness).left) sum += static_cast<double>(left);
  return sum;
}

constexpr const char* k_shapes[] = {"UNIFORM", "TRIANGLE", "PARABOLA", "EXP", "STEP_S", "STEP_M", "STEP_E"};

TEST(CoarseClock, LongLoopsStayNearIdeal) {
  for (const std::uint64_t coarseness : k_coarsenesses)
    for (const char* shape : k_shapes)
      for (const std::uint64_t n : {1'000ULL, 100'000ULL}) {
        const Workload loop = workload(shape, n, 20 * k_ms);
        EXPECT_LT(time_of(loop, 2, coarseness), 1.02 * static_cast<double>(loop.ideal(2)))
            << shape << '/' << n << ", ticks of " << 0.4 * static_cast<double>(coarseness) << " ns";
      }
}

TEST(CoarseClock, LoopsOfOneMillisecondTakeAboutAsLongAsWithAFineOne) {
  for (const std::uint64_t coarseness : k_coarsenesses)
    for (const char* shape : k_shapes) {
      const Workload loop = workload(shape, 100'000, 4 * k_ms);
      EXPECT_LT(time_of(loop, 4, coarseness), 1.03 * time_of(loop, 4, 1))
          << shape << ", ticks of " << 0.4 * static_cast<double>(coarseness) << " ns";
    }
}

/// Each costs a dispatch: a clock that shows no time between two of them must not keep them at one iteration.
TEST(CoarseClock, BatchesAreNotSmaller) {
  for (const std::uint64_t coarseness : k_coarsenesses)
    for (const char* shape : k_shapes) {
      const Workload loop = workload(shape, 200'000, k_ms / 5); // iterations of 1 ns
      const auto fine = static_cast<double>(run(loop, 2, 1).counts.batches);
      EXPECT_LT(static_cast<double>(run(loop, 2, coarseness).counts.batches), 1.4 * fine)
          << shape << ", ticks of " << 0.4 * static_cast<double>(coarseness) << " ns";
    }
}

/// They wait for the owners of small far nodes, for a few times what a steal costs.
TEST(CoarseClock, ThievesThatWeighDistancesDoNotWaitLonger) {
  for (const std::uint64_t coarseness : {100U, 250U}) {
    double fine = 0, coarse = 0;
    for (const char* shape : {"TRIANGLE", "STEP_S", "STEP_E"}) {
      const Workload loop = workload(shape, 160'000, 16 * k_ms);
      fine += searched(loop, 32, 1);
      coarse += searched(loop, 32, coarseness);
    }
    EXPECT_LT(coarse, 1.25 * fine) << "ticks of " << 0.4 * static_cast<double>(coarseness) << " ns";
  }
}

} // namespace
} // namespace wstree::test
