// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls of every member of an OpenMP team around the chunks of one loop, and a member's worker.
//
// These templates only run in virtual time, where the memory is sequentially consistent: the orders that are
// given to atomic operations order nothing and only decide the cost of a store.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/scheduler.h"

#include <atomic>
#include <cstdint>

namespace wstree::simulate {

/// libomp: one of the seven buffers of a team, two lines. A member that enters reads the second line, whose
/// value shows that all have left the loop seven loops ago. A member that leaves adds one to the first line,
/// where the counter of chunks is as well; the last member clears the buffer.
template <class P> class LibompLoop {
public:
  void enter() noexcept { number_.load(std::memory_order_acquire); }
  void leave(std::uint32_t members) noexcept {
    if (is_last(members)) clear();
  }

  /// Adds `count`; returns the value before.
  std::uint64_t take(std::uint64_t count) noexcept {
    return taken_.fetch_add(count, std::memory_order_acquire);
  }
  std::uint64_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }
  bool raise(std::uint64_t& seen, std::uint64_t wanted) noexcept {
    return taken_.compare_exchange_strong(seen, wanted, std::memory_order_relaxed, std::memory_order_relaxed);
  }

protected:
  bool is_last(std::uint32_t members) noexcept {
    return left_.fetch_add(1, std::memory_order_relaxed) == members - 1;
  }
  void clear() noexcept {
    left_.store(0, std::memory_order_relaxed);
    taken_.store(0, std::memory_order_relaxed);
    number_.store(number_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

private:
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> taken_{0}; // chunks, or iterations
  typename P::template Atomic<std::uint64_t> left_{0};                             // members
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> number_{0};
};

/// libgomp: a work share of three parts. The first member to arrive makes it, with a compare-and-swap on a
/// word that all others read; all read the bounds; the next iteration has a line of its own. The last member
/// to leave gives the share back. Left out: the list of shares that a nowait loop may have in flight.
template <class P> class LibgompLoop {
public:
  void enter() noexcept {
    std::uint64_t made = state_.load(std::memory_order_acquire);
    if (made == 0)
      state_.compare_exchange_strong(made, 1, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  void leave(std::uint32_t members) noexcept {
    if (left_.fetch_add(1, std::memory_order_acq_rel) != members - 1) return;
    left_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
    state_.store(0, std::memory_order_relaxed);
  }
  std::uint64_t taken() const noexcept { return next_.load(std::memory_order_relaxed); }
  bool raise(std::uint64_t& seen, std::uint64_t wanted) noexcept {
    return next_.compare_exchange_strong(seen, wanted, std::memory_order_relaxed, std::memory_order_relaxed);
  }

private:
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> state_{0};
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> next_{0};
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> left_{0}; // members
};

/// One member. A rule decides its chunks:
///
///   Loop                 what the members share: enter(), leave(members)
///   k_serial             whether a team of one is given the whole loop at once
///   enter(loop, entry)   more than one member, or not k_serial
///   take(loop, out)      the next piece; `last` is seen to here
///   steals()             how many of the pieces so far were taken from another member
///   unclaimed(loop, entry)
template <class P, class Rule> class OpenmpWorker {
public:
  using Loop = typename Rule::Loop;
  using Memory = core::NoMemory;

  void enter(Loop& loop, Memory&, const core::Entry& entry) noexcept {
    loop_ = &loop;
    iterations_ = entry.iterations;
    members_ = entry.members;
    done_ = false;
    counts_ = {};
    if (is_serial()) return;
    loop.enter();
    rule_.enter(loop, entry);
  }

  bool next(core::Range& out) noexcept {
    if (done_) return false;
    if (is_serial()) {
      out = {0, iterations_, true};
      done_ = true;
    } else if (!rule_.take(*loop_, out)) {
      done_ = true;
      loop_->leave(members_);
      return false;
    }
    out.last = out.end == iterations_;
    counts_.iterations += out.end - out.begin;
    ++counts_.batches;
    counts_.steals = rule_.steals();
    return true;
  }

  const core::Counts& counts() const noexcept { return counts_; }
  static std::uint64_t unclaimed(Loop& loop, const core::Entry& entry) noexcept {
    return Rule::unclaimed(loop, entry);
  }

private:
  bool is_serial() const noexcept { return Rule::k_serial && members_ == 1; }

  Loop* loop_ = nullptr;
  std::uint64_t iterations_ = 0;
  std::uint32_t members_ = 1;
  bool done_ = false;
  Rule rule_;
  core::Counts counts_;
};

/// For rules that hand out nothing but their member's own chunks, or the next in order.
struct StealsNothing {
  static constexpr bool k_serial = true;
  static constexpr std::uint64_t steals() noexcept { return 0; }
};

} // namespace wstree::simulate
