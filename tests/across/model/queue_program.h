// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A work-stealing queue alone under the model checker: its owner and thieves.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"

#include "wstree/core/queue/item.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::model {

struct QueuePlan {
  std::string_view owner = "++--"; ///< + push, - pop; of each loop
  std::uint32_t thieves = 1;
  std::uint32_t steals = 1; ///< attempts of each thief, in each loop
  bool patient = false;
  std::uint32_t loops = 1;
};

/// Every item that was pushed comes out once or is still there in the end; nothing else comes out.
template <class Queue> class QueueProgram final : public Program {
public:
  explicit QueueProgram(const QueuePlan& plan) : plan_(plan) {}

  std::uint32_t threads() const override { return plan_.thieves + 1; }
  void reset() override {
    queue_.emplace();
    start_loop(1);
  }

  void body(std::uint32_t thread) override {
    for (std::uint64_t loop = 1; loop <= plan_.loops; ++loop) {
      if (thread == 0)
        own(loop);
      else
        steal(loop);
      if (loop == plan_.loops) return;
      Execution::now->meet([this, loop] {
        check_done();
        start_loop(loop + 1);
      });
    }
  }
  void finish() override { check_done(); }

private:
  void start_loop(std::uint64_t loop) {
    loop_ = loop;
    pushed_ = 0;
    taken_.fill(0);
  }
  std::uint64_t item(std::uint64_t number) const { return loop_ << 8 | number; }

  void own(std::uint64_t loop) {
    queue_->reset(loop);
    for (const char action : plan_.owner) {
      std::uint64_t word = 0;
      if (action == '+') {
        if (!queue_->push(item(pushed_++))) return Execution::now->fail("no memory");
      } else if (queue_->pop(word)) {
        take(word, "pops ");
      } else {
        Execution::now->tell("finds its queue empty");
      }
    }
  }
  void steal(std::uint64_t loop) {
    for (std::uint32_t i = 0; i < plan_.steals; ++i) {
      std::uint64_t word = 0;
      if (queue_->is_of(loop) && queue_->steal(word, plan_.patient) == core::Theft::taken)
        take(word, "steals ");
    }
  }
  void take(std::uint64_t word, const char* how) {
    if (Execution::now->is_told()) Execution::now->tell(how + std::to_string(word & 0xFF));
    if (word >> 8 != loop_ || (word & 0xFF) >= pushed_)
      return Execution::now->fail("an item that was never pushed");
    if (++taken_[word & 0xFF] != 1)
      Execution::now->fail("item " + std::to_string(word & 0xFF) + " came out twice");
  }
  void check_done() {
    queue_->each([this](std::uint64_t word) { take(word, "is left "); });
    for (std::uint64_t i = 0; i < pushed_; ++i)
      if (taken_[i] == 0) return Execution::now->fail("item " + std::to_string(i) + " was lost");
  }

  QueuePlan plan_;
  std::optional<Queue> queue_;
  std::uint64_t loop_ = 1;
  std::uint64_t pushed_ = 0;
  std::array<std::uint8_t, 16> taken_{};
};

template <class Queue> std::function<std::unique_ptr<Program>()> queue(const QueuePlan& plan) {
  return [plan] { return std::make_unique<QueueProgram<Queue>>(plan); };
}

} // namespace wstree::model
