// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMP_SCHEDULE: what the runtime is told, what the program reads back and what its children inherit. libgomp
// reads its environment in a constructor: the library has to be there before that, whatever has loaded it.
#include "expectations.h"
#include "process.h"

#include "wstree/core/kinds.h"

namespace {

using namespace wstree::test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> clangs() {
  std::vector<std::string> found;
  std::istringstream list(WSTREE_TEST_CLANGS);
  for (std::string version; std::getline(list, version, ',');) found.push_back(version);
  return found;
}

std::string readable(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

class OnEveryRuntime : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(OnEveryRuntime, TheTreeIsAcceptedInSilence) {
  const auto& [clang, libomp] = GetParam();
  const Outcome outcome =
      with_tree("loops-clang" + clang).libomp(libomp).set("OMP_SCHEDULE", "wstree,64").run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(outcome.out, "schedule 0x77 64\nsum 4995000\nmembers 4\n");
}

INSTANTIATE_TEST_SUITE_P(Schedule, OnEveryRuntime,
                         testing::Combine(testing::ValuesIn(clangs()), testing::ValuesIn(libomp_builds())),
                         [](const auto& each) {
                           return "clang" + std::get<0>(each.param) + "_libomp" +
                                  readable(std::get<1>(each.param));
                         });

struct Bad {
  const char *variable, *value, *said, *schedule;
};
class BadValue : public testing::TestWithParam<Bad> {};

/// The runtime says nothing beside it.
TEST_P(BadValue, GetsOneLineAndTheDefault) {
  const auto& [variable, value, said, schedule] = GetParam();
  const Outcome outcome = with_tree("loops", {"--status", "7"}).set(variable, value).run();
  EXPECT_EQ(outcome.status, 7) << outcome.text();
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, testing::StartsWith("wstree: " + std::string(variable) + "='" + value + "'"));
  EXPECT_THAT(outcome.err, HasSubstr(said));
  EXPECT_THAT(fact(outcome.out, "schedule"), testing::StartsWith(schedule));
  EXPECT_EQ(fact(outcome.out, "sum"), "4995000");
}

INSTANTIATE_TEST_SUITE_P(Schedule, BadValue,
                         testing::Values(Bad{"OMP_SCHEDULE", "wstree,0", "; using wstree,1", "0x77 1"},
                                         Bad{"OMP_SCHEDULE", "wstree,1 2", "; using wstree,1", "0x77 1"},
                                         Bad{"OMP_SCHEDULE", "wsqeue", "did you mean wsqueue?", "0x1 "},
                                         Bad{"OMP_SCHEDULE", "wsomething", "; using static", "0x1 "},
                                         Bad{"WSTREE_BATCH", "fixed:0", "; using timed", "0x77 1"},
                                         Bad{"WSTREE_STATS", "xml=path", "; using 0", "0x77 1"},
                                         Bad{"WSTREE_TRACE_EVENTS", "63", "; using 65536", "0x77 1"}),
                         [](const auto& each) {
                           return "n" + std::to_string(each.index) + '_' + readable(each.param.value);
                         });

/// What the library puts in the place of its own schedules, asked for by the user.
class MonotonicDynamic : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(MonotonicDynamic, StaysTheUsers) {
  const auto& [name, text] = GetParam();
  const std::string loops = "runtime,dynamic", chunk = text;
  const std::string value = "monotonic:dynamic" + (chunk.empty() ? "" : "," + chunk);
  const std::string gcc = std::string(name).ends_with("_gcc") ? "_gcc" : "";
  const Outcome read = Program("loops" + gcc, {"--environment"})
                           .preload()
                           .set("OMP_SCHEDULE", value)
                           .set("WSTREE_LOOPS", loops)
                           .run();
  EXPECT_EQ(fact(read.out, "schedule"), "0x80000002 " + (chunk.empty() ? "1" : chunk)) << read.text();
  EXPECT_EQ(fact(read.out, "environment"), value);
  TemporaryFolder folder;
  const Outcome dealt = Program(name, {"--plain"})
                            .preload()
                            .set("OMP_SCHEDULE", value)
                            .set("WSTREE_LOOPS", loops)
                            .set("WSTREE_FALLBACK", "static,13")
                            .set("WSTREE_STATS", "json=" + folder / "figures")
                            .run();
  EXPECT_THAT(contents_of(folder / "figures"), testing::Not(HasSubstr("\"calls\"")));
  EXPECT_TRUE(dealt.succeeded()) << dealt.text();
  EXPECT_EQ(fact(dealt.out, "ascending"), "1");
  EXPECT_NE(fact(dealt.out, "plain").substr(0, 3), "13 ") << dealt.text();
  if (chunk == "4") {
    EXPECT_EQ(fact(dealt.out, "plain"), "4 4 4") << dealt.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Schedule, MonotonicDynamic,
                         testing::Combine(testing::Values("fallback", "fallback_gcc"),
                                          testing::Values("", "4")),
                         [](const auto& each) { return "n" + std::to_string(each.index); });

class OtherSchedule : public testing::TestWithParam<const char*> {};

TEST_P(OtherSchedule, IsNotTouched) {
  const std::string value = GetParam();
  for (const std::string& libomp : libomp_builds()) {
    Program plain("loops", {"--environment"});
    plain.libomp(libomp);
    if (!value.empty()) plain.set("OMP_SCHEDULE", value);
    const Outcome without = plain.run();
    const Outcome with = plain.preload().run();
    // libomp before 19 lacks an entry that the program needs and the library has,
    // so there is nothing to compare.
    if (without.status == 127) continue;
    EXPECT_EQ(with.out, without.out) << libomp;
    EXPECT_EQ(with.err, without.err) << libomp;
    EXPECT_EQ(with.status, without.status) << libomp;
  }
}

INSTANTIATE_TEST_SUITE_P(Schedule, OtherSchedule,
                         testing::Values("", "static,7", "dynamic,4", "monotonic:guided,3", "bogus", "stree"),
                         [](const auto& each) {
                           return "n" + std::to_string(each.index) + readable(each.param);
                         });

// --- children

const std::string k_child = "env -u LD_PRELOAD ";

TEST(Children, GrandchildrenToo) {
  const std::string self = program_path("loops");
  const Outcome outcome =
      with_tree("loops",
                {"--silent", "--run", self + " --silent --run '" + self + " --silent --run " + self + "'"})
          .set("OMP_SCHEDULE", "wstree,32")
          .run();
  EXPECT_EQ(outcome.out, "schedule 0x77 32\nsum 4995000\nmembers 4\n") << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(Children, WithoutTheLibraryGetAValidSchedule) {
  for (const std::string& libomp : libomp_builds()) {
    for (const char* when : {"--run", "--run-first"}) {
      for (const char* schedule : {"wstree,32", "wsstatic,67108863"}) {
        // A program of clang 14 runs on every libomp without help.
        const Outcome outcome =
            with_tree("loops-clang14", {"--silent", when, k_child + program_path("loops-clang14")})
                .libomp(libomp)
                .set("OMP_SCHEDULE", schedule)
                .run();
        EXPECT_TRUE(outcome.succeeded()) << outcome.text();
        EXPECT_THAT(outcome.err, IsEmpty()) << libomp;
        EXPECT_EQ(fact(outcome.out, "sum"), "4995000");
        EXPECT_NE(fact(outcome.out, "schedule").substr(0, 3), "0x7");
      }
    }
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

TEST(Children, OfOtherSchedulesInheritThemUnchanged) {
  const Outcome outcome = Program("loops", {"--silent", "--run", "printenv OMP_SCHEDULE"})
                              .preload()
                              .set("OMP_SCHEDULE", " Dynamic , 5")
                              .run();
  EXPECT_EQ(outcome.out, " Dynamic , 5\n") << outcome.text();
}

TEST(Children, ThatGetTheirOwnScheduleUseIt) {
  const std::string child = "OMP_SCHEDULE=dynamic,9 " + program_path("loops");
  const Outcome outcome = with_tree("loops", {"--silent", "--run", child}).run();
  EXPECT_EQ(fact(outcome.out, "schedule"), "0x2 9") << outcome.text();
  const Outcome other =
      Program("loops", {"--silent", "--run", "OMP_SCHEDULE=wstree,9 " + program_path("loops")})
          .preload()
          .run();
  EXPECT_EQ(fact(other.out, "schedule"), "0x77 9") << other.text();
  EXPECT_THAT(other.err, IsEmpty());
}

// --- chosen by the program

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

// --- the environment in time

struct Way {
  const char* program;
  bool preloaded;
};

class EveryWay : public testing::TestWithParam<Way> {};

TEST_P(EveryWay, OfLoadingIsInTime) {
  for (const auto& [schedule, answer] :
       {std::pair{"wstree", "0x77 1"}, std::pair{"wstree,5", "0x77 5"}, std::pair{"wsfac2", "0x7d 0"}}) {
    Program program(GetParam().program);
    if (GetParam().preloaded) program.preload();
    program.set("OMP_SCHEDULE", schedule);
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_EQ(outcome.out, "schedule " + std::string(answer) + "\nsum 4995000\nmembers 4\n");
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_EQ(served_calls(program), 10);
  }
}

TEST_P(EveryWay, LeavesOtherSchedulesAlone) {
  for (const char* schedule : {"dynamic,4", "monotonic:dynamic,3", "stree", ""}) {
    const Program plain = Program("loops_gcc", {"--environment"}).set("OMP_SCHEDULE", schedule);
    Program program(GetParam().program, {"--environment"});
    if (GetParam().preloaded) program.preload();
    program.set("OMP_SCHEDULE", schedule);
    EXPECT_EQ(program.run().text(), plain.run().text()) << schedule;
    EXPECT_EQ(served_calls(program), 0) << schedule;
  }
}

INSTANTIATE_TEST_SUITE_P(Libgomp, EveryWay,
                         testing::Values(Way{"loops_gcc", true}, Way{"loops_gcc_linked_before", false},
                                         Way{"loops_gcc_linked_after", false},
                                         Way{"loops_gcc_linked_before", true},
                                         Way{"loops_gcc_linked_after", true}),
                         [](const auto& each) {
                           return std::string(each.param.program) +
                                  (each.param.preloaded ? "_preloaded" : "");
                         });

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

// --- loops that are not served

class Fallback : public testing::TestWithParam<const char*> {};

TEST_P(Fallback, IsInForceForLoopsThatAreNotServed) {
  for (const char* schedule : {"guided", "guided,20", "static,7", "static", "dynamic,5", "trapezoidal"}) {
    // libgomp has no trapezoidal schedule; guided is the nearest one.
    const bool replaced = std::string(GetParam()) == "fallback_gcc" && std::string(schedule) == "trapezoidal";
    const Outcome native = Program(GetParam()).set("OMP_SCHEDULE", replaced ? "guided" : schedule).run();
    ASSERT_TRUE(native.succeeded()) << native.text();
    const Program tree = with_tree(GetParam()).set("WSTREE_FALLBACK", schedule);
    EXPECT_EQ(tree.run().text(), native.text()) << schedule;
    EXPECT_EQ(served_calls(tree), 0);
  }
}

TEST_P(Fallback, IsGuidedUnlessSaidOtherwise) {
  EXPECT_EQ(with_tree(GetParam()).run().text(),
            Program(GetParam()).set("OMP_SCHEDULE", "guided").run().text());
}

INSTANTIATE_TEST_SUITE_P(Loops, Fallback, testing::Values("fallback", "fallback_gcc"),
                         [](const auto& each) { return std::string(each.param); });

// --- children

TEST(Libgomp, ChildrenOfEitherCompilerUseTheTree) {
  for (const auto& [parent, child] : {std::pair{"loops_gcc", "loops"}, std::pair{"loops", "loops_gcc"},
                                      std::pair{"loops_gcc", "loops_gcc"}})
    for (const char* when : {"--run", "--run-first"}) {
      Program program = with_tree(parent, {"--silent", when, program_path(child)});
      const Outcome outcome = program.set("OMP_SCHEDULE", "wstree,32").run();
      EXPECT_EQ(outcome.out, "schedule 0x77 32\nsum 4995000\nmembers 4\n") << outcome.text();
      EXPECT_THAT(outcome.err, IsEmpty()) << parent << ' ' << child;
      EXPECT_EQ(served_calls(program), 20) << parent << ' ' << child;
    }
}

} // namespace
