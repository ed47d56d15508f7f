// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks of old loops in a team's slots that must not look current when their numbers come round: counters.
//
// The members go in step in one thread, so none ever waits. A team is brought to a later loop by saying
// that it has been there: the loops between would have been of models that do not touch the counter.
#include "member.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wstree::loop::team_refresh_test {
namespace {

using P = core::StdPlatform;

const core::Settings k_defaults;
constexpr std::uint32_t k_members = 3;
constexpr std::uint64_t k_uses_between_refreshes = core::UsualMarks::k_every;
constexpr std::uint64_t k_tags = core::UsualMarks::Counter::k_mask + 1;

/// A region that begins with the first loop of the slots' use number `use` and has `loops` loops.
void region_at(Team<P>& team, std::uint64_t use, std::uint64_t loops, core::Model model) {
  constexpr std::uint64_t k_iterations = 40;
  team.reached(use * k_ring - 1);
  team.open();
  ASSERT_EQ(team.base(), use * k_ring);
  std::array<std::optional<Member<P>>, k_members> members;
  for (std::uint32_t m = 0; m < k_members; ++m) members[m].emplace(&team, m, k_members);
  for (std::uint64_t loop = 0; loop < loops; ++loop) {
    std::vector<int> hits(k_iterations, 0);
    int lasts = 0;
    std::array<bool, k_members> entered{};
    for (std::uint64_t step = 0, busy = k_members; busy != 0; ++step) {
      // One after the other, and each of them is the first in one loop and the last to arrive in another.
      const auto m = static_cast<std::uint32_t>((loop + step) % k_members);
      if (!entered[m]) {
        ASSERT_TRUE(members[m]->enter(k_iterations, k_defaults, 1, model));
        entered[m] = true;
      }
      if (!members[m]->in_loop()) continue;
      core::Range range;
      if (members[m]->next(range)) {
        for (std::uint64_t i = range.begin; i < range.end; ++i) ++hits[i];
        lasts += range.last;
      } else {
        members[m]->leave();
        --busy;
      }
    }
    ASSERT_EQ(hits, std::vector<int>(k_iterations, 1)) << "use " << use << ", loop " << loop;
    ASSERT_EQ(lasts, 1) << "use " << use << ", loop " << loop;
  }
  for (auto& member : members) member->depart();
  team.close();
}

class team_counter : public testing::TestWithParam<core::Model> {};

TEST_P(team_counter, LoopsInARowWhereTheTagComesRound) {
  Team<P> team;
  region_at(team, k_tags - 2, 4 * k_ring, GetParam());
  region_at(team, 2 * k_tags - 1, 2 * k_ring, GetParam());
}

TEST_P(team_counter, ATagThatComesRoundAfterLoopsOfOtherModels) {
  for (const std::uint64_t first :
       {std::uint64_t{1}, k_uses_between_refreshes - 1, k_uses_between_refreshes}) {
    Team<P> team;
    region_at(team, first, k_ring, GetParam());
    for (std::uint64_t use = k_uses_between_refreshes; use < first + k_tags; use += k_uses_between_refreshes)
      if (use > first) region_at(team, use, k_ring, core::Model::static_);
    region_at(team, first + k_tags, k_ring, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, team_counter,
                         testing::Values(core::Model::fixed, core::Model::guided, core::Model::factoring,
                                         core::Model::trapezoid),
                         [](const auto& each) {
                           return std::string(each.param == core::Model::fixed       ? "fixed"
                                              : each.param == core::Model::guided    ? "guided"
                                              : each.param == core::Model::factoring ? "factoring"
                                                                                     : "trapezoid");
                         });

} // namespace
} // namespace wstree::loop::team_refresh_test
