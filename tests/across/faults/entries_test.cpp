// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a runtime does not have, or that are not found. What is there is used. A call of one that is
// missing ends the program as it does without us: not one loop is left out without a word.
#include "faulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int k_not_found = 127;

Program stub(const std::string& program, const std::string& runtime) {
  return Program(program).set("LD_LIBRARY_PATH", std::string(WSTREE_TEST_PROGRAMS) + "/stub_" + runtime);
}
/// With the library: asked for, or only there.
Program with_library(const std::string& program, const std::string& runtime, bool asked) {
  return stub(program, runtime).preload().set("OMP_SCHEDULE", asked ? "wstree" : "static");
}

void expect_sum(const Program& program, const std::string& sum) {
  const Outcome outcome = program.run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_EQ(outcome.out, "sum " + sum + "\n");
  EXPECT_THAT(outcome.err, IsEmpty());
}

void expect_not_found(const Program& program, const std::string& function) {
  const Outcome outcome = program.run();
  EXPECT_EQ(outcome.status, k_not_found) << outcome.text();
  // The loader lets each thread have its say; the library speaks once.
  if (outcome.err.find("wstree: ") != std::string::npos) {
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.text();
  }
  EXPECT_THAT(outcome.err, HasSubstr(function));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(Entries, OfASmallRuntime) {
  for (const auto& [program, sum] :
       {std::pair("stub_apart", "999000"), std::pair("stub_combined", "499500")}) {
    expect_sum(stub(program, "complete"), sum);
    for (const bool asked : {false, true}) expect_sum(with_library(program, "complete", asked), sum);
    const Outcome served = with_library(program, "complete", true).set("WSTREE_STATS", "1").run();
    EXPECT_THAT(served.err, HasSubstr("1 loop")) << served.text();
    EXPECT_THAT(served.err, HasSubstr("3 threads")) << served.text();
  }
}

TEST(Entries, ThatAreMissingAndNotNeeded) {
  // Natively these programs cannot run there; the tree needs nothing that is missing.
  for (const char* runtime : {"old", "without_end"})
    expect_sum(with_library("stub_apart", runtime, true), "999000");
  expect_sum(with_library("stub_combined", "old", true), "499500");
}

TEST(Entries, ThatAreMissingEndTheProgramAsTheyDoWithoutUs) {
  const struct {
    const char *program, *runtime, *function;
    bool also_if_asked;
  } cases[] = {{"stub_apart", "old", "GOMP_loop_maybe_nonmonotonic_runtime_start", false},
               {"stub_apart", "without_end", "GOMP_loop_end", false},
               {"stub_combined", "old", "GOMP_parallel_loop_maybe_nonmonotonic_runtime", false},
               {"stub_apart", "empty", "GOMP_parallel", true},
               {"stub_combined", "empty", "GOMP_parallel_loop_maybe_nonmonotonic_runtime", true}};
  for (const auto& each : cases) {
    expect_not_found(stub(each.program, each.runtime), each.function);
    expect_not_found(with_library(each.program, each.runtime, false), each.function);
    if (each.also_if_asked) expect_not_found(with_library(each.program, each.runtime, true), each.function);
  }
}

} // namespace
