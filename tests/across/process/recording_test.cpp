// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_RECORD and WSTREE_TRACE: profiles, and files in the Trace Event Format, of programs whose loops are
// known, of both compilers on both runtimes.
#include "process.h"

#include "profile.h"

#include <nlohmann/json.hpp>

namespace {

using namespace wstree::test;
using nlohmann::json;
using testing::IsEmpty;
using testing::StartsWith;
using wstree::simulate::Piece;
using wstree::simulate::RecordedExecution;
using wstree::simulate::RecordedLoop;

std::vector<RecordedLoop> profile_in(const std::string& path) {
  std::istringstream in(contents_of(path));
  auto profile = wstree::simulate::read_profile(in); // makes sure that sorted pieces cover the loop
  if (const auto* problem = std::get_if<std::string>(&profile)) {
    ADD_FAILURE() << *problem << '\n' << contents_of(path).substr(0, 2'000);
    return {};
  }
  return std::get<0>(std::move(profile));
}

/// Runs a loop of programs/recorded.cpp and reads its profile.
class Recording : public testing::TestWithParam<const char*> {
protected:
  Program program(const std::string& loop, int repetitions = 1) {
    return with_tree(GetParam(), {loop, std::to_string(repetitions)})
        .set("WSTREE_RECORD", folder_ / "profile");
  }
  std::vector<RecordedLoop> profile(const Program& program) {
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
    out_ = outcome.out;
    return profile_in(folder_ / "profile");
  }

  TemporaryFolder folder_;
  std::string out_;
};

double ns_between(const RecordedExecution& execution, std::uint64_t begin, std::uint64_t end) {
  double sum = 0;
  for (const Piece& piece : execution.pieces) {
    const auto from = std::max(piece.begin, begin), to = std::min(piece.end, end);
    if (from < to)
      sum += piece.ns * static_cast<double>(to - from) / static_cast<double>(piece.end - piece.begin);
  }
  return sum;
}

/// What an interval took, each 50 iterations of it in the execution in which they were disturbed least: on a
/// busy machine no execution is undisturbed from its beginning to its end.
double least_ns_between(const RecordedLoop& loop, std::uint64_t begin, std::uint64_t end) {
  double sum = 0;
  for (std::uint64_t from = begin; from < end; from += 50) {
    const std::uint64_t to = std::min(from + 50, end);
    double least = ns_between(loop.executions.front(), from, to);
    for (const RecordedExecution& each : loop.executions) least = std::min(least, ns_between(each, from, to));
    sum += least;
  }
  return sum;
}

TEST_P(Recording, CostsAreWhereTheWorkIs) {
  constexpr int k_repetitions = 5;
  for (const char* threads : {"1", "4"})
    for (const char* schedule : {"wstree", "wsqueue", "wsfixed,3", "wsstatic"})
      for (const char* loop : {"quarter", "wide"}) {
        if ((*threads == '1' || *loop == 'w') && std::string_view(schedule) != "wstree") continue;
        TemporaryFolder folder;
        const Outcome outcome = program(loop, k_repetitions)
                                    .set("WSTREE_HISTORY", "off")
                                    .set("OMP_NUM_THREADS", threads)
                                    .set("OMP_SCHEDULE", schedule)
                                    .set("WSTREE_RECORD", folder / "profile")
                                    .run();
        ASSERT_EQ(outcome.out, "done 10000\n") << outcome.text();
        const auto recorded = profile_in(folder / "profile");
        ASSERT_EQ(recorded.size(), 1U);
        const RecordedLoop& only = recorded[0];
        ASSERT_EQ(only.iterations, 2'000U);
        ASSERT_EQ(only.executions.size(), static_cast<std::size_t>(k_repetitions));
        // A thread that loses its CPU in a light iteration makes that a heavy one. Four threads that take 500
        // pieces from one counter take a tenth of a microsecond for each, which is a 20th of the heavy ones.
        const double heavy = least_ns_between(only, 1'000, 1'500);
        const double light = least_ns_between(only, 0, 950) + least_ns_between(only, 1'550, 2'000);
        EXPECT_GT(heavy, 10 * light) << loop << ' ' << threads << ' ' << schedule;
        double most_ns = 0;
        for (const RecordedExecution& each : only.executions) {
          EXPECT_EQ(std::to_string(each.members), threads);
          EXPECT_GT(each.pieces.size(), 160U) << loop << ' ' << threads << ' ' << schedule;
          most_ns += each.elapsed_ns * each.members;
        }
        EXPECT_LE(only.total_ns, most_ns * 1.01);
      }
}

TEST_P(Recording, LoopsWithoutABarrierBetweenThem) {
  const auto loops = profile(program("nowait", 3));
  EXPECT_EQ(out_, "done " + std::to_string(3 * (8 * 300 + 28)) + "\n");
  // Eight lengths at one place: of the 24 executions number 1 to 8 and 16 are kept.
  std::uint64_t kept = 0, seen = 0;
  for (const auto& loop : loops) {
    kept += loop.executions.size();
    seen += loop.executions_seen;
  }
  EXPECT_EQ(kept, 9U);
  EXPECT_EQ(seen, 24U);
}

TEST_P(Recording, ChunksOfALoopStayWhole) {
  const auto loops = profile(program("literal").set("WSTREE_LOOPS", "dynamic"));
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].iterations, 100U);
  EXPECT_EQ(loops[0].schedule, "wstree (dynamic)");
  EXPECT_EQ(loops[0].chunk, 7U);
  for (const Piece& piece : loops[0].executions.at(0).pieces) EXPECT_EQ(piece.begin % 7, 0U);
}

/// The first execution, and the later ones, which would be cut less or not at all without the recording.
TEST_P(Recording, PlainLoopsAreRecordedPieceByPiece) {
  constexpr std::size_t k_repetitions = 6;
  const auto loops = profile(program("plain", k_repetitions).set("WSTREE_LOOPS", "proven"));
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].schedule, "wstree (proven)");
  EXPECT_EQ(loops[0].executions_seen, k_repetitions);
  EXPECT_EQ(loops[0].executions.size(), k_repetitions);
  for (const RecordedExecution& each : loops[0].executions) EXPECT_GT(each.pieces.size(), 60U);
  EXPECT_EQ(loops[0].iterations, 2'000U);
  EXPECT_GT(least_ns_between(loops[0], 1'050, 1'450), 5 * least_ns_between(loops[0], 0, 950));
}

TEST_P(Recording, ACancelledLoopIsLeftOut) {
  const auto loops = profile(program("cancel", 3).set("OMP_CANCELLATION", "true"));
  std::map<std::uint64_t, std::size_t> kept;
  for (const auto& loop : loops) kept[loop.iterations] = loop.executions.size();
  EXPECT_EQ(kept[50], 3U);
}

INSTANTIATE_TEST_SUITE_P(Programs, Recording, testing::Values("recorded", "recorded_gcc"));

json read(const std::string& path) {
  auto trace = json::parse(contents_of(path), nullptr, false);
  EXPECT_FALSE(trace.is_discarded()) << path;
  return trace;
}

std::int64_t ns(const json& event, const char* key) {
  return std::llround(event.at(key).get<double>() * 1000);
}

/// What the format asks for: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
void expect_valid(const json& trace) {
  struct Span {
    std::int64_t begin, end;
  };
  std::map<std::pair<int, int>, std::vector<Span>> spans;
  std::map<int, std::vector<json>> flows;
  for (const json& event : trace.at("traceEvents")) {
    const auto phase = event.at("ph").get<std::string>();
    ASSERT_TRUE(event.at("name").is_string() && event.at("pid").is_number_integer() &&
                event.at("tid").is_number_integer() && event.at("ts").is_number())
        << event;
    ASSERT_TRUE(phase == "X" || phase == "s" || phase == "f" || phase == "M") << event;
    if (phase == "s" || phase == "f") flows[event.at("id").get<int>()].push_back(event);
    if (phase != "X") continue;
    ASSERT_GE(ns(event, "dur"), 0) << event;
    spans[{event.at("pid"), event.at("tid")}].push_back(
        {ns(event, "ts"), ns(event, "ts") + ns(event, "dur")});
  }
  for (auto& [thread, of_thread] : spans) {
    std::sort(of_thread.begin(), of_thread.end(), [](const Span& a, const Span& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<Span> open;
    for (const Span& span : of_thread) {
      while (!open.empty() && open.back().end <= span.begin) open.pop_back();
      ASSERT_TRUE(open.empty() || span.end <= open.back().end) << "overlap at " << span.begin;
      open.push_back(span);
    }
  }
  for (const auto& [id, both] : flows) {
    ASSERT_EQ(both.size(), 2U) << id;
    EXPECT_EQ(both[0].at("ph"), "s");
    EXPECT_EQ(both[1].at("ph"), "f");
    EXPECT_LE(ns(both[0], "ts"), ns(both[1], "ts"));
    EXPECT_NE(both[0].at("tid"), both[1].at("tid"));
    EXPECT_EQ(both[0].at("cat"), both[1].at("cat"));
  }
}

std::int64_t count(const json& trace, const char* category) {
  std::int64_t found = 0;
  for (const json& event : trace.at("traceEvents"))
    found += event.at("ph") == "X" && event.at("cat") == category ? 1 : 0;
  return found;
}

class Trace : public testing::TestWithParam<const char*> {};

TEST_P(Trace, IsValidAndHoldsEveryLoopBesideRecordsAndStatistics) {
  const TemporaryFolder folder;
  const Outcome outcome = with_tree(GetParam())
                              .set("WSTREE_TRACE", folder / "trace.json")
                              .set("WSTREE_RECORD", folder / "profile")
                              .set("WSTREE_STATS", "json")
                              .run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_EQ(json::parse(outcome.err).at("loops").size(), 2U);
  EXPECT_THAT(contents_of(folder / "profile"), StartsWith("wstree-profile 1"));
  const json trace = read(folder / "trace.json");
  expect_valid(trace);
  EXPECT_EQ(trace.at("otherData").at("format"), "wstree-trace 1");
  EXPECT_EQ(trace.at("otherData").at("version"), WSTREE_TEST_VERSION);
  EXPECT_EQ(trace.at("otherData").at("sites").size(), 2U);
  EXPECT_EQ(count(trace, "loop"), 3 * 2 * 4); // executions, loops, threads
  EXPECT_GE(count(trace, "region"), 6);
  std::map<std::uint64_t, std::uint64_t> units, expected;
  std::set<std::string> names;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name") {
      EXPECT_EQ(event.at("args").at("thread"), event.at("tid"));
      names.insert(event.at("args").at("name").get<std::string>());
    }
    if (event.at("ph") != "X") continue;
    const json& told = event.at("args");
    const auto execution = told.at("execution").get<std::uint64_t>();
    if (event.at("cat") == "batch")
      units[execution] += told.at("past").get<std::uint64_t>() - told.at("first").get<std::uint64_t>();
    if (event.at("cat") == "loop") expected[execution] = told.at("units").get<std::uint64_t>();
  }
  EXPECT_EQ(units, expected) << "each iteration is in one batch";
  EXPECT_EQ(names, (std::set<std::string>{"member 0", "member 1", "member 2", "member 3"}));
}

INSTANTIATE_TEST_SUITE_P(OfBothCompilers, Trace, testing::Values("ruled", "ruled_gcc"));

/// The process has 40 regions with a static loop of 64 and one of 128 iterations, which balance themselves.
TEST(StaticTrace, HoldsThePartOfEachMemberAndWhichThreadsWait) {
  const TemporaryFolder folder;
  const std::string file = folder / "trace.json";
  const Outcome outcome =
      Program("static_parts").preload().set("WSTREE_LOOPS", "static").set("WSTREE_TRACE", file).run();
  ASSERT_EQ(outcome.text(), silent("7680\n"));
  const json trace = read(file);
  expect_valid(trace);
  EXPECT_EQ(trace.at("otherData").at("sites").size(), 2U);
  std::map<std::uint64_t, std::vector<json>> executions;
  for (const json& event : trace.at("traceEvents"))
    if (event.at("ph") == "X" && event.at("cat") != "region")
      executions[event.at("args").at("execution").get<std::uint64_t>()].push_back(event);
  EXPECT_EQ(executions.size(), 40U * 2);
  std::map<std::string, int> schedules;
  std::size_t waits = 0;
  for (const auto& [number, events] : executions) {
    std::map<std::uint64_t, std::uint64_t> parts; // from where to where
    std::set<int> members;
    std::set<std::uint64_t> units;
    for (const json& event : events) {
      const json& told = event.at("args");
      if (event.at("cat") == "batch") parts[told.at("first")] = told.at("past");
      if (event.at("cat") == "wait") ++waits;
      if (event.at("cat") != "loop") continue;
      ++schedules[told.at("schedule").get<std::string>()];
      members.insert(told.at("member").get<int>());
      units.insert(told.at("units").get<std::uint64_t>());
    }
    EXPECT_EQ(members.size(), 4U) << number;
    ASSERT_EQ(units.size(), 1U) << number;
    ASSERT_EQ(parts.size(), 4U) << number;
    std::uint64_t next = 0;
    for (const auto& [first, past] : parts) {
      EXPECT_EQ(first, next) << number;
      next = past;
    }
    EXPECT_EQ(next, *units.begin()) << number;
  }
  EXPECT_GE(schedules["static (equal parts)"], 4);
  EXPECT_GE(schedules["static (balanced)"], 4);
  EXPECT_EQ(schedules.size(), 2U);
  EXPECT_GE(waits, 3U); // the execution with equal parts has two members that do nearly nothing
}

} // namespace
