// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool is told with the library in the process, against what it is told without.
#include "process.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

namespace wstree::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Program told(std::string_view name, const std::string& build) {
  Program program(name);
  program.libomp(build)
      .set("OMP_CANCELLATION", "true")
      .set("OMP_SCHEDULE", "dynamic,3")
      .set("OMP_NUM_THREADS", "2");
  program.set("OMP_MAX_ACTIVE_LEVELS", "2").set("OMP_DYNAMIC", "false");
  return program;
}
Program with_tool(std::string_view name, const std::string& build) {
  return told(name, build).set("OMP_TOOL_LIBRARIES", program_path("tool.so"));
}

/// The different lines about the program's code without what differs from run to run: how often each came,
/// which of the calls that a compiler makes of "is there a next chunk?" was the last, and which
/// thread wakes another.
std::set<std::string> places_in(const Outcome& outcome) {
  std::set<std::string> places;
  for (const std::string& line : lines_of(outcome.out)) {
    const std::size_t program = line.find("program");
    if (program == std::string::npos || line.starts_with("released")) continue;
    places.insert(line.substr(0, line.starts_with("loop end") ? program : line.find(" x ")));
  }
  return places;
}

/// Of a program that calls every entry that we define.
void expect_same(const Outcome& bare, const Outcome& with_library) {
  ASSERT_TRUE(bare.succeeded()) << bare.text();
  ASSERT_TRUE(with_library.succeeded()) << with_library.text();
  EXPECT_THAT(bare.out,
              AllOf(ContainsRegex("parallel begin program.0x"), ContainsRegex("parallel end program.0x"),
                    ContainsRegex("loop begin program.0x"), ContainsRegex("loop end program.0x"),
                    ContainsRegex("cancel program.0x"), ContainsRegex("sync [0-9]+ begin program.0x")));
  EXPECT_THAT(with_library.out, Not(HasSubstr("libwstree")));
  EXPECT_EQ(places_in(with_library), places_in(bare));
}

class Idle : public testing::TestWithParam<std::string> {};

TEST_P(Idle, TellsAToolTheSame) {
  expect_same(with_tool("constructs", GetParam()).run(), with_tool("constructs", GetParam()).preload().run());
}

#if defined(WSTREE_TEST_HAS_GCC)
TEST_P(Idle, TellsOfAGccProgramOnLibompTheSame) {
  const std::string libomp = std::string(WSTREE_TEST_LIBOMP_DIR "/") + GetParam() + "/libomp.so.5";
  const auto program = [&] {
    return with_tool("constructs_gcc", GetParam()).set("OMP_CANCELLATION", "false");
  };
  const Outcome bare = program().set("LD_PRELOAD", libomp).run();
  const Outcome with_library = program().set("LD_PRELOAD", library_path() + " " + libomp).run();
  EXPECT_THAT(bare.out, ContainsRegex("loop begin program.0x"));
  EXPECT_THAT(with_library.out, Not(HasSubstr("libwstree")));
  EXPECT_EQ(places_in(with_library), places_in(bare));
  EXPECT_TRUE(with_library.succeeded()) << with_library.text();
}
#endif

class Served : public testing::TestWithParam<std::string> {};

Program served(Program program) {
  program.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_LOOPS", "all").set("WSTREE_BATCH", "fixed:8");
  return program.set("TOOL_CHUNKS", "1");
}

TEST_P(Served, TellsAToolOfTheProgramsCalls) {
  const Outcome bare = with_tool("constructs", GetParam()).run();
  const Outcome outcome = served(with_tool("constructs", GetParam())).run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.out, Not(HasSubstr("libwstree")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("unknown")));
  EXPECT_EQ(places_in(outcome), places_in(bare));
}

/// Two threads each in six loops, 100 iterations from 0 on, or from 100 down.
TEST_P(Served, TellsOfEachLoopAndEachChunk) {
  const Outcome outcome = served(with_tool("chunks", GetParam())).set("WSTREE_STATS", "1").run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, HasSubstr("wstree (dynamic)")) << "they are not served";
  EXPECT_EQ(fact(outcome.out, "loops begun:"), "8") << outcome.text();
  EXPECT_EQ(fact(outcome.out, "loops ended:"), "8");
  EXPECT_EQ(fact(outcome.out, "loop iterations:"), "800") << "each thread is told of the whole loop";
  EXPECT_EQ(fact(outcome.out, "chunk iterations:"), "400");
  if (GetParam().starts_with("19")) {
    EXPECT_EQ(fact(outcome.out, "loops of kind 11:"), "2") << "the dynamic one";
    EXPECT_EQ(fact(outcome.out, "loops of kind 13:"), "6") << "others: we choose how they are shared";
  } else {
    EXPECT_EQ(fact(outcome.out, "loops of kind 1:"), "8") << "these runtimes do not name kinds";
  }
}

/// Three taskloops that one of two threads meets: a task for each thread at most, in the same task groups.
TEST_P(Served, TellsOfTaskloopsWithFewTasks) {
  const auto of_groups = [](const Outcome& outcome) {
    std::set<std::string> lines;
    for (const std::string& line : lines_of(outcome.out))
      if (line.starts_with("sync 6") || line.starts_with("work ") || line.starts_with("parallel"))
        lines.insert(line);
    return lines;
  };
  // Where taskloops may be cancelled, the runtime keeps those of this form.
  const auto program = [&] { return with_tool("taskloops", GetParam()).set("OMP_CANCELLATION", "false"); };
  const Outcome bare = program().run();
  const Outcome outcome = served(program()).set("WSTREE_STATS", "1").run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, HasSubstr("3 calls")) << "they are not served";
  EXPECT_THAT(outcome.out, Not(HasSubstr("libwstree")));
  EXPECT_EQ(of_groups(outcome), of_groups(bare));
  EXPECT_THAT(outcome.out, ContainsRegex("task lib[^ ]* x [3-6]\n"));
}

INSTANTIATE_TEST_SUITE_P(Ompt, Served, testing::ValuesIn(libomp_builds()), [](const auto& build) {
  std::string name = "libomp" + build.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});
INSTANTIATE_TEST_SUITE_P(Ompt, Idle, testing::ValuesIn(libomp_builds()), [](const auto& build) {
  std::string name = "libomp" + build.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace wstree::test
