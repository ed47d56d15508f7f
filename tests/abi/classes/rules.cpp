// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rules/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace wstree::abi {
namespace {

using config::Ruling;
using testing::ElementsAre;

Ruling with_chunk(std::uint64_t chunk) {
  Ruling ruling;
  ruling.set_schedule(config::ScheduleKind::wsrange, chunk);
  return ruling;
}

TEST(AgreedRulings, TheFirstMemberDecides) {
  AgreedRulings rulings;
  EXPECT_EQ(rulings.agree(0, with_chunk(1)), with_chunk(1));
  EXPECT_EQ(rulings.agree(0, with_chunk(2)), with_chunk(1));
  EXPECT_EQ(rulings.agree(1, with_chunk(3)), with_chunk(3));
  EXPECT_EQ(rulings.agree(AgreedRulings::k_kept, with_chunk(4)), with_chunk(4));
  EXPECT_EQ(rulings.agree(0, with_chunk(5)), with_chunk(5)); // too late
  EXPECT_EQ(rulings.agree(AgreedRulings::k_kept, with_chunk(6)), with_chunk(4));
  rulings.clear();
  EXPECT_EQ(rulings.agree(0, with_chunk(7)), with_chunk(7));
}

TEST(AgreedRulings, MembersAgree) {
  constexpr std::size_t k_members = 4;
  constexpr std::uint32_t k_loops = 20'000;
  AgreedRulings rulings;
  std::vector<std::vector<std::uint64_t>> seen(k_members);
  std::atomic<std::uint32_t> slowest[k_members] = {};
  std::vector<std::thread> threads;
  for (std::size_t m = 0; m < k_members; ++m) {
    threads.emplace_back([&, m] {
      for (std::uint32_t loop = 0; loop < k_loops; ++loop) {
        for (auto& other : slowest) // no member is too late for the others
          while (other.load() + AgreedRulings::k_kept <= loop) std::this_thread::yield();
        seen[m].push_back(rulings.agree(loop, with_chunk(1 + m)).bits());
        slowest[m].store(loop + 1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t m = 1; m < k_members; ++m) EXPECT_EQ(seen[m], seen[0]) << m;
}

struct Heard {
  std::vector<std::string> lines;
  config::ErrorSink sink() {
    return {[](void* context, std::string_view line) noexcept {
              static_cast<Heard*>(context)->lines.emplace_back(line);
            },
            this};
  }
};

TEST(Rules, AnswersOfManyThreads) {
  Heard heard;
  static Rules* rules = nullptr; // lives as long as the process
  rules = Rules::load("* wsrange,8; solver.c:10 off; kernel runtime", heard.sink());
  ASSERT_NE(rules, nullptr);
  EXPECT_TRUE(heard.lines.empty());
  static const char code[4] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(rules->of(&code[0], nullptr), with_chunk(8));
        EXPECT_TRUE(rules->of(&code[1], ";src/solver.c;f;10;1;;").is_left_to_runtime());
        EXPECT_EQ(rules->of(&code[2], ";src/solver.c;f;11;1;;"), with_chunk(8));
        EXPECT_TRUE(rules->of(&code[3], ";src/x.c;kernel;11;1;;").is_left_to_runtime());
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Rules, ALabelHasItsOwnAnswerAtTheSameAddress) {
  Heard heard;
  static Rules* rules = Rules::load("* wsrange,8; label:solve off; x.c:5 wsrange,16", heard.sink());
  ASSERT_NE(rules, nullptr);
  static const char code = 0;
  const auto* const solve = observe::find_label("solve");
  const auto* const other = observe::find_label("other");
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_EQ(rules->of(&code, nullptr), with_chunk(8));
    EXPECT_TRUE(rules->of(&code, nullptr, solve).is_left_to_runtime());
    EXPECT_EQ(rules->of(&code, nullptr, other), with_chunk(8));
  }
  EXPECT_EQ(rules->of_call(&code + 1, "src/x.c", 5, other), with_chunk(16));
}

/// What a file of that name, with these rules in it, is loaded as.
Rules* load_file(const std::string& name, std::string_view text, Heard& heard, bool may_open = true) {
  const auto file = testing::TempDir() + std::to_string(getpid()) + "-" + name;
  std::ofstream(file) << text;
  Rules* const rules = Rules::load(file, heard.sink(), may_open);
  std::remove(file.c_str());
  return rules;
}

TEST(Rules, ALineMayBeginWithAMarkOfUtf8) {
  const std::string rule = "\xEF\xBB\xBF* bind=spread\n";
  for (const std::string& text : {rule, "\n" + rule, "* bind=close\n" + rule}) {
    Heard heard;
    static auto* const kept = new std::vector<Rules*>; // as above, and reachable at the process's end
    kept->push_back(load_file("marked.rules", text, heard));
    EXPECT_THAT(heard.lines, ElementsAre());
    ASSERT_NE(kept->back(), nullptr);
    EXPECT_EQ(kept->back()->bind(), config::Bind::spread);
  }
}

TEST(Rules, OfAFileThatIsNoTextOneLineSaysSo) {
  using namespace std::literals;
  for (const std::string& name : {"picture"s, "picture of * wsrang"s}) {
    Heard heard;
    EXPECT_EQ(load_file(name, "\x89PNG\n* wsrange\n\0\n;;x\n"sv, heard), nullptr);
    ASSERT_EQ(heard.lines.size(), 1U);
    EXPECT_THAT(heard.lines[0],
                testing::MatchesRegex("wstree: WSTREE_RULES cannot read '.*-" + name.substr(0, 7) +
                                      ".*': it is no text; no rule holds"));
  }
}

// To open one may end the process.
TEST(Rules, OfATextThatHasOneNoFileIsOpened) {
  Heard heard;
  static Rules* rules = nullptr; // as above
  rules = load_file("file wsrange", "* bind=spread\n", heard);
  EXPECT_THAT(heard.lines, ElementsAre());
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(rules->bind(), std::nullopt);
}

TEST(Rules, NoFileIsOpenedWhereNoneMayBe) {
  Heard heard;
  EXPECT_EQ(load_file("shut.rules", "* bind=spread\n", heard, false), nullptr);
  EXPECT_THAT(heard.lines, ElementsAre(testing::HasSubstr("Operation not permitted; no rule holds")));
}

} // namespace
} // namespace wstree::abi
