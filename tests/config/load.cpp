// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options: what is made of the environment, and how it is shown.
#include "display.h"
#include "near_name.h"
#include "options.h"

#include "usual.h"

namespace wstree::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void keep_line(void* lines, std::string_view line) noexcept {
  static_cast<std::vector<std::string>*>(lines)->emplace_back(line);
}

std::vector<std::string> displayed(const Options& options = {},
                                   const std::optional<ScheduleRequest>& schedule = {}) {
  std::vector<std::string> lines;
  display(options, schedule, {keep_line, &lines});
  return lines;
}

TEST(Display, ShowsTheDefaults) {
  EXPECT_THAT(
      displayed(),
      ElementsAre(
          "WSTREE DISPLAY ENVIRONMENT BEGIN",
          "  [wstree] OMP_SCHEDULE: none of ours, schedule(runtime) loops stay with the OpenMP runtime",
          "  [wstree] WSTREE_LOOPS='runtime'  (default)", "  [wstree] WSTREE_STRATEGY='findmax'  (default)",
          "  [wstree] WSTREE_BATCH='timed'  (default)", "  [wstree] WSTREE_HISTORY='on'  (default)",
          "  [wstree] WSTREE_FALLBACK='guided'  (default)", "  [wstree] WSTREE_BIND='auto'  (default)",
          "  [wstree] WSTREE_THREADS='off'  (default)", "  [wstree] WSTREE_WAIT='off'  (default)",
          "  [wstree] WSTREE_STATS='0'  (default)", "  [wstree] WSTREE_COUNTERS='0'  (default)",
          "  [wstree] WSTREE_RECORD='0'  (default)", "  [wstree] WSTREE_TRACE='0'  (default)",
          "  [wstree] WSTREE_TRACE_EVENTS='65536'  (default)", "  [wstree] WSTREE_RULES='0'  (default)",
          "  [wstree] WSTREE_OMPT='0'  (default)", "  [wstree] WSTREE_VERBOSE='0'  (default)",
          "  [wstree] OMP_DISPLAY_ENV='false'  (default)",
          "  [wstree] OMP_DISPLAY_AFFINITY='false'  (default)",
          "  [wstree] OMP_AFFINITY_FORMAT=''  (default)", "WSTREE DISPLAY ENVIRONMENT END"));
}

TEST(Display, ShowsWhatWasSetInItsCanonicalForm) {
  const char* const envp[] = {"WSTREE_BATCH= Random",
                              "WSTREE_LOOPS=AUTO, dynamic",
                              "WSTREE_STRATEGY=nonsense",
                              "WSTREE_HISTORY=OFF",
                              "WSTREE_FALLBACK=Dynamic , 8",
                              "WSTREE_STATS=json=out/%p.json",
                              "WSTREE_COUNTERS=1",
                              "WSTREE_RECORD=out/%p.profile",
                              "WSTREE_TRACE=a\nb.json", // control characters do no harm
                              "WSTREE_RULES= * off; a.c:1 wstree ",
                              "WSTREE_OMPT=1",
                              "WSTREE_VERBOSE=1",
                              "OMP_DISPLAY_ENV=TRUE",
                              "WSTREE_BIND=SPREAD",
                              "WSTREE_WAIT=Auto",
                              "OMP_NUM_THREADS= \t2", // in the place of WSTREE_THREADS=auto
                              "OMP_DISPLAY_AFFINITY=TRUE",
                              "OMP_AFFINITY_FORMAT= %n on %A ",
                              nullptr};
  EXPECT_THAT(
      displayed(load(envp, {}), parse_schedule("nonmonotonic:WSTREE, 64")),
      ElementsAre(
          "WSTREE DISPLAY ENVIRONMENT BEGIN", "  [wstree] OMP_SCHEDULE='wstree,64'  (environment)",
          "  [wstree] WSTREE_LOOPS='dynamic,auto'  (environment)",
          "  [wstree] WSTREE_STRATEGY='findmax'  (default)",
          "  [wstree] WSTREE_BATCH='random:4096'  (environment)",
          "  [wstree] WSTREE_HISTORY='off'  (environment)",
          "  [wstree] WSTREE_FALLBACK='dynamic,8'  (environment)",
          "  [wstree] WSTREE_BIND='spread'  (environment)", "  [wstree] WSTREE_THREADS='auto'  (environment)",
          "  [wstree] WSTREE_WAIT='auto'  (environment)",
          "  [wstree] WSTREE_STATS='json=out/%p.json'  (environment)",
          "  [wstree] WSTREE_COUNTERS='1'  (environment)",
          "  [wstree] WSTREE_RECORD='out/%p.profile'  (environment)",
          "  [wstree] WSTREE_TRACE='a?b.json'  (environment)",
          "  [wstree] WSTREE_TRACE_EVENTS='65536'  (default)",
          "  [wstree] WSTREE_RULES='* off; a.c:1 wstree'  (environment)",
          "  [wstree] WSTREE_OMPT='1'  (environment)", "  [wstree] WSTREE_VERBOSE='1'  (environment)",
          "  [wstree] OMP_DISPLAY_ENV='true'  (environment)",
          "  [wstree] OMP_DISPLAY_AFFINITY='true'  (environment)",
          "  [wstree] OMP_AFFINITY_FORMAT=' %n on %A '  (environment)", "WSTREE DISPLAY ENVIRONMENT END"));
}

TEST(FixedText, CutsOffAndSaysSo) {
  FixedText<6> text("abc");
  EXPECT_FALSE(text.truncated());
  text.append("def");
  EXPECT_EQ(text.view(), "abcde");
  EXPECT_TRUE(text.truncated());
  EXPECT_STREQ(text.c_str(), "abcde");
  text.resize_down(2);
  EXPECT_STREQ(text.c_str(), "ab");
  text.clear();
  EXPECT_FALSE(text.truncated());
  EXPECT_STREQ(text.c_str(), "");
}

TEST(FixedText, ShortensForeignTextBetweenCharacters) {
  const std::tuple<std::string_view, std::size_t, std::string_view> cases[] = {
      {"abcdef", 6, "abcdef"},
      {"abcdefg", 6, "abc..."},
      {"ab\xe2\x82\xac"
       "defg",
       6, "ab..."},
      {"\x80\x80\x80\x80\x80\x80\x80", 6, "..."},
      {"a\x01\x1f\x20\x7f", 6, "a?? ?"},
      {"a\xff\xc3\xa4\xc3", 6, "a?\xc3\xa4?"},
      {"a\x80\x80\x80\x80\x80\x80\x80\x80\x80", 8, "a?..."},
      {"\xc2\x9b[", 6, "??["}};
  for (const auto& [text, limit, shown] : cases) {
    FixedText<32> line;
    line.append_foreign(text, limit);
    EXPECT_EQ(line.view(), shown) << text;
  }
}

static_assert(std::is_trivially_copyable_v<Options>);

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
    EXPECT_EQ(displayed(options), displayed());
    EXPECT_THAT(lines, IsEmpty());
  }
  EXPECT_EQ(displayed(load(nullptr, {})), displayed());
}

TEST(Load, OutlivesTheEnvironment) {
  std::string entry = "WSTREE_STATS=text=first";
  const char* const envp[] = {entry.c_str(), nullptr};
  const Options options = load(envp, {});
  entry.replace(entry.find("first"), 5, "XXXXX");
  EXPECT_EQ(options.stats_path.view(), "first");
}

TEST(Load, SaysOneLineForEachBadValueAndKeepsTheDefault) {
  const std::pair<std::string, std::string> cases[] = {
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
    EXPECT_EQ(displayed(options), displayed()) << entry;
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
  const std::pair<std::string, std::string> cases[] = {{"wstree,abc", "wstree,1"},
                                                       {"monotonic:wstree,0", "monotonic:wstree,1"},
                                                       {"wsrange,67108864", "wsrange"},
                                                       {"monotonic:wsfixed,x", "monotonic:wsfixed"},
                                                       {"wstree,64", ""},
                                                       {"wstree", ""},
                                                       {"wsstatic,1", ""}};
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
  const std::pair<std::string, std::string> cases[] = {
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
