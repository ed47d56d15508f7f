// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that `wstree simulate --calibrate` writes, for --machine to take back.
#include "calibrate.h"
#include "command/found_machine.h"
#include "command/machine_text.h"
#include "command/plan.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

namespace wstree::cli {
namespace {

/// On a busy machine everything may take as long as a time slice, or several.
TEST(Calibration, IsUnderstoodWhateverItHasTaken) {
  simulate::Calibration measured = simulate::calibrate(); // levels that this machine has
  for (const double ns : {0.001, 20.0, 1e6, 1.04e6, 4e6, 1e12}) {
    measured.hit_ns = measured.rmw_ns = measured.tick_ns = measured.dispatch_ns = measured.fault_ns = ns;
    measured.claim_ns = measured.skew_ns = measured.leave_ns = ns;
    for (double& transfer : measured.transfer_ns) transfer = ns;
    const auto text = machine_text(calibrated_machine(measured).spec);
    ChosenMachine taken;
    const bool is_absurd = ns >= 1e6;
    EXPECT_EQ(parse_machine(text, taken).has_value(), is_absurd) << text;
    EXPECT_EQ(absurdity_of(calibrated_machine(measured).spec).has_value(), is_absurd) << text;
    if (!is_absurd) {
      EXPECT_EQ(machine_text(taken.spec), text);
    }
  }
}

TEST(Simulation, KeepsWhatIsFinishedWhenItIsStopped) {
  SimulateRequest request;
  request.threads = "2,4";
  request.workloads = "UNIFORM";
  request.schedules = "static,dynamic";
  Plan plan;
  ASSERT_EQ(make_plan(request, plan), std::nullopt);
  std::atomic<int> begun{0};
  const Results some(plan, [&] { return begun++ >= 1; });
  EXPECT_EQ(some.size(), 4U);
  EXPECT_EQ(some.missing(), 3U);
  const auto text = simulate_text(some, false);
  EXPECT_THAT(text, testing::ContainsRegex("UNIFORM +- +-\n"));
  EXPECT_THAT(text, testing::ContainsRegex("UNIFORM +- +1\\.[0-9]+\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("nan")));
  EXPECT_THAT(simulate_json(some), testing::HasSubstr("\"ratio\""));
  EXPECT_EQ(Results(plan).missing(), 0U);
}

} // namespace
} // namespace wstree::cli
