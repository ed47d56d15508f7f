// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other libraries that are preloaded, in front of this one and behind it, and programs into which nothing can
// be preloaded.
#include "expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::IsEmpty;

/// Another library, a program, and whether the other library is in front of this one.
using Constellation = std::tuple<const char*, const char*, bool>;

std::string preload_of(const std::string& neighbour, bool in_front) {
  return in_front ? neighbour + ":" + library_path() : library_path() + ":" + neighbour;
}

class Neighbour : public testing::TestWithParam<Constellation> {};

TEST_P(Neighbour, KeepsItsWork) {
  const auto& [name, program_name, in_front] = GetParam();
  const std::string neighbour = program_path(name);
  Program program(program_name, {"--seed", "1"});
  program.set("OMP_SCHEDULE", "dynamic").set("LD_PRELOAD", neighbour);
  const Outcome alone = program.run();
  ASSERT_TRUE(alone.succeeded()) << alone.text();
  program.set("LD_PRELOAD", preload_of(neighbour, in_front));
  EXPECT_EQ(program.run().text(), alone.text());
  const Outcome outcome = program.set("OMP_SCHEDULE", "wstree").run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  ASSERT_FALSE(outcome.out.empty());
  EXPECT_EQ(lines_of(outcome.out).back(), lines_of(alone.out).back());
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_GE(served_calls(program), 10);
}

std::string name_of(const testing::TestParamInfo<Constellation>& each) {
  const std::string neighbour = std::get<0>(each.param);
  return neighbour.substr(0, neighbour.find('.')) + "_" + std::get<1>(each.param) +
         (std::get<2>(each.param) ? "_in_front" : "_behind");
}

INSTANTIATE_TEST_SUITE_P(Of, Neighbour,
                         testing::Combine(testing::Values("other_allocator.so", "region_tracer.so"),
                                          testing::Values("loops", "loops_gcc", "threads_gcc"),
                                          testing::Bool()),
                         name_of);

TEST(Neighbours, ATracerInFrontSeesServedLoopsToo) {
  const std::string tracer = program_path("region_tracer.so");
  Program program("loops_gcc");
  const Outcome outcome =
      program.set("LD_PRELOAD", preload_of(tracer, true)).set("OMP_SCHEDULE", "wstree").run();
  EXPECT_THAT(outcome.out, testing::EndsWith("loops left 40\nregions 1\n")) << outcome.text();
}

TEST(Neighbours, AStaticProgramRunsUnharmed) {
  Program program("loops_gcc_static");
  const Outcome native = program.set("OMP_SCHEDULE", "dynamic,3").run();
  EXPECT_EQ(native.out, "schedule 0x2 3\nsum 4995000\nmembers 4\n") << native.text();
  EXPECT_EQ(program.preload().run().text(), native.text());
  // The schedule, which no library replaces, is unknown to its runtime, with the library or without it.
  Program asked("loops_gcc_static");
  asked.set("OMP_SCHEDULE", "wstree");
  const Outcome without = asked.run();
  EXPECT_EQ(asked.preload().run().text(), without.text());
  EXPECT_EQ(fact(without.out, "sum"), "4995000");
}

} // namespace
