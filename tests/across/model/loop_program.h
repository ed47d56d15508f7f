// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team that runs loops on one slot, under the model checker.
#pragma once

#include "../../../tools/simulate/engine/slot.h"
#include "engine/execution.h"
#include "engine/platform.h"
#include "tree_invariants.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace wstree::model {

struct LoopPlan {
  std::uint32_t members = 2;
  std::vector<std::uint64_t> iterations{4}; ///< of each loop, one after the other in the same slot
  core::Settings settings{
      .batch = core::BatchMode::fixed, .limit = 1, .steal_cost = 0, .near_enough = 0, .clocked = false};
  std::uint64_t smallest = 1;
  std::uint64_t first_loop = 1;
  /// Iterations that may be missing when all but a suspended member have done what they can.
  std::uint64_t most_missing = 1;
  std::uint32_t pairs = 4;     ///< of nodes that a member of a tree starts with
  bool has_memory = true;      ///< for more
  std::uint32_t poor = 0;      ///< members with a bit here have no nodes of their own, and none to allocate
  std::uint64_t known = 0;     ///< ticks that a unit has cost in earlier loops; 0: members know nothing
  bool are_neighbours = false; ///< members 0 and 1 are near each other
  /// Pieces after which a member leaves the first loop, which is cancelled; 0: it is not.
  std::uint32_t cancelled_after = 0;
  /// Members go on to the next loop in the slot while other members are still in the one before. Nothing
  /// holds then but what the memory says about its use.
  bool reuses_early = false;
};

/// Every iteration once, one "last" and nothing for its member afterwards, and in the end nothing unclaimed.
template <core::Model model, class P = ModelPlatform> class LoopProgram final : public Program {
public:
  using Slot = simulate::Slot<P, model>;
  using Worker = typename Slot::Worker;
  static_assert(std::is_trivially_destructible_v<Worker>);

  explicit LoopProgram(LoopPlan plan) : plan_(std::move(plan)) {
    for (std::uint32_t m = 0; m < plan_.members; ++m) {
      near_[m].domains = &pair_;
      near_[m].count = m < 2 && plan_.are_neighbours ? 1 : 0;
      near_[m].position = m;
    }
  }

  std::uint32_t threads() const override { return plan_.members; }

  void reset() override {
    slot_.emplace(plan_.members, plan_.pairs);
    Execution::now->allocation_fails = !plan_.has_memory;
    for (core::Prior& prior : priors_) {
      prior = {};
      for (std::uint8_t i = 0; plan_.known != 0 && i < core::tuning::k_confirmed; ++i)
        prior.learn(1, plan_.known);
    }
    loop_ = 0;
    start_loop();
  }

  void body(std::uint32_t member) override {
    for (std::size_t loop = 0; loop < plan_.iterations.size(); ++loop) {
      Execution::now->works_for(plan_.first_loop + loop);
      if (core::is_refresh_due<P>(plan_.first_loop + loop)) slot_->refresh(plan_.first_loop + loop);
      workers_[member].enter(slot_->loop(), memory(member), entry(member, loop));
      const std::uint32_t most = loop == 0 ? plan_.cancelled_after : 0;
      core::Range range;
      for (std::uint32_t pieces = 0; (most == 0 || pieces != most) && workers_[member].next(range); ++pieces)
        see(member, range);
      Execution::now->succeed();
      Execution::now->tell("has left the loop");
      if (loop + 1 == plan_.iterations.size()) return;
      if (plan_.reuses_early) continue;
      Execution::now->meet([this] {
        check_done();
        ++loop_;
        start_loop();
      });
    }
  }

  void after_step() override {
    if (plan_.reuses_early) return;
    if constexpr (model == core::Model::tree) {
      const std::string wrong = invariants_.check(slot_->loop(), hits_, most_in_hands());
      if (!wrong.empty()) fail(wrong);
    } else if constexpr (model != core::Model::range) {
      // A range shows a new `low` before the word that belongs to it: its cells mean something together
      // only while no member is in a call.
      const auto left = Worker::unclaimed(slot_->loop(), entry(0, loop_));
      if (left + handed_ > hits_.size()) fail("iterations can be claimed that were handed out");
    }
  }

  void finish() override {
    if (!plan_.reuses_early) check_done();
  }

  void without(std::uint32_t suspended) override {
    std::uint64_t missing = 0;
    for (const std::uint8_t hits : hits_) missing += hits == 0;
    if (missing > plan_.most_missing)
      fail("without member " + std::to_string(suspended) + " " + std::to_string(missing) +
           " iterations are missing");
  }

private:
  typename Worker::Memory& memory(std::uint32_t member) {
    auto& memory = slot_->memory(member);
    if constexpr (model == core::Model::tree)
      if ((plan_.poor >> member & 1U) != 0) memory.reset(nullptr, 0);
    return memory;
  }
  core::Entry entry(std::uint32_t member, std::size_t loop) {
    core::Entry made = Slot::entry(plan_.iterations[loop], plan_.first_loop + loop, member, plan_.members,
                                   plan_.settings, plan_.smallest, &near_[member]);
    if (plan_.known != 0) made.prior = &priors_[member];
    return made;
  }
  void start_loop() {
    hits_.assign(plan_.iterations[loop_], 0);
    retired_.fill(false);
    lasts_ = 0;
    handed_ = 0;
    if constexpr (model == core::Model::tree)
      invariants_.start(
          {plan_.iterations[loop_], plan_.settings.roots == 0 ? plan_.members : plan_.settings.roots},
          plan_.first_loop + loop_);
  }
  static void fail(const std::string& why) { Execution::now->fail(why); }

  /// A batch for each member; those that follow the clock have no bound of their own.
  std::uint32_t most_in_hands() const {
    if (plan_.settings.batch == core::BatchMode::timed) return static_cast<std::uint32_t>(hits_.size());
    return plan_.members * static_cast<std::uint32_t>(std::max(plan_.settings.limit, plan_.smallest));
  }

  void see(std::uint32_t member, const core::Range& range) {
    const std::uint64_t n = hits_.size();
    Execution::now->succeed();
    if (Execution::now->is_told())
      Execution::now->tell("is handed " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                           (range.last ? ", the last" : ""));
    if (plan_.reuses_early) return;
    if (range.begin >= range.end || range.end > n)
      return fail("a range that is empty or outside of the loop");
    if (retired_[member]) return fail("a range after the last one");
    if (range.last != (range.end == n)) return fail("\"last\" is wrong");
    for (std::uint64_t i = range.begin; i < range.end; ++i)
      if (++hits_[i] != 1) return fail("iteration " + std::to_string(i) + " was handed out twice");
    retired_[member] = range.last;
    lasts_ += range.last;
    handed_ += range.end - range.begin;
  }

  /// Checks the loop when all members have left it.
  void check_done() {
    if (loop_ == 0 && plan_.cancelled_after != 0) return;
    std::uint64_t counted = 0;
    for (std::uint32_t m = 0; m < plan_.members; ++m) counted += workers_[m].counts().iterations;
    for (std::uint64_t i = 0; i < hits_.size(); ++i)
      if (hits_[i] == 0) return fail("iteration " + std::to_string(i) + " was lost");
    if (lasts_ != 1) return fail(std::to_string(lasts_) + " members were told \"last\"");
    if (counted != hits_.size()) return fail("the members count " + std::to_string(counted) + " iterations");
    if (const auto left = Worker::unclaimed(slot_->loop(), entry(0, loop_)); left != 0)
      return fail(std::to_string(left) + " iterations are said to be unclaimed");
    core::Range range;
    for (std::uint32_t m = 0; m < plan_.members; ++m)
      if (workers_[m].next(range)) return fail("a range after the end");
  }

  LoopPlan plan_;
  core::Domain pair_{0, 2};
  std::array<core::Neighbourhood, View::k_most_threads> near_{};
  std::array<core::Prior, View::k_most_threads> priors_{};
  std::optional<Slot> slot_;
  std::array<Worker, View::k_most_threads> workers_{};
  std::size_t loop_ = 0; // of the plan
  std::vector<std::uint8_t> hits_;
  std::array<bool, View::k_most_threads> retired_{};
  int lasts_ = 0;
  std::uint64_t handed_ = 0; // iterations of this loop
  TreeInvariants<P> invariants_;
};

template <core::Model model, class P = ModelPlatform>
std::function<std::unique_ptr<Program>()> loops(LoopPlan plan) {
  return [plan] { return std::make_unique<LoopProgram<model, P>>(plan); };
}

} // namespace wstree::model
