// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conduct in the user's process: outputs and exit status stay, no descriptor is touched that is not ours,
// nothing is started or opened without need, floats behave as the program has set them, no wrapper of another
// preloaded library is called before it is ready, no other symbols are shown, and the library survives fork,
// exit and strange numbers of threads.
#include "process.h"

#include <dlfcn.h>
#include <iterator>

namespace {

using namespace wstree::test;
using testing::IsEmpty;

/// The builds of a program: by clang, and by GCC.
std::vector<std::string> builds_of(const std::string& program) { return {program, program + "_gcc"}; }

TEST(Conduct, OutputAndExitStatusStay) {
  for (const std::string& program : builds_of("loops"))
    for (const char* status : {"0", "255"}) {
      const Outcome without = Program(program, {"--status", status}).set("OMP_SCHEDULE", "dynamic,4").run();
      for (const char* schedule : {"dynamic,4", "wstree,4"}) {
        const Outcome with =
            Program(program, {"--status", status}).preload().set("OMP_SCHEDULE", schedule).run();
        EXPECT_EQ(with.status, without.status) << with.text();
        EXPECT_EQ(fact(with.out, "sum"), fact(without.out, "sum"));
        EXPECT_EQ(with.err, without.err);
        EXPECT_EQ(lines_of(with.out).size(), lines_of(without.out).size());
      }
    }
}

/// libomp reads the clock too if its threads may fall asleep.
TEST(Conduct, AProgramWithoutTheProcessorsClock) {
  for (const std::string& name : builds_of("without_clock")) {
    Program program(name);
    program.set("OMP_WAIT_POLICY", "active").set("OMP_SCHEDULE", "dynamic,4");
    const Outcome native = program.run();
    if (native.status == 77) GTEST_SKIP() << "nothing can be forbidden here";
    ASSERT_TRUE(native.succeeded()) << native.text();
    program.preload()
        .set("WSTREE_TRACE", "/nowhere")
        .set("WSTREE_STATS", "1")
        .set("WSTREE_LOOPS", "all,static");
    program.set("WSTREE_RULES", "* wsqueue threads=3");
    for (const char* schedule : {"dynamic,4", "wstree"}) // the program gives hints, too
      for (const char* bind : {"auto", "spread"}) {
        const Outcome outcome = program.set("OMP_SCHEDULE", schedule).set("WSTREE_BIND", bind).run();
        EXPECT_TRUE(outcome.succeeded()) << name << outcome.text();
        EXPECT_EQ(outcome.out, native.out);
        EXPECT_EQ(
            outcome.err,
            "wstree: the OpenMP runtime executes all loops, because the process has forbidden itself to "
            "read the processor's clock (PR_SET_TSC)\n");
      }
  }
}

TEST(Conduct, ClosedStandardDescriptors) {
  for (const std::string& program : builds_of("loops")) {
    const std::vector<std::string> seven{"--status", "7"};
    for (const char* strategy : {"findmax", "foo"}) {
      Program closed = with_tree(program, seven).closed(2).set("WSTREE_STRATEGY", strategy);
      const Outcome outcome = closed.set("WSTREE_STATS", "1").set("WSTREE_VERBOSE", "1").run();
      EXPECT_EQ(outcome.status, 7) << outcome.text();
      EXPECT_EQ(outcome.out, with_tree(program).run().out);
    }
    // A file that happens to have the number is not written to.
    const TemporaryFolder folder;
    const std::string file = folder / "data";
    Program opens =
        with_tree(program, {"--file", file, "--status", "7"}).closed(2).set("WSTREE_STRATEGY", "foo");
    EXPECT_EQ(opens.set("WSTREE_STATS", "json").set("WSTREE_VERBOSE", "1").run().status, 7);
    EXPECT_TRUE(access(file.c_str(), F_OK) == 0 && contents_of(file).empty());
    EXPECT_EQ(with_tree(program, seven).closed(0).run().text(), with_tree(program, seven).run().text());
    const Outcome all =
        with_tree(program, seven).closed(0).closed(1).closed(2).set("WSTREE_STATS", "1").run();
    EXPECT_EQ(all.status, 7) << all.text();
  }
}

TEST(Conduct, AProcessWithoutAServedLoopIsLeftAlone) {
  for (const std::string& name : builds_of("inert"))
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"--idle"}}) {
      Program program(name, arguments);
      const Outcome without = program.set("OMP_SCHEDULE", "dynamic").run();
      const Outcome loaded = program.preload().set("WSTREE_STRATEGY", "foo").run(); // is not read
      const Outcome asked = program.set("WSTREE_STRATEGY", "assign").set("OMP_SCHEDULE", "wstree").run();
      EXPECT_EQ(loaded.out, without.out); // the same threads and the same open descriptors
      EXPECT_EQ(asked.out, without.out);
      EXPECT_THAT(loaded.err + asked.err, IsEmpty());
    }
}

TEST(Conduct, AServedLoopLeavesNoDescriptorsAndThreads) {
  const std::vector<std::string> arguments{"--silent", "--run",
                                           "ls /proc/$PPID/fd /proc/$PPID/task | grep -c ."};
  for (const std::string& program : builds_of("loops"))
    EXPECT_EQ(with_tree(program, arguments).run().text(),
              Program(program, arguments).set("OMP_SCHEDULE", "dynamic").run().text());
}

TEST(Conduct, LimitsOfTheRuntime) {
  for (const auto& [variable, value] : {std::pair{"OMP_THREAD_LIMIT", "2"},
                                        {"OMP_DYNAMIC", "true"},
                                        {"KMP_DISP_NUM_BUFFERS", "1"},
                                        {"KMP_DISP_NUM_BUFFERS", "4096"}}) {
    const Outcome outcome = with_tree("loops").set("OMP_NUM_THREADS", "32").set(variable, value).run();
    EXPECT_EQ(fact(outcome.out, "sum"), "4995000") << variable << outcome.text();
  }
}

TEST(Conduct, ForkWithTeams) {
  for (const std::string& libomp : libomp_builds()) {
    const Outcome outcome = with_tree("fork_and_go_on", {"--teams"}).libomp(libomp).run();
    EXPECT_TRUE(outcome.succeeded()) << libomp << '\n' << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST(Conduct, LeavingFromWithinALoop) {
  for (const std::string& program : builds_of("leaves"))
    for (const std::string& libomp : libomp_builds())
      for (const std::string how : {"exit", "quick", "underscore", "abort"}) {
        const Outcome outcome = with_tree(program, {how}).libomp(libomp).run();
        EXPECT_EQ(outcome.signal, how == "abort" ? SIGABRT : 0) << program << libomp << outcome.text();
        EXPECT_EQ(outcome.status, how == "abort" ? -1 : 5) << program << libomp << outcome.text();
        EXPECT_THAT(outcome.err, IsEmpty());
      }
}

TEST(Floats, StayAsTheProgramHasSetThem) {
  for (const std::string& name : builds_of("floats"))
    for (const std::string schedule : {"wstree", "wsguided"}) {
      const TemporaryFolder folder;
      const std::map<std::string, std::string> more[] = {
          {},
          {{"WSTREE_STATS", "json=" + (folder / "figures")}},
          {{"WSTREE_STATS", "text=" + (folder / "text")}, {"WSTREE_RULES", "* history=no"}},
          {{"WSTREE_TRACE", folder / "trace"}},
          {{"WSTREE_RECORD", folder / "record"}},
          {{"WSTREE_BIND", "close"}, {"WSTREE_VERBOSE", "1"}},
          {{"WSTREE_BATCH", "exponential"}, {"WSTREE_STRATEGY", "randomwalk"}},
      };
      // With the settings number `first` in the first region: 1 and 2 are those that trap.
      const auto program = [&](int first) {
        Program made = with_tree(name, {std::to_string(first)}).set("OMP_SCHEDULE", schedule);
        return made.set("WSTREE_LOOPS", "all");
      };
      const bool is_usual = schedule == "wstree";
      for (int first = 0; const auto& variables : more) {
        if (first > 2 && !is_usual) break; // the reports and what places threads are the same
        Program with = program(first++ % 3);
        for (const auto& [variable, value] : variables) with.set(variable, value);
        const Outcome outcome = with.run();
        EXPECT_EQ(outcome.out, "as it was\n") << name << schedule << outcome.text();
        EXPECT_TRUE(outcome.succeeded()) << outcome.text();
      }
      EXPECT_EQ(folder.files().size(), is_usual ? 4U : 2U)
          << "traps must not end the process before the reports";
      EXPECT_GT(served_calls(program(0)), 500);
    }
}

/// Programs with and without loops, and those that bring the library along: behind the runtime, where the
/// constructor rebinds what the loader has bound.
const std::vector<std::string> k_watched{"/usr/bin/env", "loops", "loops_linked_after", "loops_gcc",
                                         "loops_gcc_linked_after"};

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

/// The watcher is in front of the library and behind it in turn, so that each wish meets both.
TEST(EarlyCalls, ReachNoOtherLibrary) {
  const std::string watcher = program_path("early_calls.so");
  const std::string both[] = {watcher + ":" + library_path(), library_path() + ":" + watcher};
  for (std::size_t turn = 0; const std::string& name : k_watched)
    for (turn += k_wishes.size() + 1; const auto& wishes : k_wishes) {
      const std::string& preloads = both[turn++ % 2];
      Program program(name);
      program.set("LD_PRELOAD", preloads);
      for (const auto& [variable, value] : wishes) program.set(variable, value);
      const Outcome outcome = program.run();
      EXPECT_TRUE(outcome.succeeded()) << preloads << ' ' << name << '\n' << outcome.text();
      EXPECT_TRUE(name != "/usr/bin/env" || outcome.out.find("PATH=/usr/bin:/bin\n") != std::string::npos);
    }
}

TEST(EarlyCalls, ReachNoLibraryInFrontOfOneThatIsLinked) {
  for (const char* name : {"loops_linked_after", "loops_gcc_linked_after"}) {
    Program program(name);
    program.set("LD_PRELOAD", program_path("early_calls.so")).set("OMP_SCHEDULE", "wstree");
    EXPECT_EQ(program.run().text(), silent("schedule 0x77 1\nsum 4995000\nmembers 4\n"));
  }
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::vector<std::string>> symbols(const std::string& which) {
  const Outcome outcome = Program(WSTREE_TEST_NM, {"-D", which, library_path()}).run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  std::vector<std::vector<std::string>> table;
  for (const std::string& line : lines_of(outcome.out)) table.push_back(words_in(line));
  return table;
}

/// A symbol with a version would not be interposed.
TEST(Exports, AreThoseOfTheMap) {
  std::string map = contents_of(WSTREE_TEST_EXPORTS);
  const auto begin = map.find("global:") + 7;
  map = map.substr(begin, map.find("local:") - begin);
  std::replace(map.begin(), map.end(), ';', ' ');
  std::vector<std::string> found;
  for (const auto& words : symbols("--defined-only")) found.push_back(words.back());
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(words_in(map)));
}

/// The linker drops a property of the whole library if one object lacks it.
TEST(Exports, AssemblySaysWhatHardenedProcessesWantToKnow) {
#if defined(__x86_64__)
  const std::string said = "x86 feature: IBT, SHSTK";
#elif defined(__aarch64__)
  const std::string said = "AArch64 feature: BTI";
#endif
  int files = 0;
  std::istringstream list(WSTREE_TEST_ASSEMBLY);
  for (std::string file; std::getline(list, file, ',');) {
    const Outcome outcome = Program(WSTREE_TEST_READELF, {"-n", file}).run();
    EXPECT_THAT(outcome.out, testing::HasSubstr(said)) << file << outcome.text();
    ++files;
  }
  EXPECT_GE(files, 3);
}

TEST(Exports, NeedNothingButTheCLibrary) {
  for (const auto& words : symbols("--undefined-only")) {
    const std::string& name = words.back();
    const bool weak = words.at(words.size() - 2) == "w";
    EXPECT_TRUE(weak || name.find("@GLIBC") != std::string::npos) << name;
  }
}

/// A program may ask whether the function is there before it uses OpenMP, and gets it from us.
TEST(Exports, CountTheCpusWhereThereIsNoRuntime) {
  void* library = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto count = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_num_procs"));
  ASSERT_NE(count, nullptr);
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  EXPECT_EQ(count(), CPU_COUNT(&mask));
}

} // namespace
