// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conduct in the user's process: outputs and exit status stay, no descriptor is touched that is not ours,
// nothing is started or opened without need, floats behave as the program has set them, no wrapper of another
// preloaded library is called before it is ready, no other symbols are shown, and the library survives fork,
// exit and strange numbers of threads.
#include "expectations.h"
#include "process.h"

#include <dlfcn.h>

namespace {

using namespace wstree::test;
using testing::HasSubstr;
using testing::IsEmpty;

/// The builds of a program: by clang, and by GCC.
std::vector<std::string> builds_of(const std::string& program) { return {program, program + "_gcc"}; }

TEST(Conduct, OutputAndExitStatusStay) {
  for (const std::string& program : builds_of("loops"))
    for (const char* status : {"0", "1", "42", "255"}) {
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
    program.preload().set("WSTREE_TRACE", "/nowhere").set("WSTREE_STATS", "1");
    for (const char* schedule : {"dynamic,4", "wstree"}) // the program gives hints, too
      for (const char* bind : {"auto", "spread"}) {
        const Outcome outcome = program.set("OMP_SCHEDULE", schedule)
                                    .set("WSTREE_LOOPS", "all,static")
                                    .set("WSTREE_RULES", "* wsqueue threads=3")
                                    .set("WSTREE_BIND", bind)
                                    .run();
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
      const Outcome outcome = with_tree(program, seven)
                                  .closed(2)
                                  .set("WSTREE_STRATEGY", strategy)
                                  .set("WSTREE_STATS", "1")
                                  .set("WSTREE_VERBOSE", "1")
                                  .run();
      EXPECT_EQ(outcome.status, 7) << outcome.text();
      EXPECT_EQ(outcome.out, with_tree(program).run().out);
    }
    EXPECT_EQ(with_tree(program, seven).closed(0).run().text(), with_tree(program, seven).run().text());
    const Outcome all =
        with_tree(program, seven).closed(0).closed(1).closed(2).set("WSTREE_STATS", "1").run();
    EXPECT_EQ(all.status, 7) << all.text();
  }
}

TEST(Conduct, AFileThatHappensToBeDescriptorTwoIsNotWrittenTo) {
  for (const std::string& program : builds_of("loops")) {
    TemporaryFolder folder;
    const std::string file = folder / "data";
    const Outcome outcome = with_tree(program, {"--file", file, "--status", "7"})
                                .closed(2)
                                .set("WSTREE_STRATEGY", "foo")
                                .set("WSTREE_STATS", "json")
                                .set("WSTREE_VERBOSE", "1")
                                .run();
    EXPECT_EQ(outcome.status, 7) << outcome.text();
    EXPECT_THAT(contents_of(file), IsEmpty());
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
  const Outcome limited = with_tree("loops").set("OMP_THREAD_LIMIT", "2").run();
  EXPECT_EQ(fact(limited.out, "sum"), "4995000") << limited.text();
  const Outcome dynamic = with_tree("loops").set("OMP_DYNAMIC", "true").set("OMP_NUM_THREADS", "32").run();
  EXPECT_EQ(fact(dynamic.out, "sum"), "4995000") << dynamic.text();
  for (const char* buffers : {"1", "2", "20", "4096"}) {
    const Outcome outcome = with_tree("loops").set("KMP_DISP_NUM_BUFFERS", buffers).run();
    EXPECT_EQ(fact(outcome.out, "sum"), "4995000") << outcome.text();
  }
}

TEST(Conduct, ForkWithTeams) {
  for (const std::string& libomp : libomp_builds()) {
    const Outcome outcome = with_tree("forks").libomp(libomp).run();
    EXPECT_TRUE(outcome.succeeded()) << libomp << '\n' << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

class Leaving : public testing::TestWithParam<const char*> {};

TEST_P(Leaving, FromWithinALoop) {
  for (const std::string& program : builds_of("leaves"))
    for (const std::string& libomp : libomp_builds()) {
      const Outcome outcome = with_tree(program, {GetParam()}).libomp(libomp).run();
      if (std::string(GetParam()) == "abort") {
        EXPECT_EQ(outcome.signal, SIGABRT) << outcome.text();
      } else {
        EXPECT_EQ(outcome.status, 5) << program << libomp << '\n' << outcome.text();
      }
      EXPECT_THAT(outcome.err, IsEmpty());
    }
}

INSTANTIATE_TEST_SUITE_P(Conduct, Leaving, testing::Values("exit", "quick", "underscore", "abort"),
                         [](const auto& each) { return std::string(each.param); });

class Setuid : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Conduct, Setuid, testing::ValuesIn(builds_of("loops_secure")),
                         [](const auto& each) { return each.param; });

TEST_P(Setuid, ProgramIsNotSteeredFromOutside) {
  constexpr unsigned k_nobody = 65534;
  const std::string program = program_path(GetParam());
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a setuid program of root";
  TemporaryFolder folder;
  ASSERT_EQ(chmod((folder / "").c_str(), 0777), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  Program attempt(GetParam(), {"--environment"});
  attempt.set("WSTREE_STATS", "json=" + (folder / "figures")).set("WSTREE_VERBOSE", "1");
  const Outcome as_root =
      attempt.set("OMP_SCHEDULE", "wstree,9").run(); // nothing is changed, so nothing is secret
  EXPECT_EQ(fact(as_root.out, "schedule"), "0x77 9") << as_root.text();
  EXPECT_EQ(folder.files().size(), 1U);
  const Outcome as_nobody = attempt.user(k_nobody).run();
  ASSERT_EQ(chmod(program.c_str(), 0755), 0); // such a program should not lie about
  if (as_nobody.status == 98 || as_nobody.err.find("shared libraries") != std::string::npos)
    GTEST_SKIP() << "user 65534 may not enter the build folder";
  EXPECT_EQ(fact(as_nobody.out, "sum"), "4995000") << as_nobody.text();
  EXPECT_EQ(fact(as_nobody.out, "environment"), "wstree,9") << as_nobody.text();
  EXPECT_THAT(as_nobody.err, testing::Not(HasSubstr("wstree:"))) << as_nobody.text();
  EXPECT_EQ(folder.files().size(), 1U);
}

/// Compiler ("" or "_gcc") and schedule.
class Floats : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
  /// With the settings number `first` in the first region: 1 and 2 are those that trap.
  static Program program(int first) {
    const auto& [compiler, schedule] = GetParam();
    Program made(std::string("floats") + compiler, {std::to_string(first)});
    return made.preload().set("OMP_SCHEDULE", schedule).set("WSTREE_LOOPS", "all");
  }
};

INSTANTIATE_TEST_SUITE_P(Programs, Floats,
                         testing::Combine(testing::Values("", "_gcc"), testing::Values("wstree", "wsguided")),
                         [](const auto& each) {
                           return std::get<1>(each.param) +
                                  std::string(*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(Floats, StayAsTheProgramHasSetThem) {
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
  const bool is_usual = std::string_view(std::get<1>(GetParam())) == "wstree";
  for (int first = 0; const auto& variables : more) {
    if (first > 2 && !is_usual) break; // the reports and what places threads are the same
    Program with = program(first++ % 3);
    for (const auto& [variable, value] : variables) with.set(variable, value);
    const Outcome outcome = with.run();
    EXPECT_EQ(outcome.out, "as it was\n") << outcome.text();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  }
  EXPECT_EQ(folder.files().size(), is_usual ? 4U : 2U) << "traps must not end the process before the reports";
  EXPECT_GT(served_calls(program(0)), 500);
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

std::set<std::string> words_of_the_map() {
  std::string text = contents_of(WSTREE_TEST_EXPORTS);
  const auto begin = text.find("global:") + 7;
  text = text.substr(begin, text.find("local:") - begin);
  std::replace(text.begin(), text.end(), ';', ' ');
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

std::vector<std::vector<std::string>> symbols(const std::string& which) {
  const Outcome outcome = Program(WSTREE_TEST_NM, {"-D", which, library_path()}).run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  std::vector<std::vector<std::string>> table;
  for (const std::string& line : lines_of(outcome.out)) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    table.push_back(words);
  }
  return table;
}

TEST(Exports, AreThoseOfTheMap) {
  std::set<std::string> found;
  for (const auto& words : symbols("--defined-only")) {
    found.insert(words.back());
    EXPECT_THAT(words.back(), testing::Not(testing::HasSubstr("@")))
        << "a symbol with a version is not interposed";
  }
  EXPECT_EQ(found, words_of_the_map());
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
