// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal parts of which members take those of others that have not come.
#include "parts.h"

#include "seed.h"
#include "wstree/core/platform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdint>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace wstree::loop::parts_test {
namespace {

using Marks = std::vector<core::ShareMark<core::StdPlatform>>;

/// What one member does in a loop.
class PartsMember {
public:
  void start(Marks& marks, std::uint64_t loop, std::uint64_t iterations, std::uint32_t parts,
             std::uint32_t index) {
    piece_ = parts_.start({marks.data()}, loop, iterations, parts, index);
  }
  /// False: nothing is left for it.
  bool step(std::vector<int>& hits) {
    if (piece_.begin == piece_.end && !parts_.next(piece_)) return false;
    EXPECT_FALSE(had_last_) << "the last iteration ends its member's part";
    for (; piece_.begin != piece_.end; ++piece_.begin) ++hits[piece_.begin];
    EXPECT_EQ(piece_.last, piece_.end == hits.size());
    had_last_ |= piece_.last;
    return true;
  }
  std::uint64_t steals() const { return parts_.counts().steals; }

private:
  Parts<core::StdPlatform> parts_;
  core::Range piece_;
  bool had_last_ = false;
};

TEST(Parts, AreDoneOnceWhoeverComesAndWhenever) {
  std::mt19937_64 random(test::seed());
  const auto below = [&](std::uint64_t n) { return random() % n; };
  Marks marks(9);
  for (std::uint64_t loop = 8; loop < 20'000; ++loop) {
    const auto team = static_cast<std::uint32_t>(1 + below(marks.size()));
    const std::uint32_t parts = below(4) == 0 ? 1 : team;
    const std::uint64_t iterations = 1 + below(below(2) == 0 ? 4 : 50);
    std::vector<int> hits(iterations, 0);
    std::vector<PartsMember> members(team);
    std::vector<std::uint32_t> coming; // some do not come at all, but one does
    for (std::uint32_t m = 0; m < team; ++m)
      if (below(3) != 0) coming.push_back(m);
    if (coming.empty()) coming.push_back(static_cast<std::uint32_t>(below(team)));
    std::shuffle(coming.begin(), coming.end(), random);
    std::vector<std::uint32_t> there;
    while (!coming.empty() || !there.empty()) {
      if (!coming.empty() && (there.empty() || below(3) == 0)) {
        members[coming.back()].start(marks, loop, iterations, parts, coming.back());
        there.push_back(coming.back());
        coming.pop_back();
        continue;
      }
      const auto at = there.begin() + static_cast<std::ptrdiff_t>(below(there.size()));
      if (!members[*at].step(hits)) there.erase(at);
    }
    ASSERT_EQ(std::count(hits.begin(), hits.end(), 1), static_cast<std::ptrdiff_t>(iterations))
        << "loop " << loop << ": " << parts << " parts of " << iterations << " for " << team;
  }
}

TEST(Parts, StayWithTheirOwnersIfAllAreThere) {
  Marks marks(4);
  std::vector<PartsMember> members(4);
  std::vector<int> hits(10, 0);
  for (std::uint32_t m = 0; m < 4; ++m) members[m].start(marks, 8, 10, 4, m);
  for (auto& member : members) {
    while (member.step(hits)) {
    }
    EXPECT_EQ(member.steals(), 0U);
  }
  EXPECT_EQ(hits, std::vector<int>(10, 1));
}

TEST(Parts, OfNothingAreNotStolen) {
  Marks marks(4);
  PartsMember first;
  std::vector<int> hits(1, 0);
  first.start(marks, 8, 1, 4, 0);
  while (first.step(hits)) {
  }
  EXPECT_EQ(hits[0], 1);
  EXPECT_EQ(first.steals(), 0U);
}

struct Waits : core::StdPlatform {
  static inline std::function<void()> meanwhile;
  static void relax() { meanwhile(); }
};

/// Otherwise it would do the other's, then its own, and the other would have nothing to do.
TEST(Parts, WhoHasOnlyTheLastIterationWaitsAMomentForTheOther) {
  std::vector<core::ShareMark<Waits>> marks(2);
  Parts<Waits> early, late;
  int looks = 0;
  Waits::meanwhile = [&] {
    if (++looks != 3) return;
    EXPECT_EQ(late.start({marks.data()}, 8, 2, 2, 0).end, 1U);
  };
  core::Range piece = early.start({marks.data()}, 8, 2, 2, 1);
  EXPECT_EQ(piece.begin, 1U);
  EXPECT_TRUE(piece.last);
  EXPECT_FALSE(early.next(piece));
  EXPECT_EQ(looks, 3);
  // If nobody comes, it does all.
  Waits::meanwhile = [] {};
  piece = early.start({marks.data()}, 9, 2, 2, 1);
  EXPECT_EQ(piece.begin, piece.end);
  EXPECT_TRUE(early.next(piece));
  EXPECT_EQ(piece.begin, 0U);
  EXPECT_TRUE(early.next(piece));
  EXPECT_TRUE(piece.last);
}

TEST(Parts, AreDoneOnceByThreads) {
  constexpr std::uint32_t k_team = 3;
  constexpr std::uint64_t k_slots = 8, k_loops = 3'000 * k_slots, k_iterations = 5;
  std::array<Marks, k_slots> slots;
  for (Marks& marks : slots) marks = Marks(k_team);
  std::vector<std::vector<int>> hits(k_team, std::vector<int>(k_loops * k_iterations, 0));
  std::barrier all_left(k_team); // the loop that a slot was used for, as the ring of a team sees to
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t m = 0; m < k_team; ++m)
      threads.emplace_back([&, m] {
        Parts<core::StdPlatform> parts;
        for (std::uint64_t k = 0; k < k_loops; ++k) {
          if (k % k_slots == 0) all_left.arrive_and_wait();
          core::Range piece = parts.start({slots[k % k_slots].data()}, k_slots + k, k_iterations, k_team, m);
          do
            for (; piece.begin != piece.end; ++piece.begin) ++hits[m][k * k_iterations + piece.begin];
          while (parts.next(piece));
        }
      });
  }
  for (std::uint64_t i = 0; i < k_loops * k_iterations; ++i)
    ASSERT_EQ(hits[0][i] + hits[1][i] + hits[2][i], 1)
        << "iteration " << i % k_iterations << " of loop " << i / k_iterations;
}

} // namespace
} // namespace wstree::loop::parts_test
