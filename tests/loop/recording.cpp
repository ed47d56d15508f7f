// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a member keeps of a loop whose costs are known, and what a team records of its loops.
#include "member.h"
#include "seed.h"
#include "threads.h"
#include "usual.h"

namespace wstree::loop::recording_test {
namespace {

using P = core::StdPlatform;
using Costs = std::function<std::uint64_t(std::uint64_t)>;

struct Released {
  void operator()(Recording* recording) const { Recording::destroy<P>(recording); }
};
using Owned = std::unique_ptr<Recording, Released>;

/// A loop so long that pieces are limited by their time only.
constexpr std::uint64_t k_many = 1ULL << 40;

/// One member that executes what a schedule hands out, in virtual time.
class Recorded {
public:
  explicit Recorded(std::uint32_t capacity, const Pace& pace = {1'000, 0}, std::uint64_t smallest = 1)
      : recording_(Recording::create<P>(capacity)), pace_(pace) {
    recording_->start(pace_, k_many, smallest, now_);
  }

  void batch(const core::Range& batch, const Costs& costs) {
    recording_->finish(now_);
    recording_->take(batch);
    std::uint64_t next = batch.begin;
    while (recording_->has_more()) {
      core::Range piece;
      recording_->cut(piece, now_);
      EXPECT_EQ(piece.begin, next);
      EXPECT_LT(piece.begin, piece.end);
      EXPECT_EQ(piece.last, batch.last && piece.end == batch.end);
      next = piece.end;
      handed_.push_back(piece);
      for (auto i = piece.begin; i < piece.end; ++i) now_ += costs(i);
      recording_->finish(now_);
    }
    EXPECT_EQ(next, batch.end);
  }
  void pause(std::uint64_t ticks) { now_ += ticks; }

  const Recording& recording() const { return *recording_; }
  const std::vector<core::Range>& handed() const { return handed_; }
  Piece sum() const {
    Piece sum;
    for (const Piece& piece : *recording_) sum = {0, 0, sum.units + piece.units, sum.ticks + piece.ticks};
    return sum;
  }

private:
  Owned recording_;
  Pace pace_;
  std::uint64_t now_ = 12'345;
  std::vector<core::Range> handed_;
};

TEST(Recording, CutsBatchesIntoPiecesOfTheTarget) {
  Recorded member(1'000);
  member.batch({0, 10'000, true}, [](auto) { return 10; });
  EXPECT_EQ(member.sum().units, 10'000U);
  EXPECT_EQ(member.sum().ticks, 100'000U);
  EXPECT_NEAR(static_cast<double>(member.recording().size()), 100, 5);
  for (const auto& piece : member.handed()) EXPECT_LE(piece.end - piece.begin, 101U);
}

TEST(Recording, LeavesTheSmallestBatchWhole) {
  Recorded member(1'000, {1'000, 0}, 64);
  member.batch({0, 1'000}, [](auto) { return 1'000; }); // 15 times 64 and what is left
  member.batch({1'000, 1'010}, [](auto) { return 1'000; });
  ASSERT_EQ(member.handed().size(), 16U);
  for (std::size_t i = 0; i + 2 < member.handed().size(); ++i)
    EXPECT_EQ(member.handed()[i].end - member.handed()[i].begin, 64U);
  EXPECT_EQ(member.handed()[14].end - member.handed()[14].begin, 104U);
}

TEST(Recording, CheapIterationsDoNotHideExpensiveOnesBehindThem) {
  const Owned recording(Recording::create<P>(1'000));
  const Pace pace{1'000, 0};
  recording->start(pace, 6'400, 1, 0);
  recording->take({0, 6'400, true});
  for (core::Range piece; recording->has_more();) {
    recording->cut(piece, 0);
    EXPECT_LE(piece.end - piece.begin, 100U);
    recording->finish(0);
  }
}

TEST(Recording, KeepsSumsAndExpensiveIterationsWhenItIsFull) {
  const Costs costs = [](std::uint64_t i) -> std::uint64_t { return i == 70'000 ? 5'000'000 : 600; };
  Recorded member(64);
  member.batch({0, 100'000}, costs);
  EXPECT_EQ(member.sum().units, 100'000U);
  EXPECT_EQ(member.sum().ticks, 99'999U * 600 + 5'000'000);
  EXPECT_LE(member.recording().size(), 64U);
  EXPECT_GT(member.recording().size(), 8U);
  std::uint64_t next = 0;
  bool found = false;
  for (const Piece& piece : member.recording()) {
    EXPECT_EQ(piece.begin, next);
    EXPECT_EQ(piece.units, piece.end - piece.begin);
    next = piece.end;
    if (piece.begin <= 70'000 && 70'000 < piece.end) {
      // Pieces are a few hundred iterations long by then: those in front of it are in the same one.
      EXPECT_LT(piece.ticks, 5'000'000U + 4'000'000U);
      found = true;
    }
  }
  EXPECT_TRUE(found);
}

TEST(Recording, KeepsAnExpensiveSingleIterationApart) {
  Recorded member(64);
  for (std::uint64_t i = 0; i < 20'000; ++i) // in batches of one, as dynamic,1 hands them out
    member.batch({i, i + 1}, [](std::uint64_t k) -> std::uint64_t { return k == 777 ? 50'000'000 : 600; });
  EXPECT_LE(member.recording().size(), 64U);
  const auto expensive =
      std::count_if(member.recording().begin(), member.recording().end(), [](const Piece& piece) {
        return piece.begin == 777 && piece.end == 778 && piece.ticks == 50'000'000;
      });
  EXPECT_EQ(expensive, 1);
}

TEST(Recording, MergesPiecesThatDoNotTouchAndCountsThem) {
  Recorded member(32);
  for (std::uint64_t i = 0; i < 1'000; ++i) member.batch({3 * i, 3 * i + 1}, [](auto) { return 900; });
  EXPECT_LE(member.recording().size(), 32U);
  EXPECT_EQ(member.sum().units, 1'000U);
  EXPECT_EQ(member.sum().ticks, 900'000U);
  for (const Piece& piece : member.recording()) EXPECT_LE(piece.units, piece.end - piece.begin);
}

/// What the member's thread has had of its processor, as the test says.
ProcessorTime g_processor;

TEST(Recording, AnInterruptionIsNotTimeOfAPiece) {
  g_processor = {};
  const Pace pace{1'000, 0, []() noexcept { return g_processor; }, 10'000};
  Recorded member(1'000, pace);
  const auto runs = [&](std::uint64_t ran, std::uint64_t away) {
    g_processor.ticks += ran;
    return ran + away;
  };
  member.batch({0, 1}, [&](auto) { return runs(900, 0); });
  member.batch({1, 2}, [&](auto) { return runs(900, 500'000); });
  member.batch({2, 3}, [&](auto) { return runs(20'000, 0); });
  member.batch({3, 4}, [&](auto) { return runs(900, 500'000); });
  EXPECT_EQ(member.sum().ticks, 900U + 900 + 20'000 + 900);
  member.batch({4, 5}, [&](auto) { // it waits for something: that is what the iteration costs
    ++g_processor.given_up;
    return runs(900, 500'000);
  });
  EXPECT_EQ(member.sum().ticks, 900U + 900 + 20'000 + 900 + 500'900);
}

/// With them no member ends the ring, however long one is held up.
constexpr core::Settings k_patient{.patience = ~std::uint64_t{0}};

/// Pieces of all members of an execution, sorted.
std::vector<Piece> all_pieces(const Execution& execution) {
  std::vector<Piece> pieces;
  for (std::uint32_t m = 0; m < execution.members; ++m) {
    const Recording* recording = execution.accounts[m].recording;
    EXPECT_NE(recording, nullptr) << m;
    if (recording != nullptr) pieces.insert(pieces.end(), recording->begin(), recording->end());
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  return pieces;
}

TEST(team_recording, EveryIterationOnceWhateverTheModel) {
  core::Rng random(test::seed());
  const Pace pace{200, 0};
  Team<P> team;
  for (std::uint64_t round = 0, rounds = test::scaled(60); round < rounds; ++round) {
    const std::uint32_t members = 2 + random.below(4);
    struct Loop {
      std::uint64_t n, chunk;
      core::Model model;
      std::vector<Piece> pieces;
      std::uint32_t lasts = 0;
    };
    std::vector<Loop> loops;
    for (int i = 0; i < 20; ++i) // more than the ring has slots, so that memory is used again
      loops.push_back({1 + random.below(3'000),
                       random.below(4),
                       static_cast<core::Model>(random.below(core::k_model_count)),
                       {}});
    team.open();
    test::in_parallel(members, [&](std::uint32_t m) {
      Member<P> member(&team, m, members);
      for (auto& loop : loops) {
        ASSERT_TRUE(member.enter(loop.n, k_patient, loop.chunk, loop.model));
        member.record(pace, loop.n, loop.chunk, nullptr);
        core::Range range;
        while (member.next(range))
          if (range.last) ++loop.lasts; // one member only
        member.leave([&](const Execution& execution) {
          ASSERT_EQ(execution.members, members);
          ASSERT_EQ(execution.total.iterations, loop.n);
          loop.pieces = all_pieces(execution);
        });
      }
      member.depart();
    });
    team.close();
    for (const auto& loop : loops) {
      EXPECT_EQ(loop.lasts, 1U);
      std::uint64_t next = 0;
      for (const Piece& piece : loop.pieces) {
        ASSERT_EQ(piece.begin, next) << "model " << static_cast<int>(loop.model) << " n " << loop.n;
        ASSERT_EQ(piece.units, piece.end - piece.begin);
        next = piece.end;
      }
      ASSERT_EQ(next, loop.n);
    }
  }
}

TEST(team_recording, AMemberAloneUsesTheMemoryThatItIsLent) {
  const Owned memory(Recording::create<P>(100));
  const Pace pace{1'000, 0};
  Member<P> member(nullptr, 0, 1);
  for (int loop = 0; loop < 2; ++loop) {
    ASSERT_TRUE(member.enter(50, k_patient, 1));
    member.record(pace, 50, 1, memory.get());
    core::Range range;
    std::uint64_t next = 0;
    while (member.next(range)) {
      EXPECT_EQ(range.begin, next);
      next = range.end;
      EXPECT_EQ(range.last, next == 50);
    }
    EXPECT_EQ(next, 50U);
    bool reported = false;
    member.leave([&](const Execution& execution) {
      reported = true;
      EXPECT_EQ(execution.accounts[0].recording, memory.get());
    });
    EXPECT_TRUE(reported);
    EXPECT_EQ(memory->begin()->begin, 0U);
  }
  ASSERT_TRUE(member.enter(50, k_patient, 1)); // and without memory as if not recorded
  member.record(pace, 50, 1, nullptr);
  core::Range range;
  ASSERT_TRUE(member.next(range));
  EXPECT_EQ(range.end, 50U);
  member.leave([](const Execution& execution) { EXPECT_EQ(execution.accounts[0].recording, nullptr); });
}

TEST(team_recording, CostsTheOthersNothing) {
  Team<P> team;
  team.open();
  test::in_parallel(2, [&](std::uint32_t m) {
    Member<P> member(&team, m, 2);
    for (int loop = 0; loop < 30; ++loop) {
      ASSERT_TRUE(member.enter(100, k_patient, 1));
      core::Range range;
      while (member.next(range)) {
      }
      member.leave([](const Execution& execution) {
        EXPECT_EQ(execution.accounts[0].recording, nullptr);
        EXPECT_EQ(execution.accounts[1].recording, nullptr);
        EXPECT_EQ(execution.accounts[0].memory, nullptr);
      });
    }
    member.depart();
  });
  team.close();
}

TEST(Recording, LargeTeamsHaveLessMemoryEach) {
  for (const auto& [members, pieces] :
       {std::pair(1U, 16'384U), {2U, 16'384U}, {8U, 4'096U}, {1'024U, 1'024U}})
    EXPECT_EQ(Recording::capacity(members), pieces) << members;
}

} // namespace
} // namespace wstree::loop::recording_test
