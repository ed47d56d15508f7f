// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One taskloop under the model checker: runtime/loop/task_loop.h as it is, and threads that execute its tasks
// as a runtime might.
#pragma once

#include "engine/execution.h"
#include "team_platform.h"

#include "task_loop.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wstree::model {

struct TaskLoopPlan {
  std::uint64_t iterations = 4;
  /// The tasks that each thread executes, one after the other. Thread 0 meets the loop first, and may leave
  /// its tasks to other threads, as with `nogroup`. Tasks that no thread has are discarded, or never come.
  std::vector<std::vector<std::uint32_t>> tasks{{0}, {1}};
  /// A thread executes its later tasks inside the first iteration that it gets.
  bool are_inside = false;
  /// Batches after which each task stops, because the loop is cancelled; k_never: it is not.
  std::uint32_t most = k_never;
  /// The runtime may discard tasks, so thread 0 ends the loop when all have ended; else the last task does.
  bool is_cancellable = false;
  core::BatchMode batch = core::BatchMode::fixed;
  static constexpr std::uint32_t k_never = ~0U;
};

/// Every iteration once, or at most once in a cancelled loop; one "last"; and memory that is given back once,
/// when no task looks at it any more.
class TaskLoopProgram final : public Program {
public:
  using Loop = loop::TaskLoop<TeamPlatform, int>;

  explicit TaskLoopProgram(TaskLoopPlan plan) : plan_(std::move(plan)) {
    settings_ = {.batch = plan_.batch, .limit = 1, .steal_cost = 0, .near_enough = 0, .clocked = true};
    for (const auto& own : plan_.tasks)
      for (const std::uint32_t task : own) parts_ = std::max(parts_, task + 1);
    if (plan_.is_cancellable) ++parts_; // one is discarded
  }

  std::uint32_t threads() const override { return static_cast<std::uint32_t>(plan_.tasks.size()); }

  void reset() override {
    TeamMemory::now = &memory_;
    TeamWaiting::now = &waiting_;
    memory_.reset({});
    waiting_.reset();
    hits_.assign(plan_.iterations, 0);
    lasts_ = 0;
    ends_ = 0;
    loop_.emplace();
  }

  void body(std::uint32_t thread) override {
    Execution::now->works_for(1);
    if (thread == 0) {
      Loop* const loop = Loop::create(0, plan_.iterations, parts_, settings_, 1);
      if (loop == nullptr) return fail("no memory");
      loop_->store(loop, std::memory_order_release); // as the runtime hands a task on
    }
    Loop* loop = nullptr;
    while ((loop = loop_->load(std::memory_order_acquire)) == nullptr) Execution::now->wait();
    execute(*loop, thread, 0);
    if (!plan_.is_cancellable) return;
    Execution::now->meet([] {}); // the end of the taskgroup
    if (thread == 0) end(*loop);
  }

  void finish() override {
    memory_.end();
    if (ends_ != 1) return fail("the loop ended " + std::to_string(ends_) + " times");
    if (memory_.unreleased() != 0) return fail("memory is not given back");
    if (plan_.most != TaskLoopPlan::k_never) return;
    for (std::uint64_t i = 0; i < hits_.size(); ++i)
      if (hits_[i] == 0) return fail("iteration " + std::to_string(i) + " was lost");
    if (lasts_ != 1) fail(std::to_string(lasts_) + " tasks were told \"last\"");
  }

private:
  static void fail(const std::string& why) { Execution::now->fail(why); }

  /// The tasks of the thread from its number `first` on.
  void execute(Loop& loop, std::uint32_t thread, std::size_t first) {
    const std::vector<std::uint32_t>& own = plan_.tasks[thread];
    if (first == own.size()) return;
    memory_.look_at(&loop);
    std::uint32_t batches = 0;
    loop.take_part(
        *loop.part(own[first]), nullptr,
        [&](std::uint64_t begin, std::uint64_t past, bool last) {
          waiting_.begin();
          see(begin, past, last);
          if (++batches == 1 && plan_.are_inside) execute(loop, thread, first + 1);
        },
        [&] {
          waiting_.begin();
          return batches == plan_.most;
        });
    memory_.look_at(&loop);
    Execution::now->succeed();
    Execution::now->tell("task " + std::to_string(own[first]) + " has left");
    if (loop.leave() && !plan_.is_cancellable) return end(loop);
    if (!plan_.are_inside || batches == 0) execute(loop, thread, first + 1);
  }

  void see(std::uint64_t begin, std::uint64_t past, bool last) {
    Execution::now->succeed();
    if (begin >= past || past > hits_.size()) return fail("a batch that is empty or outside of the loop");
    if (last != (past == hits_.size())) return fail("\"last\" is wrong");
    for (std::uint64_t i = begin; i < past; ++i)
      if (++hits_[i] != 1) return fail("iteration " + std::to_string(i) + " was handed out twice");
    lasts_ += last;
  }

  void end(Loop& loop) {
    ++ends_;
    const auto handed =
        static_cast<std::uint64_t>(std::count_if(hits_.begin(), hits_.end(), [](int hits) { return hits; }));
    if (loop.execution().total.iterations != handed) fail("the tasks do not count what they got");
    Loop::destroy(&loop);
  }

  TaskLoopPlan plan_;
  core::Settings settings_;
  std::uint32_t parts_ = 0;
  TeamMemory memory_;
  TeamWaiting waiting_;
  std::optional<Atomic<Loop*>> loop_;
  std::vector<std::uint8_t> hits_;
  int lasts_ = 0;
  int ends_ = 0;
};

inline std::function<std::unique_ptr<Program>()> task_loop(TaskLoopPlan plan) {
  return [plan] { return std::make_unique<TaskLoopProgram>(plan); };
}

} // namespace wstree::model
