// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that are executed again: what the program computes does not depend on what is remembered of them.
#include "expectations.h"
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace {

using namespace wstree::test;
using ::testing::IsEmpty;

class Repeated : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Repeated, IsExecutedOnceEachTime) {
  const auto& [compiler, how] = GetParam();
  for (const char* history : {"on", "off"})
    for (const char* members : {"2", "4"}) {
      Program program(std::string("repeated") + compiler, {how});
      program.preload().set("OMP_SCHEDULE", "wstree").set("OMP_CANCELLATION", "true");
      const Outcome outcome = program.set("OMP_NUM_THREADS", members).set("WSTREE_HISTORY", history).run();
      EXPECT_TRUE(outcome.succeeded()) << outcome.text();
      EXPECT_EQ(outcome.out, "sum 399900000\nwrong 0\n") << members << " members, history " << history;
      EXPECT_THAT(outcome.err, IsEmpty());
    }
}

#ifdef WSTREE_TEST_HAS_GCC
#define WSTREE_COMPILERS "", "_gcc"
#else
#define WSTREE_COMPILERS ""
#endif

INSTANTIATE_TEST_SUITE_P(History, Repeated,
                         testing::Combine(testing::Values(WSTREE_COMPILERS),
                                          testing::Values("regions", "inside", "places", "cancelled")),
                         [](const auto& each) {
                           return std::string(std::get<1>(each.param)) +
                                  (*std::get<0>(each.param) == '\0' ? "_clang" : "_gcc");
                         });

} // namespace
