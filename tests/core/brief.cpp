// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How members that expect a loop to be brief share it, call by call, and what they do if it is not.
#include "usual.h"
#include "virtual_team.h"

#include "wstree/core/tree/tree_worker.h"

namespace wstree::core {
namespace {

using P = test::VirtualPlatform;

/// Members of one team that are called in any order. Each of `units` units has cost a tick so far.
class Team {
public:
  Team(std::uint32_t members, std::uint64_t iterations)
      : iterations_(iterations), roots_(members), pairs_(members), arenas_(members), priors_(members),
        workers_(members), has_come_(members, false), who_(iterations, -1) {
    tree_.roots = roots_.data();
    settings_.clocked = false;
    for (std::uint32_t m = 0; m < members; ++m) {
      pairs_[m] = std::vector<Node<P>>(64);
      arenas_[m].reset(pairs_[m].data(), 32);
      for (int i = 0; i < 2; ++i) priors_[m].learn(100, 100);
    }
    P::now += 1'000'000;
  }

  /// Returns what the member gets; empty: nothing.
  Range next(std::uint32_t m) {
    if (!has_come_[m])
      workers_[m].enter(tree_, arenas_[m],
                        {iterations_, 1, 1, m, static_cast<std::uint32_t>(roots_.size()), &settings_, 1,
                         nullptr, &priors_[m]});
    has_come_[m] = true;
    Range range;
    if (!workers_[m].next(range)) return {};
    for (auto i = range.begin; i < range.end; ++i) {
      EXPECT_EQ(who_[i], -1) << "iteration " << i << " is handed out twice";
      who_[i] = static_cast<int>(m);
    }
    return range;
  }
  std::uint64_t size_of_next(std::uint32_t m) {
    const Range range = next(m);
    return range.end - range.begin;
  }
  /// All that the member gets, each iteration of which takes a tick. Returns how many iterations that is.
  std::uint64_t finish(std::uint32_t m) {
    std::uint64_t sum = 0;
    for (std::uint64_t size = 0; (size = size_of_next(m)) != 0; sum += size) P::now += size;
    return sum;
  }
  const Counts& counts(std::uint32_t m) const { return workers_[m].counts(); }
  Prior& prior(std::uint32_t m) { return priors_[m]; }
  const Settings& settings() const { return settings_; }

private:
  std::uint64_t iterations_;
  Settings settings_;
  Tree<P> tree_;
  std::vector<Node<P>> roots_;
  std::vector<std::vector<Node<P>>> pairs_;
  std::vector<Arena<P>> arenas_;
  std::vector<Prior> priors_;
  std::vector<TreeWorker<P>> workers_;
  std::vector<bool> has_come_;
  std::vector<int> who_;
};

TEST(Brief, AShareIsTakenInTwoPiecesAndTheLastIterationWithTheEnd) {
  Team team(2, 100);
  EXPECT_EQ(team.size_of_next(0), 1U);
  EXPECT_EQ(team.size_of_next(0), 49U);
  EXPECT_EQ(team.size_of_next(1), 1U);
  const Range rest = team.next(1);
  EXPECT_TRUE(rest.end - rest.begin == 49 && rest.last);
  EXPECT_EQ(team.size_of_next(0), 0U);
  EXPECT_EQ(team.size_of_next(1), 0U);
  EXPECT_EQ(team.counts(0).known, 1U);
  EXPECT_EQ(team.counts(0).surprises, 0U);
}

TEST(Brief, TheLastIterationWaitsForMembersThatAreNotDone) {
  Team team(2, 100);
  EXPECT_EQ(team.size_of_next(0), 1U);
  EXPECT_EQ(team.size_of_next(1), 1U);
  EXPECT_EQ(team.size_of_next(1), 48U) << "without it: member 0 may need help";
}

TEST(Brief, SharesOfLateMembersAndWhatIsLeftBehindALongFirstUnitAreStolen) {
  Team late(3, 30);
  EXPECT_EQ(late.finish(0), 30U);
  EXPECT_EQ(late.size_of_next(1), 0U);
  EXPECT_EQ(late.size_of_next(2), 0U);
  EXPECT_EQ(late.counts(0).steals, 2U);
  Team team(3, 300);
  ASSERT_EQ(team.size_of_next(0), 1U);
  P::now += 10;
  EXPECT_EQ(team.finish(1) + team.finish(2), 299U);
  P::now += 1'000'000;
  EXPECT_EQ(team.size_of_next(0), 0U);
}

TEST(Brief, AMemberThatIsSurprisedGoesOnInBatchesThatOthersMayStealFrom) {
  Team team(2, 2'000);
  ASSERT_EQ(team.size_of_next(0), 1U);
  P::now += 100'000;
  EXPECT_LE(team.size_of_next(0), 2U);
  EXPECT_EQ(team.counts(0).surprises, 1U);
  EXPECT_TRUE(team.prior(0).begin(100, 2, team.settings())) << "the first unit is lost in any case";
  EXPECT_GT(team.finish(1), 1'900U);
}

TEST(Brief, ALaterPieceThatTakesLongIsNotRiskedAgainSoon) {
  Team team(2, 2'000);
  ASSERT_EQ(team.size_of_next(0), 1U);
  P::now += 1;
  ASSERT_EQ(team.size_of_next(0), 999U);
  P::now += 1'000'000;
  team.finish(0);
  EXPECT_FALSE(team.prior(0).begin(2'000, 2, team.settings()));
}

/// What cannot be taken from a member is no more than an eighth of what is left, or a few steals.
TEST(Brief, NoPieceIsMoreThanAnEighthOrAFewSteals) {
  Team team(2, 60'000);
  const std::uint64_t grain = tuning::k_brief_steals * team.settings().steal_cost;
  std::uint64_t left = 30'000;
  for (std::uint64_t size = 0; left != 0; left -= size) {
    size = team.size_of_next(0);
    ASSERT_NE(size, 0U);
    EXPECT_LE(size, std::max(left / 8, grain)) << left;
    P::now += size;
  }
}

TEST(Brief, AMemberWaitsForOthersForAFewStealsAtMost) {
  Team team(2, 100);
  ASSERT_EQ(team.size_of_next(1), 1U);
  const std::uint64_t begin = P::now;
  EXPECT_GT(team.finish(0), 97U);
  EXPECT_LE(P::now - begin, 4 * tuning::k_brief_steals * team.settings().steal_cost);
}

/// Members take their own iterations, and those for which no other member has come.
TEST(OneEach, MembersThatAreThereTakeWhatOthersHaveNotComeFor) {
  const struct {
    std::uint32_t members;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> calls; // by which member, and what it gets
  } cases[] = {{4, {{1, 1}, {1, 2}, {2, 0}, {2, 3}}}, {4, {{3, 0}, {2, 1}}}, {2, {{0, 0}, {1, 1}}}};
  for (const auto& [members, calls] : cases) {
    SCOPED_TRACE(members);
    Team team(members, calls.size());
    for (const auto& [member, iteration] : calls) {
      const Range range = team.next(member);
      EXPECT_EQ(range.begin, iteration) << member;
      EXPECT_EQ(range.end, iteration + 1) << member;
      EXPECT_EQ(range.last, &calls.back().first == &member);
    }
    for (std::uint32_t m = 0; m < members; ++m) EXPECT_EQ(team.size_of_next(m), 0U) << m;
  }
}

/// Three members are late, and all that is left takes long: each iteration has a member of its own.
TEST(OneEach, QuickMembersLookAtAllIterations) {
  Team team(8, 8);
  for (const std::uint32_t m : {0U, 1U, 2U, 3U, 4U}) ASSERT_EQ(team.next(m).begin, m);
  std::vector<std::uint64_t> taken;
  for (const std::uint32_t m : {0U, 1U, 2U}) taken.push_back(team.next(m).begin); // member 4 is at work
  std::ranges::sort(taken);
  EXPECT_EQ(taken, (std::vector<std::uint64_t>{5, 6, 7}));
  EXPECT_EQ(team.size_of_next(3), 0U);
}

} // namespace
} // namespace wstree::core
