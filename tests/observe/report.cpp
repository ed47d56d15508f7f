// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports: JSON and text, strings in them, files and streams that they go to, regions that were not served.
#include "support.h"

#include "host_guard.h"
#include "report.h"
#include "report_writer.h"
#include "statistics.h"
#include "unserved_regions.h"

#include <regex>
#include <sys/resource.h>

// GCC says so itself.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WSTREE_SANITIZED
#endif
#endif

namespace wstree::observe::report_test {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const void* address(std::uintptr_t number) { return reinterpret_cast<const void*>(number); }

config::Options options_for(config::StatsFormat format, std::string_view path = {}) {
  config::Options options;
  options.stats = format;
  options.stats_path.append(path);
  return options;
}

constexpr core::TickLength k_tick = core::tick_of(100, 1);

class WriteReport : public testing::Test {
protected:
  void SetUp() override { forget_executions(); }
  void TearDown() override { forget_executions(); }

  /// Two loops; ticks are tenths of a microsecond (k_tick). The longer one is recorded second.
  static void record_two_loops() {
    static const char norm[] = ";heat.c;norm;131;1;;";
    static const char step[] = ";heat.c;step;88;1;;";
    record(*find_site(address(0x2000), norm, "wstree"), {16, {90, 1, 0, 1, 160}, 15, 200});
    LoopSite* const site = find_site(address(0x2010), step, "wstree,64");
    for (int i = 0; i < 800; ++i) record(*site, {16, {4096, 70, 5, 21, 16000}, 1030, 155125});
  }

  std::string on_stderr(config::StatsFormat format, std::uint32_t threads = 16) {
    const StderrToFile captured(folder_ / "stderr");
    errno = ENOTTY;
    write_report(options_for(format), k_tick, threads, "1.2.3");
    EXPECT_EQ(errno, ENOTTY);
    return captured.text();
  }

  TemporaryFolder folder_;
};

constexpr const char* k_two_loops_json =
    "{\"version\": \"1.2.3\", \"threads\": 16, \"rank\": \"0\", \"loops\": [\n"
    "  {\"where\": \"heat.c:88 (step)\", \"schedule\": \"wstree,64\", \"calls\": 800, \"iterations\": "
    "3276800, \"chunk\": 1, "
    "\"batches\": 56000, \"steals\": 4000, \"nodes\": 16800, \"known_shares\": 0, \"surprises\": 0, "
    "\"forgotten_places\": 0, \"seconds\": 12.410000000, \"imbalance\": "
    "1.0300, \"too_short_to_tell\": false, \"even_saves_seconds\": 0.002400000, \"late_seconds\": "
    "0.000000000, \"preempted_seconds\": 0.000000000, \"new_lengths\": 0, \"module\": \"\", "
    "\"build_id\": \"\", \"offset\": 8208},\n"
    "  {\"where\": \"heat.c:131 (norm)\", \"schedule\": \"wstree\", \"calls\": 1, \"iterations\": 90, "
    "\"chunk\": 1, \"batches\": 1, \"steals\": 0, \"nodes\": 1, \"known_shares\": 0, \"surprises\": 0, "
    "\"forgotten_places\": 0, \"seconds\": 0.000020000, \"imbalance\": 1.5000, "
    "\"too_short_to_tell\": true, \"even_saves_seconds\": 0.000000000, \"late_seconds\": 0.000000000, "
    "\"preempted_seconds\": 0.000000000, \"new_lengths\": 0, "
    "\"module\": \"\", \"build_id\": \"\", \"offset\": 8192}\n"
    "]}\n";

/// The report without the words that say which process wrote it.
std::string of_any_process(const std::string& json) {
  static const std::regex process(
      R"-(, "program": "[^"]*", "pid": [0-9]+|, "[a-z_]*(cpu|regions|wall)_seconds": [0-9.]+|)-"
      R"-(, "(host|command)": "[^"]*"|, "ended": [0-9]+)-");
  return std::regex_replace(json, process, "");
}

constexpr const char* k_two_loops_text = "wstree 1.2.3: 2 loops served, 801 calls, 16 threads, 4,000 steals\n"
                                         "  heat.c:88 (step)   800 calls    12.41 s   imbalance 1.03 (1 is "
                                         "even)  even saves    2.40 ms  3,276,800 "
                                         "iterations  56,000 batches  4,000 steals  wstree,64\n"
                                         "  heat.c:131 (norm)    1 call     20.00 us  too short to tell      "
                                         "                                   90 "
                                         "iterations       1 batch    0 steals  wstree\n";

TEST_F(WriteReport, SaysWhichNumbersArePieces) {
  core::Execution pieces{2, {256, 7, 0, 2, 20'000}, 10'000, 10'000};
  pieces.counts_pieces = true;
  record(*find_site(address(0x2000), ";heat.c;norm;131;1;;", "wstree"), pieces);
  record(*find_site(address(0x2010), ";heat.c;step;88;1;;", "wstree"), {2, {90, 1, 0, 1, 160}, 15, 200});
  const auto text = on_stderr(config::StatsFormat::text);
  EXPECT_THAT(text, testing::HasSubstr("  256 pieces      7 batches  "));
  EXPECT_THAT(text, testing::HasSubstr("   90 iterations  1 batch    "));
  const auto json = on_stderr(config::StatsFormat::json);
  EXPECT_THAT(json, testing::HasSubstr(R"("calls": 1, "pieces": 256, "chunk")"));
  EXPECT_THAT(json, testing::HasSubstr(R"("calls": 1, "iterations": 90, "chunk")"));
}

TEST_F(WriteReport, ToMemoryAsMuchAsFits) {
  record_two_loops();
  const std::string all = on_stderr(config::StatsFormat::json);
  EXPECT_EQ(write_report_to(nullptr, 0, k_tick, 16, "1.2.3"), all.size());
  for (const std::size_t size : {std::size_t{1}, std::size_t{10}, all.size(), all.size() + 1}) {
    std::string buffer(all.size() + 10, '#');
    errno = ENOTTY;
    EXPECT_EQ(write_report_to(buffer.data(), size, k_tick, 16, "1.2.3"), all.size());
    EXPECT_EQ(errno, ENOTTY);
    EXPECT_EQ(of_any_process(buffer.substr(0, size - 1)), of_any_process(all.substr(0, size - 1)));
    EXPECT_EQ(buffer[size - 1], '\0');
    EXPECT_EQ(buffer.substr(size), std::string(buffer.size() - size, '#'));
  }
}

TEST_F(WriteReport, SaysThatNoLoopWasServed) {
  EXPECT_EQ(on_stderr(config::StatsFormat::text),
            "wstree: no schedule(runtime) loop was served; WSTREE_LOOPS=runtime,proven serves loops without "
            "a clause\n");
  std::filesystem::remove(folder_ / "stderr");
  EXPECT_EQ(of_any_process(on_stderr(config::StatsFormat::json)),
            "{\"version\": \"1.2.3\", \"threads\": 16, \"rank\": \"0\", \"loops\": []}\n");
  config::Options options = options_for(config::StatsFormat::text);
  options.loops = *config::parse_loops("dynamic,guided");
  const StderrToFile captured(folder_ / "other");
  write_report(options, k_tick, 2, "1.2.3");
  EXPECT_EQ(captured.text(), "wstree: no loop was served (WSTREE_LOOPS='dynamic,guided')\n");
}

TEST_F(WriteReport, WritesANewFileEachTime) {
  record_two_loops();
  const StderrToFile captured(folder_ / "stderr");
  const auto options = options_for(config::StatsFormat::json, folder_ / "new folder/%e-%p%%.json");
  write_report(options, k_tick, 16, "1.2.3");
  write_report(options, k_tick, 16, "1.2.3");
  const std::string path = folder_ / ("new folder/" + std::string(program_invocation_short_name) + "-" +
                                      std::to_string(getpid()) + "%.json");
  EXPECT_EQ(of_any_process(content_of(path)), k_two_loops_json);
  EXPECT_EQ(of_any_process(content_of(path + ".1")), k_two_loops_json);
  EXPECT_EQ(captured.text(),
            "wstree: WSTREE_STATS wrote '" + path + ".1', because '" + path + "' was there already\n");
  write_report(options_for(config::StatsFormat::text, folder_ / "out.txt"), k_tick, 16, "1.2.3");
  EXPECT_EQ(content_of(folder_ / "out.txt"), k_two_loops_text);
  const std::string below = folder_ / "out.txt/below.json";
  write_report(options_for(config::StatsFormat::json, below), k_tick, 16, "1.2.3");
  EXPECT_THAT(captured.text(),
              testing::EndsWith("\nwstree: WSTREE_STATS cannot write '" + below + "': Not a directory\n"));
}

TEST_F(WriteReport, WorksAtTheEndOfTheProcess) {
  record_two_loops();
  static std::string path;
  path = folder_ / "out";
  const int status = run_in_child([] {
    std::atexit([] { write_report(options_for(config::StatsFormat::json, path), k_tick, 16, "1.2.3"); });
    std::exit(0);
  });
  EXPECT_TRUE(ended_well(status));
  EXPECT_EQ(of_any_process(content_of(folder_ / "out")), k_two_loops_json);
}

TEST_F(WriteReport, ThreadsTakeTurns) {
  record_two_loops();
  const auto options = options_for(config::StatsFormat::json, "/dev/null");
  const auto body = [&] {
    for (int i = 0; i < 200; ++i) write_report(options, k_tick, 16, "1.2.3");
  };
  std::thread first(body);
  std::thread second(body);
  first.join();
  second.join();
  EXPECT_EQ(of_any_process(on_stderr(config::StatsFormat::json)), k_two_loops_json);
}

/// What `write` writes of one loop, of which the compiler has told `psource`.
template <class Write> std::string written_of(const char* psource, Write write) {
  const auto table = std::make_unique<SiteTable>();
  const auto sorted = std::make_unique<SortedSites>();
  table->find(address(0x1000), psource, "wstree").add({1, {1, 1, 0, 1, 1}, 1, 1});
  sorted->sort(*table);
  return written([&](ReportWriter& out) { write(out, *sorted); });
}

TEST(WriteJson, EscapesNames) {
  const std::string json = written_of(";a\"b\\\xff.c;f\xff;1;1;;", [](ReportWriter& out, const auto& sorted) {
    write_json(out, sorted, {"1\"2", 1, core::tick_of(1, 1)});
  });
  EXPECT_THAT(json, StartsWith(R"({"version": "1\"2", "program": "", "pid": 0, "threads": 1, "rank": "0",)"));
  EXPECT_THAT(json, testing::HasSubstr(R"-("where": "a\"b\\\ufffd.c:1 (f?)")-"));
}

TEST(WriteText, ShowsControlCharactersAndBadBytesHarmlessly) {
  const std::string text =
      written_of(";a\n\x1b\xff.c;f\xc2\x9b;1;1;;", [](ReportWriter& out, const auto& sorted) {
        write_text(out, sorted, {"1", 1, core::tick_of(1, 1)});
      });
  EXPECT_THAT(text, testing::HasSubstr("  a\?\?\?.c:1 (f\?\?)  1 call "));
}

TEST(ReportWriter, WritesJsonStrings) {
  const std::pair<std::string, std::string> cases[] = {
      {"", R"("")"},
      {"plain (text) /", R"("plain (text) /")"},
      {R"(a"b\c)", R"("a\"b\\c")"},
      {std::string("\x00\x01\n\t\x1f\x7f", 6), "\"\\u0000\\u0001\\u000a\\u0009\\u001f\\u007f\""},
      {"\xc2\x9b \xc2\xa0", "\"\\u009b \xc2\xa0\""}, // a control character and a blank
      {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\xb3", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\xb3\""},
      {"a\xffz", R"("a\ufffdz")"},
      {"\x80", R"("\ufffd")"},
      {"cut \xe2\x82", R"("cut \ufffd\ufffd")"},
      {"\xc0\xaf", R"("\ufffd\ufffd")"},                     // overlong /
      {"\xe0\x80\xaf", R"("\ufffd\ufffd\ufffd")"},           // overlong
      {"\xed\xa0\x80", R"("\ufffd\ufffd\ufffd")"},           // surrogate
      {"\xf4\x90\x80\x80", R"("\ufffd\ufffd\ufffd\ufffd")"}, // above U+10FFFF
      {"\xf5\x80\x80\x80", R"("\ufffd\ufffd\ufffd\ufffd")"},
  };
  for (const auto& [text, json] : cases)
    EXPECT_EQ(written([&t = text](ReportWriter& out) { out.json_string(t); }), json);
}

TEST(ReportWriter, ShowsForeignTextByteForByte) {
  const std::pair<std::string, std::string> cases[] = {
      {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\xb3", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\xb3"},
      {std::string("a\x00\n\x1b\x7fz", 6), "a????z"},
      {"a\xff\x80z", "a??z"},
      {"\xc2\x9b", "??"}, // the same to a terminal as escape and [
      {"cut \xe2\x82", "cut ??"},
      {"\xed\xa0\x80\xc0\xaf", "?????"}};
  for (const auto& [text, shown] : cases)
    EXPECT_EQ(written([&t = text](ReportWriter& out) { out.visible(t); }), shown);
}

TEST(ReportWriter, KeepsLinesWhole) {
  const HostGuard guard;
  const Pipe pipe(O_DIRECT); // each read gives what one write wrote
  ReportWriter out(pipe.ends[1]);
  const std::string line(1499, 'x');
  for (int i = 0; i < 4; ++i) out.text(line).text("\n");
  EXPECT_EQ(out.flush(), 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(pipe.read_some().size(), 3000U);
}

TEST(UnservedRegions, HaveTheTimeOfTheirExecutions) {
  const int status = run_in_child([] { // regions stay known for as long as the process lives
    const int region = 0, other = 0;
    note_unserved_region(&region, "waits", nullptr);
    note_unserved_time(&region, 1'000'000);
    note_unserved_time(&region, 2'000'000);
    note_unserved_time(&other, 5'000'000); // served
    constexpr core::TickLength k_two = core::tick_of(2, 1);
    const auto json = [] { return written([](ReportWriter& out) { write_unserved_json(out, k_two); }); };
    EXPECT_THAT(json(), AllOf(HasSubstr("\"reason\": \"waits\""),
                              HasSubstr("\"calls\": 2, \"seconds\": 0.006000000}")));
    EXPECT_THAT(written([](ReportWriter& out) { write_unserved_lines(out, k_two); }),
                AllOf(HasSubstr("wstree: not served: "), HasSubstr(": waits (6.0 ms)\n")));
    forget_unserved_times();
    EXPECT_THAT(json(), HasSubstr("\"calls\": 0, \"seconds\": 0.000000000}"));
    if (HasFailure()) _exit(1);
  });
  EXPECT_TRUE(ended_well(status));
}

} // namespace
} // namespace wstree::observe::report_test
