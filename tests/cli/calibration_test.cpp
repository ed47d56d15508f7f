// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that `wstree simulate --calibrate` writes, for --machine to take back.
#include "calibrate.h"
#include "command/found_machine.h"
#include "command/machine_text.h"

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
    measured.skew_ns = measured.leave_ns = ns;
    for (double& transfer : measured.transfer_ns) transfer = ns;
    const auto text = machine_text(calibrated_machine(measured).spec);
    ChosenMachine taken;
    EXPECT_EQ(parse_machine(text, taken), std::nullopt) << text;
    EXPECT_EQ(machine_text(taken.spec), text);
    EXPECT_EQ(absurdity_of(taken.spec).has_value(), ns >= 1e6) << text;
  }
}

} // namespace
} // namespace wstree::cli
