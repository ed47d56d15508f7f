// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedules that travel through the runtime and to children.
#include "marked_schedule.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <set>
#include <thread>
#include <vector>

namespace wstree::config {
namespace {

constexpr int k_huge = 1 << 30;

TEST(MarkedSchedule, OnlyAChunkThatWasGivenCounts) {
  EXPECT_EQ(schedule_of(*parse_schedule("wstree")), (OwnSchedule{ScheduleKind::wstree, 1}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsstatic")), (OwnSchedule{ScheduleKind::wsstatic, 0}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsstatic,1")), (OwnSchedule{ScheduleKind::wsstatic, 1}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsguided,bad")), (OwnSchedule{ScheduleKind::wsguided, 0}));
}

struct Marked {
  const char *value, *text;
};

TEST(MarkedSchedule, ValuesOfTheEnvironment) {
  const Marked cases[] = {
      {"wstree", "Monotonic:dynamiC"},
      {"wstree,64", "Monotonic:dynamiC,64"},
      {"wsrange", "mOnotonic:dynamiC"},
      {"wsqueue,3", "MOnotonic:dynamiC,3"},
      {"wsqueue_lock", "moNotonic:dynamiC"},
      {"monotonic:wsfixed", "MoNotonic:dynamiC"},
      {"wsstatic,67108863", "MonOtonic:dynamiC,67108863"},
  };
  for (const auto& [value, text] : cases) {
    const auto asked = parse_schedule(value);
    ASSERT_TRUE(asked) << value;
    EXPECT_EQ(to_marked(*asked).view(), text) << value;
    const auto read = parse_marked(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(schedule_of(*read), schedule_of(*asked)) << text;
    EXPECT_EQ(read->chunk_given, asked->chunk_given) << text;
  }
}

TEST(MarkedSchedule, OtherValuesAreNotMarked) {
  for (const char* value : {"",
                            "monotonic:dynamic",
                            "monotonic:dynamic,4",
                            "Monotonic:Dynamic",
                            "Monotonic:Dynamic,4",
                            "MONOTONIC:DYNAMIC",
                            "Monotonic:dynamiC,",
                            "Monotonic:dynamiC,0",
                            "Monotonic:dynamiC,x",
                            "Monotonic:dynamiC4",
                            "Monotonic:dynamiC,4,4",
                            "Monotonic:dynamiC,67108864",
                            "Monotonic:dynamiC,-1",
                            " Monotonic:dynamiC",
                            "monotonic:dynamiC",
                            "MONOTONIC:dynamiC",
                            "MONOTONIc:dynamiC",
                            "MonotoniC:dynamiC",
                            "MOnotonik:dynamiC",
                            "MonotonicM:dynamiC",
                            "MOn",
                            "wstree"})
    EXPECT_FALSE(parse_marked(value)) << value;
}

TEST(MarkedSchedule, MonotonicDynamicOfTheUser) {
  constexpr int k_most = std::numeric_limits<int>::max();
  EXPECT_EQ(parse_monotonic_dynamic("monotonic:dynamic"), 1);
  EXPECT_EQ(parse_monotonic_dynamic(" Monotonic : DYNAMIC , 5"), 5);
  EXPECT_EQ(parse_monotonic_dynamic("monotonic:dynamic,2147483647"), k_most);
  EXPECT_EQ(parse_monotonic_dynamic("monotonic:dynamic,junk"), 1);
  for (const char* value : {"dynamic", "nonmonotonic:dynamic", "monotonic:guided", "Monotonic:dynamiC,4",
                            "monotonic:wstree", "monotonic", ""})
    EXPECT_FALSE(parse_monotonic_dynamic(value)) << value;
}

std::vector<OwnSchedule> every_kind(std::initializer_list<std::uint64_t> chunks) {
  std::vector<OwnSchedule> all;
  for (std::size_t kind = 0; kind < k_schedule_kinds; ++kind)
    for (const std::uint64_t chunk : chunks)
      if (kind != 0 || chunk != 0) all.push_back({static_cast<ScheduleKind>(kind), chunk});
  return all;
}

TEST(MarkTable, MeaningsAreReadBack) {
  MarkTable table;
  std::set<int> marks;
  const auto schedules = every_kind({0, 1, 64, k_max_chunk});
  for (const OwnSchedule& schedule : schedules) {
    const int mark = table.mark(schedule);
    EXPECT_TRUE(marks.insert(mark).second) << mark;
    EXPECT_EQ(table.mark(schedule), mark); // and again
    // A reader that takes the mark for a schedule gets one of about that chunk.
    EXPECT_GE(mark, static_cast<int>(schedule.chunk));
    EXPECT_LE(mark, static_cast<int>(schedule.chunk) + static_cast<int>(schedules.size()));
  }
  for (const OwnSchedule& schedule : schedules) EXPECT_EQ(table.meaning(table.mark(schedule)), schedule);
  EXPECT_EQ(table.meaning(5'000), std::nullopt);
  EXPECT_EQ(table.meaning(k_huge + 5), std::nullopt);
}

TEST(MarkTable, WhatTheProgramAsksForIsItsOwn) {
  MarkTable table;
  EXPECT_TRUE(table.leave_to_program(4));
  EXPECT_TRUE(table.leave_to_program(4));
  EXPECT_TRUE(table.leave_to_program(k_huge + (1 << 26) + 7)); // looks like a mark of a table that is full
  EXPECT_TRUE(table.leave_to_program(-3));                     // means 1
  EXPECT_EQ(table.mark({ScheduleKind::wstree, 4}), 5);
  EXPECT_EQ(table.mark({ScheduleKind::wsrange, 0}), 2);
  EXPECT_EQ(table.meaning(4), std::nullopt);
  EXPECT_EQ(table.meaning(1), std::nullopt);
  EXPECT_EQ(table.meaning(k_huge + (1 << 26) + 7), std::nullopt);
  EXPECT_FALSE(table.leave_to_program(5));
  EXPECT_EQ(table.meaning(5), (OwnSchedule{ScheduleKind::wstree, 4}));
}

TEST(MarkTable, HasAnAnswerWhenItIsFull) {
  MarkTable table;
  for (std::uint64_t chunk = 1; chunk <= 200; ++chunk) {
    const OwnSchedule schedule{ScheduleKind::wsguided, 3 * chunk};
    EXPECT_EQ(table.meaning(table.mark(schedule)), schedule);
  }
  for (const OwnSchedule& schedule : every_kind({0, 1, k_max_chunk}))
    EXPECT_EQ(table.meaning(table.mark(schedule)), schedule);
  for (const int chunk : {1, 3, k_huge, k_huge + (1 << 26) + 7}) EXPECT_FALSE(table.leave_to_program(chunk));
  EXPECT_EQ(table.meaning(k_huge - 1), std::nullopt);
  EXPECT_EQ(table.meaning(std::numeric_limits<int>::max()), std::nullopt); // a kind that we do not have
}

TEST(MarkTable, ThreadsThatMarkAtOnceAgree) {
  for (int round = 0; round < 200; ++round) {
    MarkTable table;
    const auto schedules = every_kind({0, 1, 2});
    constexpr int k_threads = 4;
    std::vector<std::vector<int>> marks(k_threads);
    std::vector<char> program(k_threads);
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < k_threads; ++t)
      threads.emplace_back([&, t] {
        ++ready;
        while (ready < k_threads) std::this_thread::yield();
        for (const OwnSchedule& schedule : schedules)
          marks[static_cast<std::size_t>(t)].push_back(table.mark(schedule));
        program[static_cast<std::size_t>(t)] = table.leave_to_program(3) ? 1 : 0;
      });
    for (std::thread& thread : threads) thread.join();
    for (int t = 1; t < k_threads; ++t) {
      ASSERT_EQ(marks[static_cast<std::size_t>(t)], marks[0]);
      ASSERT_EQ(program[static_cast<std::size_t>(t)], program[0]);
    }
    ASSERT_EQ(std::set<int>(marks[0].begin(), marks[0].end()).size(), schedules.size());
    for (std::size_t i = 0; i < schedules.size(); ++i) ASSERT_EQ(table.meaning(marks[0][i]), schedules[i]);
  }
}

} // namespace
} // namespace wstree::config
