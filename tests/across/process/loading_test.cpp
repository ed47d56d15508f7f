// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways into a process: preloaded, linked in front of or behind libomp, with a runtime that is opened
// later or earlier than usual, with two runtimes, with programs of another compiler.
#include "expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Runs `program` with figures on and expects silence, success and that many served loops or more.
void expect_served(Program program, std::uint64_t calls, const std::string& out = {}) {
  const Outcome quiet = program.run();
  EXPECT_TRUE(quiet.succeeded()) << quiet.text();
  EXPECT_THAT(quiet.err, IsEmpty());
  if (!out.empty()) {
    EXPECT_EQ(quiet.out, out);
  }
  TemporaryFolder folder;
  const Outcome counted = program.set("WSTREE_STATS", "text=" + (folder / "figures")).run();
  EXPECT_EQ(counted.out, quiet.out);
  const std::string figures = contents_of(folder / "figures");
  if (calls == 0) {
    EXPECT_THAT(figures, testing::Not(HasSubstr(" calls "))) << figures;
  } else {
    EXPECT_THAT(figures, HasSubstr(std::to_string(calls) + " calls ")) << figures << counted.text();
  }
}

const std::string k_loops_out = "schedule 0x77 1\nsum 4995000\nmembers 4\n";

TEST(Loading, LinkedInFrontOfLibomp) {
  for (const std::string& libomp : libomp_builds())
    expect_served(Program("loops_linked_before").libomp(libomp).set("OMP_SCHEDULE", "wstree"), 10,
                  k_loops_out);
}

TEST(Loading, LinkedBehindLibomp) {
  for (const std::string& libomp : libomp_builds()) {
    if (libomp == "14" || libomp == "16")
      continue; // the program itself needs an entry that only later ones have
    expect_served(Program("loops_linked_after").libomp(libomp).set("OMP_SCHEDULE", "wstree"), 10,
                  k_loops_out);
  }
}

TEST(Loading, LinkedAndPreloaded) {
  expect_served(with_tree("loops_linked_before"), 10, k_loops_out);
  expect_served(with_tree("loops_linked_after"), 10, k_loops_out);
}

#ifdef WSTREE_TEST_HAS_MUSL
TEST(Loading, IntoAProgramOnMusl) {
  for (const char* schedule : {"dynamic", "wstree"}) {
    const Outcome outcome = Program("on_musl")
                                .preload()
                                .set("OMP_SCHEDULE", schedule)
                                .set("WSTREE_LOOPS", "all")
                                .set("WSTREE_STATS", "1")
                                .run();
    EXPECT_EQ(outcome.out, "2 3 4 5\n") << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}
#endif

TEST(Loading, TheRuntimeComesLaterAndPrivately) {
  for (const std::string& libomp : libomp_builds()) {
    const Outcome outcome = with_tree("host", {program_path("plugin.so")}).libomp(libomp).run();
    EXPECT_EQ(outcome.out, "schedule 0x77\nwrong 0\n") << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
  }
  TemporaryFolder folder;
  (void)with_tree("host", {program_path("plugin.so")})
      .set("WSTREE_STATS", "text=" + (folder / "figures"))
      .run();
  EXPECT_THAT(contents_of(folder / "figures"), HasSubstr("100 calls "));
}

TEST(Loading, DeeplyBoundPluginsRunNatively) {
  const Outcome outcome = with_tree("host", {"--deep", program_path("plugin.so")}).run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(Loading, DeeplyBoundPluginsShareTheirLoops) {
  std::vector<std::string> plugins{"shares_plugin.so"};
#ifdef WSTREE_TEST_HAS_GCC
  plugins.emplace_back("shares_plugin_gcc.so");
#endif
  for (const std::string& plugin : plugins) {
    for (const char* kind : {"wstree", "wsrange", "wsguided", "wsstatic"}) {
      const Outcome outcome =
          with_tree("host", {"--deep", program_path(plugin)}).set("OMP_SCHEDULE", kind).run();
      EXPECT_TRUE(outcome.succeeded()) << kind << outcome.text();
      EXPECT_THAT(outcome.err, IsEmpty());
    }
  }
}

TEST(Loading, ALibraryCallsTheRuntimeBeforeMain) {
  for (const std::string& libomp : libomp_builds()) {
    const Outcome outcome = with_tree("early").libomp(libomp).run();
    EXPECT_EQ(outcome.out, "early 0x77 1 499500\n") << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty()) << libomp;
  }
}

/// Two extension modules with a private runtime each, as two wheels of an interpreter have. Natively they
/// work; with the library in the process they must do so too, under every schedule.
class TwoRuntimes : public testing::TestWithParam<const char*> {};

TEST_P(TwoRuntimes, InOneProcess) {
  for (const bool together : {false, true}) {
    std::vector<std::string> arguments{program_path("plugin.so"), program_path("plugin_private.so"),
                                       program_path("plugin.so"), program_path("plugin_private.so")};
    if (together) arguments.insert(arguments.begin(), {"--together", "--start-in-turn"});
    Program program("host", arguments);
    program.set("KMP_DUPLICATE_LIB_OK", "TRUE").set("OMP_SCHEDULE", "dynamic,4");
    const Outcome native = program.run();
    ASSERT_TRUE(native.succeeded()) << native.text();
    const Outcome outcome = program.preload().set("OMP_SCHEDULE", GetParam()).run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.out, HasSubstr("wrong 0\n"));
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Loading, TwoRuntimes, testing::Values("dynamic,4", "wstree"),
                         [](const auto& each) { return each.index == 0 ? "NotAsked" : "Asked"; });

// dlopen takes the loader's locks in the other order than a question from within dl_iterate_phdr does.
TEST(Loading, TheLoaderIsAskedNothingWhileItListsObjects) {
  Program program("missing");
  const Outcome outcome = program.preload(program_path("loader_watch.so")).run();
  EXPECT_EQ(outcome.out, "called\nend\n") << outcome.text();
  EXPECT_THAT(outcome.err, testing::HasSubstr("walk\n")) << "nothing was watched";
  EXPECT_THAT(outcome.err, testing::Not(testing::HasSubstr("in a walk")));
}

TEST(Loading, ToolsKeepTheirPlace) {
  for (const std::string& libomp : libomp_builds()) {
    Program program = with_tree("loops-clang14", {"--silent"});
    program.libomp(libomp).set("OMP_TOOL_LIBRARIES", program_path("tool.so"));
    const Outcome outcome = program.run();
    EXPECT_EQ(outcome.out, "regions 1\n") << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

#ifdef WSTREE_TEST_HAS_GCC

TEST(OtherCompilers, GccOnLibomp) {
  for (const std::string& libomp : libomp_builds())
    expect_served(with_tree("gcc_on_libomp").libomp(libomp), 20, "sum 796000\n");
}

TEST(OtherCompilers, GccAndClangInsideOfEachOther) {
  for (const std::string& libomp : libomp_builds())
    for (const char* fallback : {"guided", "dynamic,2", "static"}) {
      const Outcome outcome = with_tree("mixed").libomp(libomp).set("WSTREE_FALLBACK", fallback).run();
      EXPECT_TRUE(outcome.succeeded()) << libomp << ' ' << fallback << '\n' << outcome.text();
      EXPECT_THAT(outcome.err, IsEmpty());
    }
  // Every schedule(runtime) loop of either compiler, but for the ordered ones.
  EXPECT_EQ(served_calls(with_tree("mixed")),
            20 * (2 + 5) + 20 * (1 + 2) + 10 * (1 + 20 + 8) + 20 * 12 + 10 * (2 + 5 * 12));
}
#endif

} // namespace
