// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules, and the schedules that travel through the runtime and to children.
#include "rule.h"
#include "marked_schedule.h"
#include "system_call.h"

#include "threads.h"
#include "usual.h"

#include <sys/mman.h>

namespace wstree::config {
namespace {

Rule parsed(std::string_view line) {
  RuleError error;
  const auto rule = parse_rule(line, error);
  EXPECT_TRUE(rule.has_value()) << line << ": " << error.word << ' ' << error.reason;
  return rule.value_or(Rule{});
}

std::string complaint(std::string_view line) {
  RuleError error;
  EXPECT_FALSE(parse_rule(line, error).has_value()) << line;
  return std::string(error.word) + '|' + std::string(error.reason);
}

TEST(Rule, EachPatternIsToldApart) {
  using P = Rule::Pattern;
  EXPECT_EQ(parsed("* off").pattern, P::everything);
  EXPECT_EQ(parsed("app:post* off").pattern, P::program);
  EXPECT_EQ(parsed("app:post* off").text, "post*");
  EXPECT_EQ(parsed("label:assembly wsrange").pattern, P::label);
  EXPECT_EQ(parsed("*fft* runtime").pattern, P::name);
  const Rule lines = parsed(" src/solver.c:100-180\twstree,64 ");
  EXPECT_EQ(lines.pattern, P::lines);
  EXPECT_EQ(lines.text, "src/solver.c");
  EXPECT_EQ(lines.first, 100U);
  EXPECT_EQ(lines.last, 180U);
  EXPECT_EQ(parsed("a.c:7 off").last, 7U);
  const Rule code = parsed("8badf00d+0x12F0 off");
  EXPECT_EQ(code.pattern, P::code);
  EXPECT_EQ(code.text, "8badf00d");
  EXPECT_EQ(code.first, 0x12f0U);
}

TEST(Rule, EachSettingIsRead) {
  const Ruling schedule = parsed("a.c:1 wsrange,64 # why").ruling;
  EXPECT_TRUE(schedule.names_schedule());
  EXPECT_EQ(schedule.kind(), ScheduleKind::wsrange);
  EXPECT_EQ(schedule.chunk(), 64U);
  EXPECT_EQ(parsed("a.c:1 wstree,67108863").ruling.chunk(), 67108863U);
  EXPECT_TRUE(parsed("a.c:1 runtime").ruling.is_left_to_runtime());
  const Rule rule = parsed("* loops=dynamic,guided threads=16 history=off bind=none");
  EXPECT_EQ(rule.ruling.loops(LoopKinds{1}).bits, 2 + 4);
  EXPECT_EQ(rule.ruling.threads(), 16U);
  EXPECT_EQ(rule.ruling.history(), false);
  EXPECT_EQ(rule.bind, Bind::none);
  EXPECT_FALSE(rule.ruling.names_schedule());
}

TEST(Rule, ThatNamesAScheduleMeansEveryKindOfLoop) {
  EXPECT_EQ(parsed("a.c:1 wstree").ruling.loops(LoopKinds{1}).bits, 111);
  EXPECT_EQ(parsed("a.c:1 loops=dynamic,static history=off").ruling.loops(LoopKinds{1}).bits, 18);
  EXPECT_EQ(parsed("a.c:1 loops=dynamic,static history=off").ruling.history(), false);
  EXPECT_EQ(parsed("a.c:1 wstree loops=guided").ruling.loops(LoopKinds{1}).bits, 4);
  EXPECT_TRUE(parsed("a.c:1 wstree chunk=1").ruling.cuts_chunks());
  EXPECT_FALSE(parsed("a.c:1 wstree,1").ruling.cuts_chunks()) << "the chunk of the schedule is another one";
  EXPECT_EQ(parsed("a.c:1 history=on").ruling.loops(LoopKinds{2}).bits, 2);
}

TEST(Rule, ALaterRuleReplacesWhatItSays) {
  Ruling ruling = parsed("* wsrange,64 threads=4 history=off").ruling;
  ruling.overlay(parsed("* wstree").ruling);
  EXPECT_EQ(ruling.kind(), ScheduleKind::wstree);
  EXPECT_EQ(ruling.chunk(), 0U); // of the old schedule
  EXPECT_EQ(ruling.threads(), 4U);
  EXPECT_EQ(ruling.history(), false);
  ruling.overlay(parsed("* off threads=8").ruling);
  EXPECT_TRUE(ruling.is_left_to_runtime());
  EXPECT_FALSE(ruling.names_schedule());
  EXPECT_EQ(ruling.threads(), 8U);
}

TEST(Rule, BadLinesSayWhatIsWrong) {
  EXPECT_EQ(complaint("a.c:1 wstre"),
            "wstre|is neither a schedule of the library nor one of runtime, off, loops=, threads=, history=, "
            "chunk=1, bind=");
  EXPECT_EQ(complaint("a.c:1 wstree,0"), "wstree,0|has a chunk that is no number from 1 to 67108863");
  EXPECT_EQ(complaint("a.c:1 monotonic:wstree"), "monotonic:wstree|cannot be monotonic");
  EXPECT_EQ(complaint("* threads=0"), "threads=0|is no number of threads from 1 to 1048575");
  EXPECT_THAT(complaint("* chunk=8"), testing::HasSubstr("chunk=8|is not chunk=1"));
  EXPECT_EQ(complaint("* color=red"), "color=red|is none of loops=, threads=, history=, chunk=1, bind=");
  EXPECT_EQ(complaint("*x* bind=none"),
            "bind=none|holds for whole programs: the pattern has to be * or app:...");
  EXPECT_EQ(complaint("*"), "|no setting follows the pattern, such as wstree,64 or off");
  EXPECT_EQ(complaint("app: off"), "|nothing stands behind app: or label: in the pattern");
  EXPECT_EQ(complaint("a.c:30-1 off"), "a.c:30-1|names lines that end before they begin");
  EXPECT_EQ(complaint("  # a comment"), "|");
  EXPECT_EQ(complaint(""), "|");
}

TEST(Rule, GlobsAndTexts) {
  using namespace std::literals;
  EXPECT_TRUE(is_text("* off # \xE4"));
  EXPECT_FALSE(is_text("*\0 \0o\0f\0f\0"sv));
  EXPECT_TRUE(matches_glob("*fft*", "libfftw3.so"));
  EXPECT_TRUE(matches_glob("a*b*c", "aXbXbXc"));
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_FALSE(matches_glob("a?", "a"));
  EXPECT_FALSE(matches_glob("a*b", "aXc"));
  EXPECT_TRUE(matches_path("src/a.c", "/home/x/src/a.c"));
  EXPECT_TRUE(matches_path("./a.c", "/home/x/src/a.c"));
  EXPECT_FALSE(matches_path("a.c", "/home/x/aa.c"));
}

TEST(Rule, MatchesWhatIsKnownOfAPlace) {
  RulePlace place;
  place.module = "solver";
  place.build_id = "8badf00d";
  place.offset = 0x1251;
  EXPECT_TRUE(matches(parsed("8badf00d+0x1251 off"), place));
  EXPECT_TRUE(matches(parsed("solver+0x1251 off"), place));
  EXPECT_FALSE(matches(parsed("solver+0x1252 off"), place));
  EXPECT_FALSE(matches(parsed("solver.c:10 off"), place)); // the line is not known
  EXPECT_FALSE(matches(parsed("label:* off"), place));
  place.file = "/src/solver.c";
  place.line = 10;
  place.function = "assemble";
  EXPECT_TRUE(matches(parsed("solver.c:10-12 off"), place));
  EXPECT_FALSE(matches(parsed("solver.c:11-12 off"), place));
  EXPECT_TRUE(matches(parsed("assem* off"), place));
  EXPECT_TRUE(matches(parsed("solver off"), place));
}

TEST(Rule, OfSettingsThatContradictEachOtherTheLastOneCounts) {
  EXPECT_TRUE(parsed("* off wstree,8").ruling.names_schedule());
  EXPECT_TRUE(parsed("* wstree,8 off").ruling.is_left_to_runtime());
  EXPECT_EQ(parsed("* threads=2 threads=3").ruling.threads(), 3U);
}

TEST(Rule, LinesEndWithNewlinesAndSemicolonsAndMayBeginWithAMarkOfUtf8) {
  std::string_view text = "a off; b off\n\xEF\xBB\xBF* off\n\xEF\xBB\xBF# joined\n\xEF\xBB;a\xEF\xBB\xBF off";
  for (const char* line : {"a off", " b off", "* off", "# joined", "\xEF\xBB", "a\xEF\xBB\xBF off"})
    EXPECT_EQ(take_rule_line(text), line);
  EXPECT_TRUE(text.empty());
}

constexpr int k_huge = 1 << 30;

TEST(MarkedSchedule, OnlyAChunkThatWasGivenCounts) {
  EXPECT_EQ(schedule_of(*parse_schedule("wstree")), (OwnSchedule{ScheduleKind::wstree, 1}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsstatic")), (OwnSchedule{ScheduleKind::wsstatic, 0}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsstatic,1")), (OwnSchedule{ScheduleKind::wsstatic, 1}));
  EXPECT_EQ(schedule_of(*parse_schedule("wsguided,bad")), (OwnSchedule{ScheduleKind::wsguided, 0}));
}

TEST(MarkedSchedule, ValuesOfTheEnvironment) {
  const std::pair<const char*, const char*> cases[] = {
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
  for (const auto& value : test::words(
           "|monotonic:dynamic|monotonic:dynamic,4|Monotonic:Dynamic|Monotonic:Dynamic,4|MONOTONIC:DYNAMIC|"
           "Monotonic:dynamiC,|Monotonic:dynamiC,0|Monotonic:dynamiC,x|Monotonic:dynamiC4|Monotonic:dynamiC,"
           "4,4|"
           "Monotonic:dynamiC,67108864|Monotonic:dynamiC,-1| Monotonic:dynamiC|monotonic:dynamiC|"
           "MONOTONIC:dynamiC|MONOTONIc:dynamiC|MonotoniC:dynamiC|MOnotonik:dynamiC|MonotonicM:dynamiC|MOn|"
           "wstree"))
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
    constexpr std::uint32_t k_threads = 4;
    std::vector<std::vector<int>> marks(k_threads); // and at the end whether 3 is the program's
    test::in_parallel(k_threads, [&](std::uint32_t t) {
      for (const OwnSchedule& schedule : schedules) marks[t].push_back(table.mark(schedule));
      marks[t].push_back(-static_cast<int>(table.leave_to_program(3)));
    });
    for (const auto& each : marks) ASSERT_EQ(each, marks[0]);
    marks[0].pop_back();
    ASSERT_EQ(std::set<int>(marks[0].begin(), marks[0].end()).size(), schedules.size());
    for (std::size_t i = 0; i < schedules.size(); ++i) ASSERT_EQ(table.meaning(marks[0][i]), schedules[i]);
  }
}

TEST(SystemCall, ReturnsTheErrorAndLeavesErrnoAlone) {
  errno = ENOTTY;
  EXPECT_EQ(system_call(SYS_close, -1), -EBADF);
  EXPECT_EQ(errno, ENOTTY);
}

TEST(SystemCall, HandsOnSixArguments) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const long file = system_call(SYS_memfd_create, "pages", 0);
  ASSERT_GE(file, 0);
  ASSERT_EQ(system_call(SYS_ftruncate, file, 2 * page), 0);
  ASSERT_EQ(system_call(SYS_pwrite64, file, "second", 6, page), 6);
  const long mapped =
      system_call(SYS_mmap, nullptr, page, PROT_READ, MAP_PRIVATE, file, static_cast<off_t>(page));
  ASSERT_GT(mapped, 0);
  EXPECT_STREQ(reinterpret_cast<const char*>(mapped), "second");
  EXPECT_EQ(system_call(SYS_munmap, mapped, page), 0);
  EXPECT_EQ(system_call(SYS_close, file), 0);
}

} // namespace
} // namespace wstree::config
