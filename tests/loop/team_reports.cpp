// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measured loops are reported, each once, also after members have gone.
//
// The members go in step in one thread, so none ever waits.
#include "member.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace wstree::loop {
namespace {

using P = core::StdPlatform;

constexpr std::uint32_t k_members = 3;
constexpr std::uint64_t k_iterations = 40;

/// A region of measured loops that follow one another.
class Measured {
public:
  Measured() {
    settings_.clocked = true;
    team_.open();
    for (std::uint32_t m = 0; m < k_members; ++m) members_[m].emplace(&team_, m, k_members);
  }
  ~Measured() {
    for (auto& member : members_) member->depart();
    team_.close();
  }

  /// A loop of all that have not departed; `stops` asks for one piece only. Iterations that were reported.
  std::vector<std::uint64_t> loop(std::uint32_t stops = k_members) {
    std::vector<std::uint64_t> reports;
    for (std::uint32_t m = 0; m < k_members; ++m) {
      if (gone_[m]) continue;
      EXPECT_TRUE(members_[m]->enter(k_iterations, settings_, 1));
      core::Range range;
      for (int pieces = 0; (m != stops || pieces < 1) && members_[m]->next(range); ++pieces) {
      }
      members_[m]->leave([&](const Execution& all) { reports.push_back(all.total.iterations); });
    }
    return reports;
  }
  void depart(std::uint32_t member) {
    members_[member]->depart();
    gone_[member] = true;
  }

private:
  core::Settings settings_;
  Team<P> team_;
  std::array<std::optional<Member<P>>, k_members> members_;
  std::array<bool, k_members> gone_{};
};

const std::vector<std::uint64_t> k_once{k_iterations};

TEST(team_reports, OfLoopsAfterOneThatAMemberHasCancelled) {
  Measured region;
  EXPECT_EQ(region.loop(), k_once);
  EXPECT_EQ(region.loop(1).size(), 1U);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(region.loop(), k_once) << "loop " << k << " after it";
}

TEST(team_reports, OfLoopsAfterAMemberHasLeftTheRegion) {
  Measured region;
  for (int k = 0; k < 4; ++k) EXPECT_EQ(region.loop(), k_once);
  region.depart(2);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(region.loop(), k_once) << "loop " << k << " without it";
}

TEST(team_reports, OfLoopsAfterAMemberHasLeftAsEarlyAsExpected) {
  Measured region; // of a new team, which expects one loop
  EXPECT_EQ(region.loop(), k_once);
  region.depart(2);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(region.loop(), k_once) << "loop " << k << " without it";
}

TEST(team_reports, OfLoopsThatAMemberNeverComesTo) {
  Measured region;
  region.depart(1);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(region.loop(), k_once) << "loop " << k;
}

} // namespace
} // namespace wstree::loop
