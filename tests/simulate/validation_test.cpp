// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison of the simulator with what was measured: its input, its prices, its arithmetic.
#include "validation.h"

#include "usual.h"

namespace wstree::test {
namespace {

using simulate::k_ns;
using validation::Costs;
using validation::Measured;

constexpr const char* k_costs = "alone 200\n"
                                "region 2 300 100 350\n"
                                "calls library's 150 22\n"
                                "calls runtime's 160 12\n"
                                "workload EVEN 1 10 0.5 4 3\n400\n400\n200\n"
                                "workload MANY 50 2 0 1 2\n100\n300\n";

Costs costs(const std::string& text) {
  std::istringstream in(text);
  auto read = validation::read_costs(in);
  if (const auto* problem = std::get_if<std::string>(&read)) ADD_FAILURE() << *problem;
  return std::get<Costs>(std::move(read));
}
Measured samples(const std::string& text, std::uint32_t threads) {
  std::istringstream in(text);
  auto read = validation::read_samples(in, threads);
  if (const auto* problem = std::get_if<std::string>(&read)) ADD_FAILURE() << *problem;
  return std::get<Measured>(std::move(read));
}

TEST(Validation, IterationsAreScaledToTheMeasuredTime) {
  const Costs read = costs(k_costs);
  const auto even = validation::workload_of(read.loops[0], read.runtime, 2'200);
  EXPECT_EQ(even.iterations(), 10U);
  EXPECT_EQ(even.cost(0, 10), 2'000 * k_ns); // without the region of one
  EXPECT_EQ(even.cost(0, 4), 800 * k_ns);
  EXPECT_EQ(even.cost(8, 10), 400 * k_ns);
  const auto many = validation::workload_of(read.loops[1], read.runtime, 50 * 1'000);
  EXPECT_EQ(many.cost(0, 2), 800 * k_ns); // one of the 50 loops
  EXPECT_EQ(many.cost(1, 2), 600 * k_ns);
}

TEST(Validation, PricesAreThoseThatWereMeasured) {
  const Costs read = costs(k_costs);
  simulate::Calibration here;
  here.rmw_ns = 6;
  here.hit_ns = 1;
  here.tick_ns = 9;
  here.transfer_ns = {55, 120};
  const auto ours = validation::machine_for(here, read.runtime, read.loops[0], 2, false);
  EXPECT_EQ(ours.across, 55 * k_ns);
  EXPECT_EQ(ours.tick, 9 * k_ns);
  EXPECT_EQ(ours.region, 650 * k_ns);
  EXPECT_EQ(ours.skew, 200 * k_ns);
  EXPECT_EQ(ours.enter, 150 * k_ns);
  EXPECT_EQ(ours.dispatch, 16'500); // a call, without its read-modify-write, and the body's start
  const auto own = validation::machine_for(here, read.runtime, read.loops[0], 2, true);
  EXPECT_EQ(own.enter, 160 * k_ns);
  EXPECT_EQ(own.dispatch, 6'500);
  const auto alone = validation::machine_for(here, read.runtime, read.loops[0], 1, false);
  EXPECT_EQ(alone.region, 200 * k_ns);
  EXPECT_EQ(alone.dispatch + alone.enter + alone.skew, 0U);
}

TEST(Validation, ALoopThatIsMeasuredIsSimulated) {
  const Costs read = costs(k_costs);
  // 10 iterations of 200 us; a block each takes half of them, a chunk of 64 all.
  const Measured measured = samples("libomp x\nlibrary 0.1.0\nEVEN wsstatic 1 2\nEVEN wsfixed64 2 2\n"
                                    "EVEN unknown 2 2\nOTHER wsstatic 1 2\n",
                                    2);
  const auto rows = validation::compare(read, measured, 2, {});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].schedule, "wsfixed64");
  EXPECT_NEAR(rows[0].ideal_ns, 1e6, 1);
  EXPECT_NEAR(rows[0].predicted_ns, 2e6, 5e3);
  EXPECT_NEAR(rows[0].error(), 0, 0.01);
  EXPECT_EQ(rows[1].schedule, "wsstatic");
  EXPECT_NEAR(rows[1].predicted_ns, 1e6, 5e3);
}

TEST(Validation, ATeamOfOneGetsItsLoopInOnePiece) {
  const Costs read = costs(k_costs);
  const Measured measured = samples("libomp x\nlibrary 0.1.0\nEVEN wsfixed1 1 2\n", 1);
  const auto rows = validation::compare(read, measured, 1, {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].error(), 0, 1e-6);
}

} // namespace
} // namespace wstree::test
