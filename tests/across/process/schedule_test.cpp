// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMP_SCHEDULE: what the runtime is told, what the program reads back and what its children inherit.
#include "process.h"

#include "wstree/core/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

class BadChunk : public testing::TestWithParam<const char*> {};

TEST_P(BadChunk, GetsOneLineAndTheDefault) {
  const Outcome outcome = with_tree("loops", {"--status", "7"}).set("OMP_SCHEDULE", GetParam()).run();
  EXPECT_EQ(outcome.status, 7) << outcome.text();
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, testing::StartsWith("wstree: OMP_SCHEDULE="));
  EXPECT_EQ(fact(outcome.out, "schedule"), "0x77 1");
  EXPECT_EQ(fact(outcome.out, "sum"), "4995000");
}

INSTANTIATE_TEST_SUITE_P(Schedule, BadChunk, testing::Values("wstree,0", "wstree,1 2"),
                         [](const auto& each) { return "n" + std::to_string(each.index); });

/// What the library puts in the place of its own schedules, asked for by the user.
class MonotonicDynamic : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(MonotonicDynamic, StaysTheUsers) {
  const auto& [name, loops, text] = GetParam();
  const std::string chunk = text;
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

#ifdef WSTREE_TEST_HAS_GCC
constexpr const char* k_dealers[] = {"fallback", "fallback_gcc"};
#else
constexpr const char* k_dealers[] = {"fallback"};
#endif
INSTANTIATE_TEST_SUITE_P(Schedule, MonotonicDynamic,
                         testing::Combine(testing::ValuesIn(k_dealers), testing::Values("runtime,dynamic"),
                                          testing::Values("", "4")),
                         [](const auto& each) { return "n" + std::to_string(each.index); });

class Misspelled : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Misspelled, GetsOneLineAndStatic) {
  const auto& [value, meant] = GetParam();
  const Outcome outcome = Program("loops").preload().set("OMP_SCHEDULE", value).run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  ASSERT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err; // the runtime is silent
  EXPECT_THAT(outcome.err, testing::StartsWith("wstree: OMP_SCHEDULE='" + std::string(value)));
  if (*meant != '\0') {
    EXPECT_THAT(outcome.err, HasSubstr("did you mean " + std::string(meant) + "?"));
  }
  EXPECT_THAT(outcome.err, HasSubstr("; using static"));
  EXPECT_EQ(fact(outcome.out, "schedule").substr(0, 3), "0x1");
}

INSTANTIATE_TEST_SUITE_P(Schedule, Misspelled,
                         testing::Values(std::tuple{"wsqeue", "wsqueue"}, std::tuple{"wsomething", ""}),
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
  std::vector<std::string> children{k_child + program_path("shares")};
#ifdef WSTREE_TEST_HAS_GCC
  for (const char* name : {"shares_gcc_static", "shares_gcc_static_pie"})
    children.push_back(program_path(name));
  children.push_back(k_child + program_path("shares_gcc"));
#endif
  for (const std::string& child : children) {
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

} // namespace
