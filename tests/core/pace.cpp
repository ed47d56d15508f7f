// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What members find out about their speeds: probes that are told, and a clock that is set.
#include "wstree/core/pace.h"

#include "usual.h"

#include <new>

namespace wstree::core {
namespace {

/// Time passes only in probes and where a test says so.
struct Told : StdPlatform {
  static inline std::uint64_t now = 1;
  static inline std::uint32_t takes = 100;
  static inline int probes = 0;
  static std::uint64_t ticks() noexcept { return now; }
  static std::uint32_t probe() noexcept {
    ++probes;
    return takes;
  }
};

class Paces : public testing::Test {
protected:
  void SetUp() override { Told::probes = 0; }
  /// Member `m` enters a loop, in which its probe takes so long, a millisecond after the latest call.
  Pace* enter(std::uint32_t m, std::uint32_t takes) {
    Told::now += Told::ticks_per_ms();
    Told::takes = takes;
    return keepers_[m].enter(prior_, 1'000, 1, m, 3, settings_, taken_.data());
  }

  Settings settings_;
  Prior prior_; // nothing is known, so the loop may be long
  std::array<PaceKeeper<Told>, 3> keepers_;
  std::array<PaceKeeper<Told>::Ticks, 3> taken_{};
};

TEST_F(Paces, ASlowMemberKnowsHowSlowItIs) {
  enter(0, 100);
  enter(1, 125);
  const Pace* const slow = enter(2, 400);
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->fast(1'000), 250U);
  EXPECT_EQ(slow->slow(1'000), 4'000U);
  EXPECT_EQ(slow->faster * 10 >> k_cost_bits, 18U) << "1 + 0.8";
  EXPECT_EQ(enter(0, 100), nullptr);
}

TEST_F(Paces, ProbesAreRare) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    Told::now += Told::ticks_per_ms() / 100;
    keepers_[0].enter(prior_, 1'000, i, 0, 3, settings_, taken_.data());
  }
  EXPECT_LE(Told::probes, 4) << "two at first, and two in a millisecond";
}

TEST_F(Paces, BriefLoopsAskNowAndThen) {
  for (int i = 0; i < 3; ++i) prior_.learn(1'000, 1'000);
  for (std::uint64_t loop = 1; loop <= 4; ++loop) {
    Told::now += Told::ticks_per_ms();
    keepers_[0].enter(prior_, 1'000, loop, 0, 3, settings_, taken_.data());
    EXPECT_EQ(Told::probes, loop < 4 ? 0 : 2);
  }
}

TEST_F(Paces, ZeroedMemoryIsAMemberOfWhichNothingIsKnown) {
  alignas(PaceKeeper<Told>) std::array<std::byte, sizeof(PaceKeeper<Told>)> zeroed{};
  auto* const keeper = std::launder(reinterpret_cast<PaceKeeper<Told>*>(zeroed.data()));
  const Prior unknown;
  EXPECT_EQ(keeper->enter(unknown, 1'000, 1, 0, 3, settings_, taken_.data()), nullptr);
  EXPECT_EQ(keeper->enter(prior_, 1'000, 1, 0, 3, settings_, taken_.data()), nullptr);
}

} // namespace
} // namespace wstree::core
