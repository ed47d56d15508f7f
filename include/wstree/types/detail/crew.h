// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The members of a thread pool: where they look for tasks, when they sleep, and when all is done.
#pragma once

#include "wstree/core/tuning.h"
#include "wstree/types/detail/crew_member.h"
#include "wstree/types/detail/global_queue.h"
#include "wstree/types/detail/outsiders.h"
#include "wstree/types/detail/pool_platform.h"
#include "wstree/types/detail/sleepers.h"
#include "wstree/types/detail/task.h"
#include "wstree/types/detail/task_count.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

class Crew {
public:
  Crew(std::uint32_t members, pool_order order)
      : order_(order), size_(members), members_(std::make_unique<CrewMember[]>(members)) {
    for (std::uint32_t i = 0; i < size_; ++i) {
      members_[i].random = core::Rng(i + 1);
      members_[i].crew = this;
    }
    struct StopUnlessComplete {
      Crew* crew;
      ~StopUnlessComplete() {
        if (crew != nullptr) crew->stop();
      }
    } on_failure{this};
    for (std::uint32_t i = 0; i < size_; ++i)
      members_[i].thread = std::thread([this, i] { serve(members_[i]); });
    on_failure.crew = nullptr;
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  /// Executes the queued tasks, and the tasks that they queue.
  ~Crew() {
    wait_until_quiet();
    stop();
  }

  std::uint32_t size() const noexcept { return size_; }
  /// Returns the calling thread as a member of this crew; nullptr: it is none.
  CrewMember* me() const noexcept {
    CrewMember* const mine = CrewMember::mine();
    return mine != nullptr && mine->crew == this ? mine : nullptr;
  }

  /// Any thread. The task is executed once.
  void post(Task* task) noexcept {
    CrewMember* const mine = me();
    if (mine != nullptr) {
      mine->begun.raise();
      if (!mine->queue.push(word_of(task))) [[unlikely]]
        global_.push(task); // which needs no memory
    } else {
      outside_begun_.fetch_add(1, std::memory_order_relaxed); // before wait() by program order, or no matter
      global_.push(task);
    }
    tell(mine);
  }

  /// Until `count`, which the calling thread owns, is done. A member executes other tasks meanwhile.
  void wait_for(TaskCount<PoolPlatform>& count) noexcept {
    if (CrewMember* const mine = me(); mine != nullptr) {
      work(
          *mine, [&] { return count.is_done(); }, [&] { return count.expect(Sleeper::member); });
      return;
    }
    sleep_outside([&] { return count.is_done(); }, [&] { return count.expect(Sleeper::outsider); });
  }
  /// Wakes the sleeper that finish() of a count has named; `owner`, a member or nullptr, owns the count.
  void wake(Sleeper sleeper, CrewMember* owner) noexcept {
    if (sleeper == Sleeper::none) [[likely]]
      return;
    if (sleeper == Sleeper::member)
      bell_.wake(owner->slot);
    else
      outside_.wake_all();
  }

  /// Until all tasks are done that were begun before, and all that these have begun. No member may call it.
  void wait_until_quiet() noexcept {
    const auto done = [this] { return is_quiet(); };
    sleep_outside(done, done);
  }

private:
  static std::uint64_t word_of(Task* task) noexcept { return reinterpret_cast<std::uintptr_t>(task); }
  static Task* task_of(std::uint64_t word) noexcept {
    return reinterpret_cast<Task*>(static_cast<std::uintptr_t>(word));
  }

  void serve(CrewMember& mine) noexcept {
    CrewMember::mine() = &mine;
    // acquire: nothing comes with it; a member that misses it will be woken, and look again.
    const auto done = [this] { return stopping_.load(std::memory_order_acquire); };
    work(mine, done, done);
    CrewMember::mine() = nullptr;
  }
  void stop() noexcept {
    stopping_.store(true, std::memory_order_release);
    bell_.order();
    for (std::uint32_t i = 0; i < size_; ++i) bell_.wake(members_[i].slot);
    for (std::uint32_t i = 0; i < size_; ++i)
      if (members_[i].thread.joinable()) members_[i].thread.join();
  }

  /// Executes tasks until done(). `expect`: the same, called after the thread has announced its sleep.
  template <class Done, class Expect> void work(CrewMember& mine, Done done, Expect expect) noexcept {
    bool awakened = false; // then the maker of another task may have counted on this member
    while (!done()) {
      if (Task* const task = find(mine); task != nullptr) {
        if (std::exchange(awakened, false) && sees_task()) tell(&mine);
        execute(mine, task);
      } else {
        awakened |= rest(mine, done, expect);
      }
    }
    if (awakened && sees_task()) tell(&mine);
  }
  static void execute(CrewMember& mine, Task* task) noexcept {
    task->run(task);
    mine.finished.raise();
  }

  Task* find(CrewMember& mine) noexcept {
    std::uint64_t word = 0;
    if (order_ == pool_order::lifo ? mine.queue.pop(word)
                                   : mine.queue.steal(word, true) == core::Theft::taken)
      return task_of(word);
    return find_elsewhere(mine);
  }
  [[gnu::noinline]] Task* find_elsewhere(CrewMember& mine) noexcept {
    if (!global_.looks_empty()) {
      if (mine.gathers)
        for (std::uint32_t i = 0;
             i < core::tuning::k_pool_gather && global_.looks_shorter_than(core::tuning::k_pool_few); ++i)
          PoolPlatform::relax();
      mine.gathers = true;
      if (Task* const task = take_bundle(mine); task != nullptr) return task;
    }
    const std::uint32_t first = mine.random.below(size_);
    for (const bool patient : {false, true})
      for (std::uint32_t i = 0; i < size_; ++i) {
        CrewMember& victim = members_[(first + i) % size_];
        std::uint64_t word = 0;
        if (&victim != &mine && !victim.queue.looks_empty() &&
            victim.queue.steal(word, patient) == core::Theft::taken)
          return task_of(word);
      }
    return nullptr;
  }
  /// Takes the oldest task of the global queue; the other tasks of its bundle go to the member's own queue,
  /// where thieves find them.
  Task* take_bundle(CrewMember& mine) noexcept {
    Task* rest = global_.take();
    if (rest == nullptr) return nullptr;
    if (order_ == pool_order::fifo) rest = reversed(rest);
    const bool several = rest->next != nullptr;
    while (rest->next != nullptr) {
      Task* const task = std::exchange(rest, rest->next);
      if (!mine.queue.push(word_of(task))) [[unlikely]]
        global_.push(task); // which needs no memory
    }
    if (several) tell(&mine); // members that looked for tasks meanwhile saw none of them
    if (order_ == pool_order::lifo) return rest;
    std::uint64_t oldest = 0;
    if (!mine.queue.push(word_of(rest))) return rest;
    return mine.queue.steal(oldest, true) == core::Theft::taken ? task_of(oldest) : nullptr;
  }
  static Task* reversed(Task* list) noexcept {
    Task* made = nullptr;
    while (list != nullptr) {
      Task* const next = list->next;
      list->next = std::exchange(made, list);
      list = next;
    }
    return made;
  }

  bool sees_task() const noexcept {
    if (!global_.looks_empty()) return true;
    for (std::uint32_t i = 0; i < size_; ++i)
      if (!members_[i].queue.looks_empty()) return true;
    return false;
  }
  /// Sleeps until there is something to do. Returns whether another thread has awakened the member.
  template <class Done, class Expect>
  [[gnu::noinline]] bool rest(CrewMember& mine, Done done, Expect expect) noexcept {
    for (std::uint32_t pass = 0; pass < core::tuning::k_pool_passes; ++pass) {
      if (done() || sees_task()) return false;
      if (pass == core::tuning::k_pool_stream) mine.gathers = false;
      PoolPlatform::relax();
    }
    bell_.announce(mine.slot);
    if (sees_task() || expect()) return bell_.cancel(mine.slot);
    if (outside_.any() && is_quiet()) outside_.wake_all();
    bell_.sleep(mine.slot);
    return true;
  }
  template <class Done, class Expect> void sleep_outside(Done done, Expect expect) noexcept {
    while (!done()) {
      const std::uint32_t number = outside_.announce();
      if (!expect()) outside_.sleep(number);
      outside_.leave();
    }
  }
  /// There is a task.
  void tell(CrewMember* mine) noexcept {
    bell_.order();
    if (bell_.any()) [[unlikely]]
      wake_one(mine);
  }
  [[gnu::noinline]] void wake_one(CrewMember* mine) noexcept {
    const std::uint32_t first = mine != nullptr ? mine->random.below(size_) : 0;
    bell_.wake_one(size_, first,
                   [this](std::uint32_t i) -> SleepSlot<PoolPlatform>& { return members_[i].slot; });
  }

  /// Returns whether every task that was begun is finished. The count of finished tasks is read first: a task
  /// that is seen finished shows all tasks that it has begun, so equal sums leave no task out.
  bool is_quiet() const noexcept {
    std::uint64_t finished = 0, begun = 0;
    for (std::uint32_t i = 0; i < size_; ++i) finished += members_[i].finished.read();
    for (std::uint32_t i = 0; i < size_; ++i) begun += members_[i].begun.read();
    return begun + outside_begun_.load(std::memory_order_relaxed) == finished;
  }

  const pool_order order_;
  const std::uint32_t size_;
  std::unique_ptr<CrewMember[]> members_;
  alignas(core::k_line_pair) GlobalQueue global_;
  alignas(core::k_line_pair) std::atomic<std::uint64_t> outside_begun_{0};
  std::atomic<bool> stopping_{false};
  Sleepers<PoolPlatform> bell_;     ///< members that have nothing to do
  Outsiders<PoolPlatform> outside_; ///< threads outside that wait for tasks
};

} // namespace detail
} // namespace v1
} // namespace wstree
