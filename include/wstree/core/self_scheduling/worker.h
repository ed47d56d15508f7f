// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a team that takes a loop from one shared counter.
#pragma once

#include "wstree/core/scheduler.h"
#include "wstree/core/self_scheduling/busy_time.h"
#include "wstree/core/self_scheduling/counter.h"
#include "wstree/core/self_scheduling/rules.h"

namespace wstree::core {

/// Chunks are handed out in ascending order, one atomic operation each. So the one with iteration n-1 comes
/// when everything else is taken, and its member gets nothing more without any care for it (compilers copy
/// lastprivate variables out of the thread that was told "last").
///
/// Nothing is stolen: the units that no member has taken stand behind the counter for any member that comes.
template <class P, class Rule> class SelfSchedulingWorker {
public:
  using Loop = CounterLoop<P>;
  using Memory = NoMemory;

  void enter(Loop& loop, Memory&, const Entry& entry) noexcept {
    loop.make_current(entry.use);
    loop_ = &loop;
    use_ = entry.use;
    done_ = false;
    counts_ = {};
    rule_.enter(entry.iterations, entry.members, entry.smallest);
    busy_.enter(entry.settings->clocked);
  }

  bool next(Range& out) noexcept {
    counts_.busy_ticks += busy_.back();
    if (done_) return false;
    const Range chunk = take();
    // The counter has room for one question of each member after the end.
    done_ = chunk.last || chunk.begin == chunk.end;
    if (chunk.begin == chunk.end) return false;
    out = chunk;
    counts_.iterations += chunk.end - chunk.begin;
    ++counts_.batches;
    busy_.handed_out();
    return true;
  }

  const Counts& counts() const noexcept { return counts_; }

  /// Returns the iterations behind the counter.
  static std::uint64_t unclaimed(Loop& loop, const Entry& entry) noexcept {
    Rule rule;
    rule.enter(entry.iterations, entry.members, entry.smallest);
    return entry.iterations - rule.chunk(loop.value(entry.use)).begin;
  }

private:
  Range take() noexcept {
    if constexpr (Rule::k_steps) {
      return rule_.chunk(loop_->take());
    } else {
      std::uint64_t value = loop_->value(use_);
      std::uint64_t after = rule_.after(value);
      while (after != value && !loop_->raise(value, after, use_)) after = rule_.after(value);
      return rule_.chunk(value, after);
    }
  }

  Loop* loop_ = nullptr;
  std::uint64_t use_ = 0;
  bool done_ = false;
  Rule rule_;
  BusyTime<P> busy_;
  Counts counts_;
};

} // namespace wstree::core
