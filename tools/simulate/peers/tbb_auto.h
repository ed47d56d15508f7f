// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel_for of oneTBB with its auto_partitioner (partitioner.h, parallel_for.h, arena_slot.h).
//
// Member 0 has the whole loop as a task. A task of which its maker had 2P to give out, or a share of them,
// halves its range and offers the right half as a task, until it has one to give out itself; then each task,
// once, halves its range again, which sets a trap: if that half is stolen while this task runs, this task
// learns of it. The rest is split in a pool of at most eight ranges, five halvings deep, and run from the
// left. When the trap has gone off, one level more is split, and the right end of the pool offered as the
// next trap. A task that was stolen splits one level deeper itself. A member without work takes its own
// youngest task, or the oldest of a random member, and pauses after each victim that has none.
//
// Shared memory: deques; a node per offer with the count of unfinished tasks below it, which both sides
// lower, and with the trap's flag. Making, starting and ending a task besides costs k_task: a loop of one
// thread and 100 cheap iterations makes 12 of them and takes 0.7 us longer than without oneTBB (SHORT100 with
// one thread: 2.2 times 0.59 us). Left out: mailboxes and affinity, arenas, waking threads that sleep.
#pragma once

#include "../engine/virtual_time.h"
#include "deque.h"

#include "wstree/core/platform.h"
#include "wstree/core/rng.h"
#include "wstree/core/scheduler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace wstree::simulate {

/// Iterations [begin, end), a range of oneTBB's.
struct TbbRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t depth = 0; ///< halvings since its pool began
  bool is_divisible(std::uint64_t grain) const noexcept { return end - begin > grain; }
  /// Takes the right half away.
  TbbRange halve() noexcept {
    const std::uint64_t middle = begin + (end - begin) / 2;
    const TbbRange right{middle, end, ++depth};
    end = middle;
    return right;
  }
};

/// At most eight ranges: the range that was split last is in front of the rest, and taken first.
class TbbPool {
public:
  void start(TbbRange range) noexcept {
    range.depth = 0;
    first_ = 0;
    size_ = 1;
    ranges_[0] = range;
  }
  std::uint32_t size() const noexcept { return size_; }
  bool is_divisible(std::uint32_t depth, std::uint64_t grain) const noexcept {
    return youngest().depth < depth && youngest().is_divisible(grain);
  }
  void fill(std::uint32_t depth, std::uint64_t grain) noexcept {
    while (size_ < k_room && is_divisible(depth, grain)) {
      TbbRange left = youngest();
      ranges_[place(size_ - 1)] = left.halve();
      ranges_[place(size_++)] = left;
    }
  }
  TbbRange take_youngest() noexcept { return ranges_[place(--size_)]; }
  TbbRange take_oldest() noexcept {
    const TbbRange range = ranges_[first_];
    first_ = place(1);
    --size_;
    return range;
  }
  void put_back(const TbbRange& oldest) noexcept {
    first_ = place(k_room - 1);
    ranges_[first_] = oldest;
    ++size_;
  }

private:
  static constexpr std::uint32_t k_room = 8;
  std::uint32_t place(std::uint32_t number) const noexcept { return (first_ + number) % k_room; }
  const TbbRange& youngest() const noexcept { return ranges_[place(size_ - 1)]; }

  std::array<TbbRange, k_room> ranges_{};
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

template <class P> struct alignas(core::k_line_pair) TbbNode {
  typename P::template Atomic<std::uint32_t> open{0};   ///< sides that are not done
  typename P::template Atomic<std::uint32_t> stolen{0}; ///< the trap has gone off
  TbbNode* above = nullptr;
};

template <class P> struct alignas(core::k_line_pair) TbbTask {
  typename P::template Atomic<std::uint64_t> begin{0}; ///< its line is fetched at the usual cost
  TbbRange range;
  std::uint64_t to_give = 0; ///< tasks; oneTBB's divisor
  std::uint32_t depth = 0;   ///< its pool's
  std::uint32_t maker = 0;
  TbbNode<P>* parent = nullptr;
};

template <class P> struct TbbMember {
  StealDeque<P, TbbTask<P>> tasks;
  Store<TbbTask<P>> task_store;
  Store<TbbNode<P>> nodes;
};
template <class P> using TbbLoop = TaskLoop<P, TbbMember<P>>;

template <class P> class TbbWorker {
public:
  using Loop = TbbLoop<P>;
  using Memory = core::NoMemory;
  static constexpr Time k_task = 25 * k_ns;
  static constexpr Time k_pause = 400 * k_ns; // about a thousand ticks of x86's clock

  void enter(Loop& loop, Memory&, const core::Entry& entry) noexcept {
    loop_ = &loop;
    own_ = &loop[entry.index];
    number_ = entry.loop;
    iterations_ = entry.iterations;
    grain_ = std::max<std::uint64_t>(entry.smallest, 1);
    index_ = entry.index;
    members_ = entry.members;
    random_ = core::Rng(entry.loop * 1'000'003 + entry.index);
    counts_ = {};
    running_ = false;
    if (index_ != 0) return;
    TbbNode<P>* const root = new_node(nullptr, 1);
    TbbTask<P> task;
    task.range = {0, iterations_, 0};
    task.to_give = 2 * std::uint64_t{members_};
    task.depth = k_first_depth;
    task.parent = root;
    start(task, false);
  }

  bool next(core::Range& out) noexcept {
    while (true) {
      if (running_) {
        if (next_of_task(out)) return true;
        finish();
      }
      if (!find_task()) return false;
    }
  }

  const core::Counts& counts() const noexcept { return counts_; }
  /// Returns 0: of the unclaimed ranges others can take those in deques, but not those in the pool of a task,
  /// and neither are counted.
  static std::uint64_t unclaimed(Loop&, const core::Entry&) noexcept { return 0; }

private:
  static constexpr std::uint32_t k_first_depth = 5;

  TbbNode<P>* new_node(TbbNode<P>* above, std::uint32_t open) noexcept {
    TbbNode<P>* const node = own_->nodes.get();
    node->open.store(open, std::memory_order_relaxed);
    node->stolen.store(0, std::memory_order_relaxed);
    node->above = above;
    return node;
  }

  void start(const TbbTask<P>& task, bool stolen) noexcept {
    running_ = true;
    parent_ = task.parent;
    to_give_ = task.to_give;
    depth_ = task.depth;
    if (to_give_ == 0) {
      to_give_ = 1;
      if (stolen && parent_->open.load(std::memory_order_relaxed) >= 2) {
        parent_->stolen.store(1, std::memory_order_relaxed);
        depth_ = std::max(depth_, 1U) + 1;
      }
    }
    TbbRange range = task.range;
    while (range.is_divisible(grain_) && may_give()) {
      TbbRange left = range;
      if (!offer(left.halve(), 0)) break;
      range = left;
    }
    pooled_ = range.is_divisible(grain_) && depth_ != 0;
    pool_.start(range);
  }
  bool may_give() noexcept {
    if (to_give_ > 1) return true;
    if (to_give_ == 0 || depth_ == 0) return false;
    --depth_;
    to_give_ = 0;
    return true;
  }
  /// Offers the range as a task. Returns false if there is no room in the deque.
  bool offer(TbbRange range, std::uint32_t depth) noexcept {
    P::pass(k_task);
    TbbTask<P>* const task = own_->task_store.get();
    task->range = range;
    task->depth = depth_ - depth;
    task->maker = index_;
    task->to_give = to_give_ / 2;
    task->begin.store(range.begin, std::memory_order_relaxed);
    TbbNode<P>* const node = new_node(parent_, 2);
    task->parent = node;
    if (!own_->tasks.add(task)) {
      own_->task_store.give_back(task);
      own_->nodes.give_back(node);
      return false;
    }
    to_give_ /= 2;
    parent_ = node;
    return true;
  }

  bool next_of_task(core::Range& out) noexcept {
    while (pool_.size() != 0) {
      if (pooled_) {
        pool_.fill(depth_, grain_);
        if (parent_->stolen.load(std::memory_order_relaxed) != 0 && answer_demand()) continue;
      }
      const TbbRange range = pool_.take_youngest();
      out = {range.begin, range.end, range.end == iterations_};
      counts_.iterations += range.end - range.begin;
      ++counts_.batches;
      return true;
    }
    return false;
  }
  /// Answers the demand of a thief. Returns false if there is nothing to offer, or no room for it.
  bool answer_demand() noexcept {
    ++depth_;
    if (pool_.size() == 1) return pool_.is_divisible(depth_, grain_);
    const TbbRange range = pool_.take_oldest();
    if (offer(range, range.depth)) return true;
    pool_.put_back(range); // the deque is full: thieves have enough
    return false;
  }

  void finish() noexcept {
    running_ = false;
    TbbNode<P>* node = parent_;
    while (node->open.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      TbbNode<P>* const above = node->above;
      own_->nodes.give_back(node);
      if (above == nullptr) return loop_->end(number_);
      node = above;
    }
  }

  bool find_task() noexcept {
    if (TbbTask<P>* const task = own_->tasks.take()) return run(task);
    while (!loop_->has_ended(number_)) {
      std::uint32_t victim = random_.below(members_ - 1);
      victim += victim >= index_;
      if (TbbTask<P>* const task = (*loop_)[victim].tasks.steal(true, [](TbbTask<P>&) {})) {
        ++counts_.steals;
        return run(task);
      }
      P::pass(k_pause);
    }
    return false;
  }
  bool run(TbbTask<P>* task) noexcept {
    task->begin.load(std::memory_order_relaxed);
    start(*task, task->maker != index_);
    own_->task_store.give_back(task);
    return true;
  }

  Loop* loop_ = nullptr;
  TbbMember<P>* own_ = nullptr;
  std::uint64_t number_ = 0; // number of the loop
  std::uint64_t iterations_ = 0;
  std::uint64_t grain_ = 1;
  std::uint32_t index_ = 0;
  std::uint32_t members_ = 1;
  core::Rng random_;
  core::Counts counts_;
  // The task that runs.
  bool running_ = false;
  bool pooled_ = false;
  std::uint32_t depth_ = 0;
  std::uint64_t to_give_ = 0;
  TbbNode<P>* parent_ = nullptr;
  TbbPool pool_;
};

} // namespace wstree::simulate
