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
