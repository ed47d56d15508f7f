// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How our schedules pass through the OpenMP runtime and to children.
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "marked_schedule.h"

namespace wstree::config {
namespace {

TEST(MarkedSchedule, NumbersAreReadBack) {
  for (std::size_t kind = 0; kind < k_schedule_kinds; ++kind)
    for (const std::uint64_t chunk : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096}, k_max_chunk}) {
      if (kind == 0 && chunk == 0) continue; // the tree always has one
      const OwnSchedule schedule{static_cast<ScheduleKind>(kind), chunk};
      const int number = encode(schedule);
      EXPECT_GT(number, 0) << kind << " " << chunk; // the runtimes take smaller ones for none
      EXPECT_LT(number, std::numeric_limits<int>::max()) << kind << " " << chunk; // libomp warns of INT_MAX
      EXPECT_EQ(decode(number), schedule) << kind << " " << chunk;
    }
}

TEST(MarkedSchedule, TheTreesNumberIsItsChunk) {
  EXPECT_EQ(encode({ScheduleKind::wstree, 1}), 1);
  EXPECT_EQ(encode({ScheduleKind::wstree, 1000}), 1000);
  EXPECT_EQ(encode({ScheduleKind::wsrange, 7}), (1 << 26) + 7);
  EXPECT_EQ(encode({ScheduleKind::wsstatic, 0}), 8 << 26);
}

TEST(MarkedSchedule, AnyNumberIsASchedule) {
  for (const int number : {0, -1, std::numeric_limits<int>::min()})
    EXPECT_EQ(decode(number), (OwnSchedule{ScheduleKind::wstree, 1})) << number;
  EXPECT_EQ(decode((9 << 26) + 5), (OwnSchedule{ScheduleKind::wstree, 5}));
  EXPECT_EQ(decode(std::numeric_limits<int>::max()), (OwnSchedule{ScheduleKind::wstree, k_max_chunk}));
}

TEST(MarkedSchedule, OnlyAChunkThatWasGivenCounts) {
  EXPECT_EQ(schedule_of(*parse_schedule("wstree")), (OwnSchedule{ScheduleKind::wstree, 1}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsstatic")), (OwnSchedule{ScheduleKind::wsstatic, 0}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsstatic,1")), (OwnSchedule{ScheduleKind::wsstatic, 1}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsguided,bad")), (OwnSchedule{ScheduleKind::wsguided, 0}));
}

struct Marked {
  std::string_view value, text;
};

TEST(MarkedSchedule, ValuesOfTheEnvironment) {
  const Marked cases[] = {
      {"wstree", "Monotonic:Dynamic"},
      {"wstree,64", "Monotonic:Dynamic,64"},
      {"wsrange", "Monotonic:Dynamic,67108864"},
      {"wsqueue,3", "Monotonic:Dynamic,134217731"},
      {"monotonic:wsfixed", "Monotonic:Dynamic,268435456"},
      {"wsstatic,67108863", "Monotonic:Dynamic,603979775"},
  };
  for (const auto& [value, text] : cases) {
    const auto asked = parse_schedule(value);
    ASSERT_TRUE(asked) << value;
    EXPECT_EQ(to_marked(*asked).view(), text) << value;
    const auto read = parse_marked(text);
    ASSERT_TRUE(read) << value;
    EXPECT_EQ(schedule_of(*read), schedule_of(*asked)) << value;
    EXPECT_EQ(read->chunk_given, asked->chunk_given) << value;
  }
}

TEST(MarkedSchedule, OtherValuesAreSomebodyElses) {
  for (const std::string_view value :
       {"", "monotonic:dynamic", "monotonic:dynamic,4", "Monotonic:Dynamic,", "Monotonic:Dynamic,0",
        "Monotonic:Dynamic,x", "Monotonic:Dynamic4", "Monotonic:Dynamic,4,4", "Monotonic:Dynamic,603979776",
        "Monotonic:Dynamic,-1", " Monotonic:Dynamic", "wstree"})
    EXPECT_FALSE(parse_marked(value)) << value;
}

} // namespace
} // namespace wstree::config
