// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "near_name.h"
#include "options.h"

namespace wstree::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

static_assert(std::is_trivially_copyable_v<Options>);

void keep_line(void* lines, std::string_view line) noexcept {
  static_cast<std::vector<std::string>*>(lines)->emplace_back(line);
}

struct Loaded {
  Options options;
  std::vector<std::string> lines;
};

Loaded load_from(const std::vector<std::string>& entries) {
  std::vector<const char*> envp;
  for (const auto& entry : entries) envp.push_back(entry.c_str());
  envp.push_back(nullptr);
  Loaded loaded;
  loaded.options = load(envp.data(), {keep_line, &loaded.lines});
  return loaded;
}

TEST(Load, GivesDefaultsWhenNothingIsSet) {
  for (const auto& entries : {std::vector<std::string>{}, {"PATH=/bin", "OMP_NUM_THREADS=4"}}) {
    const auto [options, lines] = load_from(entries);
    EXPECT_EQ(options.loops.bits, 1u);
    EXPECT_EQ(options.strategy, Strategy::find_max);
    EXPECT_EQ(options.batch, (Batch{BatchMode::timed, 0}));
    EXPECT_EQ(options.fallback, (Fallback{FallbackKind::guided, 0}));
    EXPECT_EQ(options.bind, Bind::auto_);
    EXPECT_EQ(options.stats, StatsFormat::off);
    EXPECT_TRUE(options.record_path.empty());
    EXPECT_EQ(parse_switch(text_of(Option::ompt).default_value), options.ompt);
    EXPECT_FALSE(options.counters);
    EXPECT_FALSE(options.ompt);
    EXPECT_FALSE(options.verbose);
    EXPECT_FALSE(options.display_affinity);
    EXPECT_TRUE(options.affinity_format.empty());
    EXPECT_EQ(options.display_env, DisplayEnv::no);
    EXPECT_TRUE(options.stats_path.empty());
    for (const Origin origin : options.origins) EXPECT_EQ(origin, Origin::default_value);
    EXPECT_THAT(lines, IsEmpty());
  }
  EXPECT_EQ(load(nullptr, {}).strategy, Strategy::find_max);
}

TEST(Load, TakesEveryOptionFromTheEnvironment) {
  const auto [options, lines] =
      load_from({"WSTREE_STRATEGY=assign", "WSTREE_BATCH=fixed:8", "WSTREE_FALLBACK=static,4",
                 "WSTREE_LOOPS=auto,Dynamic", "WSTREE_STATS=json=/tmp/%p.json", "WSTREE_VERBOSE=1",
                 "WSTREE_RECORD=/tmp/%p.profile", "OMP_DISPLAY_ENV=verbose", "WSTREE_BIND=close",
                 "WSTREE_HISTORY=off", "WSTREE_COUNTERS=1", "WSTREE_OMPT=1", "OMP_DISPLAY_AFFINITY=true",
                 "OMP_AFFINITY_FORMAT=%{thread_num} %A"});
  EXPECT_FALSE(options.history);
  EXPECT_TRUE(options.loops == LoopKinds{10});
  EXPECT_EQ(options.strategy, Strategy::assign);
  EXPECT_EQ(options.batch, (Batch{BatchMode::fixed, 8}));
  EXPECT_EQ(options.fallback, (Fallback{FallbackKind::static_, 4}));
  EXPECT_EQ(options.stats, StatsFormat::json);
  EXPECT_EQ(options.stats_path.view(), "/tmp/%p.json");
  EXPECT_EQ(options.record_path.view(), "/tmp/%p.profile");
  EXPECT_TRUE(options.counters);
  EXPECT_TRUE(options.ompt);
  EXPECT_TRUE(options.verbose);
  EXPECT_EQ(options.display_env, DisplayEnv::verbose);
  EXPECT_EQ(options.bind, Bind::close);
  EXPECT_TRUE(options.display_affinity);
  EXPECT_EQ(options.affinity_format.view(), "%{thread_num} %A");
  for (const Option option :
       {Option::loops, Option::strategy, Option::batch, Option::fallback, Option::bind, Option::history,
        Option::stats, Option::counters, Option::record, Option::ompt, Option::verbose, Option::display_env,
        Option::display_affinity, Option::affinity_format})
    EXPECT_EQ(options.origin(option), Origin::environment) << text_of(option).name;
  EXPECT_THAT(lines, IsEmpty());
}

TEST(Load, OutlivesTheEnvironment) {
  std::string entry = "WSTREE_STATS=text=first";
  const char* const envp[] = {entry.c_str(), nullptr};
  const Options options = load(envp, {});
  entry.replace(entry.find("first"), 5, "XXXXX");
  EXPECT_EQ(options.stats_path.view(), "first");
}

TEST(Load, SaysOneLineForEachBadValueAndKeepsTheDefault) {
  struct Case {
    std::string entry, line;
  };
  const Case cases[] = {
      {"WSTREE_STRATEGY=foo",
       "wstree: WSTREE_STRATEGY='foo' is not understood (accepted: predefined, assign, assigntop, "
       "randomwalk, randomall, findmax); using findmax"},
      {"WSTREE_LOOPS=dynamic,none",
       "wstree: WSTREE_LOOPS='dynamic,none' is not understood (accepted: comma-separated list of runtime, "
       "dynamic, guided, auto, static, taskloop, proven; or all but static: all); using runtime"},
      {"WSTREE_LOOPS=,",
       "wstree: WSTREE_LOOPS=',' is not understood (accepted: comma-separated list of runtime, dynamic, "
       "guided, auto, static, taskloop, proven; or all but static: all); using runtime"},
      {"WSTREE_BATCH=fixed:0", "wstree: WSTREE_BATCH='fixed:0' is not understood (accepted: timed[:ns], "
                               "exponential[:max], fixed[:n], random[:max]); using timed"},
      {"WSTREE_FALLBACK=wstree",
       "wstree: WSTREE_FALLBACK='wstree' is not understood (accepted: static, dynamic, guided, "
       "auto, trapezoidal, each with [,chunk]); using guided"},
      {"WSTREE_STATS=csv",
       "wstree: WSTREE_STATS='csv' is not understood (accepted: 0, 1, text, json, text=path, "
       "json=path); using 0"},
      {"WSTREE_RECORD=1",
       "wstree: WSTREE_RECORD='1' is not understood (accepted: 0, path of a new file); using 0"},
      {"WSTREE_BIND=master",
       "wstree: WSTREE_BIND='master' is not understood (accepted: auto, close, spread, none); using auto"},
      {"WSTREE_OMPT=yes", "wstree: WSTREE_OMPT='yes' is not understood (accepted: 0, 1); using 0"},
      {"WSTREE_VERBOSE= 2", "wstree: WSTREE_VERBOSE=' 2' is not understood (accepted: 0, 1); using 0"},
  };
  for (const auto& [entry, line] : cases) {
    const auto [options, lines] = load_from({entry});
    EXPECT_THAT(lines, ElementsAre(line));
    for (const Origin origin : options.origins) EXPECT_EQ(origin, Origin::default_value) << entry;
    EXPECT_TRUE(options.loops == LoopKinds{});
    EXPECT_EQ(options.strategy, Strategy::find_max);
    EXPECT_EQ(options.batch, Batch{});
    EXPECT_EQ(options.fallback, Fallback{});
    EXPECT_EQ(options.stats, StatsFormat::off);
    EXPECT_FALSE(options.verbose);
  }
}

TEST(Load, LeavesTheVariablesOfTheRuntimeToTheRuntime) {
  EXPECT_THAT(load_from({"OMP_DISPLAY_ENV=nonsense", "OMP_DISPLAY_AFFINITY=nonsense",
                         "OMP_AFFINITY_FORMAT=%Q%", "OMP_SCHEDULE=wstree,abc", "OMP_SCHEDUL=x"})
                  .lines,
              IsEmpty());
}

TEST(Load, TakesAnEmptyValueForNotSet) {
  for (const char* entry :
       {"WSTREE_STRATEGY=", "WSTREE_LOOPS= ", "WSTREE_STATS= ", "WSTREE_VERBOSE=\t",
        "OMP_DISPLAY_ENV=", "WSTREE_BIND= ", "OMP_DISPLAY_AFFINITY=", "OMP_AFFINITY_FORMAT="}) {
    const auto [options, lines] = load_from({entry});
    EXPECT_THAT(lines, IsEmpty()) << entry;
    for (const Origin origin : options.origins) EXPECT_EQ(origin, Origin::default_value) << entry;
  }
}

TEST(Load, NeverSaysMoreThanALine) {
  const std::string very_long(5000, 'x');
  const auto [options, lines] =
      load_from({"WSTREE_STRATEGY=" + very_long, "WSTREE_BATCH=" + very_long, "WSTREE_FALLBACK=" + very_long,
                 "WSTREE_STATS=json=" + very_long, "WSTREE_VERBOSE=" + very_long, "WSTREE_LOOPS=" + very_long,
                 "WSTREE_" + very_long + "=1"});
  ASSERT_EQ(lines.size(), 7u);
  for (const auto& line : lines) EXPECT_LE(line.size(), k_max_line);
  EXPECT_THAT(lines[1],
              testing::EndsWith("xxx...' is not understood (accepted: predefined, assign, assigntop, "
                                "randomwalk, randomall, findmax); using findmax"));
  EXPECT_THAT(lines[6], testing::EndsWith("xxx... is not an option of this library"));
}

TEST(Load, SuggestsTheNearestName) {
  const std::pair<std::string, std::string> cases[] = {
      {"WSTREE_STRATGY", "WSTREE_STRATEGY"},   {"WSTREE_STRATEGIE", "WSTREE_STRATEGY"},
      {"WSTREE_strategy", "WSTREE_STRATEGY"},  {"WSTREE_BACTH", "WSTREE_BATCH"},
      {"WSTREE_STAT", "WSTREE_STATS"},         {"WSTREE_VERBOS", "WSTREE_VERBOSE"},
      {"WSTREE_FALL_BACK", "WSTREE_FALLBACK"}, {"WSTREE_LOOP", "WSTREE_LOOPS"},
      {"WSTREE_LOPOS", "WSTREE_LOOPS"},        {"WSTREE_BINDING", "WSTREE_BIND"},
      {"WSTREE_BNID", "WSTREE_BIND"}};
  for (const auto& [name, near] : cases)
    EXPECT_THAT(
        load_from({name + "=1"}).lines,
        ElementsAre("wstree: " + name + " is not an option of this library; did you mean " + near + "?"));
  for (const std::string name : {"WSTREE_", "WSTREE_X", "WSTREE_COLOUR", "WSTREE_SOMETHING_ELSE"})
    EXPECT_THAT(load_from({name + "=1"}).lines,
                ElementsAre("wstree: " + name + " is not an option of this library"));
}

const std::string k_accepted_schedules =
    "(accepted: " + std::string(text_of(Option::schedule).accepted) + ")";

TEST(ReportSchedule, SpeaksOfABadChunkOnly) {
  struct Case {
    std::string value, used;
  };
  const Case cases[] = {
      {"wstree,abc", "wstree,1"},
      {"monotonic:wstree,0", "monotonic:wstree,1"},
      {"wsrange,67108864", "wsrange"},
      {"monotonic:wsfixed,x", "monotonic:wsfixed"},
      {"wstree,64", ""},
      {"wstree", ""},
      {"wsstatic,1", ""},
  };
  for (const auto& [value, used] : cases) {
    std::vector<std::string> lines;
    const auto request = parse_schedule(value);
    ASSERT_TRUE(request.has_value()) << value;
    report_schedule(value, *request, {keep_line, &lines});
    if (used.empty())
      EXPECT_THAT(lines, IsEmpty()) << value;
    else
      EXPECT_THAT(lines, ElementsAre("wstree: OMP_SCHEDULE='" + value + "' is not understood " +
                                     k_accepted_schedules + "; using " + used));
  }
}

TEST(ReportMisspelledSchedule, NamesTheKindThatIsNearest) {
  struct Case {
    std::string value, advice;
  };
  const Case cases[] = {
      {"wsqeue", "; did you mean wsqueue?"},
      {"wstre", "; did you mean wstree?"},
      {"wstree:64", "; did you mean wstree?"},
      {"ws-range", "; did you mean wsrange?"},
      {"monotonic: WSfixd,4", "; did you mean wsfixed?"},
      {"wsqueuelock", "; did you mean wsqueue_lock?"},
      {"wsfac", "; did you mean wsfac2?"},
      {"ws", ""},
      {"wsomething_else", ""},
  };
  for (const auto& [value, advice] : cases) {
    std::vector<std::string> lines;
    report_misspelled_schedule(value, "static", {keep_line, &lines});
    EXPECT_THAT(lines, ElementsAre("wstree: OMP_SCHEDULE='" + value + "' is not understood" + advice + " " +
                                   k_accepted_schedules + "; using static"));
  }
}

} // namespace
} // namespace wstree::config
