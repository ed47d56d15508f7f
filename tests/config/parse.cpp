// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include "usual.h"

namespace wstree::config {

// Found by GoogleTest through the namespace, for readable failures.
void PrintTo(const ScheduleRequest& request, std::ostream* out) {
  *out << to_text(request).view() << " chunk=" << request.chunk << " malformed=" << request.chunk_malformed;
}
void PrintTo(const LoopKinds& loops, std::ostream* out) { *out << to_text(loops).view(); }
void PrintTo(const Batch& batch, std::ostream* out) { *out << to_text(batch).view(); }
void PrintTo(const Fallback& fallback, std::ostream* out) { *out << to_text(fallback).view(); }
void PrintTo(const Stats& stats, std::ostream* out) { *out << to_text(stats.format) << '=' << stats.path; }

namespace {

constexpr ScheduleRequest request(std::uint64_t chunk, bool given, bool monotonic = false,
                                  ScheduleKind kind = ScheduleKind::wstree) {
  return {kind, chunk, given, monotonic, false};
}

/// What `parse` makes of texts, how that is written, and texts that it refuses.
template <class T> using Cases = std::vector<std::tuple<std::string_view, T, std::string_view>>;
template <class T>
void expect_parsed(std::optional<T> (*parse)(std::string_view), const Cases<T>& cases, const char* refused) {
  for (const auto& [value, expected, text] : cases) {
    EXPECT_EQ(parse(value), expected) << value;
    EXPECT_EQ(to_text(expected).view(), text);
    EXPECT_EQ(parse(text), expected) << text;
  }
  for (const auto& value : test::words(refused)) EXPECT_EQ(parse(value), std::nullopt) << value;
}

TEST(ParseSchedule, UnderstandsItsGrammar) {
  const std::pair<std::string_view, ScheduleRequest> cases[] = {
      {"wstree", request(1, false)},
      {"WsTree", request(1, false)},
      {" \twstree\n", request(1, false)},
      {"wstree,1", request(1, true)},
      {"wstree,64", request(64, true)},
      {"wstree , 64 ", request(64, true)},
      {" wstree\t,\t0064", request(64, true)},
      {"wstree,67108863", request(67108863, true)},
      {"nonmonotonic:wstree", request(1, false)},
      {"NONMONOTONIC : WSTREE , 7", request(7, true)},
      {"monotonic:wstree", request(1, false, true)},
      {" Monotonic :wstree,9", request(9, true, true)},
      {"wsrange", request(1, false, false, ScheduleKind::wsrange)},
      {"wsqueue,5", request(5, true, false, ScheduleKind::wsqueue)},
      {"WSQueue_Lock", request(1, false, false, ScheduleKind::wsqueue_lock)},
      {"wsfixed,67108863", request(67108863, true, false, ScheduleKind::wsfixed)},
      {" nonmonotonic : wsguided , 3", request(3, true, false, ScheduleKind::wsguided)},
      {"monotonic:wsfac2", request(1, false, true, ScheduleKind::wsfac2)},
      {"wstrapezoid", request(1, false, false, ScheduleKind::wstrapezoid)},
      {"wsstatic,1", request(1, true, false, ScheduleKind::wsstatic)},
  };
  for (const auto& [value, expected] : cases) EXPECT_EQ(parse_schedule(value), expected) << value;
}

TEST(ParseSchedule, ReadsBackWhatItPrints) {
  for (std::size_t kind = 0; kind < k_schedule_kinds; ++kind)
    for (const bool monotonic : {false, true})
      for (const bool given : {false, true}) {
        const auto asked = request(given ? 42 : 1, given, monotonic, static_cast<ScheduleKind>(kind));
        EXPECT_EQ(parse_schedule(to_text(asked).view()), asked) << to_text(asked).view();
        EXPECT_FALSE(is_misspelled_schedule(to_text(asked).view())) << to_text(asked).view();
      }
}

TEST(ParseSchedule, OnlyKindsWithoutThievesKeepAnOrder) {
  for (const std::string_view value : {"wstree", "wsrange", "wsqueue", "wsqueue_lock"})
    EXPECT_FALSE(is_monotonic(parse_schedule(value)->kind)) << value;
  for (const std::string_view value : {"wsfixed", "wsguided", "wsfac2", "wstrapezoid", "wsstatic"})
    EXPECT_TRUE(is_monotonic(parse_schedule(value)->kind)) << value;
}

TEST(MisspelledSchedule, BeginsAsOnlyOursDo) {
  for (const std::string_view value :
       {"wsqeue", "wstre", "ws-range", " WSfixd,4", "monotonic:wstre", "NonMonotonic : wsqueue lock", "ws",
        "wstree:64", "wstree 64", "wstree;64", "wsanything"})
    EXPECT_TRUE(is_misspelled_schedule(value)) << value;
  for (const std::string_view value :
       {"", "w", "static", "dynamic,wstree", "guided", "stree", "xwstree", "simd:wstree", ":wstree",
        "monotonic:dynamic", "monotonic:", "trapezoidal", "bogus", "wstree", "wsfac2,3", "wstree,bad"})
    EXPECT_FALSE(is_misspelled_schedule(value)) << value;
}

TEST(ParseSchedule, LeavesOtherSchedulesToTheRuntime) {
  for (const auto& value :
       test::words("| |,|:|static|dynamic,4|guided|auto|trapezoidal|static_steal,2|monotonic:dynamic|"
                   "nonmonotonic:static,wstree|wstre|wstreee|w stree|wstree 64|wstree;64|wstree:64|"
                   ":wstree|wstree:|simd:wstree|monotonic wstree|monotonic:nonmonotonic:wstree|"
                   "monotonic,wstree|,wstree|\"wstree\"|xwstree,4"))
    EXPECT_EQ(parse_schedule(value), std::nullopt) << value;
}

TEST(ParseSchedule, KeepsTheKindWhenTheChunkIsBad) {
  for (const std::string_view chunk :
       {"", " ", "abc", "0", "-3", "+4", "1.5", "1e3", "0x10", "64;junk", "64,2", "6 4", "67108864",
        "18446744073709551616", "99999999999999999999999999", "\xff"}) {
    const std::string value = "wstree," + std::string(chunk);
    const auto parsed = parse_schedule(value);
    ASSERT_TRUE(parsed.has_value()) << value;
    EXPECT_EQ(*parsed, (ScheduleRequest{ScheduleKind::wstree, 1, false, false, true})) << value;
  }
  EXPECT_EQ(parse_schedule("monotonic:wsfixed,x"),
            (ScheduleRequest{ScheduleKind::wsfixed, 1, false, true, true}));
}

TEST(ParseLoops, UnderstandsLists) {
  const std::tuple<std::string_view, unsigned, std::string_view> cases[] = {
      {"runtime", 1, "runtime"},
      {"dynamic", 2, "dynamic"},
      {"guided", 4, "guided"},
      {"auto", 8, "auto"},
      {"all", 111, "runtime,dynamic,guided,auto,taskloop,proven"},
      {" ALL\t", 111, "runtime,dynamic,guided,auto,taskloop,proven"},
      {"all,runtime", 111, "runtime,dynamic,guided,auto,taskloop,proven"},
      {"auto,all", 111, "runtime,dynamic,guided,auto,taskloop,proven"},
      {"runtime,dynamic", 3, "runtime,dynamic"},
      {"dynamic,runtime", 3, "runtime,dynamic"},
      {"auto,guided,dynamic,runtime", 15, "runtime,dynamic,guided,auto"},
      {" Dynamic , GUIDED ", 6, "dynamic,guided"},
      {"\nauto\t,\truntime\r", 9, "runtime,auto"},
      {"guided,guided,guided", 4, "guided"},
      {"proven,runtime", 65, "runtime,proven"},
      {"Static", 16, "static"}, // which a program may count on: it is not among all
      {"static,all", 127, "runtime,dynamic,guided,auto,static,taskloop,proven"},
  };
  for (const auto& [value, bits, text] : cases) {
    const auto parsed = parse_loops(value);
    ASSERT_TRUE(parsed.has_value()) << value;
    EXPECT_EQ(parsed->bits, bits) << value;
    EXPECT_EQ(to_text(*parsed).view(), text) << value;
  }
}

TEST(ParseLoops, ReadsEveryCombinationBack) {
  for (unsigned bits = 1; bits <= 127; ++bits) {
    const LoopKinds loops{static_cast<std::uint8_t>(bits)};
    EXPECT_EQ(parse_loops(to_text(loops).view()), loops) << bits;
    EXPECT_FALSE(to_text(loops).truncated());
  }
}

TEST(ParseBatch, KnowsTheModesAndTheirNumbers) {
  const Cases<Batch> cases = {
      {"timed", {BatchMode::timed, 0}, "timed"},
      {"timed:0", {BatchMode::timed, 0}, "timed"},
      {"timed:2500", {BatchMode::timed, 2500}, "timed:2500"},
      {"exponential", {BatchMode::exponential, 4096}, "exponential:4096"},
      {"exponential:1", {BatchMode::exponential, 1}, "exponential:1"},
      {"fixed", {BatchMode::fixed, 64}, "fixed:64"},
      {"fixed:8", {BatchMode::fixed, 8}, "fixed:8"},
      {"random", {BatchMode::random, 4096}, "random:4096"},
      {"random:32", {BatchMode::random, 32}, "random:32"},
      {" Fixed\t: 8 ", {BatchMode::fixed, 8}, "fixed:8"},
      {"fixed:4611686018427387904", {BatchMode::fixed, k_max_batch}, "fixed:4611686018427387904"},
  };
  expect_parsed(parse_batch, cases,
                "|timed:|timed:-1|timed:1us|fixed:0|random:0|exponential:0|fixed,8|fixed:8:8|fix|"
                "fixed:4611686018427387905|fixed:99999999999999999999|8");
}

TEST(ParseFallback, KnowsTheOpenMpSchedules) {
  const Cases<Fallback> cases = {
      {"static", {FallbackKind::static_, 0}, "static"},
      {"dynamic", {FallbackKind::dynamic, 0}, "dynamic"},
      {"guided", {FallbackKind::guided, 0}, "guided"},
      {"auto", {FallbackKind::auto_, 0}, "auto"},
      {"trapezoidal", {FallbackKind::trapezoidal, 0}, "trapezoidal"},
      {" GUIDED , 16", {FallbackKind::guided, 16}, "guided,16"},
      {"static,2147483647", {FallbackKind::static_, 2147483647}, "static,2147483647"},
  };
  expect_parsed(parse_fallback, cases,
                "|wstree|static,0|static,|static,-1|dynamic,2147483648|dynamic:4|monotonic:guided|runtime|"
                "guided,4,4");
}

TEST(ParseStats, KnowsFormatsAndPaths) {
  const std::pair<std::string_view, Stats> cases[] = {
      {"0", {StatsFormat::off, ""}},
      {"1", {StatsFormat::text, ""}},
      {"text", {StatsFormat::text, ""}},
      {" JSON ", {StatsFormat::json, ""}},
      {"json=out.json", {StatsFormat::json, "out.json"}},
      {"Text=/tmp/%h/%p.txt ", {StatsFormat::text, "/tmp/%h/%p.txt"}},
      {"json = with blank.json", {StatsFormat::json, " with blank.json"}},
      {"json=a=b", {StatsFormat::json, "a=b"}},
      {"json=-", {StatsFormat::json, ""}},
      {" text=- ", {StatsFormat::text, ""}},
      {"json=./-", {StatsFormat::json, "./-"}},
  };
  for (const auto& [value, expected] : cases) EXPECT_EQ(parse_stats(value), expected) << value;

  const std::string longest(k_max_path, 'x');
  EXPECT_EQ(parse_stats("json=" + longest + "x"), std::nullopt);
  const std::string fits = "json=" + longest;
  EXPECT_EQ(parse_stats(fits), (Stats{StatsFormat::json, longest}));

  for (const std::string_view value :
       {"", "2", "yes", "csv", "json=", "text= ", "0=file", "1=file", "=file", "jsonx=f"})
    EXPECT_EQ(parse_stats(value), std::nullopt) << value;
}

TEST(ParseDisplayEnv, AcceptsWhatTheRuntimesAccept) {
  for (const std::string_view value : {"true", "TRUE", "1", "yes", "on", ".T.", ".true.", " True "})
    EXPECT_EQ(parse_display_env(value), DisplayEnv::yes) << value;
  for (const std::string_view value : {"verbose", "VERBOSE", " Verbose"})
    EXPECT_EQ(parse_display_env(value), DisplayEnv::verbose) << value;
  for (const std::string_view value : {"", "0", "false", "no", "off", "nonsense", "2"})
    EXPECT_EQ(parse_display_env(value), DisplayEnv::no) << value;
}

TEST(OptionTable, DefaultsAreWhatTheParsersMakeOfThem) {
  const Options options;
  EXPECT_EQ(parse_loops(text_of(Option::loops).default_value), options.loops);
  EXPECT_EQ(parse_strategy(text_of(Option::strategy).default_value), options.strategy);
  EXPECT_EQ(parse_batch(text_of(Option::batch).default_value), options.batch);
  EXPECT_EQ(parse_history(text_of(Option::history).default_value), options.history);
  EXPECT_EQ(parse_fallback(text_of(Option::fallback).default_value), options.fallback);
  EXPECT_EQ(parse_bind(text_of(Option::bind).default_value), options.bind);
  EXPECT_EQ(parse_stats(text_of(Option::stats).default_value), (Stats{options.stats, ""}));
  EXPECT_EQ(parse_record(text_of(Option::record).default_value), options.record_path.view());
  EXPECT_EQ(parse_switch(text_of(Option::verbose).default_value), options.verbose);
  EXPECT_EQ(parse_display_env(text_of(Option::display_env).default_value), options.display_env);
  EXPECT_EQ(parse_display_affinity(text_of(Option::display_affinity).default_value),
            options.display_affinity);
  EXPECT_EQ(text_of(Option::affinity_format).default_value, options.affinity_format.view());
}

TEST(OptionTable, AcceptedTextNamesEveryWord) {
  const auto expect_in = [](Option option, const auto& word) {
    EXPECT_THAT(std::string(text_of(option).accepted), testing::HasSubstr(std::string(word)));
  };
  for (std::size_t i = 0; i < k_schedule_kinds; ++i)
    expect_in(Option::schedule, " " + std::string(to_text(static_cast<ScheduleKind>(i))) + ",");
  expect_in(Option::schedule, std::to_string(k_max_chunk));
  for (int i = 0; i <= static_cast<int>(Strategy::find_max); ++i)
    expect_in(Option::strategy, to_text(static_cast<Strategy>(i)));
  for (int i = 0; i <= static_cast<int>(FallbackKind::trapezoidal); ++i)
    expect_in(Option::fallback, to_text(Fallback{static_cast<FallbackKind>(i), 0}).view());
  for (int i = 0; i <= static_cast<int>(Bind::none); ++i)
    expect_in(Option::bind, to_text(static_cast<Bind>(i)));
  for (const char* word : {"runtime", "dynamic", "guided", "auto", "all"}) expect_in(Option::loops, word);
  EXPECT_EQ(k_options[0].name, "OMP_SCHEDULE");
  for (const OptionText& option : k_options) {
    EXPECT_FALSE(option.accepted.empty()) << option.name;
    EXPECT_FALSE(option.meaning.empty()) << option.name;
  }
}

} // namespace
} // namespace wstree::config
