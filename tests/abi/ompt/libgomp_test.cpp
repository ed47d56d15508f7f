// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool is told by the library of programs on libgomp: what OpenMP says of each event,
// and of their order.
#include "events.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace wstree::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Each thread: what begins last ends first, and with the data that it began with.
void expect_nested(const Events& events) {
  std::map<long, Events> open;
  for (const Event& event : events) {
    if (event.fields.count("end") == 0) continue;
    Events& own = open[event.number("thread")];
    if (event.begins()) {
      own.push_back(event);
      continue;
    }
    ASSERT_FALSE(own.empty()) << event.what << " ends on thread " << event.number("thread");
    EXPECT_EQ(own.back().what, event.what);
    for (const char* field : {"task", "kind", "count", "index"})
      if (own.back().fields.count(field) != 0 && event.fields.count(field) != 0) {
        EXPECT_EQ(own.back().fields[field], event.fields.at(field)) << event.what;
      }
    own.pop_back();
  }
  for (const auto& [thread, still_open] : open) // libgomp keeps its workers until the process is gone
    for (const Event& event : still_open)
      EXPECT_TRUE(event.what == "thread" && event.number("kind") == 2)
          << event.what << " of thread " << thread;
}

void expect_whole_regions(const Events& events) {
  std::map<long, Event> regions;
  std::map<long, std::set<long>> members;
  std::map<long, long> sizes;
  std::set<long> ended;
  for (const Event& event : events) {
    if (event.is("parallel", true)) {
      EXPECT_TRUE(regions.emplace(event.number("region"), event).second) << "a region begins twice";
    } else if (event.is("parallel", false)) {
      EXPECT_TRUE(ended.insert(event.number("region")).second) << "a region ends twice";
      EXPECT_EQ(regions[event.number("region")].number("task"), event.number("task"));
      EXPECT_EQ(static_cast<long>(members[event.number("region")].size()), sizes[event.number("region")]);
    } else if (event.is("task", true) && event.number("flags") == 2) {
      const long region = event.number("region");
      EXPECT_EQ(regions.count(region), 1U) << "a member of an unknown region";
      EXPECT_TRUE(members[region].insert(event.number("index")).second) << "a member begins twice";
      EXPECT_LT(event.number("index"), event.number("members"));
      EXPECT_EQ(event.number("parent"), regions[region].number("task")) << "task further out";
      sizes[region] = event.number("members");
    }
  }
  EXPECT_EQ(ended.size(), regions.size());
}

void expect_places_in_the_program(const Events& events) {
  for (const Event& event : events)
    if (event.fields.count("code") != 0) {
      EXPECT_THAT(event.fields.at("code"), testing::StartsWith("program+")) << event.what;
    }
}

/// The chunks of all members that stand in the same place of a region, in the order of the loops.
struct Loop {
  long count = -1;
  long members = 0;
  long iterations = 0;
  std::map<long, long> chunks;
};
std::vector<Loop> loops_of(const Events& events) {
  std::map<std::pair<long, long>, Loop> loops; // region, how many loops the task has been in before
  std::map<long, long> met;
  for (const Event& event : events) {
    if (event.is("work", true)) ++met[event.number("task")];
    if (event.what != "dispatch" && !event.is("work", true)) continue;
    Loop& loop = loops[{event.number("region"), met[event.number("task")]}];
    if (event.what == "work") {
      if (loop.count == -1) loop.count = event.number("count");
      EXPECT_EQ(loop.count, event.number("count")) << "members disagree";
      ++loop.members;
    } else {
      loop.iterations += event.number("iterations");
      EXPECT_TRUE(loop.chunks.emplace(event.number("start"), event.number("iterations")).second)
          << "a chunk is told twice";
    }
  }
  std::vector<Loop> result;
  for (const auto& [place, loop] : loops) result.push_back(loop);
  return result;
}

/// Chunks of loops whose variable goes up or down by one.
void expect_chunks_apart(const Loop& loop) {
  long past = 0;
  bool first = true;
  for (const auto& [start, iterations] : loop.chunks) {
    EXPECT_TRUE(first || start == past)
        << "iterations from " << past << " to " << start << " are missing or told twice";
    first = false;
    past = start + iterations;
  }
}

/// The events of a program that ends well.
Events sound_events(const Program& program) {
  const Outcome outcome = program.run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out, AllOf(Not(HasSubstr("wrong:")), testing::EndsWith("finalized\n")));
  Events events = events_of(outcome.out);
  expect_nested(events);
  expect_whole_regions(events);
  expect_places_in_the_program(events);
  return events;
}
/// ... none of whose loops is cancelled.
Events whole_events(const Program& program) {
  Events events = sound_events(program);
  for (const Loop& loop : loops_of(events)) EXPECT_EQ(loop.iterations, loop.count);
  return events;
}

long how_many(const Events& events, const std::string& what, bool begin = true) {
  return std::count_if(events.begin(), events.end(), [&](const Event& e) { return e.is(what, begin); });
}

Program unheard(const std::string& program) {
  return Program("told_gcc", {program})
      .preload()
      .set("OMP_NUM_THREADS", "2")
      .set("OMP_DYNAMIC", "false")
      .set("OMP_CANCELLATION", "true")
      .set("OMP_MAX_ACTIVE_LEVELS", "3")
      .set("OMP_TOOL_LIBRARIES", "/nowhere.so:" + program_path("recorder.so"));
}
Program told(const std::string& program) { return unheard(program).set("WSTREE_OMPT", "1"); }

/// What the environment asks for besides: nothing, a schedule of the runtime, one of ours,
/// ours for all loops.
class ToldOf : public testing::TestWithParam<const char*> {
protected:
  static Program with_schedule(const std::string& program) {
    const std::string which = GetParam();
    if (which == "nothing") return told(program);
    if (which == "forwarded") return told(program).set("OMP_SCHEDULE", "dynamic,3");
    const Program served = told(program).set("OMP_SCHEDULE", "wstree").set("WSTREE_BATCH", "fixed:8");
    return which == "served" ? served : Program(served).set("WSTREE_LOOPS", "all").set("WSTREE_STATS", "0");
  }
};

TEST_P(ToldOf, LoopsOfAllSchedules) {
  const Events events = whole_events(with_schedule("loops"));
  const std::vector<Loop> loops = loops_of(events);
  ASSERT_EQ(loops.size(), 15U);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    EXPECT_EQ(loops[i].members, 3) << i;
    EXPECT_EQ(loops[i].count, i == 14 ? 0 : i == 13 ? 10 : 100) << i;
    if (i != 3) expect_chunks_apart(loops[i]);
  }
  EXPECT_EQ(loops[1].chunks.begin()->first, 1) << "down to 1";
  EXPECT_EQ(loops[2].chunks.begin()->first, 5);
  EXPECT_EQ(loops[4].chunks.begin()->first, -100);
  EXPECT_EQ(how_many(events, "sync"), 3 * (14 + 1)) << "one for each loop but the last, and the region's";
}

TEST_P(ToldOf, LoopsWithoutBarriersAndNestedRegions) {
  const Events events = whole_events(with_schedule("nowait"));
  EXPECT_EQ(loops_of(events).size(), 10U);
  EXPECT_EQ(how_many(events, "sync"), 3) << "the region's alone";
  EXPECT_EQ(how_many(whole_events(with_schedule("nested")), "parallel"), 1 + 2 + 2 + 4);
}

TEST_P(ToldOf, SerialisedRegions) {
  const Events events = whole_events(with_schedule("serialised"));
  EXPECT_EQ(how_many(events, "parallel"), 3 + 1 + 2);
  for (const Event& event : events)
    if (event.is("parallel", true) && event.number("requested") == 1) {
      const auto member = std::find_if(events.begin(), events.end(), [&](const Event& e) {
        return e.is("task", true) && e.number("region") == event.number("region");
      });
      ASSERT_NE(member, events.end());
      EXPECT_EQ(member->number("members"), 1);
    }
}

TEST_P(ToldOf, SeveralRoots) {
  const Events events = whole_events(with_schedule("roots"));
  EXPECT_EQ(how_many(events, "parallel"), (3 + 1) * 5) << "three roots, and the first thread";
  long initial = 0;
  for (const Event& event : events) initial += event.is("thread", true) && event.number("kind") == 1;
  // Their ends were seen; the workers of the three may be slower than the process.
  EXPECT_EQ(initial, 4);
}

TEST_P(ToldOf, CancelledLoops) {
  const Events events = sound_events(with_schedule("cancelled"));
  for (const Loop& loop : loops_of(events)) EXPECT_LE(loop.iterations, loop.count);
  EXPECT_EQ(how_many(events, "work"), 2 * (4 + 1));
}

TEST_P(ToldOf, Sections) {
  std::vector<long> counts;
  for (const Event& event : sound_events(with_schedule("sections")))
    if (event.is("work", true)) {
      EXPECT_EQ(event.number("kind"), 2);
      counts.push_back(event.number("count"));
    }
  std::sort(counts.begin(), counts.end());
  EXPECT_THAT(counts, ElementsAre(2, 2, 2, 2, 3, 3));
}

TEST_P(ToldOf, ForksAndExits) {
  sound_events(with_schedule("forks"));
  const Outcome outcome = with_schedule("leaves").run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.out, AllOf(Not(HasSubstr("wrong:")), testing::EndsWith("finalized\n")));
}

INSTANTIATE_TEST_SUITE_P(Ompt, ToldOf, testing::Values("nothing", "forwarded", "served", "all_served"),
                         [](const auto& which) { return std::string(which.param); });

/// What one of the threads hears, without numbers.
std::vector<std::string> sequence_of(const Events& events, long thread) {
  std::vector<std::string> sequence;
  for (const Event& event : events) {
    if (event.number("thread") != thread || event.what == "dispatch") continue;
    std::string text = event.what + (event.begins() ? " begins" : " ends");
    if (event.what == "sync" || event.what == "wait") text += " " + event.fields.at("kind");
    if (event.what == "task") text += event.number("flags") == 1 ? " (initial)" : "";
    sequence.push_back(text);
  }
  return sequence;
}

TEST(ToldOfLibgomp, EventsComeInTheOrderOfOpenMP) {
  const Events events = sound_events(told("one"));
  ASSERT_FALSE(events.empty());
  EXPECT_THAT(sequence_of(events, events.front().number("thread")),
              ElementsAre("thread begins", "task begins (initial)", "parallel begins", "task begins",
                          "work begins", "work ends", "sync begins 9", "wait begins 9", "wait ends 9",
                          "sync ends 9", "task ends", "parallel ends", "task ends (initial)", "thread ends"));
  const auto worker = std::find_if(events.begin(), events.end(), [](const Event& event) {
    return event.is("thread", true) && event.number("kind") == 2;
  });
  ASSERT_NE(worker, events.end());
  EXPECT_THAT(sequence_of(events, worker->number("thread")),
              ElementsAre("thread begins", "task begins", "work begins", "work ends", "sync begins 9",
                          "sync ends 9", "task ends"));
}

TEST(ToldOfLibgomp, OnlyIfToolAndOptionAsk) {
  for (const Program& program :
       {unheard("loops"), unheard("loops").set("WSTREE_OMPT", "0"),
        unheard("loops").set("OMP_SCHEDULE", "wstree"), told("loops").set("OMP_TOOL", "disabled"),
        told("loops").set("OMP_TOOL_LIBRARIES", "/nowhere.so:")}) {
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_EQ(outcome.out + outcome.err, "");
  }
}

/// The program's own tool comes first, then preloaded ones, then listed ones.
TEST(ToldOfLibgomp, ToolsAreFoundInTheOrderOfOpenMP) {
  const Program own = told("one").set("OMP_TOOL_LIBRARIES", program_path("listed.so"));
  Program with_own("told_gcc_with_tool", {"one"});
  const std::string preloaded = library_path() + " " + program_path("recorder.so");
  with_own.set("LD_PRELOAD", library_path()).set("WSTREE_OMPT", "1");
  with_own.set("OMP_TOOL_LIBRARIES", program_path("listed.so"));
  sound_events(with_own);
  sound_events(Program(own).set("LD_PRELOAD", preloaded));
  sound_events(Program(own).set("LD_PRELOAD", program_path("recorder.so") + " " + library_path()));
  const Outcome listed = own.run();
  EXPECT_TRUE(listed.succeeded()) << listed.text();
  EXPECT_THAT(listed.out, AllOf(HasSubstr("parallel "), testing::EndsWith("listed\n")));
}

#if defined(WSTREE_TEST_ARCHER)
/// Without the events the thread sanitizer reports races where libgomp synchronises.
TEST(ToldOfLibgomp, ArcherTellsRacesFromSynchronisedThreads) {
  const auto run = [](std::vector<std::string> arguments, const char* schedule) {
    return Program("synchronised_gcc", std::move(arguments))
        .preload()
        .set("OMP_SCHEDULE", schedule)
        .set("WSTREE_LOOPS", "all")
        .set("WSTREE_OMPT", "1")
        .set("OMP_TOOL_LIBRARIES", WSTREE_TEST_ARCHER)
        .set("TSAN_OPTIONS", "exitcode=66 ignore_noninstrumented_modules=1")
        .run();
  };
  if (run({}, "dynamic").err.find("unexpected memory mapping") != std::string::npos)
    GTEST_SKIP() << "the thread sanitizer does not run on this system";
  for (const char* schedule : {"dynamic", "wstree"}) {
    const Outcome sound = run({}, schedule);
    EXPECT_TRUE(sound.succeeded()) << sound.text();
    const Outcome racy = run({"unprotected"}, schedule);
    EXPECT_EQ(racy.status, 66) << racy.text();
    EXPECT_THAT(racy.err, AllOf(HasSubstr("g_unprotected"), Not(HasSubstr("g_shared"))));
  }
}
#endif

/// libomp tells the tool itself, and does so once.
TEST(ToldOfLibgomp, NotOfProgramsOnLibomp) {
  const std::string libomp = std::string(WSTREE_TEST_LIBOMP_DIR "/") + default_libomp() + "/libomp.so.5";
  const auto events = [&](const Program& program) {
    const Outcome outcome = Program(program).set("LD_PRELOAD", library_path() + " " + libomp).run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    std::map<std::string, long> counts;
    for (const char* what : {"parallel", "work", "task", "sync", "thread"})
      counts[what] = how_many(events_of(outcome.out), what);
    return counts;
  };
  EXPECT_EQ(events(told("combined")), events(unheard("combined")));
  EXPECT_EQ(events(told("combined"))["parallel"], 5);
}

} // namespace
} // namespace wstree::test
