// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-stealing ranges step by step.
#include "range_support.h"

#include "usual.h"

namespace wstree::range_test {
namespace {

using core::BatchMode;
using core::Range;
using core::Settings;
using core::StealWord;

using P = test::HookPlatform;
using Team = test::RangeTeam<P>;

Settings one_by_one() { return {.batch = BatchMode::fixed, .limit = 1}; }

TEST(StealWord, IsTheLastQuarterRoundedUp) {
  for (std::uint64_t low : {0ULL, 1ULL, 5ULL, 0xFFFF'FF00ULL})
    for (std::uint64_t high = low; high < std::min<std::uint64_t>(low + 70, 0xFFFF'FFFFULL); ++high) {
      const auto word =
          StealWord::last_quarter(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high));
      EXPECT_EQ(word.mid(), low == high ? low : (low + 3 * high) / 4) << low << " " << high;
      EXPECT_EQ(word.high(), high);
      EXPECT_EQ(word.empty(), low == high);
    }
  EXPECT_EQ(StealWord::last_quarter(0, 0xFFFF'FFFF), StealWord(0xBFFF'FFFF, 0xFFFF'FFFF));
}

TEST(RangeWorker, KeepsAQuarterOfWhatIsLeftStealable) {
  const Settings settings = one_by_one();
  Team team(2);
  team.enter_all(32, 1, settings); // shares of 16 and 15 units
  Range range;
  ASSERT_TRUE(team.worker(0).next(range));
  EXPECT_EQ(range.begin, 0U);
  EXPECT_EQ(team.cell(0).read(), StealWord(12, 16)) << "a quarter of [1, 16), rounded up";
  for (std::uint32_t taken = 1; taken < 16; ++taken) {
    ASSERT_TRUE(team.worker(0).next(range));
    ASSERT_EQ(range.begin, taken);
    const StealWord word = team.cell(0).read();
    ASSERT_EQ(word.high(), 16U);
    const std::uint32_t left = 16 - (taken + 1);
    EXPECT_LE(3 * (16 - word.mid()), left + 2) << "at most a third, rounded up, after " << taken;
    EXPECT_GE(4 * (16 - word.mid()), left) << "at least a quarter after " << taken;
  }
  EXPECT_TRUE(team.cell(0).read().empty());
}

TEST(RangeWorker, AThiefTakesTheStealRangeAndKeepsItsFirstBatch) {
  const Settings settings = one_by_one();
  Team team(2);
  team.enter_all(32, 1, settings);
  Range range;
  ASSERT_TRUE(team.worker(0).next(range)); // [12, 16) of [1, 16) can be stolen
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(team.worker(1).next(range));
  EXPECT_EQ(range.end, 31U) << "its own share";
  EXPECT_EQ(team.worker(1).counts().steals, 0U);
  ASSERT_TRUE(team.worker(1).next(range));
  EXPECT_EQ(range.begin, 12U) << "the first unit of what it stole";
  EXPECT_EQ(range.end, 13U);
  EXPECT_EQ(team.worker(1).counts().steals, 1U);
  EXPECT_EQ(team.cell(0).read(), StealWord(9, 12)) << "the last quarter of [1, 12)";
  EXPECT_EQ(team.cell(1).read(), StealWord(15, 16)) << "of [13, 16), which is shown to others";
  EXPECT_EQ(team.cell(1).read_low(), 13U);
  ASSERT_TRUE(team.worker(0).next(range));
  EXPECT_EQ(range.begin, 1U);
  EXPECT_EQ(team.unclaimed(32, 1, settings), 10U + 3 + 1);
}

TEST(RangeWorker, OwnerAndThiefContendForTheLastUnit) {
  for (const bool owner_first : {true, false}) {
    const Settings settings = one_by_one();
    Team team(2);
    team.enter_all(5, 1, settings); // shares of 3 and 1 units
    Range range;
    ASSERT_TRUE(team.worker(0).next(range));
    ASSERT_TRUE(team.worker(0).next(range));
    ASSERT_TRUE(team.worker(1).next(range));
    EXPECT_EQ(team.cell(0).read(), StealWord(2, 3));
    const std::uint32_t winner = owner_first ? 0 : 1;
    ASSERT_TRUE(team.worker(winner).next(range));
    EXPECT_EQ(range.begin, 2U);
    EXPECT_EQ(team.worker(winner).counts().steals, winner);
    ASSERT_TRUE(team.worker(1 - winner).next(range));
    EXPECT_TRUE(range.last) << "nothing else is left";
    EXPECT_FALSE(team.worker(0).next(range));
    EXPECT_FALSE(team.worker(1).next(range));
  }
}

/// R-I2: the thief has read a `low` that is out of date by the time it replaces the word.
TEST(RangeCell, AMidBehindTheOwnerLosesNothing) {
  core::RangeCell<P> cell;
  const StealWord seen = cell.open(0, 100, 1, false);
  EXPECT_EQ(seen, StealWord(75, 100));
  const std::uint32_t low = cell.read_low(); // the thief
  cell.reserve(70);                          // the owner takes [0, 70), which is its own
  ASSERT_EQ(cell.check(), seen);
  ASSERT_TRUE(cell.steal(seen, StealWord::last_quarter(low, seen.mid())));
  const StealWord left = cell.keep_quarter(seen, 70); // the thief was faster
  EXPECT_EQ(left, StealWord(56, 75));
  EXPECT_EQ(cell.unclaimed(), StealWord(70, 75));
  // Another thief takes nothing that the owner has.
  const StealWord part = cell.read().beyond(cell.read_low());
  EXPECT_EQ(part, StealWord(73, 75));
  ASSERT_TRUE(cell.steal(left, StealWord::last_quarter(70, part.mid())));
  // And the owner goes on with the rest.
  cell.reserve(72);
  EXPECT_EQ(cell.check(), StealWord(72, 73));
}

/// An owner that is suspended between reserving too much and finding that out holds back what it reserved,
/// no more.
TEST(RangeCell, AThiefTakesWhatIsBeyondAReservation) {
  EXPECT_EQ(StealWord(75, 100).beyond(75), StealWord(75, 100));
  EXPECT_EQ(StealWord(75, 100).beyond(80), StealWord(95, 100));
  EXPECT_EQ(StealWord(75, 100).beyond(99), StealWord(99, 100));
  EXPECT_TRUE(StealWord(75, 100).beyond(100).empty());
  EXPECT_TRUE(StealWord(75, 100).beyond(120).empty());
  Settings settings = one_by_one();
  settings.limit = 9;
  Team team(2);
  team.enter_all(32, 1, settings, 9);
  Range range;
  ASSERT_TRUE(team.worker(0).next(range)); // [0, 9), and of [9, 16) a thief may have [14, 16)
  team.cell(0).reserve(15);                // beyond mid, and then nothing for a while
  while (team.worker(1).counts().steals == 0) ASSERT_TRUE(team.worker(1).next(range));
  EXPECT_EQ(range.begin, 15U);
  ASSERT_TRUE(team.worker(0).next(range));
  EXPECT_EQ(range.begin, 9U);
  EXPECT_EQ(range.end, 15U);
}

/// A drained range whose word is not empty (R-I2) is made empty before the cell is used again: a thief that
/// still holds the word would find a lower `low`.
TEST(RangeCell, AStaleWordDoesNotOutliveItsRange) {
  const Settings settings = one_by_one();
  Team team(2);
  team.enter_all(20, 1, settings); // [0, 10) and [10, 19)
  Range range;
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(team.worker(1).next(range)); // [10, 16)
  auto& cell = team.cell(1);
  const StealWord seen = cell.read();
  ASSERT_EQ(seen, StealWord(18, 19));
  const std::uint32_t low = cell.read_low();
  ASSERT_EQ(low, 16U);
  ASSERT_TRUE(team.worker(1).next(range));
  ASSERT_TRUE(team.worker(1).next(range)); // [16, 18)
  ASSERT_EQ(cell.read(), seen);
  ASSERT_TRUE(cell.steal(seen, StealWord::last_quarter(low, seen.mid()))); // 18 is ours
  const StealWord frozen = cell.read();
  ASSERT_EQ(frozen, StealWord(17, 18)) << "all of it has been handed out";
  ASSERT_TRUE(team.worker(1).next(range)); // takes the share of member 0, which is late: [0, 10)
  ASSERT_EQ(range.begin, 0U);
  ASSERT_FALSE(frozen.beyond(cell.read_low()).empty()) << "a thief with the old word would go on";
  EXPECT_NE(cell.read(), frozen);
  EXPECT_FALSE(cell.steal(frozen, StealWord::last_quarter(cell.read_low(), frozen.mid())));
}

TEST(RangeWorker, ReturnsUnitsWhenARangeIsDrained) {
  const Settings settings = one_by_one();
  Team team(2);
  team.enter_all(11, 7, settings); // 10 units
  Range range;
  EXPECT_EQ(team.loop().survey(2, 7).returned, 0U);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(team.worker(1).next(range));
  EXPECT_EQ(team.loop().survey(2, 7).returned, 4U) << "its own share; the stolen range is not drained";
  while (team.worker(0).next(range)) {
  }
  while (team.worker(1).next(range)) {
  }
  EXPECT_EQ(team.loop().survey(2, 7).returned, 10U);
  EXPECT_EQ(team.loop().survey(2, 8).returned, 0U) << "counts of another loop";
  EXPECT_FALSE(team.loop().survey(2, 7).moving);
}

TEST(RangeWorker, WaitsForUnitsThatAreOnTheirWay) {
  const Settings settings = one_by_one();
  Team team(2);
  team.enter_all(32, 1, settings);
  EXPECT_TRUE(team.loop().cells[0].share.take(1)); // member 0 has taken its share
  team.cell(0).begin_move();                       // and not shown it
  Range range;
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(team.worker(1).next(range));
  P::waits = 0;
  P::while_waiting = [&] {
    if (P::waits != 3) return;
    team.cell(0).open(0, 16, 1, false);
    team.cell(0).end_move();
  };
  EXPECT_TRUE(team.worker(1).next(range));
  P::while_waiting = nullptr;
  EXPECT_EQ(range.begin, 12U);
  EXPECT_FALSE(range.last);
}

} // namespace
} // namespace wstree::range_test
