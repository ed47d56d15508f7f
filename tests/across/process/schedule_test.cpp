// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMP_SCHEDULE: what the runtime is told, what the program reads back and what its children inherit. libgomp
// reads its environment in a constructor: the library has to be there before that, whatever has loaded it.
#include "process.h"

#include "wstree/core/kinds.h"

namespace {

using namespace wstree::test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// What the program of the loops says when all is well.
std::string loops_said(const std::string& schedule) {
  return silent("schedule " + schedule + "\nsum 4995000\nmembers 4\n");
}

std::vector<std::string> clangs() {
  std::vector<std::string> found;
  std::istringstream list(WSTREE_TEST_CLANGS);
  for (std::string version; std::getline(list, version, ',');) found.push_back(version);
  return found;
}

TEST(Runtimes, AcceptTheTreeInSilence) {
  for (const std::string& clang : clangs())
    for (const std::string& libomp : libomp_builds())
      EXPECT_EQ(with_tree("loops-clang" + clang).libomp(libomp).set("OMP_SCHEDULE", "wstree,64").run().text(),
                loops_said("0x77 64"))
          << clang << " on " << libomp;
}

/// The runtime says nothing beside it.
TEST(BadValue, GetsOneLineAndTheDefault) {
  struct Row {
    std::string variable, value, said, schedule;
  };
  for (const auto& [variable, value, said, schedule] :
       {Row{"OMP_SCHEDULE", "wstree,0", "; using wstree,1", "0x77 1"},
        Row{"OMP_SCHEDULE", "wsqeue", "did you mean wsqueue?", "0x1 "},
        Row{"OMP_SCHEDULE", "wsomething", "; using static", "0x1 "},
        Row{"WSTREE_BATCH", "fixed:0", "; using timed", "0x77 1"},
        Row{"WSTREE_TRACE_EVENTS", "63", "; using 65536", "0x77 1"}}) {
    const Outcome outcome = with_tree("loops", {"--status", "7"}).set(variable, value).run();
    EXPECT_EQ(outcome.status, 7) << outcome.text();
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, testing::StartsWith("wstree: " + variable + "='" + value + "'"));
    EXPECT_THAT(outcome.err, HasSubstr(said));
    EXPECT_THAT(fact(outcome.out, "schedule"), testing::StartsWith(schedule));
    EXPECT_EQ(fact(outcome.out, "sum"), "4995000");
  }
}

/// What the library puts in the place of its own schedules, asked for by the user.
TEST(MonotonicDynamic, StaysTheUsers) {
  for (const std::string gcc : {"", "_gcc"})
    for (const std::string chunk : {"", "4"}) {
      const std::string value = "monotonic:dynamic" + (chunk.empty() ? "" : "," + chunk);
      const auto program = [&](const std::string& name, const char* option) {
        return Program(name + gcc, {option})
            .preload()
            .set("OMP_SCHEDULE", value)
            .set("WSTREE_LOOPS", "runtime,dynamic");
      };
      const Outcome read = program("loops", "--environment").run();
      EXPECT_EQ(fact(read.out, "schedule"), "0x80000002 " + (chunk.empty() ? "1" : chunk)) << read.text();
      EXPECT_EQ(fact(read.out, "environment"), value);
      const Program deals = program("fallback", "--plain").set("WSTREE_FALLBACK", "static,13");
      EXPECT_EQ(served_calls(deals), 0);
      const Outcome dealt = deals.run();
      EXPECT_TRUE(dealt.succeeded()) << dealt.text();
      EXPECT_EQ(fact(dealt.out, "ascending"), "1");
      EXPECT_NE(fact(dealt.out, "plain").substr(0, 3), "13 ") << dealt.text();
      EXPECT_TRUE(chunk.empty() || fact(dealt.out, "plain") == "4 4 4") << dealt.text();
    }
}

TEST(OtherSchedule, IsNotTouched) {
  for (const std::string value : {"", "static,7", "dynamic,4", "monotonic:guided,3", "bogus", "stree"})
    for (const std::string& libomp : libomp_builds()) {
      Program plain("loops", {"--environment"});
      plain.libomp(libomp);
      if (!value.empty()) plain.set("OMP_SCHEDULE", value);
      const Outcome without = plain.run();
      // libomp before 19 lacks an entry that the program needs and the library has.
      if (without.status == 127) continue;
      EXPECT_EQ(plain.preload().run().text(), without.text()) << libomp << value;
    }
}

// --- children

const std::string k_child = "env -u LD_PRELOAD ";

TEST(Children, GrandchildrenToo) {
  const std::string self = program_path("loops");
  const std::string third = self + " --silent --run " + self;
  Program first = with_tree("loops", {"--silent", "--run", self + " --silent --run '" + third + "'"});
  EXPECT_EQ(first.set("OMP_SCHEDULE", "wstree,32").run().text(), loops_said("0x77 32"));
}

TEST(Children, WithoutTheLibraryGetAValidSchedule) {
  for (const std::string& libomp : libomp_builds())
    for (const char* when : {"--run", "--run-first"})
      for (const char* schedule : {"wstree,32", "wsstatic,67108863"}) {
        // A program of clang 14 runs on every libomp without help.
        Program parent =
            with_tree("loops-clang14", {"--silent", when, k_child + program_path("loops-clang14")});
        const Outcome outcome = parent.libomp(libomp).set("OMP_SCHEDULE", schedule).run();
        EXPECT_TRUE(outcome.succeeded()) << outcome.text();
        EXPECT_THAT(outcome.err, IsEmpty()) << libomp;
        EXPECT_EQ(fact(outcome.out, "sum"), "4995000");
        EXPECT_NE(fact(outcome.out, "schedule").substr(0, 3), "0x7");
      }
}

#define WSTREE_KIND_WORD(model, word, ...) #word,
constexpr const char* k_kinds[] = {WSTREE_KINDS(WSTREE_KIND_WORD)};
#undef WSTREE_KIND_WORD

TEST(Children, WithoutTheLibraryShareTheirLoops) {
  for (const std::string& child :
       {k_child + program_path("shares"), k_child + program_path("shares_gcc"),
        program_path("shares_gcc_static"), program_path("shares_gcc_static_pie")}) {
    for (const char* kind : k_kinds) {
      const Outcome outcome =
          with_tree("loops", {"--silent", "--run", child}).set("OMP_SCHEDULE", kind).run();
      EXPECT_EQ(outcome.out, "shares 2\n") << kind << ": " << child << outcome.text();
    }
  }
}

TEST(Children, InheritOtherSchedulesUnchangedAndMayHaveTheirOwn) {
  const std::string loops = program_path("loops");
  struct Row {
    const char* schedule;
    std::string command, out;
  };
  for (const auto& [schedule, command, out] :
       {Row{" Dynamic , 5", "printenv OMP_SCHEDULE", " Dynamic , 5\n"},
        Row{"wstree", "OMP_SCHEDULE=dynamic,9 " + loops, "schedule 0x2 9\nsum 4995000\nmembers 4\n"},
        Row{"static", "OMP_SCHEDULE=wstree,9 " + loops, "schedule 0x77 9\nsum 4995000\nmembers 4\n"}}) {
    Program parent("loops", {"--silent", "--run", command});
    const Outcome outcome = parent.preload().set("OMP_SCHEDULE", schedule).run();
    EXPECT_EQ(outcome.out, out) << outcome.text();
    EXPECT_THAT(outcome.err, Not(HasSubstr("wstree"))); // the runtime dislikes the first one
  }
}

TEST(ChosenByTheProgram, EveryScheduleOfOurs) {
  TemporaryFolder folder;
  int number = 0x77; // omp_sched_wstree
  for (const char* const name : k_kinds) {
    const std::string figures = folder / name;
    const Outcome outcome = Program("loops", {"--set", std::to_string(number++), "8"})
                                .preload()
                                .set("WSTREE_STATS", "json=" + figures)
                                .run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(contents_of(figures), HasSubstr("\"schedule\": \"" + std::string(name) + "\""));
  }
}

/// libgomp reads its environment in a constructor.
TEST(Libgomp, IsInTimeInEveryWayOfLoading) {
  struct Way {
    const char* program;
    bool preloaded;
  };
  for (const auto& [name, preloaded] :
       {Way{"loops_gcc", true}, Way{"loops_gcc_linked_before", false}, Way{"loops_gcc_linked_after", false},
        Way{"loops_gcc_linked_before", true}, Way{"loops_gcc_linked_after", true}}) {
    SCOPED_TRACE(std::string(name) + (preloaded ? ", preloaded" : ""));
    for (const auto& [schedule, answer] :
         {std::pair{"wstree", "0x77 1"}, std::pair{"wstree,5", "0x77 5"}, std::pair{"wsfac2", "0x7d 0"}}) {
      Program program(name);
      if (preloaded) program.preload();
      EXPECT_EQ(program.set("OMP_SCHEDULE", schedule).run().text(), loops_said(answer));
      EXPECT_EQ(served_calls(program), 10);
    }
    for (const char* schedule : {"dynamic,4", "monotonic:dynamic,3", "stree", ""}) {
      const Program plain = Program("loops_gcc", {"--environment"}).set("OMP_SCHEDULE", schedule);
      Program program(name, {"--environment"});
      if (preloaded) program.preload();
      EXPECT_EQ(program.set("OMP_SCHEDULE", schedule).run().text(), plain.run().text()) << schedule;
      EXPECT_EQ(served_calls(program), 0) << schedule;
    }
  }
}

TEST(Libgomp, BothSettingsAreShown) {
  for (const char* value : {"true", "verbose"}) {
    const Outcome native =
        Program("loops_gcc").set("OMP_SCHEDULE", "dynamic,5").set("OMP_DISPLAY_ENV", value).run();
    const Outcome outcome =
        with_tree("loops_gcc").set("OMP_SCHEDULE", "wstree,5").set("OMP_DISPLAY_ENV", value).run();
    EXPECT_EQ(outcome.out, with_tree("loops_gcc").set("OMP_SCHEDULE", "wstree,5").run().out);
    EXPECT_THAT(outcome.err, HasSubstr("WSTREE_STRATEGY"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("Unknown")));
    EXPECT_THAT(outcome.err, Not(HasSubstr("Invalid")));
    // Whatever the runtime says of its own settings stays, but for the schedule, and stays in one piece.
    for (const std::string& line : lines_of(native.err))
      if (line.find("OMP_SCHEDULE") == std::string::npos) {
        EXPECT_THAT(outcome.err, HasSubstr(line + "\n"));
      }
    const Outcome dynamic =
        Program("loops_gcc").preload().set("OMP_SCHEDULE", "dynamic,5").set("OMP_DISPLAY_ENV", value).run();
    EXPECT_EQ(dynamic.out, native.out);
    EXPECT_THAT(dynamic.err, HasSubstr(native.err));
  }
  EXPECT_THAT(with_tree("loops").set("WSTREE_VERBOSE", "1").set("WSTREE_BATCH", "fixed:9").run().err,
              HasSubstr("WSTREE_BATCH='fixed:9'"));
}

TEST(Fallback, IsInForceForLoopsThatAreNotServed) {
  for (const std::string name : {"fallback", "fallback_gcc"}) {
    for (const std::string schedule :
         {"guided", "guided,20", "static,7", "static", "dynamic,5", "trapezoidal"}) {
      // libgomp has no trapezoidal schedule; guided is the nearest one.
      const bool replaced = name == "fallback_gcc" && schedule == "trapezoidal";
      const Outcome native = Program(name).set("OMP_SCHEDULE", replaced ? "guided" : schedule).run();
      ASSERT_TRUE(native.succeeded()) << native.text();
      const Program tree = with_tree(name).set("WSTREE_FALLBACK", schedule);
      EXPECT_EQ(tree.run().text(), native.text()) << schedule;
      EXPECT_EQ(served_calls(tree), 0);
    }
    EXPECT_EQ(with_tree(name).run().text(), Program(name).set("OMP_SCHEDULE", "guided").run().text());
  }
}

TEST(Libgomp, ChildrenOfEitherCompilerUseTheTree) {
  for (const auto& [parent, child] : {std::pair{"loops_gcc", "loops"}, std::pair{"loops", "loops_gcc"},
                                      std::pair{"loops_gcc", "loops_gcc"}})
    for (const char* when : {"--run", "--run-first"}) {
      Program program = with_tree(parent, {"--silent", when, program_path(child)});
      EXPECT_EQ(program.set("OMP_SCHEDULE", "wstree,32").run().text(), loops_said("0x77 32"));
      EXPECT_EQ(served_calls(program), 20) << parent << ' ' << child;
    }
}

} // namespace
