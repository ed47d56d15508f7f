// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways into a process: preloaded, linked in front of or behind libomp, with a runtime that is opened
// later or earlier than usual, with two runtimes, with programs of another compiler; beside other libraries;
// and where nothing can be preloaded. The loader holds a lock while it executes initialisers and destructors
// of plugins: their teams must not wait for it, so what libwstree calls of the loader, of memory and of locks
// in a worker is nothing at all.
#include "process.h"

namespace {

using namespace wstree::test;
using testing::HasSubstr;
using testing::IsEmpty;

/// Expects silence, this output and so many served loops.
void expect_served(const Program& program, int calls, const std::string& out) {
  EXPECT_EQ(program.run().text(), silent(out));
  EXPECT_EQ(served_calls(program), calls);
}

const std::string k_loops_out = "schedule 0x77 1\nsum 4995000\nmembers 4\n";

TEST(Loading, LinkedBesideLibomp) {
  for (const char* name : {"loops_linked_before", "loops_linked_after"}) {
    for (const std::string& libomp : libomp_builds()) {
      if (std::string_view(name) == "loops_linked_after" && (libomp == "14" || libomp == "16"))
        continue; // the program itself needs an entry that only later ones have
      expect_served(Program(name).libomp(libomp).set("OMP_SCHEDULE", "wstree"), 10, k_loops_out);
    }
    expect_served(with_tree(name), 10, k_loops_out); // preloaded as well
  }
}

#ifdef WSTREE_TEST_HAS_MUSL
TEST(Loading, IntoAProgramOnMusl) {
  Program program("on_musl");
  program.preload().set("WSTREE_LOOPS", "all").set("WSTREE_STATS", "1");
  for (const char* schedule : {"dynamic", "wstree"})
    EXPECT_EQ(program.set("OMP_SCHEDULE", schedule).run().text(), silent("2 3 4 5\n"));
}
#endif

TEST(Loading, DeeplyBoundPluginsShareTheirLoops) {
  for (const char* plugin : {"shares_plugin.so", "shares_plugin_gcc.so"})
    for (const char* kind : {"wstree", "wsrange", "wsguided", "wsstatic"}) {
      Program program = with_tree("host", {"--deep", program_path(plugin)});
      const Outcome outcome = program.set("OMP_SCHEDULE", kind).run();
      EXPECT_TRUE(outcome.succeeded()) << kind << outcome.text();
      EXPECT_THAT(outcome.err, IsEmpty());
    }
}

TEST(Loading, ALibraryCallsTheRuntimeBeforeMain) {
  for (const std::string& libomp : libomp_builds())
    for (const char* name : {"early", "early_gcc"})
      EXPECT_EQ(with_tree(name).libomp(libomp).run().text(), silent("early 0x77 1 499500\n"));
  EXPECT_EQ(served_calls(with_tree("early_gcc")), 1);
}

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
    EXPECT_EQ(program.run().text(), silent("regions 1\n")) << libomp;
  }
}

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
  EXPECT_EQ(served_calls(with_tree("mixed")), 20 * (2 + 5) + 20 * (1 + 2) + 20 * 12);
}

TEST(Neighbours, ATracerKeepsItsWork) {
  const std::string tracer = program_path("region_tracer.so");
  const std::string in_front = tracer + ":" + library_path(), behind = library_path() + ":" + tracer;
  for (const char* name : {"loops", "loops_gcc", "threads_gcc"})
    for (const std::string& preloads : {in_front, behind}) {
      if (preloads == behind && !wide() && name == std::string("threads_gcc")) continue; // takes long
      Program program(name, {"--seed", "1"});
      const Outcome alone = program.set("OMP_SCHEDULE", "dynamic").set("LD_PRELOAD", tracer).run();
      ASSERT_TRUE(alone.succeeded()) << alone.text();
      EXPECT_EQ(program.set("LD_PRELOAD", preloads).run().text(), alone.text());
      const Outcome outcome = program.set("OMP_SCHEDULE", "wstree").run();
      EXPECT_TRUE(outcome.succeeded()) << outcome.text();
      ASSERT_FALSE(outcome.out.empty());
      EXPECT_EQ(lines_of(outcome.out).back(), lines_of(alone.out).back());
      EXPECT_THAT(outcome.err, IsEmpty());
      EXPECT_GE(served_calls(program), 10);
    }
  const Outcome seen = Program("loops_gcc").set("LD_PRELOAD", in_front).set("OMP_SCHEDULE", "wstree").run();
  EXPECT_THAT(seen.out, testing::EndsWith("loops left 40\nregions 1\n")) << "of served loops\n"
                                                                         << seen.text();
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

using Setting = std::vector<std::pair<std::string, std::string>>;
const Setting k_idle{{"OMP_SCHEDULE", "dynamic,4"}};
const Setting k_served{{"OMP_SCHEDULE", "wstree"}};
const Setting k_all{{"OMP_SCHEDULE", "wstree"}, {"WSTREE_LOOPS", "all"}};
const Setting k_placed{{"OMP_SCHEDULE", "wstree"}, {"WSTREE_BIND", "close"}};
const Setting k_measured{{"OMP_SCHEDULE", "wstree"}, {"WSTREE_STATS", "1"}};

Program with(Program program, const Setting& setting) {
  for (const auto& [variable, value] : setting) program.set(variable, value);
  return program;
}

/// A run that hangs ends after this.
std::vector<std::string> limited(std::vector<std::string> command) {
  command.insert(command.begin(), {"-s", "KILL", "30"});
  return command;
}

TEST(Initialisers, ExecuteLoopsWhileTheLoaderHoldsItsLock) {
  for (const std::string plugin : {"initialiser_gcc.so", "initialiser_worker_gcc.so",
                                   "initialiser_thread_gcc.so", "initialiser_clang.so"})
    for (const bool is_lazy : {false, true}) {
      const char *when = is_lazy ? "lazy" : "now", *end = is_lazy ? "close" : "stay";
      const Program plain("/usr/bin/timeout",
                          limited({program_path("opens"), when, end, program_path(plugin)}));
      // What happens natively at "close" is a matter of luck: threads of libgomp may be in code that is gone.
      const bool has_end = plugin != "initialiser_thread_gcc.so";
      const std::string wanted = silent(std::string("sum 999000\n") + (has_end ? "end 1498500\n" : ""));
      for (const Setting& setting : {k_idle, k_all, k_placed}) {
        if (!wide() && is_lazy == (setting == k_placed)) continue;
        ASSERT_EQ(with(plain, setting).preload().run().text(), wanted) << plugin << setting.back().second;
      }
    }
}

/// The thread that looks at the machine waits for the loader's lock, and the opener no longer for the thread.
TEST(Initialisers, LeaveNoThreadThatReadsAnOldEnvironment) {
  for (const char* const plugin : {"initialiser_gcc.so", "initialiser_clang.so"}) {
    const Program plain("/usr/bin/timeout",
                        limited({program_path("environment_gone"), program_path(plugin)}));
    const Outcome outcome = with(plain, k_placed).preload().run();
    EXPECT_EQ(outcome.text(), silent("end\nend 1498500\n")) << plugin;
  }
}

TEST(Initialisers, OfAModuleOfPython) {
  if (std::string_view(WSTREE_TEST_PYTHON).empty()) GTEST_SKIP() << "there is no Python with headers";
  Program plain("/usr/bin/timeout", limited({WSTREE_TEST_PYTHON, "-B", "-c", "import initialiser"}));
  plain.set("PYTHONPATH", program_path("python"));
  ASSERT_TRUE(plain.run().succeeded());
  for (const Setting& setting : {k_idle, k_all})
    ASSERT_TRUE(with(plain, setting).preload().run().succeeded());
}

TEST(WorkerCalls, AskForNothingWhereNothingIsServed) {
  for (const char* name : {"orphans", "orphans_gcc"})
    EXPECT_EQ(with(Program(name, {"--nested"}), k_idle).preload(program_path("worker_watch.so")).run().text(),
              "status 0, signal 0\nstdout:\nwrong 0\nstderr:\nworker: nothing\n");
}

/// A thread gets memory in its first served region. To name a loop for the statistics takes a walk along the
/// loader's list, whose lock is not the one that dlopen() holds.
TEST(WorkerCalls, DoNotReachTheLoader) {
  for (const char* name : {"orphans", "orphans_gcc"})
    for (const Setting& setting : {k_served, k_all, k_measured}) {
      Program program = with(Program(name), setting).set("WSTREE_BIND", "none");
      const Outcome outcome = program.preload(program_path("worker_watch.so")).run();
      EXPECT_EQ(outcome.out, "wrong 0\n") << outcome.text();
      const std::string walk = setting == k_measured ? "|dl_iterate_phdr" : "";
      int said = 0;
      for (const std::string& line : lines_of(outcome.err)) {
        if (!line.starts_with("worker: ")) continue;
        ++said;
        EXPECT_THAT(line, testing::MatchesRegex("worker: (nothing|(pthread_once|memory" + walk + ") .*)"));
      }
      EXPECT_GT(said, 0) << name << setting.back().second;
    }
}

} // namespace
