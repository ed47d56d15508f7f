// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "host_guard.h"
#include "report_writer.h"
#include "support.h"

namespace wstree::observe::report_writer_test {
namespace {

using namespace test;

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
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_DIRECT), 0); // each read gives what one write wrote
  ReportWriter out(ends[1]);
  const std::string line(1499, 'x');
  for (int i = 0; i < 4; ++i) out.text(line).text("\n");
  EXPECT_EQ(out.flush(), 0);
  char buffer[2 * ReportWriter::k_buffer_size];
  EXPECT_EQ(read(ends[0], buffer, sizeof buffer), 3000);
  EXPECT_EQ(read(ends[0], buffer, sizeof buffer), 3000);
  close(ends[0]);
  close(ends[1]);
}

} // namespace
} // namespace wstree::observe::report_writer_test
