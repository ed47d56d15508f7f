// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One taskloop: a tree of its own, which the tasks that the runtime creates for it share.
#pragma once

#include "wstree/core/models.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace wstree::loop {

/// Lives from create() to destroy(), which is when no task of the loop can come any more. Each task takes the
/// part of one member, whichever thread executes it: a thread that waits inside an iteration may execute
/// another task of the same loop meanwhile. A task that comes late finds its share in other hands, and one
/// that never comes holds nothing back.
///
/// `Facts`: the interface's own data about the loop.
template <class P, class Facts> class TaskLoop {
public:
  /// The memory of one task.
  struct alignas(core::k_line_pair) Part {
    TaskLoop* loop = nullptr;
    std::uint32_t index = 0;
    std::uint64_t entered = 0; // in ticks; 0: the task has not begun
    std::uint64_t left = 0;
    typename P::template Plain<core::Counts> counts;
    core::Arena<P> arena;
    core::Node<P> nodes[2 * core::tuning::k_task_pairs];
  };

  /// For `parts` > 0 tasks. Returns nullptr without memory. `settings` outlives the loop.
  static TaskLoop* create(const Facts& facts, std::uint64_t iterations, std::uint32_t parts,
                          const core::Settings& settings, std::uint64_t smallest) noexcept {
    void* memory = P::allocate(bytes(parts));
    if (memory == nullptr) return nullptr;
    auto* const loop = ::new (memory) TaskLoop(facts, iterations, parts, settings, smallest);
    auto* const part = ::new (static_cast<void*>(loop + 1)) Part[parts];
    auto* const root = ::new (static_cast<void*>(part + parts)) core::Node<P>[parts];
    loop->parts_ = part;
    loop->tree_.roots = root;
    for (std::uint32_t i = 0; i < parts; ++i) {
      part[i].loop = loop;
      part[i].index = i;
      part[i].arena.reset(part[i].nodes, core::tuning::k_task_pairs);
    }
    return loop;
  }
  static void destroy(TaskLoop* loop) noexcept {
    const std::uint32_t parts = loop->size();
    std::destroy_n(loop->parts_, parts);
    P::release(loop, bytes(parts));
  }
  TaskLoop(const TaskLoop&) = delete;
  TaskLoop& operator=(const TaskLoop&) = delete;

  const Facts& facts() const noexcept { return facts_; }
  std::uint64_t iterations() const noexcept { return iterations_; }
  std::uint32_t size() const noexcept { return size_; }
  Part* part(std::uint32_t index) noexcept { return parts_ + index; }

  /// Does the work of the task of `part`: calls run(first, past, last) for iterations [first, past) until
  /// nothing is left for it, or stop() returns true. `last`: iteration n-1 is one of them. `prior` is
  /// private to the calling thread, and may be nullptr; tasks that the thread executes inside an iteration
  /// may use it meanwhile.
  template <class Run, class Stop> void take_part(Part& part, core::Prior* prior, Run&& run, Stop&& stop) {
    core::WorkerOf<P, core::Model::tree> worker;
    enter(worker, part, prior);
    core::Range batch;
    while (!stop() && worker.next(batch)) run(batch.begin, batch.end, batch.last);
    if (!settings_->clocked) return;
    part.counts = worker.counts();
    part.left = P::ticks();
  }
  /// Afterwards, as the last thing that the task does here. True: all other tasks of the loop have called
  /// this before, so that destroy() may follow.
  bool leave() noexcept {
    // [T8] acq_rel: what the tasks read and wrote of the loop is over before the last one gives its memory
    //      back; release and acquire pair with each other here. Guard: model_task; loop_task_loop under the
    //      thread sanitizer.
    return working_.fetch_sub(1, P::order(core::Tag::leave_tasks, std::memory_order_acq_rel)) == 1;
  }

  /// Returns the figures of the execution, with tasks as members. After the last task.
  core::Execution execution() const noexcept {
    core::Execution all{size_};
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < size_; ++i) {
      const Part& part = parts_[i];
      if (part.entered == 0) continue; // discarded
      const core::Counts counts = part.counts;
      all.total += counts;
      all.busy_max_ticks = std::max(all.busy_max_ticks, counts.busy_ticks);
      first = std::min(first, part.entered);
      last = std::max(last, part.left);
    }
    all.total.nodes += size_; // the roots
    all.wall_ticks = core::elapsed(first, last);
    return all;
  }

private:
  TaskLoop(const Facts& facts, std::uint64_t iterations, std::uint32_t parts, const core::Settings& settings,
           std::uint64_t smallest) noexcept
      : facts_(facts), iterations_(iterations), size_(parts), settings_(&settings), smallest_(smallest),
        working_(parts) {}

  static std::size_t bytes(std::uint32_t parts) noexcept {
    return sizeof(TaskLoop) + parts * (sizeof(Part) + sizeof(core::Node<P>));
  }

  template <class Worker>
  [[gnu::noinline]] void enter(Worker& worker, Part& part, core::Prior* prior) noexcept {
    if (settings_->clocked) part.entered = P::ticks();
    // The slot is used once: its memory is fresh.
    worker.enter(tree_, part.arena,
                 {iterations_, 1, 1, part.index, size_, settings_, smallest_, nullptr, prior});
  }

  Facts facts_;
  std::uint64_t iterations_;
  std::uint32_t size_;
  const core::Settings* settings_;
  std::uint64_t smallest_; // iterations in a batch
  Part* parts_ = nullptr;
  alignas(core::k_line_pair) typename P::template Atomic<std::uint32_t> working_; // tasks that have not left
  core::Tree<P> tree_;
};

} // namespace wstree::loop
