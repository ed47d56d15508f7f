// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While the library is loaded it calls nothing that another preloaded library may have wrapped: the
// constructor of that one has not run yet.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;

/// Programs with and without loops, and those that bring the library along: behind the runtime, where the
/// constructor rebinds what the loader has bound.
const std::vector<std::string> k_watched{"/usr/bin/env", "loops", "loops_linked_after",
#ifdef WSTREE_TEST_HAS_GCC
                                         "loops_gcc", "loops_gcc_linked_after"
#endif
};

/// What makes the constructors do more.
const std::vector<std::vector<std::pair<std::string, std::string>>> k_wishes{
    {},
    {{"OMP_SCHEDULE", "wstree"}, {"WSTREE_VERBOSE", "1"}},
    {{"OMP_SCHEDULE", "monotonic:wstree"}}, // a line on stderr
    {{"OMP_SCHEDULE", "wstre\x01"}},        // a line with a character that is not shown
    {{"OMP_SCHEDULE", "wstree"}, {"WSTREE_THREADS", "auto"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}},
    {{"WSTREE_LOOPS", "all"}, {"WSTREE_STATS", "1"}},
    {{"WSTREE_RULES", "* wstree"}},
    {{"WSTREE_OMPT", "1"}},
};

TEST(EarlyCalls, ReachNoOtherLibrary) {
  const std::string watcher = program_path("early_calls.so");
  for (const std::string& preloads : {watcher + ":" + library_path(), library_path() + ":" + watcher})
    for (const std::string& name : k_watched)
      for (const auto& wishes : k_wishes) {
        Program program(name);
        program.set("LD_PRELOAD", preloads);
        for (const auto& [variable, value] : wishes) program.set(variable, value);
        const Outcome outcome = program.run();
        EXPECT_TRUE(outcome.succeeded()) << preloads << ' ' << name << '\n' << outcome.text();
        if (name == "/usr/bin/env") {
          EXPECT_THAT(outcome.out, HasSubstr("PATH=/usr/bin:/bin\n"));
        }
      }
}

TEST(EarlyCalls, ReachNoLibraryInFrontOfOneThatIsLinked) {
  for (const std::string& name : k_watched) {
    if (name.find("linked") == std::string::npos) continue;
    const Outcome outcome =
        Program(name).set("LD_PRELOAD", program_path("early_calls.so")).set("OMP_SCHEDULE", "wstree").run();
    EXPECT_EQ(outcome.out, "schedule 0x77 1\nsum 4995000\nmembers 4\n") << outcome.text();
    EXPECT_EQ(outcome.err, "");
  }
}

} // namespace
