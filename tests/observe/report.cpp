// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <memory>
#include <pthread.h>
#include <regex>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report.h"
#include "report_writer.h"
#include "statistics.h"
#include "support.h"

// GCC says so itself.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WSTREE_SANITIZED
#endif
#endif

namespace wstree::observe::report_test {
namespace {

using namespace test;
using testing::MatchesRegex;
using testing::StartsWith;

const void* address(std::uintptr_t number) { return reinterpret_cast<const void*>(number); }

TEST(ToNs, RoundsAndStaysInRange) {
  EXPECT_EQ(to_ns(0, 1.0), 0u);
  EXPECT_EQ(to_ns(10, 0.25), 3u);
  EXPECT_EQ(to_ns(3'000'000'000, 1.0 / 3), 1'000'000'000u);
  EXPECT_EQ(to_ns(5, 0), 0u);
  EXPECT_EQ(to_ns(5, -1), 0u);
  EXPECT_EQ(to_ns(5, std::numeric_limits<double>::quiet_NaN()), 0u);
  EXPECT_EQ(to_ns(5, std::numeric_limits<double>::infinity()), 9'000'000'000'000'000'000u);
  EXPECT_EQ(to_ns(~std::uint64_t{0}, 1e6), 9'000'000'000'000'000'000u);
}

config::Options options_for(config::StatsFormat format, std::string_view path = {}) {
  config::Options options;
  options.stats = format;
  options.stats_path.append(path);
  return options;
}

class WriteReport : public testing::Test {
protected:
  void SetUp() override { forget_executions(); }
  void TearDown() override { forget_executions(); }

  /// Two loops; ticks are tenths of a microsecond (ns_per_tick 100). The longer one is recorded second.
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
    write_report(options_for(format), 100.0, threads, "1.2.3");
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

TEST_F(WriteReport, ToMemoryAsMuchAsFits) {
  record_two_loops();
  const std::string all = on_stderr(config::StatsFormat::json);
  const auto write = [](std::string& to, std::size_t size) {
    return write_report_to(to.data(), size, 100.0, 16, "1.2.3");
  };
  EXPECT_EQ(write_report_to(nullptr, 0, 100.0, 16, "1.2.3"), all.size());
  for (const std::size_t size : {std::size_t{1}, std::size_t{10}, all.size(), all.size() + 1}) {
    std::string buffer(all.size() + 10, '#');
    errno = ENOTTY;
    EXPECT_EQ(write(buffer, size), all.size());
    EXPECT_EQ(errno, ENOTTY);
    EXPECT_EQ(of_any_process(buffer.substr(0, size - 1)), of_any_process(all.substr(0, size - 1)));
    EXPECT_EQ(buffer[size - 1], '\0');
    EXPECT_EQ(buffer.substr(size), std::string(buffer.size() - size, '#'));
  }
}

TEST_F(WriteReport, IsSilentWhenOff) {
  record_two_loops();
  EXPECT_EQ(on_stderr(config::StatsFormat::off), "");
}

TEST_F(WriteReport, WritesJsonWithTheLongestLoopFirst) {
  record_two_loops();
  EXPECT_EQ(of_any_process(on_stderr(config::StatsFormat::json)), k_two_loops_json);
}

TEST_F(WriteReport, WritesTextInColumns) {
  record_two_loops();
  EXPECT_EQ(on_stderr(config::StatsFormat::text), k_two_loops_text);
}

TEST_F(WriteReport, SaysOneOfEach) {
  static const char only[] = ";one.c;f;1;1;;";
  record(*find_site(address(0x2020), only, "wstree"), {1, {1, 1, 1, 1, 10}, 10, 10});
  EXPECT_EQ(on_stderr(config::StatsFormat::text, 1),
            "wstree 1.2.3: 1 loop served, 1 call, 1 thread, 1 steal\n"
            "  one.c:1 (f)  1 call      1.00 us  too short to tell                                  1 "
            "iteration   1 "
            "batch    1 steal  wstree\n");
}

TEST_F(WriteReport, ShowsDurationsInAReadableUnit) {
  const std::pair<std::uint64_t, const char*> cases[] = {{0, "  0.00 us"},
                                                         {10, "  1.00 us"},
                                                         {9'999, "999.90 us"},
                                                         {10'000, "  1.00 ms"},
                                                         {9'999'999, "999.99 ms"},
                                                         {10'000'000, "  1.00 s "},
                                                         {36'000'000'000, "3600.00 s "},
                                                         {10'000'000'000'000, "1000000.00 s "}};
  for (const auto& [ticks, text] : cases) {
    forget_executions();
    static const char only[] = ";unit.c;f;1;1;;";
    record(*find_site(address(0x2030), only, "wstree"), {1, {1, 1, 0, 1, 0}, 0, ticks});
    std::filesystem::remove(folder_ / "stderr");
    EXPECT_THAT(on_stderr(config::StatsFormat::text), testing::HasSubstr(std::string(text) + "  too short"));
  }
}

TEST_F(WriteReport, SaysWhichLoopsWereAskedForIfNoneWasServed) {
  config::Options options = options_for(config::StatsFormat::text);
  options.loops = *config::parse_loops("dynamic,guided");
  const StderrToFile captured(folder_ / "stderr");
  write_report(options, 100.0, 2, "1.2.3");
  EXPECT_EQ(captured.text(), "wstree: no loop was served (WSTREE_LOOPS='dynamic,guided')\n");
}

TEST_F(WriteReport, SaysThatNoLoopWasServed) {
  EXPECT_EQ(on_stderr(config::StatsFormat::text),
            "wstree: no schedule(runtime) loop was served; WSTREE_LOOPS=runtime,proven serves loops without "
            "a clause\n");
  std::filesystem::remove(folder_ / "stderr");
  EXPECT_EQ(of_any_process(on_stderr(config::StatsFormat::json)),
            "{\"version\": \"1.2.3\", \"threads\": 16, \"rank\": \"0\", \"loops\": []}\n");
}

TEST_F(WriteReport, NamesALoopWithoutSourceByItsModule) {
  static const int code = 0;
  record(*find_site(&code, ";unknown;unknown;0;0;;", "wstree"), {1, {1, 1, 0, 1, 1}, 1, 1});
  EXPECT_THAT(on_stderr(config::StatsFormat::json),
              testing::HasSubstr("\"where\": \"" + std::string(program_invocation_short_name) + "+0x"));
}

TEST_F(WriteReport, IsLostQuietlyIfStderrIsAnotherFileNow) {
  record_two_loops();
  const StderrToFile captured(folder_ / "stderr");
  StderrToFile::redirect(folder_ / "data");
  write_report(options_for(config::StatsFormat::text), 100.0, 16, "1.2.3");
  EXPECT_EQ(content_of(folder_ / "data"), "");
  EXPECT_EQ(captured.text(), "");
}

TEST_F(WriteReport, WritesANewFileEachTime) {
  record_two_loops();
  const StderrToFile captured(folder_ / "stderr");
  const auto options = options_for(config::StatsFormat::json, folder_ / "new folder/%e-%p%%.json");
  write_report(options, 100.0, 16, "1.2.3");
  write_report(options, 100.0, 16, "1.2.3");
  const std::string path = folder_ / ("new folder/" + std::string(program_invocation_short_name) + "-" +
                                      std::to_string(getpid()) + "%.json");
  EXPECT_EQ(of_any_process(content_of(path)), k_two_loops_json);
  EXPECT_EQ(of_any_process(content_of(path + ".1")), k_two_loops_json);
  EXPECT_EQ(captured.text(),
            "wstree: WSTREE_STATS wrote '" + path + ".1', because '" + path + "' was there already\n");
  write_report(options_for(config::StatsFormat::text, folder_ / "out.txt"), 100.0, 16, "1.2.3");
  EXPECT_EQ(content_of(folder_ / "out.txt"), k_two_loops_text);
}

TEST_F(WriteReport, SaysOnOneLineThatALongNameWasTaken) {
  record_two_loops();
  const std::string folder = folder_ / std::string(250, 'f');
  std::filesystem::create_directories(folder);
  put_content(folder + "/out", "old");
  const StderrToFile captured(folder_ / "stderr");
  write_report(options_for(config::StatsFormat::json, folder + "/out"), 100.0, 16, "1.2.3");
  EXPECT_EQ(of_any_process(content_of(folder + "/out.1")), k_two_loops_json);
  EXPECT_EQ(content_of(folder + "/out"), "old");
  EXPECT_THAT(captured.text(),
              MatchesRegex("wstree: WSTREE_STATS wrote '/[^']*f\\.\\.\\.\\.1', because '/[^']*f"
                           "\\.\\.\\.' was there already\n"));
}

TEST_F(WriteReport, SaysWhyAFileCannotBeWritten) {
  record_two_loops();
  put_content(folder_ / "file", "");
  const StderrToFile captured(folder_ / "stderr");
  write_report(options_for(config::StatsFormat::json, folder_ / "file/below.json"), 100.0, 16, "1.2.3");
  EXPECT_EQ(captured.text(),
            "wstree: WSTREE_STATS cannot write '" + (folder_ / "file/below.json") + "': Not a directory\n");
}

TEST_F(WriteReport, SaysThatTheDeviceIsFull) {
  record_two_loops();
  const StderrToFile captured(folder_ / "stderr");
  write_report(options_for(config::StatsFormat::json, "/dev/full"), 100.0, 16, "1.2.3");
  EXPECT_EQ(captured.text(), "wstree: WSTREE_STATS cannot write '/dev/full': No space left on device\n");
}

TEST_F(WriteReport, SurvivesTheFileSizeLimit) {
  record_two_loops();
  put_content(folder_ / "stderr", "");
  const int status = run_in_child([&] {
    const StderrToFile captured("/dev/null");
    const rlimit limit{16, 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    write_report(options_for(config::StatsFormat::json, folder_ / "out"), 100.0, 16, "1.2.3");
  });
  EXPECT_TRUE(ended_well(status));
  EXPECT_EQ(content_of(folder_ / "out").size(), 16u);
}

TEST_F(WriteReport, WorksAtTheEndOfTheProcess) {
  record_two_loops();
  static std::string path;
  path = folder_ / "out";
  const int status = run_in_child([] {
    std::atexit([] { write_report(options_for(config::StatsFormat::json, path), 100.0, 16, "1.2.3"); });
    std::exit(0);
  });
  EXPECT_TRUE(ended_well(status));
  EXPECT_EQ(of_any_process(content_of(folder_ / "out")), k_two_loops_json);
}

TEST_F(WriteReport, IsEmptyInAChildThatForgot) {
  record_two_loops();
  const int status = run_in_child([&] {
    forget_executions();
    static const char only[] = ";child.c;f;1;1;;";
    record(*find_site(address(0x2040), only, "wstree"), {1, {1, 1, 1, 1, 10}, 10, 10});
    write_report(options_for(config::StatsFormat::text, folder_ / "child"), 100.0, 2, "1.2.3");
  });
  EXPECT_TRUE(ended_well(status));
  EXPECT_THAT(content_of(folder_ / "child"),
              StartsWith("wstree 1.2.3: 1 loop served, 1 call, 2 threads, 1 steal\n"));
  EXPECT_EQ(of_any_process(on_stderr(config::StatsFormat::json)), k_two_loops_json);
}

/// Stderr is a pipe that is full, so that a thread which writes its report sleeps there until
/// the pipe is read.
class SleepingReporter {
public:
  SleepingReporter() {
    const std::string filler(static_cast<std::size_t>(fcntl(pipe_.ends[1], F_GETPIPE_SZ)), 'x');
    EXPECT_EQ(write(pipe_.ends[1], filler.data(), filler.size()), static_cast<ssize_t>(filler.size()));
    filler_ = filler.size();
    dup2(pipe_.ends[1], STDERR_FILENO);
    pipe_.close_write();
    remember_stderr();
    thread_ = std::thread([this] {
      id_ = gettid();
      write_report(options_for(config::StatsFormat::json), 100.0, 16, "1.2.3");
      done_ = true;
      dup2(STDIN_FILENO, STDERR_FILENO); // ends the pipe
    });
    while (!done_ && (id_ == 0 || !is_asleep(id_))) std::this_thread::yield();
    EXPECT_FALSE(done_);
  }
  ~SleepingReporter() { finish(); }

  /// Lets the thread end and returns all that came out of stderr.
  std::string finish() {
    std::string all;
    for (std::string some = pipe_.read_some(); !some.empty(); some = pipe_.read_some()) all += some;
    if (thread_.joinable()) thread_.join();
    return all.empty() ? all : all.substr(filler_);
  }

private:
  StderrKeeper keeper_;
  Pipe pipe_;
  std::size_t filler_ = 0;
  std::atomic<pid_t> id_{0};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

TEST_F(WriteReport, LeavesAReportThatIsBeingWrittenAlone) {
  record_two_loops();
  SleepingReporter reporter;
  write_report(options_for(config::StatsFormat::json, folder_ / "second"), 100.0, 16, "1.2.3");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "second"));
  EXPECT_EQ(of_any_process(reporter.finish()), k_two_loops_json);
  write_report(options_for(config::StatsFormat::json, folder_ / "third"), 100.0, 16, "1.2.3");
  EXPECT_EQ(of_any_process(content_of(folder_ / "third")), k_two_loops_json);
}

TEST_F(WriteReport, WorksInAChildThatWasForkedDuringAReport) {
  record_two_loops();
  SleepingReporter reporter;
  const int status = run_in_child([&] {
    forget_executions();
    write_report(options_for(config::StatsFormat::text, folder_ / "child"), 100.0, 16, "1.2.3");
  });
  EXPECT_TRUE(ended_well(status));
  EXPECT_EQ(content_of(folder_ / "child"), "wstree: no schedule(runtime) loop was served; "
                                           "WSTREE_LOOPS=runtime,proven serves loops without a clause\n");
  EXPECT_EQ(of_any_process(reporter.finish()), k_two_loops_json);
}

TEST_F(WriteReport, ThreadsTakeTurns) {
  record_two_loops();
  const auto options = options_for(config::StatsFormat::json, "/dev/null");
  const auto body = [&] {
    for (int i = 0; i < 200; ++i) write_report(options, 100.0, 16, "1.2.3");
  };
  std::thread first(body);
  std::thread second(body);
  first.join();
  second.join();
  EXPECT_EQ(of_any_process(on_stderr(config::StatsFormat::json)), k_two_loops_json);
}

TEST_F(WriteReport, NeedsLittleStack) {
  record_two_loops();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(WSTREE_SANITIZED)
  GTEST_SKIP() << "sanitizers need a stack of their own";
#endif
  auto options = options_for(config::StatsFormat::json, folder_ / "out");
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // The C library has a smallest size, which on AArch64 is 128 kB.
  const auto smallest = static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN));
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::max<std::size_t>(48 * 1024, smallest)), 0);
  pthread_t thread;
  const auto body = [](void* data) -> void* {
    write_report(*static_cast<config::Options*>(data), 100.0, 16, "1.2.3");
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &options), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(of_any_process(content_of(folder_ / "out")), k_two_loops_json);
}

TEST(WriteText, HoldsAFullTable) {
  const auto table = std::make_unique<SiteTable>();
  const auto sorted = std::make_unique<SortedSites>();
  static const char psource[] = ";many.c;f;1;1;;";
  for (std::uintptr_t i = 1; i <= 2 * k_max_sites; ++i)
    table->find(address(i * 64), psource, "wstree").add({1, {1, 1, 0, 1, i}, i, i});
  sorted->sort(*table);
  const std::string text = written([&](ReportWriter& out) {
    write_text(out, *sorted, {"1.2.3", 16, 100.0});
  });
  const std::string head =
      "wstree 1.2.3: 4,097 loops served, 8,192 calls, 16 threads, 0 steals\n  (other loops)  4,096 calls";
  EXPECT_EQ(text.substr(0, head.size()), head);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 4097);
}

TEST(WriteJson, EscapesNames) {
  const auto table = std::make_unique<SiteTable>();
  const auto sorted = std::make_unique<SortedSites>();
  table->find(address(0x1000), ";a\"b\\\xff.c;f\xff;1;1;;", "wstree").add({1, {1, 1, 0, 1, 1}, 1, 1});
  sorted->sort(*table);
  const std::string json = written([&](ReportWriter& out) { write_json(out, *sorted, {"1\"2", 1, 1.0}); });
  EXPECT_THAT(json, StartsWith(R"({"version": "1\"2", "program": "", "pid": 0, "threads": 1, "rank": "0",)"));
  EXPECT_THAT(json, testing::HasSubstr(R"-("where": "a\"b\\\ufffd.c:1 (f?)")-"));
}

TEST(WriteText, ShowsControlCharactersAndBadBytesHarmlessly) {
  const auto table = std::make_unique<SiteTable>();
  const auto sorted = std::make_unique<SortedSites>();
  table->find(address(0x1000), ";a\n\x1b\xff.c;f\xc2\x9b;1;1;;", "wstree").add({1, {1, 1, 0, 1, 1}, 1, 1});
  sorted->sort(*table);
  EXPECT_THAT(written([&](ReportWriter& out) {
                write_text(out, *sorted, {"1", 1, 1.0});
              }),
              testing::HasSubstr("  a\?\?\?.c:1 (f\?\?)  1 call "));
}

} // namespace
} // namespace wstree::observe::report_test
