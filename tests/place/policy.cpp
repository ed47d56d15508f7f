// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "policy.h"

#include "cgroup.h"

#include <gtest/gtest.h>
#include <string>

namespace wstree::place {
namespace {

using config::Bind;

std::unique_ptr<const Machine> machine_of(const char* description) {
  std::string_view why;
  auto machine =
      Machine::load({.kind = MachineSource::Kind::synthetic, .text = description, .within = nullptr}, why);
  EXPECT_NE(machine, nullptr) << why;
  return machine;
}

/// 4 cores with two hardware threads each, and no limits.
class Policy : public testing::Test {
protected:
  void SetUp() override { ASSERT_NE(machine_, nullptr); }

  Decision decide(std::uint32_t members, Bind bind = Bind::auto_) const {
    return place::decide(bind, limits_, *machine_, members);
  }
  std::string explain(std::uint32_t members, Bind bind = Bind::auto_) const {
    return std::string(place::explain(decide(members, bind), limits_, *machine_, members).view());
  }

  std::unique_ptr<const Machine> machine_ = machine_of("core:4 pu:2");
  Limits limits_;
};

/// Every combination of setting, variable, ranks, quota and size, against the rules written down once more.
TEST_F(Policy, IsDecidedByTheFirstReasonThatApplies) {
  int pinned = 0;
  for (const Bind bind : {Bind::auto_, Bind::close, Bind::spread, Bind::none}) {
    for (const auto& [user, binds] :
         {std::pair{false, false}, std::pair{true, false}, std::pair{true, true}}) {
      for (const bool ranks : {false, true}) {
        for (const std::uint64_t quota : {0U, 500U, 3'900U, 4'000U, 100'000U}) {
          for (const std::uint32_t members : {0U, 1U, 2U, 3U, 4U, 5U, 8U, 9U, 64U}) {
            limits_.user_placed = user ? "OMP_PLACES" : "";
            limits_.runtime_binds = user && binds;
            limits_.ranks_share_mask = ranks;
            limits_.quota = quota;
            const Decision decision = decide(members, bind);
            const bool asked = bind == Bind::close || bind == Bind::spread;
            Reason reason = Reason::fits;
            if (members < 4) reason = Reason::cores_left;
            if (members > 8) reason = Reason::too_many;
            if (quota != 0 && quota < members * k_whole_cpu) reason = Reason::quota;
            if (ranks) reason = Reason::ranks_share_mask;
            if (user) reason = Reason::user_placed;
            if (asked && !limits_.runtime_binds && (user || !ranks)) reason = Reason::asked;
            if (asked && !user && ranks) reason = Reason::ranks_share_mask;
            if (asked && limits_.runtime_binds) reason = Reason::user_placed;
            if (members <= 1) reason = Reason::alone;
            if (bind == Bind::none) reason = Reason::off;
            EXPECT_EQ(decision.reason, reason);
            EXPECT_EQ(decision.pins, reason == Reason::fits || reason == Reason::asked);
            EXPECT_EQ(decision.spacing, bind == Bind::spread ? Spacing::spread : Spacing::close);
            EXPECT_FALSE(explain(members, bind).empty());
            pinned += decision.pins ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_EQ(pinned, 2 * (2 * 2 - 1) * 5 * 7 + 3 + 1 + 3)
      << "asked, but for ranks that share CPUs; of auto: without quota, with 4, with 100";
}

TEST_F(Policy, IsExplained) {
  EXPECT_EQ(explain(4), "4 members on 4 cores");
  EXPECT_EQ(explain(6), "6 members on 8 CPUs");
  EXPECT_EQ(explain(9), "9 members on 8 CPUs");
  EXPECT_EQ(explain(3), "3 members on 4 cores, so other programs may use the rest");
  EXPECT_EQ(explain(1), "a team of one");
  EXPECT_EQ(explain(2, Bind::close), "2 members on 4 cores");
  EXPECT_EQ(explain(4, Bind::none), "as asked for");
  limits_.quota = 3'500;
  EXPECT_EQ(explain(4), "4 members, but a control group grants the time of 3.5 CPUs");
  limits_.quota = 2'000;
  EXPECT_EQ(explain(4), "4 members, but a control group grants the time of 2 CPUs");
  limits_.quota = 3'999;
  EXPECT_EQ(explain(4), "4 members, but a control group grants the time of 3.99 CPUs");
  limits_.quota = 50;
  EXPECT_EQ(explain(4), "4 members, but a control group grants the time of 0.05 CPUs");
  limits_.ranks_share_mask = true;
  limits_.local_ranks = 16;
  limits_.rank_source = "MV2_COMM_WORLD_LOCAL_SIZE";
  EXPECT_EQ(explain(4), "16 ranks on this machine share CPUs, by MV2_COMM_WORLD_LOCAL_SIZE");
  limits_.user_placed = "OMP_PROC_BIND";
  EXPECT_EQ(explain(4), "OMP_PROC_BIND is set");
}

} // namespace
} // namespace wstree::place
