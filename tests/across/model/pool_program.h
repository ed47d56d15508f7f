// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread pool adds to its queues under the model checker: sleep, groups, and threads outside.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"

#include "wstree/core/queue/lock_free_queue.h"
#include "wstree/types/detail/outsiders.h"
#include "wstree/types/detail/sleepers.h"
#include "wstree/types/detail/task_count.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace wstree::model {

/// A sleeping thread goes on when the word has changed; a wake-up without a change wakes no thread.
struct PoolPlatform : ModelPlatform {
  static void sleep(Atomic<std::uint32_t>&, std::uint32_t) noexcept { relax(); }
  static void wake(Atomic<std::uint32_t>&, std::uint32_t) noexcept {}
};

using PoolQueue = core::ChaseLevQueue<PoolPlatform, 4>;
using PoolSleepers = detail::Sleepers<PoolPlatform>;
using PoolBed = detail::SleepSlot<PoolPlatform>;

struct SleepPlan {
  std::uint32_t makers = 1;
  std::uint32_t takers = 1;
  bool late = false;   ///< the takers have looked once, in vain
  bool asleep = false; ///< and the first one sleeps already
};

/// Makers push `takers` items in all; each taker takes one, and sleeps while there is none. A lost wake-up is
/// an execution without an end.
class SleepProgram final : public Program {
public:
  explicit SleepProgram(const SleepPlan& plan) : plan_(plan) {}
  std::uint32_t threads() const override { return plan_.makers + plan_.takers; }
  void reset() override {
    for (auto& queue : queues_) queue.emplace();
    for (auto& bed : beds_) bed.emplace();
    sleepers_.emplace();
    if (plan_.asleep) sleepers_->announce(*beds_[plan_.makers]);
    taken_ = 0;
  }
  void body(std::uint32_t thread) override {
    if (thread < plan_.makers) {
      for (std::uint32_t i = thread; i < plan_.takers; i += plan_.makers) make(thread);
    } else {
      take(thread);
    }
  }
  void finish() override {
    if (taken_ != plan_.takers) Execution::now->fail("an item was lost, or taken twice");
  }

private:
  void make(std::uint32_t maker) {
    static_cast<void>(queues_[maker]->push(1));
    tell(maker);
  }
  /// A thread that sleeps already is found first; else each thread begins with another taker.
  void tell(std::uint32_t thread) {
    PoolSleepers::order();
    if (sleepers_->any())
      sleepers_->wake_one(plan_.takers, plan_.asleep ? 0 : thread % plan_.takers,
                          [this](std::uint32_t i) -> PoolBed& { return *beds_[plan_.makers + i]; });
  }
  bool sees_item() const {
    for (std::uint32_t m = 0; m < plan_.makers; ++m)
      if (!queues_[m]->looks_empty()) return true;
    return false;
  }
  void take(std::uint32_t taker) {
    PoolBed& bed = *beds_[taker];
    bool awakened = false;
    if (plan_.asleep && taker == plan_.makers) {
      sleepers_->sleep(bed);
      awakened = true;
    }
    for (bool looks = !plan_.late || awakened;; looks = true) {
      if (looks && take_any()) {
        if (awakened && sees_item()) tell(taker);
        return;
      }
      sleepers_->announce(bed);
      if (!sees_item()) {
        sleepers_->sleep(bed);
        awakened = true;
      } else if (sleepers_->cancel(bed)) {
        awakened = true;
      }
    }
  }
  bool take_any() {
    for (std::uint32_t m = 0; m < plan_.makers; ++m) {
      std::uint64_t word = 0;
      if (queues_[m]->steal(word, true) != core::Theft::taken) continue;
      ++taken_;
      return true;
    }
    return false;
  }

  SleepPlan plan_;
  std::array<std::optional<PoolQueue>, View::k_most_threads> queues_;
  std::array<std::optional<PoolBed>, View::k_most_threads> beds_;
  std::optional<PoolSleepers> sleepers_;
  std::uint32_t taken_ = 0;
};

/// Two tasks have come from outside. The member that takes both puts one into its own queue, and executes the
/// other one for ever; the second member sleeps while it sees no task.
class BundleProgram final : public Program {
public:
  std::uint32_t threads() const override { return k_members; }
  void reset() override {
    outside_.emplace(2);
    for (auto& queue : queues_) queue.emplace();
    for (auto& bed : beds_) bed.emplace();
    sleepers_.emplace();
    taken_ = 0;
  }
  void body(std::uint32_t thread) override {
    while (!take(thread)) {
      sleepers_->announce(*beds_[thread]);
      if (sees_task())
        sleepers_->cancel(*beds_[thread]);
      else
        sleepers_->sleep(*beds_[thread]);
    }
    ++taken_;
  }
  void finish() override {
    if (taken_ != 2) Execution::now->fail("a task was lost, or taken twice");
  }

private:
  static constexpr std::uint32_t k_members = 2;

  bool take(std::uint32_t thread) {
    if (outside_->load(std::memory_order_relaxed) != 0 &&
        outside_->exchange(0, std::memory_order_acq_rel) != 0) {
      static_cast<void>(queues_[thread]->push(1));
      PoolSleepers::order();
      if (sleepers_->any())
        sleepers_->wake_one(k_members, 0, [this](std::uint32_t i) -> PoolBed& { return *beds_[i]; });
      return true;
    }
    std::uint64_t word = 0;
    return queues_[1 - thread]->steal(word, true) == core::Theft::taken;
  }
  bool sees_task() const {
    return outside_->load(std::memory_order_relaxed) != 0 || !queues_[0]->looks_empty() ||
           !queues_[1]->looks_empty();
  }

  std::optional<Atomic<std::uint32_t>> outside_;
  std::array<std::optional<PoolQueue>, k_members> queues_;
  std::array<std::optional<PoolBed>, k_members> beds_;
  std::optional<PoolSleepers> sleepers_;
  std::uint32_t taken_ = 0;
};

struct GroupPlan {
  std::uint32_t thieves = 1;
  std::uint32_t tasks = 2;
  bool from_outside = false; ///< the owner executes nothing
};

/// The owner of a group pushes tasks and waits. Each task writes plain data.
class GroupProgram final : public Program {
public:
  explicit GroupProgram(const GroupPlan& plan) : plan_(plan) {}
  std::uint32_t threads() const override { return plan_.thieves + 1; }
  void reset() override {
    queue_.emplace();
    bed_.emplace();
    sleepers_.emplace();
    outsiders_.emplace();
    count_.emplace();
    results_ = {};
    left_ = 0;
  }
  void body(std::uint32_t thread) override {
    if (thread == 0)
      own();
    else
      steal();
  }
  void finish() override {
    if (left_ != plan_.tasks) Execution::now->fail("the owner left before its tasks were done");
  }

private:
  void own() {
    for (std::uint32_t i = 0; i < plan_.tasks; ++i) {
      count_->add_own();
      static_cast<void>(queue_->push(i));
    }
    while (!count_->is_done())
      if (plan_.from_outside)
        wait_outside();
      else
        work_or_sleep();
    for (std::uint32_t i = 0; i < plan_.tasks; ++i) left_ += results_[i].read();
  }
  void work_or_sleep() {
    std::uint64_t task = 0;
    if (queue_->pop(task)) {
      results_[task].write(1);
      count_->finish_own();
      return;
    }
    sleepers_->announce(*bed_);
    if (!queue_->looks_empty() || count_->expect(detail::Sleeper::member))
      sleepers_->cancel(*bed_);
    else
      sleepers_->sleep(*bed_);
  }
  void wait_outside() {
    const std::uint32_t number = outsiders_->announce();
    if (!count_->expect(detail::Sleeper::outsider)) outsiders_->sleep(number);
    outsiders_->leave();
  }
  void steal() {
    for (std::uint32_t i = 0; i < (plan_.from_outside ? ~0U : plan_.tasks); ++i) {
      std::uint64_t task = 0;
      if (queue_->steal(task, true) == core::Theft::taken) {
        results_[task].write(1);
        switch (count_->finish()) {
        case detail::Sleeper::member:
          sleepers_->wake(*bed_);
          break;
        case detail::Sleeper::outsider:
          outsiders_->wake_all();
          break;
        case detail::Sleeper::none:
          break;
        }
        if (task + 1 == plan_.tasks) return; // of an owner outside: no more to come
      } else if (plan_.from_outside) {
        PoolPlatform::relax();
      }
    }
  }

  GroupPlan plan_;
  std::optional<PoolQueue> queue_;
  std::optional<PoolBed> bed_;
  std::optional<PoolSleepers> sleepers_;
  std::optional<detail::Outsiders<PoolPlatform>> outsiders_;
  std::optional<detail::TaskCount<PoolPlatform>> count_;
  std::array<Cell<std::uint32_t>, 4> results_{};
  std::uint32_t left_ = 0;
};

struct OutsidePlan {
  std::uint32_t outsiders = 1;
  std::uint32_t members = 1;
};

/// Members finish one task each; outsiders sleep until all are finished, as thread_pool::wait() does.
class OutsideProgram final : public Program {
public:
  explicit OutsideProgram(const OutsidePlan& plan) : plan_(plan) {}
  std::uint32_t threads() const override { return plan_.outsiders + plan_.members; }
  void reset() override {
    for (auto& finished : finished_) finished.emplace();
    for (auto& bed : beds_) bed.emplace();
    outsiders_.emplace();
    sleepers_.emplace();
  }
  void body(std::uint32_t thread) override {
    if (thread < plan_.outsiders) {
      while (!is_quiet()) {
        const std::uint32_t number = outsiders_->announce();
        if (!is_quiet()) outsiders_->sleep(number);
        outsiders_->leave();
      }
      return;
    }
    finished_[thread]->store(1, std::memory_order_release);
    sleepers_->announce(*beds_[thread]);
    if (outsiders_->any()) outsiders_->wake_all();
  }

private:
  bool is_quiet() const {
    for (std::uint32_t i = 0; i < plan_.members; ++i)
      if (finished_[plan_.outsiders + i]->load(std::memory_order_acquire) == 0) return false;
    return true;
  }

  OutsidePlan plan_;
  std::array<std::optional<Atomic<std::uint32_t>>, View::k_most_threads> finished_;
  std::array<std::optional<PoolBed>, View::k_most_threads> beds_;
  std::optional<detail::Outsiders<PoolPlatform>> outsiders_;
  std::optional<PoolSleepers> sleepers_;
};

} // namespace wstree::model
