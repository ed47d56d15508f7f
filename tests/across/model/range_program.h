// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One work-stealing range under the model checker: an owner that drains it and fills it again, and thieves.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"

#include "wstree/core/range/range.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wstree::model {

struct RangePlan {
  /// Units [begin, end) that the owner gets, one after the other. It keeps the first unit and shows the rest.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  std::uint32_t thieves = 1;
  std::uint32_t steals = 1; ///< attempts of each
};

/// Every unit once. Thieves keep what they steal, so the cell changes only by what is checked here: a thief
/// may hold a word of the first range while the cell has the second.
class RangeProgram final : public Program {
public:
  explicit RangeProgram(RangePlan plan) : plan_(std::move(plan)) {}

  std::uint32_t threads() const override { return plan_.thieves + 1; }
  void reset() override {
    cell_.emplace();
    hits_.fill(0);
  }
  void body(std::uint32_t thread) override {
    if (thread == 0)
      own();
    else
      for (std::uint32_t i = 0; i < plan_.steals; ++i) steal();
  }
  void finish() override {
    for (const auto& [begin, end] : plan_.ranges)
      for (std::uint32_t unit = begin; unit < end; ++unit)
        if (hits_[unit] == 0) return Execution::now->fail("unit " + std::to_string(unit) + " was lost");
  }

private:
  static constexpr std::uint64_t k_loop = 1;
  using Word = core::StealWord;

  void hand_out(std::uint32_t begin, std::uint32_t end) {
    if (Execution::now->is_told())
      Execution::now->tell("gets units " + std::to_string(begin) + " to " + std::to_string(end));
    for (std::uint32_t unit = begin; unit < end; ++unit)
      if (unit >= hits_.size() || ++hits_[unit] != 1)
        return Execution::now->fail("unit " + std::to_string(unit) + " was handed out twice");
  }

  void own() {
    bool entered = false;
    for (const auto& [begin, end] : plan_.ranges) {
      hand_out(begin, begin + 1);
      low_ = begin + 1;
      known_ = cell_->open(low_, end, k_loop, entered);
      entered = true;
      while (take()) {
      }
    }
  }

  /// A batch of one unit.
  bool take() {
    std::uint32_t end = 0;
    if (!cell_->take(
            known_, low_, [](std::uint32_t) { return 1U; }, end))
      return false;
    hand_out(low_, end);
    low_ = end;
    return true;
  }

  void steal() {
    if (!cell_->is_of(k_loop)) return;
    const auto offer = cell_->offer();
    if (!offer.part.empty() && cell_->steal(offer.seen, offer.rest))
      hand_out(offer.part.mid(), offer.part.high());
  }

  RangePlan plan_;
  std::optional<core::RangeCell<ModelPlatform>> cell_;
  std::array<std::uint8_t, 32> hits_{};
  Word known_;
  std::uint32_t low_ = 0;
};

inline std::function<std::unique_ptr<Program>()> range(RangePlan plan) {
  return [plan] { return std::make_unique<RangeProgram>(plan); };
}

} // namespace wstree::model
