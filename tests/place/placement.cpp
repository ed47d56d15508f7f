// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement of a process: whether threads are pinned, and what members are told when the user has put them
// where they are, and when the library does. The topology is made up, the threads are real.
#include "placement.h"
#include "cgroup.h"
#include "policy.h"
#include "threads.h"

#include "usual.h"

#include <barrier>

namespace wstree::place {
namespace {

using config::Bind;

/// The first two CPUs that the test may use, as two packages.
class PlacementTest : public testing::Test {
protected:
  void SetUp() override {
    all_ = current_mask();
    first_ = all_.next(0);
    second_ = all_.next(first_ + 1);
    if (second_ == CpuSet::k_cpus) GTEST_SKIP() << "needs two CPUs";
    const std::string machine = "package:" + std::to_string(second_ + 1) + " core:1 pu:1";
    setenv("HWLOC_SYNTHETIC", machine.c_str(), 1);
    CpuSet both;
    both.add(first_);
    both.add(second_);
    set_current_mask(both);
  }
  void TearDown() override {
    unsetenv("HWLOC_SYNTHETIC");
    set_current_mask(all_);
  }

  /// Kept for ever by processes, and by the test so long.
  static std::unique_ptr<Placement> make(config::Bind bind, std::vector<const char*> variables) {
    variables.push_back(nullptr);
    std::string_view why;
    std::unique_ptr<Placement> made(Placement::make(bind, variables.data(), why));
    EXPECT_NE(made, nullptr) << why;
    return made;
  }

  static CpuSet only(std::uint32_t cpu) {
    CpuSet set;
    set.add(cpu);
    return set;
  }

  /// Members of a team enter `regions` regions; calls seen(region, member, neighbourhood, pinned) in each.
  template <class Prepare, class Seen>
  void run(Placement& placement, std::uint32_t members, int regions, Prepare prepare, Seen seen) {
    const pthread_t opener = pthread_self();
    std::barrier together(static_cast<std::ptrdiff_t>(members));
    test::in_parallel(members, [&](std::uint32_t m) {
      prepare(m);
      for (int region = 0; region < regions; ++region) {
        together.arrive_and_wait();
        bool fresh = false;
        TeamPlan* plan = placement.plan(members, fresh);
        ASSERT_NE(plan, nullptr);
        bool pinned = false;
        const core::Neighbourhood near = placement.settle(*plan, m, opener, pinned);
        together.arrive_and_wait();
        seen(region, m, near, pinned);
      }
    });
  }

  CpuSet all_;
  std::uint32_t first_ = 0;
  std::uint32_t second_ = 0;
};

TEST_F(PlacementTest, LearnsWhereTheRuntimeHasPutTheMembers) {
  const auto placement = make(config::Bind::auto_, {"OMP_PROC_BIND=close"});
  // Members 0 and 2 on one CPU, 1 and 3 on the other.
  std::vector<core::Neighbourhood> last(4);
  run(
      *placement, 4, 3, [&](std::uint32_t m) { set_current_mask(only(m % 2 == 0 ? first_ : second_)); },
      [&](int region, std::uint32_t m, const core::Neighbourhood& near, bool pinned) {
        EXPECT_FALSE(pinned);
        if (region == 0) return; // not all members were seen yet
        last[m] = near;
      });
  for (std::uint32_t m = 0; m < 4; ++m) {
    ASSERT_EQ(last[m].count, 1U) << m;
    const core::Domain domain = last[m].domains[0];
    ASSERT_EQ(domain.end - domain.begin, 2U);
    EXPECT_EQ(last[m].root(last[m].position), m);
    for (std::uint32_t at = domain.begin; at < domain.end; ++at) EXPECT_EQ(last[m].root(at) % 2, m % 2);
  }
}

TEST_F(PlacementTest, PinsOncePerPlace) {
  const auto placement = make(config::Bind::close, {});
  std::atomic<int> pins{0};
  std::atomic<int> in_place{0};
  run(
      *placement, 2, 5, [](std::uint32_t) {},
      [&](int, std::uint32_t m, const core::Neighbourhood&, bool pinned) {
        pins += pinned ? 1 : 0;
        in_place += m == 1 && current_mask() == only(second_) ? 1 : 0;
      });
  EXPECT_EQ(pins.load(), 1) << "the worker's first region";
  EXPECT_EQ(in_place.load(), 5);
}

TEST_F(PlacementTest, ThePlanOfASizeIsMadeOnceAndForAll) {
  const auto placement = make(config::Bind::close, {});
  std::set<TeamPlan*> plans;
  bool fresh = false;
  for (const std::uint32_t members : {2U, 3U, 4U, 64U}) {
    std::atomic<int> fresh_plans{0};
    std::array<TeamPlan*, 8> seen{};
    test::in_parallel(8, [&](std::uint32_t thread) {
      bool is_fresh = false;
      seen[thread] = placement->plan(members, is_fresh);
      fresh_plans += is_fresh ? 1 : 0;
    });
    EXPECT_EQ(fresh_plans.load(), 1) << members;
    EXPECT_THAT(seen, testing::Each(placement->plan(members, fresh))) << members;
    EXPECT_FALSE(fresh) << members;
    plans.insert(seen[0]);
  }
  EXPECT_EQ(plans.size(), 4U);
  fresh = true;
  EXPECT_EQ(placement->plan(Placement::k_most_members + 1, fresh), nullptr);
  EXPECT_FALSE(fresh);
}

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
  for (const auto& [members, bind, text] :
       {std::tuple{4U, Bind::auto_, "4 members on 4 cores"},
        {6U, Bind::auto_, "6 members on 8 CPUs"},
        {9U, Bind::auto_, "9 members on 8 CPUs"},
        {3U, Bind::auto_, "3 members on 4 cores, so other programs may use the rest"},
        {1U, Bind::auto_, "a team of one"},
        {2U, Bind::close, "2 members on 4 cores"},
        {4U, Bind::none, "as asked for"}})
    EXPECT_EQ(explain(members, bind), text);
  for (const auto& [quota, text] :
       {std::pair{3'500U, "3.5"}, {2'000U, "2"}, {3'999U, "3.99"}, {50U, "0.05"}}) {
    limits_.quota = quota;
    EXPECT_EQ(explain(4), std::string("4 members, but a control group grants the time of ") + text + " CPUs");
  }
  limits_.ranks_share_mask = true;
  limits_.local_ranks = 16;
  limits_.rank_source = "MV2_COMM_WORLD_LOCAL_SIZE";
  EXPECT_EQ(explain(4), "16 ranks on this machine share CPUs, by MV2_COMM_WORLD_LOCAL_SIZE");
  limits_.user_placed = "OMP_PROC_BIND";
  EXPECT_EQ(explain(4), "OMP_PROC_BIND is set");
}

} // namespace
} // namespace wstree::place
