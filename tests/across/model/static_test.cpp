// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wsstatic shares nothing: a loop makes no operation that another member could see.
#include "engine/explorer.h"
#include "loop_program.h"

#include <gmock/gmock.h>

namespace wstree::model {
namespace {

Result explored(const std::function<std::unique_ptr<Program>()>& make) {
  const auto program = make();
  return explore(*program, {.preemptions = 7, .stale = 7});
}

TEST(Static, MakesNoOperationOnSharedMemory) {
  for (const std::uint64_t chunk : {0U, 1U, 3U}) {
    const Result result =
        explored(loops<core::Model::static_>({.members = 3, .iterations = {11, 2}, .smallest = chunk}));
    EXPECT_FALSE(result.failed) << result;
    EXPECT_TRUE(result.exhausted);
    EXPECT_EQ(result.longest, 0U) << result;
  }
}

/// That the steps are counted at all.
TEST(Static, OthersDo) {
  const Result result = explored(loops<core::Model::fixed>({.members = 2, .iterations = {2}}));
  EXPECT_FALSE(result.failed) << result;
  EXPECT_GT(result.longest, 0U);
}

} // namespace
} // namespace wstree::model
