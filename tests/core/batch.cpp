// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a member learns from its batches about the size of the next one, and how often it looks at the clock.
#include "seed.h"
#include "usual.h"

#include "wstree/core/batch.h"
#include "wstree/core/rng.h"

namespace wstree::core {
namespace {

constexpr std::uint32_t k_share = 10'000'000;

Settings quiet() { return {.clocked = false}; }

/// One member that works through its share, whose units cost what it is told.
class Member {
public:
  explicit Member(const Settings& settings) : settings_(settings) {
    batcher_.enter(settings_, 1, 0, k_share, k_start);
  }

  /// Takes a batch of units that cost `ticks` each. Returns how many.
  std::uint32_t take(std::uint64_t ticks) {
    const std::uint32_t units = batcher_.size(left_);
    left_ -= units;
    now_ += units * ticks;
    ++batches_;
    if (batcher_.may_skip()) {
      batcher_.skip(units);
      return units;
    }
    batcher_.finished(units, now_ - read_, now_);
    longest_unread_ = std::max(longest_unread_, now_ - read_);
    read_ = now_;
    ++reads_;
    return units;
  }
  void take_until(std::uint64_t elapsed, std::uint64_t ticks) {
    while (now_ < k_start + elapsed) take(ticks);
  }
  void forget() { batches_ = reads_ = longest_unread_ = 0; }

  std::uint64_t elapsed() const { return now_ - k_start; }
  std::uint64_t batches() const { return batches_; }
  std::uint64_t reads() const { return reads_; }
  std::uint64_t longest_unread() const { return longest_unread_; }
  std::uint32_t left() const { return left_; }
  Batcher& batcher() { return batcher_; }

private:
  static constexpr std::uint64_t k_start = 1'000'000;
  Settings settings_;
  Batcher batcher_;
  std::uint64_t now_ = k_start;
  std::uint64_t read_ = k_start;
  std::uint64_t batches_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t longest_unread_ = 0;
  std::uint32_t left_ = k_share;
};

TEST(Batcher, LooksAtTheClockOnceInEightShortBatchesWhileTheyCostTheSame) {
  Member member(quiet());
  member.take_until(160'000, 3);
  member.forget();
  member.take_until(400'000, 3);
  EXPECT_GT(member.batches(), 10U);
  EXPECT_LE(member.reads(), member.batches() / 3);
}

TEST(Batcher, LooksAtTheClockOften) {
  const Settings settings = quiet();
  Member member(settings);
  while (member.left() > 0) {
    member.forget();
    member.take(3);
    EXPECT_LE(member.longest_unread(), std::max(member.elapsed() / 3, 3 * settings.shortest_target));
    EXPECT_LE(member.longest_unread(), 5 * settings.longest_target);
  }
}

TEST(Batcher, AfterACliffLooksAtTheClockEveryTime) {
  Member member(quiet());
  member.take_until(400'000, 3);
  const std::uint32_t before = member.take(3);
  member.forget();
  while (member.reads() == 0) member.take(300);
  EXPECT_LE(member.batches(), 8U);
  member.forget();
  // The batch that showed it may have been cheap in part; the next one tells all.
  member.take(300);
  EXPECT_EQ(member.reads(), 1U);
  EXPECT_LE(member.take(300), before / 10);
}

TEST(Batcher, TakesLessTheNearerTheEndOfItsNode) {
  const Settings settings = quiet();
  Member member(settings);
  // A share of 4 ms: what a batch can swallow, against the time that is left.
  while (member.left() > k_share / 1'000) {
    const std::uint32_t left = member.left();
    const std::uint32_t units = member.take(1);
    EXPECT_LE(units, std::max<std::uint64_t>(left / 200 + k_share / 700, settings.shortest_target + 1));
  }
  EXPECT_LT(member.batches(), 500U);
}

TEST(Batcher, TakesNoMoreThanAPartOfTheTimeThatItHasWorked) {
  Member member(quiet());
  member.take(1);
  member.take(1);
  while (member.elapsed() < 20'000) {
    const std::uint64_t before = member.elapsed();
    EXPECT_LE(member.take(1), std::max<std::uint64_t>(before / 3, 16) + 1) << before;
  }
}

/// Whatever a member's batches took, the next one has a unit at least, no more than is left, and no fewer
/// iterations than asked for, but at the end.
TEST(Batcher, TakesSomethingAndNeverTooMuch) {
  Rng random(test::seed());
  const auto any = [&](unsigned bits) { return random.next() >> (64 - 1 - random.below(bits)); };
  for (std::uint64_t i = 0, count = test::scaled(3'000); i < count; ++i) {
    Settings settings;
    settings.batch = static_cast<BatchMode>(i % 4);
    settings.limit = 1 + any(62);
    const std::uint64_t smallest = 1 + any(27) % k_max_share;
    const unsigned shift = random.below(37);
    Batcher batcher;
    std::uint64_t now = any(40);
    batcher.enter(settings, smallest, shift, any(27) % k_max_share, now);
    const std::uint64_t least =
        std::min<std::uint64_t>(std::max<std::uint64_t>(smallest >> shift, 1), k_max_share / 2);
    for (std::uint32_t step = 0, left = 1 + static_cast<std::uint32_t>(any(27) % k_max_share);
         step < 40 && left > 0; ++step) {
      const std::uint32_t units = batcher.size(left);
      ASSERT_TRUE(units >= 1 && units <= left) << units << " of " << left;
      ASSERT_TRUE(units == left || units >= least) << units << " of " << left << ", at least " << least;
      left -= units;
      const std::uint64_t spent = any(30);
      now += spent;
      if (random.coin())
        batcher.finished(units, spent, now);
      else
        batcher.finished_unclocked();
      if (random.below(8) == 0) batcher.start_node();
    }
  }
}

} // namespace
} // namespace wstree::core
