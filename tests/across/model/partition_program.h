// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public partitioner and the public range under the model checker.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"

#include "wstree/types/detail/partitions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wstree::model {

struct PartitionPlan {
  std::uint64_t elements = 4;
  /// Elements that each partition's consumer takes before it stops; k_all: until it is told that there are no
  /// more. Partitions beyond these never come.
  std::vector<std::uint32_t> takes;
  std::uint32_t partitions = 2;
  std::uint64_t chunk = 1;
};
inline constexpr std::uint32_t k_all = ~0U;

/// Every element once or left over; and none left over if all who come stay to the end.
class PartitionProgram final : public Program {
public:
  explicit PartitionProgram(PartitionPlan plan) : plan_(std::move(plan)) {}

  std::uint32_t threads() const override { return static_cast<std::uint32_t>(plan_.takes.size()); }
  void reset() override {
    shared_.emplace(plan_.elements, plan_.partitions, plan_.chunk);
    hits_.fill(0);
  }
  void body(std::uint32_t partition) override {
    std::uint64_t element = 0;
    for (std::uint32_t i = 0; i != plan_.takes[partition] && shared_->next(partition, element); ++i)
      hit(element, "handed out");
    Execution::now->succeed();
  }
  void finish() override {
    bool all_stay = true;
    for (const std::uint32_t takes : plan_.takes) all_stay &= takes == k_all;
    shared_->each_left([&](std::uint64_t begin, std::uint64_t end) {
      if (all_stay) Execution::now->fail("elements are left over");
      for (; begin != end; ++begin) hit(begin, "left over");
    });
    for (std::uint64_t i = 0; i < plan_.elements; ++i)
      if (hits_[i] == 0) return Execution::now->fail("element " + std::to_string(i) + " was lost");
  }

private:
  void hit(std::uint64_t element, const char* how) {
    Execution::now->succeed();
    if (Execution::now->is_told()) Execution::now->tell(std::to_string(element) + " is " + how);
    if (element >= plan_.elements || ++hits_[element] != 1)
      Execution::now->fail("element " + std::to_string(element) + " was " + how + " a second time");
  }

  PartitionPlan plan_;
  std::optional<detail::Partitions<ModelPlatform>> shared_;
  std::array<std::uint8_t, 32> hits_{};
};

inline std::function<std::unique_ptr<Program>()> partitions(PartitionPlan plan) {
  return [plan] { return std::make_unique<PartitionProgram>(plan); };
}

struct PublicRangePlan {
  std::uint32_t size = 4;
  std::uint32_t most = 1; ///< that the owner takes at a time
  std::uint32_t thieves = 1;
  std::uint32_t steals = 1; ///< attempts of each
};

/// The owner drains its range and asks once more.
class PublicRangeProgram final : public Program {
public:
  explicit PublicRangeProgram(PublicRangePlan plan) : plan_(plan) {}

  std::uint32_t threads() const override { return plan_.thieves + 1; }
  void reset() override {
    range_.emplace(plan_.size);
    hits_.fill(0);
  }
  void body(std::uint32_t thread) override {
    std::uint32_t begin = 0, end = 0;
    if (thread == 0) {
      while (range_->take(plan_.most, begin, end)) hit(begin, end);
      if (range_->take(plan_.most, begin, end)) Execution::now->fail("an empty range has something");
    } else {
      for (std::uint32_t i = 0; i < plan_.steals; ++i)
        if (range_->steal(begin, end)) hit(begin, end);
    }
  }
  void finish() override {
    for (std::uint32_t i = 0; i < plan_.size; ++i)
      if (hits_[i] == 0) return Execution::now->fail(std::to_string(i) + " was lost");
    if (range_->size() != 0) Execution::now->fail("a drained range has a size");
  }

private:
  void hit(std::uint32_t begin, std::uint32_t end) {
    if (begin >= end) Execution::now->fail("nothing was handed out");
    for (; begin < end; ++begin)
      if (begin >= plan_.size || ++hits_[begin] != 1)
        return Execution::now->fail(std::to_string(begin) + " was handed out twice");
  }

  PublicRangePlan plan_;
  std::optional<detail::StealableRange<ModelPlatform>> range_;
  std::array<std::uint8_t, 32> hits_{};
};

inline std::function<std::unique_ptr<Program>()> public_range(PublicRangePlan plan) {
  return [plan] { return std::make_unique<PublicRangeProgram>(plan); };
}

} // namespace wstree::model
