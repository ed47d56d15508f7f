// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads, teams and forks in every constellation that programs have, with either runtime: nothing may look
// different from the run without the library, and the loops are served. What pinned threads start has the
// process's mask. Signals whose handlers want much, regions inside the loader's walk, and memory checkers.
#include "process.h"

namespace {

using namespace wstree::test;
using testing::IsEmpty;

class OfBothCompilers : public testing::TestWithParam<const char*> {
protected:
  /// `name` as the compiler built it that the test is about.
  static Program program(const std::string& name, std::vector<std::string> arguments = {}) {
    return Program(name + GetParam(), std::move(arguments));
  }

  static Program one_case(const std::string& name, const std::string& which) {
    return program(name, {"--seed", "1", "--case", which});
  }

  static Program heirs(std::string_view more = "") {
    Program started = program("heirs");
    started.preload(more).set("OMP_SCHEDULE", "wstree").set("WSTREE_BIND", "close");
    return started.set("OMP_NUM_THREADS", "2");
  }

  static void expect_all_free(const Outcome& outcome) {
    const std::string all = fact(outcome.out, "process itself");
    const std::vector<std::string> ways = {"pthread_create", "std::thread",  "fork",   "fork+exec",
                                           "posix_spawn",    "posix_spawnp", "system", "popen"};
    for (const std::string who : {"opener", "worker", "after"})
      for (const std::string& way : ways)
        EXPECT_EQ(fact(outcome.out, who + " " + way), all) << who << " " << way << "\n" << outcome.text();
    for (const std::string who : {"opener", "after"}) {
      EXPECT_EQ(fact(outcome.out, who + " itself"), all);
      EXPECT_EQ(fact(outcome.out, who + " still"), all);
    }
    EXPECT_EQ(lines_of(outcome.out).back(), "end");
  }
};

INSTANTIATE_TEST_SUITE_P(Programs, OfBothCompilers, testing::Values("", "_gcc"));

TEST_P(OfBothCompilers, ThreadAfterThread) {
  expect_unnoticed(one_case("threads", "thread_after_thread"), 15 * 4 * 3);
}

TEST_P(OfBothCompilers, RootsAtOnce) { expect_unnoticed(one_case("threads", "roots_at_once"), 6 * 10 * 3); }

TEST_P(OfBothCompilers, AThousandRoots) { expect_unnoticed(one_case("threads", "a_thousand_roots"), 1000); }

TEST_P(OfBothCompilers, ATeamOfAThousand) {
  Program many = program("loops").set("OMP_NUM_THREADS", "1000").set("OMP_STACKSIZE", "256k");
  const Outcome native = Program(many).set("OMP_SCHEDULE", "dynamic").run();
  many.preload().set("OMP_SCHEDULE", "wstree");
  EXPECT_EQ(served_calls(many), 10);
  const Outcome outcome = many.run();
  EXPECT_EQ(outcome.text(), silent("schedule 0x77 1\nsum 4995000\nmembers 1000\n"));
  // Of memory each member has its share, not a thousand of them.
  EXPECT_LT(outcome.peak_kib, native.peak_kib + 1000 * 64);
}

TEST_P(OfBothCompilers, PinnedThreadsAndForksAreUnnoticed) {
  for (const char* which : {"thread_after_thread", "roots_at_once"})
    expect_unnoticed(one_case("threads", which).set("WSTREE_BIND", "close"), 100);
  expect_unnoticed(program("fork_and_go_on", {"--seed", "1"}).set("WSTREE_BIND", "close"), 100);
}

// --- forks

TEST_P(OfBothCompilers, ForkAndGoOn) { expect_unnoticed(program("fork_and_go_on", {"--seed", "1"}), 100); }

TEST_P(OfBothCompilers, ForkWhileTheOptionsAreRead) {
  const Program held = program("fork_while_preparing").preload().set("OMP_SCHEDULE", "wstree");
  EXPECT_EQ(held.run().text(), silent("held\nchild 0\nend\n"));
  EXPECT_EQ(served_calls(held), 2) << "of the parent";
}

TEST_P(OfBothCompilers, ChildrenOfForksAreServedToo) {
  // The child of a process without a team, and programs that children become: their figures count as well.
  const auto served = [](const char* which) {
    return served_calls(one_case("fork_and_go_on", which).preload().set("OMP_SCHEDULE", "wstree"));
  };
  EXPECT_EQ(served("child_before_any_region"), 5);
  EXPECT_EQ(served("child_of_a_thread_without_a_team"), 5 + 5 + 5 + 5);
  EXPECT_EQ(served("child_with_a_loop_but_no_region"), 5 * (5 + 1) + 5);
  EXPECT_EQ(served("child_of_a_member_in_a_loop"), 5);
  EXPECT_EQ(served("child_that_becomes_another_program"), 3 * (5 + 5) + 5);
  EXPECT_EQ(served("child_of_a_member_that_becomes_another_program"), 1 + 3 * 5);
}

// --- the end

TEST(Libgomp, OutlivesTheFirstThread) { // libomp natively does not
  expect_unnoticed(Program("threads_gcc", {"--main-leaves"}), 3 + 10 * 3);
}

TEST_P(OfBothCompilers, WhatAPinnedWorkerStartsIsNotPinned) {
  const Outcome outcome = heirs().run();
  const std::string all = fact(outcome.out, "process itself");
  if (all.find(',') == std::string::npos)
    GTEST_SKIP() << "no thread is pinned on one CPU\n" << outcome.text();
  expect_all_free(outcome);
  EXPECT_THAT(outcome.err, IsEmpty());
  const std::string place = fact(outcome.out, "worker itself");
  EXPECT_NE(place, all) << "not pinned at all\n" << outcome.text();
  EXPECT_EQ(fact(outcome.out, "worker still"), place) << outcome.text();
  const std::string processors = fact(outcome.out, "opener procs");
  EXPECT_THAT(processors, testing::Not(IsEmpty()));
  EXPECT_EQ(fact(outcome.out, "worker procs"), processors) << "a pinned worker counts all";
  EXPECT_EQ(fact(outcome.out, "after procs"), processors);
}

TEST_P(OfBothCompilers, WorksBesideAToolThatWrapsTheSameFunctions) {
  const std::string watcher = program_path("start_watcher.so");
  const std::string all_seen[] = {"watched pthread_create", "watched posix_spawn", "watched system",
                                  "watched popen"};
  for (const bool in_front : {false, true}) {
    Program program = heirs(in_front ? "" : watcher);
    if (in_front) program.set("LD_PRELOAD", watcher + " " + library_path());
    const Outcome outcome = program.run();
    expect_all_free(outcome);
    for (const std::string& line : all_seen) EXPECT_THAT(outcome.err, testing::HasSubstr(line));
  }
}

// --- programs without OpenMP

TEST(Starts, AreWhatTheyAreWithoutTheLibrary) {
  const Outcome native = Program("starts").run();
  ASSERT_TRUE(native.succeeded()) << native.text();
  EXPECT_EQ(Program("starts").preload().run().text(), native.text());
  EXPECT_EQ(
      Program("starts").preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_BIND", "close").run().text(),
      native.text());
  const std::string watcher = program_path("start_watcher.so");
  const Outcome watched = Program("starts").set("LD_PRELOAD", watcher).run();
  EXPECT_EQ(Program("starts").preload(watcher).run().text(), watched.text());
}

/// With an option that makes the library work at the first region or at the end.
TEST_P(OfBothCompilers, HandlersHaveTheirStack) {
  for (const auto& [option, value] :
       {std::pair{"WSTREE_STATS", "1"}, {"WSTREE_RULES", "* wsrange"}, {"WSTREE_BIND", "close"}})
    for (int i = 0; i < 5; ++i) {
      const Outcome outcome =
          program("signalled_regions").preload().set("OMP_SCHEDULE", "wstree").set(option, value).run();
      ASSERT_EQ(outcome.out, "wrong 0\n") << option << outcome.text();
    }
}

/// The thread that walks calls the plugin, or another one does.
TEST_P(OfBothCompilers, AWalkThroughLoadedObjectsMayOpenRegions) {
  const TemporaryFolder folder;
  for (const std::string who : {"here", "thread"})
    for (const auto& [option, value] :
         std::map<std::string, std::string>{{"OMP_SCHEDULE", "dynamic,4"}, // nothing is asked for
                                            {"WSTREE_BIND", "close"},
                                            {"WSTREE_RULES", "* wsrange"},
                                            {"WSTREE_OMPT", "1"},
                                            {"WSTREE_STATS", folder / ("stats" + who)},
                                            {"WSTREE_RECORD", folder / ("record" + who)},
                                            {"WSTREE_TRACE", folder / ("trace" + who)}}) {
      Program program = with_tree(
          "walks", {who, program_path(std::string("plugin") + GetParam() + ".so"), "omp_get_thread_num"});
      program.set(option, value);
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
