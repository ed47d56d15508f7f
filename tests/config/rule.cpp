// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rule.h"

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

TEST(Rule, Globs) {
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

TEST(Rule, AMarkInFrontOfUtf8IsNoPartOfALine) {
  std::string_view text = "\xEF\xBB\xBF* off\n\xEF\xBB\xBF# joined\n\xEF\xBB;a\xEF\xBB\xBF off";
  EXPECT_EQ(take_rule_line(text), "* off");
  EXPECT_EQ(take_rule_line(text), "# joined");
  EXPECT_EQ(take_rule_line(text), "\xEF\xBB");
  EXPECT_EQ(take_rule_line(text), "a\xEF\xBB\xBF off");
}

TEST(Rule, WhatHasAZeroByteIsNoText) {
  using namespace std::literals;
  EXPECT_TRUE(is_text("* off # \xE4"));
  EXPECT_FALSE(is_text("*\0 \0o\0f\0f\0"sv));
}

TEST(Rule, LinesEndWithNewlinesAndSemicolons) {
  std::string_view text = "a off; b off\nc off";
  EXPECT_EQ(take_rule_line(text), "a off");
  EXPECT_EQ(take_rule_line(text), " b off");
  EXPECT_EQ(take_rule_line(text), "c off");
  EXPECT_TRUE(text.empty());
}

} // namespace
} // namespace wstree::config
