// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wait_choice.h"

#include <gtest/gtest.h>
#include <utility>

namespace {

using wstree::abi::WaitChoice;
constexpr std::uint64_t k_us = 1'000, k_ms = 1'000'000;

/// A program that opens regions one after the other: each lasts `region`, and the next one comes `gap` later.
/// Its threads sleep `sleeps` times in each region, and between regions if they have to.
class Program {
public:
  explicit Program(std::uint32_t members = 2) : choice_(members), members_(members) {}

  int run(std::uint64_t time, std::uint64_t gap, std::uint64_t region, std::uint64_t sleeps = 0) {
    for (const std::uint64_t end = now_ + time; now_ < end;) {
      now_ += region + gap;
      const bool short_limit = static_cast<std::uint64_t>(choice_.limit_ms()) * k_ms < gap;
      sleeps_ += sleeps * (members_ - 1) + (short_limit ? members_ - 1 : 0);
      if (choice_.note_gap(now_, gap) && choice_.settle(now_, std::exchange(sleeps_, 0))) ++changes_;
    }
    return choice_.limit_ms();
  }
  int changes() const { return changes_; }
  int limit() const { return choice_.limit_ms(); }

private:
  WaitChoice choice_;
  std::uint32_t members_;
  std::uint64_t now_ = 0, sleeps_ = 0;
  int changes_ = 0;
};

TEST(WaitChoice, BeginsWithAHundredTimesTheTimeToWake) {
  EXPECT_EQ(Program(2).limit(), 4);
  EXPECT_EQ(Program(64).limit(), 9) << "a tree of six levels";
}

TEST(WaitChoice, LetsThreadsSleepWhereRegionsAreRare) {
  EXPECT_EQ(Program().run(500 * k_ms, 20 * k_ms, 20 * k_ms), 0);
  EXPECT_EQ(Program().run(500 * k_ms, 5 * k_ms, 5 * k_ms), 0);
}

TEST(WaitChoice, LetsThreadsSpinWhereRegionsFollowEachOther) {
  EXPECT_EQ(Program().run(500 * k_ms, 5 * k_us, 20 * k_us), 1) << "gaps are shorter than that";
  EXPECT_EQ(Program().run(500 * k_ms, 1500 * k_us, 1000 * k_us), 4);
}

TEST(WaitChoice, FollowsAProgramThatChanges) {
  Program program;
  EXPECT_EQ(program.run(500 * k_ms, 20 * k_ms, 20 * k_ms), 0);
  EXPECT_EQ(program.run(100 * k_ms, 1500 * k_us, 1000 * k_us), 4);
  EXPECT_EQ(program.run(1000 * k_ms, 20 * k_ms, 20 * k_ms), 0);
}

TEST(WaitChoice, GoesBackIfThreadsSleepInRegionsAndTriesAgainLater) {
  Program program;
  // Twenty barriers of each region take long enough to sleep at.
  program.run(1000 * k_ms, 5 * k_ms, 5 * k_ms, 20);
  EXPECT_LE(program.changes(), 8) << "each time it waits longer until it tries again";
  EXPECT_GE(program.changes(), 2);
  program.run(100'000 * k_ms, 5 * k_ms, 5 * k_ms, 20);
  EXPECT_LE(program.changes(), 24);
  EXPECT_EQ(program.run(100'000 * k_ms, 5 * k_ms, 5 * k_ms), 0) << "they do so no more";
}

} // namespace
