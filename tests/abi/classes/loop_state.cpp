// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_state.h"

#include <gmock/gmock.h>

namespace wstree::abi {
namespace {

TEST(LoopState, IsUnknownToTheRuntimeUntilTheNextLoop) {
  LoopState loop;
  EXPECT_FALSE(loop.is_open() || loop.is_unknown_to_runtime());
  loop.begin_unclaimed();
  loop.serve();
  EXPECT_TRUE(loop.is_served() && loop.is_open() && loop.is_unknown_to_runtime());
  loop.end();
  EXPECT_FALSE(loop.is_open());
  EXPECT_TRUE(loop.is_unknown_to_runtime());
  loop.begin_unclaimed();
  EXPECT_FALSE(loop.is_open() || loop.is_unknown_to_runtime());
}

TEST(LoopState, IsCoveredByForeignLoopsOnlyWhileItRuns) {
  LoopState loop;
  loop.meet_foreign();
  EXPECT_FALSE(loop.takes_long_way());
  loop.serve();
  loop.meet_foreign();
  loop.meet_foreign(); // another one inside
  EXPECT_TRUE(loop.takes_long_way() && loop.is_open() && loop.is_unknown_to_runtime());
  EXPECT_FALSE(loop.is_served());
  loop.return_from_foreign();
  EXPECT_TRUE(loop.is_served());
  loop.end();
  loop.meet_foreign();
  EXPECT_FALSE(loop.is_open());
}

TEST(LoopState, ForgetsWhatWasTrueOfTheLoopBefore) {
  LoopState loop;
  loop.serve();
  loop.note_registered();
  loop.start_measuring();
  EXPECT_TRUE(loop.is_measured());
  EXPECT_TRUE(loop.stop_watching().is_measured());
  EXPECT_FALSE(loop.is_watched());
  loop.end();
  EXPECT_FALSE(loop.is_measured());
  EXPECT_TRUE(loop.is_registered()); // until the runtime has ended it too
  loop.begin_unclaimed();
  loop.serve();
  EXPECT_FALSE(loop.is_registered() || loop.is_measured());
}

TEST(LoopState, StaysCoveredIfAToolHearsOfIt) {
  LoopState loop;
  loop.serve();
  loop.tell();
  EXPECT_TRUE(loop.is_open() && loop.is_told() && loop.is_watched() && !loop.is_served());
  EXPECT_FALSE(loop.is_measured());
  EXPECT_TRUE(loop.tell_begin());
  EXPECT_FALSE(loop.tell_begin());
  loop.return_from_foreign();
  EXPECT_TRUE(loop.takes_long_way());
  EXPECT_TRUE(loop.stop_watching().has_begun());
  loop.begin_unclaimed();
  loop.serve();
  EXPECT_FALSE(loop.is_told() || loop.is_watched());
}

TEST(LoopState, TellsOnceThatIterationsDependOnEachOther) {
  LoopState loop;
  loop.set_next_dependent(true);
  EXPECT_TRUE(loop.begin_unclaimed());
  EXPECT_FALSE(loop.begin_unclaimed());
  loop.set_next_dependent(true);
  loop.set_next_dependent(false); // the runtime had the loop
  EXPECT_FALSE(loop.begin_unclaimed());
}

} // namespace
} // namespace wstree::abi
