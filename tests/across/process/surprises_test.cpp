// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is remembered of a place must not keep threads from helping each other, when iterations cost much that
// have always cost next to nothing. Counts iterations: a thread that gets a whole share has 16 or more.
#include "process.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>

namespace {

using namespace wstree::test;

class Surprises : public testing::TestWithParam<std::tuple<const char*, const char*, int>> {};

TEST_P(Surprises, AreShared) {
  const auto [program, way, threads] = GetParam();
  const Outcome outcome = with_tree(program, {way})
                              .set("OMP_NUM_THREADS", std::to_string(threads))
                              .set("WSTREE_BIND", "none")
                              .run();
  int worst = 0, sleeping = 0;
  ASSERT_EQ(std::sscanf(outcome.out.c_str(), "%d of %d", &worst, &sleeping), 2) << outcome.text();
  std::printf("the busiest thread had %d of %d\n", worst, sleeping);
  // A thread may come a few milliseconds late, and what sleeps is mostly in one node.
  const int there = std::string_view(way) == "ends" ? 2 : threads; // the other threads come late
  const int fair = (sleeping + there - 1) / there;
  EXPECT_LE(worst, there == 2 ? fair + 2 : 2 * fair + 2);
}

/// Cut parts cannot be shared, so that a thread may execute nearly all of a loop whose costs have changed:
/// once, or twice where it looks as if the thread had been interrupted. On a busy machine threads that sleep
/// wake late, and parts follow that. Where the code cannot be proven, as it uses the thread's number,
/// WSTREE_LOOPS=proven leaves such loops their equal parts.
TEST(StaticSurprises, LastForTwoExecutions) {
  for (const char* const loops : {"static", "proven"}) {
    const Outcome outcome = with_tree("surprising", {"static"})
                                .set("WSTREE_LOOPS", loops)
                                .set("OMP_NUM_THREADS", "8")
                                .set("WSTREE_BIND", "none")
                                .run();
    int worst = 0, sleeping = 0, at_first = 0;
    ASSERT_EQ(std::sscanf(outcome.out.c_str(), "%d of %d, at first %d", &worst, &sleeping, &at_first), 3)
        << outcome.text();
    std::printf("%s: the busiest thread had %d of %d at first, then %d\n", loops, at_first, sleeping, worst);
    const int fair = sleeping / 8;
    if (std::string_view(loops) == "proven") {
      EXPECT_EQ(at_first, fair);
      EXPECT_EQ(worst, fair);
    }
    EXPECT_LT(worst, sleeping - 7) << "the surprise lasts"; // the other threads have one each
  }
}

/// Pieces are shared from the first execution on. Behind light and even executions a loop is executed as
/// static does it, so that one dear execution is not shared, and the next ones are.
TEST(ProvenSurprises, LastForOneExecution) {
  for (const char* const program : {"surprising", "surprising_gcc"})
    for (const int threads : {4, 16}) {
      const Outcome outcome =
          with_tree(program, {"plain"})
              .set("WSTREE_LOOPS", "proven")
              .set("OMP_NUM_THREADS", std::to_string(threads))
              .set("GLIBC_TUNABLES", "glibc.malloc.arena_max=64:glibc.malloc.tcache_count=0")
              .set("WSTREE_BIND", "none")
              .run();
      int at_first = 0, surprised = 0, later = 0;
      ASSERT_EQ(std::sscanf(outcome.out.c_str(), "%d %d %d", &at_first, &surprised, &later), 3)
          << outcome.text();
      std::printf("%s, %d threads: the busiest thread had %d of 16, %d after light executions, then %d\n",
                  program, threads, at_first, surprised, later);
      const int fair = 16 / threads;
      EXPECT_LE(at_first, 2 * fair + 2);
      EXPECT_LE(later, 2 * fair + 2);
    }
}

INSTANTIATE_TEST_SUITE_P(Loops, Surprises,
                         testing::Combine(testing::Values("surprising", "surprising_gcc"),
                                          testing::Values("rare", "share", "each", "two", "grown", "late",
                                                          "ends"),
                                          testing::Values(4, 16)),
                         [](const testing::TestParamInfo<Surprises::ParamType>& tried) {
                           return std::string(std::get<0>(tried.param)) + '_' + std::get<1>(tried.param) +
                                  '_' + std::to_string(std::get<2>(tried.param));
                         });

} // namespace
