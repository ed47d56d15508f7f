// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams of 256 and 1,024 members, in which no member can look at all others.
#include "greedy.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace wstree::test {
namespace {

constexpr Time k_us = 1'000 * k_ns;

/// The machine as it is assumed, arrivals within a microsecond.
Job on_large_machine(const Workload& loop, std::uint32_t members) {
  Job job = with(loop, {Model::tree, 0}, members);
  job.machine = {};
  return job;
}

struct Reached {
  std::string_view shape;
  std::uint64_t iterations;
  double bound; ///< time / ideal
};

void expect_reached(std::uint32_t members, Time ideal, std::initializer_list<Reached> all) {
  for (const Reached& reached : all) {
    const Workload loop = workload(reached.shape, reached.iterations, members * ideal);
    EXPECT_LE(ratio(on_large_machine(loop, members), 1), reached.bound)
        << reached.shape << " of " << reached.iterations << " on " << members;
  }
}

TEST(Scale, OfAThousandMembersNoneLooksAtAllOthers) {
  const Workload loop = workload("UNIFORM", 10'000, 1'024 * 200 * k_us);
  const auto rounds = simulate::simulate(on_large_machine(loop, 1'024));
  EXPECT_LE(rounds[0].traffic.transfers, 40U * 1'024U); // it was 5,300 for each member
}

TEST(Scale, LoopsOf200MicrosecondsOn1024) {
  expect_reached(1'024, 200 * k_us,
                 {{"UNIFORM", 10'000, 1.07},
                  {"TRIANGLE", 10'000, 1.17},
                  {"VALLEY", 10'000, 1.24},
                  {"GAUSSIAN", 10'000, 1.17},
                  {"STEP_S", 10'000, 1.28},
                  {"STEP_E", 10'000, 1.28},
                  {"UNIFORM", 100'000, 1.06},
                  {"PARABOLA", 100'000, 1.11},
                  {"EXP", 100'000, 1.16},
                  {"STEP_M", 100'000, 1.09}});
}

TEST(Scale, LoopsOf200MicrosecondsOn256) {
  expect_reached(256, 200 * k_us,
                 {{"UNIFORM", 10'000, 1.06},
                  {"TRIANGLE", 10'000, 1.08},
                  {"STEP_S", 10'000, 1.10},
                  {"EXP", 100'000, 1.10},
                  {"HILL", 100'000, 1.09}});
}

TEST(Scale, LoopsOf60MicrosecondsOn1024) {
  expect_reached(1'024, 60 * k_us,
                 {{"UNIFORM", 10'000, 1.12}, {"TRIANGLE", 100'000, 1.22}, {"STEP_S", 100'000, 1.195}});
}

} // namespace
} // namespace wstree::test
