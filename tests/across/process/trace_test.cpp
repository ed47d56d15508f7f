// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_TRACE: files in the Trace Event Format, of programs whose loops are known.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace {

using namespace wstree::test;
using nlohmann::json;
using ::testing::IsEmpty;
using ::testing::StartsWith;

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
    if (phase == "X") {
      ASSERT_GE(ns(event, "dur"), 0) << event;
      spans[{event.at("pid"), event.at("tid")}].push_back(
          {ns(event, "ts"), ns(event, "ts") + ns(event, "dur")});
    } else if (phase == "s" || phase == "f") {
      flows[event.at("id").get<int>()].push_back(event);
    } else {
      ASSERT_EQ(phase, "M") << event;
    }
  }
  for (auto& [thread, of_thread] : spans) {
    std::sort(of_thread.begin(), of_thread.end(), [](const Span& a, const Span& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<Span> open;
    for (const Span& span : of_thread) {
      while (!open.empty() && open.back().end <= span.begin) open.pop_back();
      if (!open.empty()) {
        ASSERT_LE(span.end, open.back().end) << "overlap at " << span.begin;
      }
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

class Trace : public testing::TestWithParam<const char*> {
protected:
  TemporaryFolder folder_;
};

TEST_P(Trace, IsValidAndHoldsEveryLoop) {
  const Outcome outcome = with_tree(GetParam()).set("WSTREE_TRACE", folder_ / "trace.json").run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  const json trace = read(folder_ / "trace.json");
  expect_valid(trace);
  EXPECT_EQ(trace.at("otherData").at("format"), "wstree-trace 1");
  EXPECT_EQ(trace.at("otherData").at("version"), WSTREE_TEST_VERSION);
  EXPECT_EQ(trace.at("otherData").at("sites").size(), 2U);
  EXPECT_EQ(count(trace, "loop"), 3 * 2 * 4); // executions, loops, threads
  EXPECT_GE(count(trace, "region"), 6);
  std::map<std::uint64_t, std::uint64_t> units;
  std::map<std::uint64_t, std::uint64_t> expected;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const json& told = event.at("args");
    const auto execution = told.at("execution").get<std::uint64_t>();
    if (event.at("cat") == "batch")
      units[execution] += told.at("past").get<std::uint64_t>() - told.at("first").get<std::uint64_t>();
    if (event.at("cat") == "loop") expected[execution] = told.at("units").get<std::uint64_t>();
  }
  EXPECT_EQ(units, expected); // each iteration is in one batch
}

TEST_P(Trace, GoesWithRecordsAndStatistics) {
  const Outcome outcome = with_tree(GetParam())
                              .set("WSTREE_TRACE", folder_ / "trace.json")
                              .set("WSTREE_RECORD", folder_ / "profile")
                              .set("WSTREE_STATS", "json")
                              .run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_EQ(json::parse(outcome.err).at("loops").size(), 2U);
  EXPECT_THAT(contents_of(folder_ / "profile"), StartsWith("wstree-profile 1"));
  expect_valid(read(folder_ / "trace.json"));
}

INSTANTIATE_TEST_SUITE_P(OfBothCompilers, Trace, testing::Values("ruled", "ruled_gcc"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Traces, TracksAreNamedByMembers) {
  const TemporaryFolder folder;
  ASSERT_TRUE(with_tree("ruled").set("WSTREE_TRACE", folder / "trace.json").run().succeeded());
  const json trace = read(folder / "trace.json");
  std::set<std::string> names;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") != "thread_name") continue;
    EXPECT_EQ(event.at("args").at("thread"), event.at("tid"));
    names.insert(event.at("args").at("name").get<std::string>());
  }
  EXPECT_EQ(names, (std::set<std::string>{"member 0", "member 1", "member 2", "member 3"}));
}

/// A process whose static loops balance themselves: 40 regions with one loop of 64 and one of 128 iterations.
class StaticTrace : public testing::Test {
protected:
  void SetUp() override {
    const Outcome outcome = Program("static_parts")
                                .preload()
                                .set("WSTREE_LOOPS", "static")
                                .set("WSTREE_TRACE", folder_ / "trace.json")
                                .run();
    ASSERT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_EQ(outcome.out, "7680\n");
    trace_ = read(folder_ / "trace.json");
    expect_valid(trace_);
    for (const json& event : trace_.at("traceEvents"))
      if (event.at("ph") == "X" && event.at("cat") != "region")
        executions_[event.at("args").at("execution").get<std::uint64_t>()].push_back(event);
  }

  TemporaryFolder folder_;
  json trace_;
  std::map<std::uint64_t, std::vector<json>> executions_;
};

constexpr std::size_t k_traced_static_loops = 40 * 2;

TEST_F(StaticTrace, HoldsThePartOfEachMember) {
  EXPECT_EQ(executions_.size(), k_traced_static_loops);
  for (const auto& [number, events] : executions_) {
    std::map<std::uint64_t, std::uint64_t> parts; // from where to where
    std::set<int> members;
    std::set<std::uint64_t> units;
    for (const json& event : events) {
      const json& told = event.at("args");
      if (event.at("cat") == "batch") parts[told.at("first")] = told.at("past");
      if (event.at("cat") != "loop") continue;
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
}

TEST_F(StaticTrace, SaysWhichPartsAreEqualAndWhichThreadsWait) {
  std::map<std::string, int> schedules;
  std::size_t waits = 0;
  for (const auto& [number, events] : executions_)
    for (const json& event : events) {
      if (event.at("cat") == "wait") ++waits;
      if (event.at("cat") == "loop") ++schedules[event.at("args").at("schedule").get<std::string>()];
    }
  EXPECT_GE(schedules["static (equal parts)"], 4);
  EXPECT_GE(schedules["static (balanced)"], 4);
  EXPECT_EQ(schedules.size(), 2U);
  EXPECT_GE(waits, 3U); // the execution with equal parts has two members that do nearly nothing
  EXPECT_EQ(trace_.at("otherData").at("sites").size(), 2U);
}

} // namespace
