// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways into a process: preloaded, linked in front of or behind libomp, with a runtime that is opened
// later or earlier than usual, with two runtimes, with programs of another compiler; beside other libraries;
// and where nothing can be preloaded. The loader holds a lock while it executes initialisers and destructors
// of plugins: their teams must not wait for it, so what libwstree calls of the loader, of memory and of locks
// in a worker is nothing at all.
#include "expectations.h"

namespace {

using namespace wstree::test;
using testing::HasSubstr;
using testing::IsEmpty;

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
  for (const char* plugin : {"shares_plugin.so", "shares_plugin_gcc.so"}) {
    for (const char* kind : {"wstree", "wsrange", "wsguided", "wsstatic"}) {
      const Outcome outcome =
          with_tree("host", {"--deep", program_path(plugin)}).set("OMP_SCHEDULE", kind).run();
      EXPECT_TRUE(outcome.succeeded()) << kind << outcome.text();
      EXPECT_THAT(outcome.err, IsEmpty());
    }
  }
}

TEST(Loading, ALibraryCallsTheRuntimeBeforeMain) {
  for (const std::string& libomp : libomp_builds())
    for (const char* name : {"early", "early_gcc"}) {
      const Outcome outcome = with_tree(name).libomp(libomp).run();
      EXPECT_EQ(outcome.out, "early 0x77 1 499500\n") << outcome.text();
      EXPECT_THAT(outcome.err, IsEmpty()) << libomp;
    }
  EXPECT_EQ(served_calls(with_tree("early_gcc")), 1);
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
                         testing::Combine(testing::Values("region_tracer.so"),
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

class Initialisers : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(Initialisers, ExecuteLoopsWhileTheLoaderHoldsItsLock) {
  const auto [plugin, is_lazy] = GetParam();
  const char *when = is_lazy ? "lazy" : "now", *end = is_lazy ? "close" : "stay";
  const Program plain("/usr/bin/timeout", limited({program_path("opens"), when, end, program_path(plugin)}));
  // What happens natively at "close" is a matter of luck: threads of libgomp may be in code that is gone.
  const bool has_end = std::string_view(plugin) != "initialiser_thread_gcc.so";
  const std::string wanted = std::string("status 0, signal 0\nstdout:\nsum 999000\n") +
                             (has_end ? "end 1498500\n" : "") + "stderr:\n";
  for (const Setting& setting : {k_idle, k_all, k_placed})
    ASSERT_EQ(with(plain, setting).preload().run().text(), wanted) << setting.back().second;
}

INSTANTIATE_TEST_SUITE_P(Loading, Initialisers,
                         testing::Combine(testing::Values("initialiser_gcc.so", "initialiser_worker_gcc.so",
                                                          "initialiser_thread_gcc.so",
                                                          "initialiser_clang.so"),
                                          testing::Bool()));

/// The thread that looks at the machine waits for the loader's lock, and the opener no longer for the thread.
TEST(Initialisers, LeaveNoThreadThatReadsAnOldEnvironment) {
  for (const char* const plugin : {"initialiser_gcc.so", "initialiser_clang.so"}) {
    const Program plain("/usr/bin/timeout",
                        limited({program_path("environment_gone"), program_path(plugin)}));
    const Outcome outcome = with(plain, k_placed).preload().run();
    EXPECT_EQ(outcome.text(), "status 0, signal 0\nstdout:\nend\nend 1498500\nstderr:\n") << plugin;
  }
}

TEST(Initialisers, OfAModuleOfPython) {
  if (std::string_view(WSTREE_TEST_PYTHON).empty()) GTEST_SKIP() << "there is no Python with headers";
  Program plain("/usr/bin/timeout", limited({WSTREE_TEST_PYTHON, "-B", "-c", "import initialiser"}));
  plain.set("PYTHONPATH", program_path("python"));
  ASSERT_TRUE(plain.run().succeeded());
  for (const Setting& setting : {k_idle, k_served, k_all})
    ASSERT_TRUE(with(plain, setting).preload().run().succeeded());
}

/// What the library to watch workers has said.
std::vector<std::string> calls_of_workers(const std::string& text) {
  std::vector<std::string> calls;
  for (const std::string& line : lines_of(text))
    if (line.starts_with("worker: ")) calls.push_back(line.substr(8));
  return calls;
}

class WorkerCalls : public testing::TestWithParam<const char*> {};

TEST_P(WorkerCalls, AskForNothingWhereNothingIsServed) {
  const Outcome outcome =
      with(Program(GetParam(), {"--nested"}), k_idle).preload(program_path("worker_watch.so")).run();
  EXPECT_EQ(outcome.out, "wrong 0\n") << outcome.text();
  EXPECT_EQ(outcome.err, "worker: nothing\n");
}

/// A thread gets memory in its first served region. To name a loop for the statistics takes a walk along the
/// loader's list, whose lock is not the one that dlopen() holds.
TEST_P(WorkerCalls, DoNotReachTheLoader) {
  for (const Setting& setting : {k_served, k_all, k_measured}) {
    Program program = with(Program(GetParam()), setting).set("WSTREE_BIND", "none");
    const Outcome outcome = program.preload(program_path("worker_watch.so")).run();
    EXPECT_EQ(outcome.out, "wrong 0\n") << outcome.text();
    const char* const allowed = setting == k_measured ? "nothing|(pthread_once|memory|dl_iterate_phdr) .*"
                                                      : "nothing|(pthread_once|memory) .*";
    EXPECT_THAT(calls_of_workers(outcome.err), testing::Each(testing::MatchesRegex(allowed)))
        << setting.back().second;
  }
}

INSTANTIATE_TEST_SUITE_P(Loading, WorkerCalls, testing::Values("orphans", "orphans_gcc"));

} // namespace
