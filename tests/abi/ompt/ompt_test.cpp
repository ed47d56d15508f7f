// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool is told with the library in the process, against what it is told without.
#include "events.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace wstree::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Program told(std::string_view name, const std::string& build) {
  Program program(name);
  program.libomp(build)
      .set("OMP_CANCELLATION", "true")
      .set("OMP_SCHEDULE", "dynamic,3")
      .set("OMP_NUM_THREADS", "2");
  program.set("OMP_MAX_ACTIVE_LEVELS", "2").set("OMP_DYNAMIC", "false");
  return program;
}
Program with_tool(std::string_view name, const std::string& build) {
  return told(name, build).set("OMP_TOOL_LIBRARIES", program_path("recorder.so")).set("RECORDER_CHUNKS", "0");
}

/// How often each kind of event came from each place in the program, without what differs from run to run:
/// which of the calls that a compiler makes of "is there a next chunk?" was the last, and the kind of a
/// loop's schedule.
std::map<std::string, long> places_in(const Outcome& outcome) {
  std::map<std::string, long> places;
  for (const Event& event : events_of(outcome.out)) {
    const auto code = event.fields.find("code");
    if (code == event.fields.end() || !code->second.starts_with("program")) continue;
    const long kind = event.number("kind");
    const bool is_loop = event.what == "work" && (kind == 1 || kind >= 10);
    const std::string what = is_loop ? "loop" : event.what + " " + std::to_string(kind);
    ++places[what + (event.begins() ? " begins " : " ends ") +
             (is_loop && !event.begins() ? "" : code->second)];
  }
  return places;
}
std::set<std::string> different(const std::map<std::string, long>& places) {
  std::set<std::string> all;
  for (const auto& [place, count] : places) all.insert(place);
  return all;
}

class Idle : public testing::TestWithParam<std::string> {
protected:
  static void expect_same(const Outcome& bare, const Outcome& with_library,
                          std::initializer_list<const char*> wanted) {
    ASSERT_TRUE(bare.succeeded()) << bare.text();
    ASSERT_TRUE(with_library.succeeded()) << with_library.text();
    const std::set<std::string> places = different(places_in(bare));
    for (const char* place : wanted) EXPECT_THAT(places, testing::Contains(ContainsRegex(place))) << place;
    EXPECT_THAT(with_library.out, Not(HasSubstr("libwstree")));
    EXPECT_EQ(different(places_in(with_library)), places);
  }
};

/// Of a program that calls every entry that we define.
TEST_P(Idle, TellsAToolTheSame) {
  const Program program = with_tool("constructs", GetParam());
  expect_same(program.run(), Program(program).preload().run(),
              {"parallel -1 begins program", "parallel -1 ends program", "loop begins program", "loop ends ",
               "cancel -1 ends program", "sync [0-9]+ begins program"});
}

#if defined(WSTREE_TEST_HAS_GCC)
TEST_P(Idle, TellsOfAGccProgramOnLibompTheSame) {
  const std::string libomp = std::string(WSTREE_TEST_LIBOMP_DIR "/") + GetParam() + "/libomp.so.5";
  const Program program = with_tool("constructs_gcc", GetParam()).set("OMP_CANCELLATION", "false");
  expect_same(Program(program).set("LD_PRELOAD", libomp).run(),
              Program(program).set("LD_PRELOAD", library_path() + " " + libomp).run(),
              {"loop begins program"});
}
#endif

class Served : public testing::TestWithParam<std::string> {};

Program served(Program program) {
  program.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_LOOPS", "all").set("WSTREE_BATCH", "fixed:8");
  return program.set("RECORDER_CHUNKS", "1");
}

TEST_P(Served, TellsAToolOfTheProgramsCalls) {
  const Outcome bare = with_tool("constructs", GetParam()).run();
  const Outcome outcome = served(with_tool("constructs", GetParam())).run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.out, Not(HasSubstr("libwstree")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("of another region")));
  EXPECT_EQ(different(places_in(outcome)), different(places_in(bare)));
}

/// Two threads each in four loops, 100 iterations from 0 on, or from 100 down.
TEST_P(Served, TellsOfEachLoopAndEachChunk) {
  const Outcome outcome = served(with_tool("chunks", GetParam())).set("WSTREE_STATS", "1").run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, HasSubstr("wstree (dynamic)")) << "they are not served";
  std::map<long, long> begun;
  long ended = 0, iterations = 0, in_chunks = 0;
  for (const Event& event : events_of(outcome.out)) {
    if (event.is("work", true)) {
      ++begun[event.number("kind")];
      iterations += event.number("count");
    } else if (event.what == "work") {
      ++ended;
    } else if (event.what == "dispatch") {
      in_chunks += event.number("iterations");
    }
  }
  EXPECT_EQ(ended, 8) << outcome.text();
  EXPECT_EQ(iterations, 800) << "each thread is told of the whole loop";
  EXPECT_EQ(in_chunks, 400);
  const std::map<long, long> named{{11, 2},
                                   {13, 6}};  // the dynamic one; others: we choose how they are shared
  const std::map<long, long> unnamed{{1, 8}}; // these runtimes do not name kinds
  EXPECT_EQ(begun, GetParam().starts_with("19") ? named : unnamed);
}

/// Three taskloops that one of two threads meets: a task for each thread at most, in the same task groups.
TEST_P(Served, TellsOfTaskloopsWithFewTasks) {
  const auto of_groups = [](const Outcome& outcome) {
    std::map<std::string, long> lines;
    for (const auto& [place, count] : places_in(outcome))
      if (place.starts_with("sync 6") || place.starts_with("work ") || place.starts_with("parallel"))
        lines[place] = count;
    return lines;
  };
  // Where taskloops may be cancelled, the runtime keeps those of this form.
  const auto program = [&] { return with_tool("taskloops", GetParam()).set("OMP_CANCELLATION", "false"); };
  const Outcome bare = program().run();
  const Outcome outcome = served(program()).set("WSTREE_STATS", "1").run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, HasSubstr("3 calls")) << "they are not served";
  EXPECT_THAT(outcome.out, Not(HasSubstr("libwstree")));
  EXPECT_EQ(of_groups(outcome), of_groups(bare));
  long created = 0;
  for (const Event& event : events_of(outcome.out)) created += event.what == "created" ? 1 : 0;
  EXPECT_TRUE(created >= 3 && created <= 6) << created;
}

std::string name_of(const testing::TestParamInfo<std::string>& build) {
  std::string name = "libomp" + build.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Ompt, Served, testing::ValuesIn(libomp_builds()), name_of);
INSTANTIATE_TEST_SUITE_P(Ompt, Idle, testing::ValuesIn(libomp_builds()), name_of);

} // namespace
} // namespace wstree::test
