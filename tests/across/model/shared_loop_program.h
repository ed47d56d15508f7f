// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler without threads (loop.h) under the model checker.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"
#include "partition_program.h"

#include "wstree/types/detail/shared_loop.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wstree::model {

struct SharedPlan {
  std::uint64_t iterations = 3;
  /// Ranges that each member gets; it executes one iteration of the last of these and leaves the rest to
  /// other members. k_all: until there are no more.
  std::vector<std::uint32_t> takes;
  std::uint32_t members = 0; ///< 0: as many as have `takes`; of more, the others never come
  bool is_ascending = false;
  bool stops = false;             ///< a member that leaves stops the loop
  std::uint64_t most_missing = 2; ///< iterations of a member that is suspended
};

/// Every iteration once or left over; and none left over if a member stays to the end and asks once more.
class SharedLoopProgram final : public Program {
public:
  explicit SharedLoopProgram(SharedPlan plan)
      : plan_(std::move(plan)),
        members_(plan_.members != 0 ? plan_.members : static_cast<std::uint32_t>(plan_.takes.size())),
        memory_(new (std::align_val_t{Shared::k_alignment}) std::byte[Shared::bytes(members_)]) {}
  ~SharedLoopProgram() override { ::operator delete[](memory_, std::align_val_t{Shared::k_alignment}); }
  SharedLoopProgram(const SharedLoopProgram&) = delete;
  SharedLoopProgram& operator=(const SharedLoopProgram&) = delete;

  std::uint32_t threads() const override { return static_cast<std::uint32_t>(plan_.takes.size()); }
  void reset() override {
    shared_ = Shared::create(memory_, plan_.iterations, members_, 1, plan_.is_ascending, nullptr);
    hits_.fill(0);
  }
  void body(std::uint32_t member) override {
    Range range;
    std::uint64_t so_far = 0;
    for (std::uint32_t taken = 1; shared_->next(member, range.begin, range.end); ++taken) {
      if (range.begin >= range.end) return Execution::now->fail("a range is empty");
      if (plan_.is_ascending && range.begin < so_far) return Execution::now->fail("a range comes too late");
      so_far = range.end;
      if (taken != plan_.takes[member]) {
        hit(range, "handed out");
        continue;
      }
      if (plan_.stops) shared_->stop();
      shared_->leave(member, range.begin);
      break;
    }
    Execution::now->succeed();
  }
  void finish() override {
    bool is_one_there = false;
    Range range;
    for (std::uint32_t member = 0; member < threads(); ++member) {
      if (plan_.takes[member] != k_all) continue;
      is_one_there = true;
      while (shared_->next(member, range.begin, range.end)) hit(range, "handed out");
    }
    shared_->each_left([&](std::uint64_t begin, std::uint64_t end) {
      if (is_one_there && !plan_.stops) Execution::now->fail("iterations are left over");
      hit({begin, end}, "left over");
    });
    for (std::uint64_t i = 0; i < plan_.iterations; ++i)
      if (hits_[i] == 0) return Execution::now->fail("iteration " + std::to_string(i) + " was lost");
  }
  void without(std::uint32_t suspended) override {
    std::uint64_t missing = 0;
    for (std::uint64_t i = 0; i < plan_.iterations; ++i) missing += hits_[i] == 0;
    if (missing > plan_.most_missing)
      Execution::now->fail("without member " + std::to_string(suspended) + " " + std::to_string(missing) +
                           " iterations are missing");
  }

private:
  using Shared = detail::SharedLoop<ModelPlatform>;
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };

  void hit(Range range, const char* how) {
    Execution::now->succeed();
    for (; range.begin != range.end; ++range.begin) {
      if (Execution::now->is_told()) Execution::now->tell(std::to_string(range.begin) + " is " + how);
      if (range.begin >= plan_.iterations || ++hits_[range.begin] != 1)
        return Execution::now->fail("iteration " + std::to_string(range.begin) + " was " + how +
                                    " a second time");
    }
  }

  SharedPlan plan_;
  std::uint32_t members_;
  std::byte* memory_;
  Shared* shared_ = nullptr;
  std::array<std::uint8_t, 8> hits_{};
};

inline std::function<std::unique_ptr<Program>()> shared_loop(SharedPlan plan) {
  return [plan] { return std::make_unique<SharedLoopProgram>(plan); };
}

} // namespace wstree::model
