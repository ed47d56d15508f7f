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

TEST(ReportWriter, WritesNumbers) {
  const std::pair<std::uint64_t, const char*> grouped[] = {
      {0, "0"},
      {999, "999"},
      {1000, "1,000"},
      {1234567, "1,234,567"},
      {123456, "123,456"},
      {18446744073709551615u, "18,446,744,073,709,551,615"}};
  for (const auto& [number, text] : grouped) {
    EXPECT_EQ(written([n = number](ReportWriter& out) { out.grouped(n); }), text);
    EXPECT_EQ(grouped_width(number), std::string(text).size());
  }
  struct Decimal {
    std::uint64_t scaled;
    unsigned digits;
    const char* text;
  };
  const Decimal decimals[] = {{0, 2, "0.00"},
                              {5, 2, "0.05"},
                              {99, 2, "0.99"},
                              {100, 2, "1.00"},
                              {1241, 2, "12.41"},
                              {1, 9, "0.000000001"},
                              {12410000000, 9, "12.410000000"}};
  for (const auto& [scaled, digits, text] : decimals)
    EXPECT_EQ(written([s = scaled, d = digits](ReportWriter& out) { out.decimal(s, d); }), text);
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

TEST(ReportWriter, WritesMoreThanItsBuffer) {
  std::string all;
  for (int i = 0; i < 5000; ++i) all += std::to_string(i) + (i % 100 == 0 ? "\n" : " ");
  all += std::string(3 * ReportWriter::k_buffer_size, 'x');
  EXPECT_EQ(written([&](ReportWriter& out) { out.text(all); }), all);
}

TEST(ReportWriter, RemembersTheFirstError) {
  const HostGuard guard;
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ReportWriter out(full);
  out.text(std::string(2 * ReportWriter::k_buffer_size, 'x'));
  close(full);
  EXPECT_EQ(out.flush(), ENOSPC);
}

} // namespace
} // namespace wstree::observe::report_writer_test
