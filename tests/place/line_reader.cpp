// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "line_reader.h"

#include "fake_root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wstree::place {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines_of(const std::string& text) {
  const FakeRoot root;
  root.write("file", text);
  LineReader reader(below(root.path(), "/file"));
  EXPECT_TRUE(reader.is_open());
  std::vector<std::string> lines;
  while (const auto line = reader.next()) lines.emplace_back(*line);
  EXPECT_EQ(reader.next(), std::nullopt) << "the end is the end";
  return lines;
}

TEST(LineReader, GivesLinesWithoutTheirEnds) {
  EXPECT_THAT(lines_of("a\nbc\n\nd"), ElementsAre("a", "bc", "", "d"));
  EXPECT_THAT(lines_of("a\n"), ElementsAre("a"));
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of(""), IsEmpty());
}

TEST(LineReader, ReadsMoreThanItsBufferHolds) {
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 3000; ++i) {
    expected.emplace_back(i % 97, static_cast<char>('a' + i % 26));
    text += expected.back() + '\n';
  }
  EXPECT_EQ(lines_of(text), expected);
}

TEST(LineReader, LeavesOutWhatIsTooLong) {
  constexpr std::size_t k_longest = LineReader::k_longest;
  for (const std::size_t size : {k_longest - 1, k_longest, k_longest + 1, k_longest + 2, 2 * k_longest,
                                 2 * k_longest + 3, 10 * k_longest}) {
    const std::string line(size, 'x');
    const auto first = lines_of(line + "\nnext\nlast");
    const auto last = lines_of("first\n" + line);
    if (size <= k_longest) {
      EXPECT_THAT(first, ElementsAre(line, "next", "last")) << size;
      EXPECT_THAT(last, ElementsAre("first", line)) << size;
    } else {
      EXPECT_THAT(first, ElementsAre("next", "last")) << size;
      EXPECT_THAT(last, ElementsAre("first")) << size;
    }
  }
}

TEST(LineReader, SurvivesFilesThatCannotBeRead) {
  const FakeRoot root;
  std::filesystem::create_directory(root.below("folder"));
  for (const std::string& path : {std::string("/nothing"), std::string("/folder"), std::string(2000, '/')}) {
    LineReader reader(below(root.path(), path));
    EXPECT_EQ(reader.next(), std::nullopt) << path;
    EXPECT_EQ(read_short_line(below(root.path(), path)), std::nullopt) << path;
  }
}

} // namespace
} // namespace wstree::place
