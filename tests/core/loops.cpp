// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of every model, one call of a member at a time, in any order: every iteration once, whatever the
// loops before have left in the slot, whoever is late, and however little memory there is.
#include "../../tools/simulate/engine/slot.h"
#include "once.h"
#include "seed.h"
#include "usual.h"

#include "wstree/core/rng.h"

namespace wstree::core_loops_test {
namespace {

using core::BatchMode;
using core::Model;
using core::Range;
using core::Settings;
using core::Strategy;

/// A clock that the test sets and that notices being read, and memory that is counted and can run out.
struct P : core::StdPlatform {
  static inline std::uint64_t now = 1;
  static inline std::uint64_t readings = 0;
  static inline bool poor = false;
  static inline std::uint64_t allocations = 0;
  static std::uint64_t ticks() noexcept {
    ++readings;
    return now;
  }
  static void relax() noexcept { now += 20; }
  static void yield() noexcept { now += 20; }
  static void* allocate(std::size_t bytes) noexcept {
    ++allocations;
    return poor ? nullptr : core::StdPlatform::allocate(bytes);
  }
};

/// Queues that have to grow in the smallest of loops.
template <class Platform> using TinyLockFreeQueue = core::ChaseLevQueue<Platform, 2>;
template <class Platform> using TinyLockedQueue = core::DuffyQueue<Platform, 2>;

/// A slot, used by one loop after the other.
template <class Worker> class Team {
public:
  using Slot = simulate::SlotOf<P, Worker>;
  using Seen = std::function<void(std::uint32_t, const Range&)>;
  static constexpr bool k_knows_unclaimed = !std::is_same_v<Worker, core::WorkerOf<P, Model::static_>>;

  explicit Team(std::uint32_t members, std::uint64_t smallest = 1, std::uint32_t pairs = 8)
      : slot_(members, pairs), smallest_(smallest), workers_(members) {}

  /// The next loop is the slot's next use.
  void open(std::uint64_t n, const Settings& settings) { ++use_, n_ = n, settings_ = settings; }
  void skip_to(std::uint64_t use) { use_ = use - 1; }
  void refresh(std::uint64_t use) { slot_.refresh(use); }
  typename Worker::Loop& loop() { return slot_.loop(); }
  void enter(std::uint32_t member) {
    if (core::is_refresh_due<P>(use_)) slot_.refresh(use_);
    workers_[member].enter(slot_.loop(), slot_.memory(member), entry(member));
  }
  bool next(std::uint32_t member, Range& range) { return workers_[member].next(range); }
  const core::Counts& counts(std::uint32_t member) const { return workers_[member].counts(); }
  std::uint64_t unclaimed() { return Worker::unclaimed(slot_.loop(), entry(0)); }

  /// Runs a loop. Its members come and are called in random order, one of them when all others are through; a
  /// call takes up to `pause` ticks. Returns what they have counted.
  core::Counts run(std::uint64_t n, const Settings& settings, core::Rng& random, const Seen& seen,
                   std::uint32_t pause = 1000) {
    open(n, settings);
    const std::uint32_t late = random.below(slot_.members() + 1);
    std::vector<std::uint32_t> outside, inside;
    for (std::uint32_t m = 0; m < slot_.members(); ++m) outside.push_back(m);
    core::Counts total;
    std::uint64_t handed_out = 0;
    const auto take_from = [&](std::vector<std::uint32_t>& members) {
      const std::uint32_t at = random.below(static_cast<std::uint32_t>(members.size()));
      std::swap(members[at], members.back());
      if (members.back() == late && outside.size() + inside.size() > 1)
        std::swap(members.front(), members.back());
      const std::uint32_t member = members.back();
      members.pop_back();
      return member;
    };
    while (!outside.empty() || !inside.empty()) {
      const bool only_the_late_one = outside.size() == 1 && outside[0] == late && !inside.empty();
      if (!outside.empty() && !only_the_late_one && (inside.empty() || random.below(4) == 0)) {
        inside.push_back(take_from(outside));
        enter(inside.back());
      }
      const std::uint32_t member = take_from(inside);
      P::now += random.below(pause);
      Range range;
      if (next(member, range)) {
        seen(member, range);
        handed_out += range.end - range.begin;
        inside.push_back(member);
        if (k_knows_unclaimed && !P::poor && n < 1'000'000) {
          EXPECT_EQ(unclaimed(), n - handed_out);
        }
        continue;
      }
      EXPECT_FALSE(next(member, range)) << "no was not no for ever";
      total.iterations += counts(member).iterations;
      total.batches += counts(member).batches;
      total.steals += counts(member).steals;
      total.nodes += counts(member).nodes;
    }
    return total;
  }
  void expect_once(std::uint64_t n, const Settings& settings, core::Rng& random, std::uint32_t pause = 1000) {
    test::Once once(n, slot_.members());
    const core::Counts total = run(
        n, settings, random, [&](std::uint32_t m, const Range& range) { once.see(m, range); }, pause);
    once.expect_done(total.iterations);
  }

private:
  core::Entry entry(std::uint32_t member) const {
    return Slot::entry(n_, use_, member, slot_.members(), settings_, smallest_);
  }

  Slot slot_;
  std::uint64_t smallest_, use_ = 0, n_ = 1;
  Settings settings_;
  std::vector<Worker> workers_;
};

template <class Worker> class Loops : public testing::Test {
protected:
  using Team = core_loops_test::Team<Worker>;
  static constexpr bool k_is_tree = std::is_same_v<Worker, core::WorkerOf<P, Model::tree>>;
  static constexpr bool k_is_range = std::is_same_v<Worker, core::WorkerOf<P, Model::range>>;
};
using Workers = testing::Types<core::WorkerOf<P, Model::tree>, core::WorkerOf<P, Model::range>,
                               core::WorkerOf<P, Model::queue>, core::WorkerOf<P, Model::queue_lock>,
                               core::QueueWorker<P, TinyLockFreeQueue>, core::QueueWorker<P, TinyLockedQueue>,
                               core::WorkerOf<P, Model::fixed>, core::WorkerOf<P, Model::guided>,
                               core::WorkerOf<P, Model::factoring>, core::WorkerOf<P, Model::trapezoid>,
                               core::WorkerOf<P, Model::static_>>;
TYPED_TEST_SUITE(Loops, Workers);

constexpr BatchMode k_modes[] = {BatchMode::timed, BatchMode::exponential, BatchMode::fixed,
                                 BatchMode::random};
Settings of_mode(BatchMode mode, std::uint64_t limit) { return {.batch = mode, .limit = limit}; }

TYPED_TEST(Loops, ExecuteEveryIterationOnce) {
  core::Rng random(test::seed());
  for (const bool poor : {false, true}) {
    P::poor = poor;
    constexpr int k_last = static_cast<int>(Strategy::find_max);
    for (int strategy = TestFixture::k_is_tree ? 0 : k_last; strategy <= k_last; ++strategy) {
      for (const BatchMode mode : k_modes)
        for (const std::uint32_t members : {1U, 2U, 3U, 8U, 33U}) {
          Settings settings = of_mode(mode, mode == BatchMode::fixed ? 3 : 64);
          settings.strategy = static_cast<Strategy>(strategy);
          typename TestFixture::Team team(members, 1 + members % 3, poor ? 0 : 8);
          for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 7ULL, 8ULL, 9ULL, 32ULL, 34ULL, 1000ULL})
            for (const std::uint32_t pause : {10U, 1'000'000U}) {
              SCOPED_TRACE(testing::Message()
                           << "strategy " << strategy << ", mode " << static_cast<int>(mode) << ", "
                           << members << " members, " << n << " iterations");
              team.expect_once(n, settings, random, pause);
            }
        }
    }
  }
  P::poor = false;
}

/// Marks have 8 bits and more. Loops smaller than the team leave members without iterations, and cancelled
/// ones leave anything.
TYPED_TEST(Loops, TakeNothingOfTheLoopsBefore) {
  core::Rng random(test::seed());
  typename TestFixture::Team team(4);
  for (int loop = 0; loop < 1500; ++loop) {
    if (loop % 3 == 2) {
      team.open(200, of_mode(BatchMode::fixed, 2));
      for (std::uint32_t m = 0; m < 4; ++m) team.enter(m);
      Range range;
      for (std::uint32_t calls = random.below(80); calls > 0; --calls) team.next(random.below(4), range);
    } else {
      const std::uint64_t n = loop % 300 < 2 ? 500 : 1 + random.below(loop % 2 == 0 ? 2 : 60);
      team.expect_once(n, of_mode(BatchMode::fixed, 1), random);
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "loop " << loop;
  }
}

TYPED_TEST(Loops, MayBeTooLongToCount) {
  core::Rng random(test::seed());
  for (const std::uint32_t members : {1U, 2U, 7U, 200U})
    for (const std::uint64_t n : {1ULL << 33, (1ULL << 40) + 12'345, (1ULL << 62) + 1, (1ULL << 63) - 1}) {
      typename TestFixture::Team team(members, n / 10'000);
      std::map<std::uint64_t, Range> pieces;
      const core::Counts total =
          team.run(n, of_mode(BatchMode::exponential, n / 64 + 1), random,
                   [&](std::uint32_t, const Range& range) { pieces[range.begin] = range; });
      std::uint64_t next = 0;
      for (const auto& [begin, piece] : pieces) {
        ASSERT_EQ(begin, next);
        ASSERT_EQ(piece.last, piece.end == n);
        next = piece.end;
      }
      EXPECT_EQ(next, n);
      EXPECT_EQ(total.iterations, n);
    }
}

TYPED_TEST(Loops, HaveNoBatchBelowTheSmallest) {
  core::Rng random(test::seed());
  for (const BatchMode mode : k_modes) {
    typename TestFixture::Team team(3, 50);
    std::uint64_t small = 0, batches = 0;
    const core::Counts total =
        team.run(100'000, of_mode(mode, 256), random, [&](std::uint32_t, const Range& range) {
          small += range.end - range.begin < 50;
          ++batches;
        });
    EXPECT_EQ(total.batches, batches);
    // Ends of shares, of what was stolen, and the last iteration.
    EXPECT_LT(small * 10, batches + 40) << static_cast<int>(mode);
    EXPECT_LE(small, 10 * (total.steals + total.nodes) + 4) << static_cast<int>(mode);
  }
}

TYPED_TEST(Loops, MeasureBusyTimeOnlyIfAsked) {
  for (const bool clocked : {false, true}) {
    typename TestFixture::Team team(2, 5);
    Settings settings = of_mode(BatchMode::fixed, 5);
    settings.clocked = clocked;
    team.open(10, settings);
    const std::uint64_t readings = P::readings;
    team.enter(0);
    P::now += 50; // on the way to the first chunk
    Range range;
    std::uint64_t busy = 0;
    while (team.next(0, range)) P::now += 7, busy += 7;
    P::now += 90;
    EXPECT_FALSE(team.next(0, range));
    EXPECT_GT(busy, 0U);
    if (TestFixture::k_is_tree || TestFixture::k_is_range) busy += 50; // which count from the beginning
    EXPECT_EQ(team.counts(0).busy_ticks, clocked ? busy : 0);
    EXPECT_TRUE(clocked || P::readings == readings);
  }
}

TEST(Queues, AllocateNothingOnceTheyHaveGrown) {
  core::Rng random(test::seed());
  Team<core::QueueWorker<P, TinyLockFreeQueue>> team(2);
  std::uint64_t before = 0;
  for (int loop = 0; loop < 40; ++loop) {
    if (loop == 20) before = P::allocations;
    team.expect_once(5'000, of_mode(BatchMode::fixed, 1), random);
  }
  EXPECT_EQ(P::allocations, before);
}

template <class Worker> class Counters : public testing::Test {};
using CounterWorkers =
    testing::Types<core::WorkerOf<P, Model::fixed>, core::WorkerOf<P, Model::guided>,
                   core::WorkerOf<P, Model::factoring>, core::WorkerOf<P, Model::trapezoid>>;
TYPED_TEST_SUITE(Counters, CounterWorkers);

/// Uses of a slot as far apart as can be, with loops of other models in between, which do no more than what
/// loop/member.h does for them.
TYPED_TEST(Counters, KnowAnOldLoopWhenItsTagComesAgain) {
  constexpr std::uint64_t k_period = core::UsualMarks::Counter::k_quarter;
  constexpr std::uint64_t k_tags = core::UsualMarks::Counter::k_mask + 1;
  core::Rng random(test::seed());
  for (const std::uint64_t first :
       {std::uint64_t{1}, k_period - 1, k_period, 5 * k_period + 77, (k_tags << 20) - 3})
    for (const std::uint64_t distance :
         {k_period, k_tags - k_period, k_tags - 1, k_tags, k_tags + 1, 2 * k_tags, 7 * k_tags}) {
      SCOPED_TRACE(testing::Message() << "uses " << first << " and " << first + distance);
      Team<TypeParam> team(4);
      team.skip_to(first);
      team.expect_once(30, {}, random);
      for (std::uint64_t use = first / k_period * k_period + k_period; use <= first + distance;
           use += k_period)
        team.refresh(use);
      team.skip_to(first + distance);
      team.expect_once(20, {}, random);
    }
}

TYPED_TEST(Counters, CannotBeCarriedIntoTheTagByAskingOnAndOn) {
  Team<TypeParam> team(5);
  team.open(100, {});
  for (std::uint32_t m = 0; m < 5; ++m) team.enter(m);
  Range range;
  while (team.next(0, range)) {
  }
  const std::uint64_t ended = team.loop().value(1);
  EXPECT_LE(ended, 100U);
  for (int i = 0; i < 1000; ++i)
    for (std::uint32_t m = 0; m < 5; ++m) EXPECT_FALSE(team.next(m, range));
  EXPECT_LE(team.loop().value(1), ended + 4) << "each of the others may ask once";
  EXPECT_EQ(team.unclaimed(), 0U);
}

using Static = core::WorkerOf<P, Model::static_>;

/// Iterations of one member, as the definition says: chunk k to member k % P, or blocks.
std::vector<std::uint64_t> static_reference(std::uint64_t n, std::uint32_t members, std::uint32_t member,
                                            std::uint64_t chunk) {
  std::vector<std::uint64_t> result;
  std::uint64_t block_begin = 0;
  for (std::uint32_t m = 0; m < member; ++m) block_begin += n / members + (m < n % members);
  const std::uint64_t block_end = block_begin + n / members + (member < n % members);
  for (std::uint64_t i = 0; i < n; ++i)
    if (chunk != 0 ? i / chunk % members == member : i >= block_begin && i < block_end) result.push_back(i);
  return result;
}

TEST(Static, GivesEachMemberWhatScheduleStaticDoes) {
  for (const std::uint32_t members : {1U, 2U, 5U, 16U})
    for (const std::uint64_t n : {1ULL, 4ULL, 5ULL, 6ULL, 100ULL})
      for (const std::uint64_t chunk : {0ULL, 1ULL, 3ULL, 7ULL, 1000ULL, 1ULL << 63}) {
        SCOPED_TRACE(testing::Message() << n << " iterations, " << members << " members, chunk " << chunk);
        Team<Static> team(members, chunk);
        team.open(n, {});
        for (std::uint32_t m = 0; m < members; ++m) {
          team.enter(m);
          std::vector<std::uint64_t> found;
          for (Range range; team.next(m, range);)
            for (std::uint64_t i = range.begin; i < range.end; ++i) found.push_back(i);
          EXPECT_EQ(found, static_reference(n, members, m, chunk)) << "member " << m;
          EXPECT_TRUE(chunk != 0 || team.counts(m).batches == (found.empty() ? 0 : 1));
        }
        EXPECT_EQ(team.unclaimed(), 0U);
      }
}

TEST(Static, DividesLoopsOfAnySize) {
  constexpr auto n = (1ULL << 63) - 1;
  constexpr std::uint32_t members = 3;
  for (const std::uint64_t chunk : {0ULL, 1ULL << 61, 1ULL << 62, n - 1, n, n + 1, ~0ULL}) {
    SCOPED_TRACE(chunk);
    Team<Static> team(members, chunk);
    team.open(n, {});
    std::uint64_t sum = 0;
    int lasts = 0;
    for (std::uint32_t m = 0; m < members; ++m) {
      team.enter(m);
      std::uint64_t border = 0;
      for (Range range; team.next(m, range); border = range.end) {
        ASSERT_LT(range.begin, range.end);
        ASSERT_LE(border, range.begin);
        lasts += range.last;
        EXPECT_EQ(range.last, range.end == n);
        sum += range.end - range.begin;
      }
    }
    EXPECT_EQ(sum, n);
    EXPECT_EQ(lasts, 1);
  }
}

} // namespace
} // namespace wstree::core_loops_test
