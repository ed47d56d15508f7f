// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions about the loops of an open region under the model checker: runtime/loop/even_steps.h and the
// ring.
#pragma once

#include "team_checks.h"
#include "team_platform.h"

#include "even_steps.h"
#include "member.h"

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

namespace wstree::model {

/// Member 0 publishes another decision whenever it may. All members have to find the same one for each loop.
/// `lag`: that of the plan; less than the ring is too early.
template <std::uint64_t lag> class StepsProgram final : public Program {
public:
  using P = TeamPlatform;
  using Team = loop::Team<P, SmallSizes>;
  static constexpr std::uint32_t k_most_loops = 12;

  StepsProgram(std::uint32_t members, std::uint32_t loops) : members_(members), loops_(loops) {
    settings_ = {
        .batch = core::BatchMode::fixed, .limit = 1, .steal_cost = 0, .near_enough = 0, .clocked = false};
  }

  std::uint32_t threads() const override { return members_; }
  void reset() override {
    TeamMemory::now = &memory_;
    TeamWaiting::now = &waiting_;
    memory_.reset({});
    waiting_.reset();
    team_ = ::new (static_cast<void*>(team_bytes_)) Team;
    plan_ = ::new (static_cast<void*>(plan_bytes_)) Plan;
    found_.fill(k_nobody);
    from_ = 0;
    team_->open();
    plan_->reset(team_->base());
  }
  void body(std::uint32_t me) override {
    loop::Member<P, SmallSizes> member(team_, me, members_);
    for (std::uint32_t i = 0; i < loops_; ++i) {
      const std::uint64_t loop = team_->base() + i;
      find(i, loop);
      waiting_.begin();
      if (!member.enter(members_, settings_, 0, core::Model::static_))
        return Execution::now->fail("a loop is not served");
      core::Range range;
      while (member.next(range)) waiting_.begin();
      member.leave();
      if (me == 0 && loop + 1 >= from_ + SmallSizes::k_ring) from_ = plan_->publish(loop, i + 1);
      Execution::now->succeed();
    }
    member.depart();
  }
  void finish() override {
    team_->close();
    memory_.end();
    team_->~Team();
  }

private:
  using Plan = loop::StepPlan<P, lag>;
  static constexpr std::uint64_t k_nobody = ~std::uint64_t{0};

  /// Which decision holds: the largest number of iterations that is within it.
  void find(std::uint32_t i, std::uint64_t loop) {
    std::uint64_t most = 0;
    while (most < k_most_loops && plan_->is_even(loop, most + 1, 1)) ++most;
    if (found_[i] == k_nobody) found_[i] = most;
    if (found_[i] != most)
      Execution::now->fail("members disagree about loop " + std::to_string(i) + ": " + std::to_string(most) +
                           " and " + std::to_string(found_[i]));
  }

  std::uint32_t members_, loops_;
  core::Settings settings_;
  TeamMemory memory_;
  TeamWaiting waiting_;
  alignas(Team) std::byte team_bytes_[sizeof(Team)];
  alignas(Plan) std::byte plan_bytes_[sizeof(Plan)];
  Team* team_ = nullptr;
  Plan* plan_ = nullptr;
  std::array<std::uint64_t, k_most_loops> found_{}; // by whoever came first
  std::uint64_t from_ = 0;                          // member 0's: when the latest decision holds
};

} // namespace wstree::model
