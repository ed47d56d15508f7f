// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals whose handlers want much, regions inside the loader's walk, and tools that check memory.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>

namespace {

using namespace wstree::test;

/// Compiler, and an option that makes the library work at the first region or at the end.
class Signalled : public testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Signals, Signalled,
                         testing::Combine(testing::Values("", "_gcc"),
                                          testing::Values("WSTREE_STATS", "WSTREE_RULES", "WSTREE_BIND")));

TEST_P(Signalled, HandlersHaveTheirStack) {
  const auto& [compiler, option] = GetParam();
  const std::string name = std::string("signalled_regions") + compiler, set = option;
  for (int i = 0; i < 5; ++i) {
    Program program = with_tree(name);
    program.set(set, set == "WSTREE_RULES" ? "* wsrange" : set == "WSTREE_BIND" ? "close" : "1");
    const Outcome outcome = program.run();
    ASSERT_EQ(outcome.out, "wrong 0\n") << outcome.text();
  }
}

/// Plugin, and whether the thread that walks calls it.
class Walk : public testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Signals, Walk,
                         testing::Combine(testing::Values("plugin.so", "plugin_gcc.so"),
                                          testing::Values("here", "thread")));

TEST_P(Walk, ThroughLoadedObjectsMayOpenRegions) {
  const auto& [plugin, who] = GetParam();
  for (const std::string option : {"OMP_SCHEDULE", "WSTREE_BIND", "WSTREE_STATS", "WSTREE_RECORD",
                                   "WSTREE_TRACE", "WSTREE_RULES", "WSTREE_OMPT"}) {
    const TemporaryFolder folder;
    Program program = with_tree("walks", {who, program_path(plugin), "omp_get_thread_num"});
    program.set(option, option == "OMP_SCHEDULE"   ? "dynamic,4" // nothing is asked for
                        : option == "WSTREE_BIND"  ? "close"
                        : option == "WSTREE_RULES" ? "* wsrange"
                        : option == "WSTREE_OMPT"  ? "1"
                                                   : folder / "file");
    if (option == "WSTREE_OMPT") program.preload(program_path("tool.so"));
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << option << outcome.text();
    EXPECT_THAT(outcome.out, testing::StartsWith("function 0\nsum 7492500\n")) << option;
  }
}

/// The loader's lock is another thread's in the parent, and so nobody gives it back in the child.
TEST(WalkAndFork, LeaveTheChildItsLookUp) {
  for (const std::string plugin : {"plugin.so", "plugin_gcc.so"})
    for (const std::string schedule : {"dynamic,4", "wstree"}) {
      Program program("walks", {"fork", program_path(plugin)});
      const Outcome outcome = program.preload().set("OMP_SCHEDULE", schedule).run();
      EXPECT_TRUE(outcome.succeeded()) << plugin << schedule << outcome.text();
      EXPECT_EQ(outcome.out, "sum 7492500\n") << plugin << schedule;
    }
}

#ifdef WSTREE_TEST_LEAK_CHECKER
/// The memory kept for a thread's next region is in use.
TEST(LeakChecker, FindsWhatIsKept) {
  for (const std::string name : {"leak", "address"}) {
    const std::string checker = name == "leak" ? WSTREE_TEST_LEAK_CHECKER : WSTREE_TEST_ADDRESS_CHECKER;
    for (const char* option : {"WSTREE_VERBOSE", "WSTREE_STATS", "WSTREE_RECORD", "WSTREE_TRACE"}) {
      const TemporaryFolder folder;
      Program program("leaks_" + name);
      program.set("LD_PRELOAD", checker + ':' + library_path())
          .set("OMP_SCHEDULE", "wstree")
          .set(option, option == std::string("WSTREE_VERBOSE") ? "0" : folder / "file");
      const Outcome outcome = program.run();
      EXPECT_TRUE(outcome.succeeded()) << option << outcome.text();
      EXPECT_EQ(outcome.out, "sum 529200\n");
    }
  }
}
#endif

#ifdef WSTREE_TEST_HAS_MEMORY_CHECKER
/// hwloc was not built with it.
TEST(MemoryChecker, HearsNothingOfHwloc) {
  Program program("memory_checked", {"before", program_path("plugin_gcc.so")});
  const std::string native = program.run().text();
  program.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_BIND", "close");
  EXPECT_EQ(program.run().text(), native);
}
#endif

} // namespace
