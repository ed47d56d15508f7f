// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cilk_for of OpenCilk (Tapir's loop spawning and the runtime cheetah).
//
// Member 0 has the whole loop. A member with a range of more than the grain, n / 8P but at most 2048
// iterations, spawns the left half and goes on with that; a thief can take the right half. So pieces are run
// from the left. A member that has finished a piece goes on with its own youngest half, or takes the oldest
// one of a random member, which is that member's largest. A steal makes a frame that waits for both sides.
//
// Shared memory: deques; a frame per steal, whose count both sides lower. Besides, a spawn costs k_spawn and
// a steal k_steal for the closure and the stack that it takes. These two are assumptions, as OpenCilk has not
// been measured here: a spawn costs a few function calls by Frigo, Leiserson and Randall (1998). Left out:
// reducers, and thieves that go to sleep when there are too many.
#pragma once

#include "../engine/virtual_time.h"
#include "deque.h"

#include "wstree/core/platform.h"
#include "wstree/core/rng.h"
#include "wstree/core/scheduler.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

namespace wstree::simulate {

template <class P> struct alignas(core::k_line_pair) CilkFrame {
  typename P::template Atomic<std::uint32_t> open{0}; ///< sides that have not returned
  CilkFrame* above = nullptr;
};

/// The right half of a range.
template <class P> struct alignas(core::k_line_pair) CilkHalf {
  typename P::template Atomic<std::uint64_t> begin{0}, end{0};
};

template <class P> struct CilkMember {
  StealDeque<P, CilkHalf<P>> halves;
  alignas(core::k_line_pair)
      typename P::template Atomic<CilkFrame<P>*> frame{nullptr}; ///< frame to which it returns
  Store<CilkHalf<P>> half_store;
  Store<CilkFrame<P>> frames;
};
template <class P> using CilkLoop = TaskLoop<P, CilkMember<P>>;

template <class P> class CilkWorker {
public:
  using Loop = CilkLoop<P>;
  using Memory = core::NoMemory;
  static constexpr Time k_spawn = 3 * k_ns;
  static constexpr Time k_steal = 300 * k_ns;
  static constexpr Time k_pause = 400 * k_ns; // after k_tries victims with nothing
  static constexpr std::uint32_t k_tries = 4;

  void enter(Loop& loop, Memory&, const core::Entry& entry) noexcept {
    loop_ = &loop;
    own_ = &loop[entry.index];
    number_ = entry.loop;
    iterations_ = entry.iterations;
    const std::uint64_t grain = iterations_ / (8 * std::uint64_t{entry.members});
    grain_ = entry.smallest != 0 ? entry.smallest : std::clamp<std::uint64_t>(grain, 1, 2048);
    index_ = entry.index;
    members_ = entry.members;
    random_ = core::Rng(entry.loop * 1'000'003 + entry.index);
    counts_ = {};
    begin_ = 0;
    end_ = index_ == 0 ? iterations_ : 0;
    busy_ = index_ == 0;
    if (!busy_) return;
    CilkFrame<P>* const root = own_->frames.get();
    root->open.store(1, std::memory_order_relaxed);
    root->above = nullptr;
    own_->frame.store(root, std::memory_order_relaxed);
  }

  bool next(core::Range& out) noexcept {
    if (begin_ == end_ && !find()) return false;
    while (end_ - begin_ > grain_ && spawn()) {
    }
    out = {begin_, end_, end_ == iterations_};
    begin_ = end_;
    counts_.iterations += out.end - out.begin;
    ++counts_.batches;
    return true;
  }

  const core::Counts& counts() const noexcept { return counts_; }
  /// Returns 0: the halves in deques are not counted.
  static std::uint64_t unclaimed(Loop&, const core::Entry&) noexcept { return 0; }

private:
  /// Spawns a half. Returns false if there is no room in the deque.
  bool spawn() noexcept {
    P::pass(k_spawn);
    const std::uint64_t middle = begin_ + (end_ - begin_) / 2;
    CilkHalf<P>* const half = own_->half_store.get();
    half->begin.store(middle, std::memory_order_relaxed);
    half->end.store(end_, std::memory_order_relaxed);
    if (!own_->halves.add(half)) {
      own_->half_store.give_back(half);
      return false;
    }
    end_ = middle;
    return true;
  }

  bool find() noexcept {
    if (CilkHalf<P>* const half = busy_ ? own_->halves.take() : nullptr) return go_on(half);
    if (busy_) finish(own_->frame.load(std::memory_order_relaxed));
    busy_ = false;
    for (std::uint32_t tries = 1; !loop_->has_ended(number_); ++tries) {
      std::uint32_t victim = random_.below(members_ - 1);
      victim += victim >= index_;
      if (CilkHalf<P>* const half = steal_from((*loop_)[victim])) {
        ++counts_.steals;
        busy_ = true;
        P::pass(k_steal);
        return go_on(half);
      }
      if (tries % k_tries != 0)
        P::relax();
      else
        P::pass(k_pause);
    }
    return false;
  }
  /// Makes the victim's rest and the stolen half the two sides of a frame.
  CilkHalf<P>* steal_from(CilkMember<P>& victim) noexcept {
    if (!victim.halves.has_some()) return nullptr;
    return victim.halves.steal(false, [&](CilkHalf<P>&) {
      CilkFrame<P>* const frame = own_->frames.get();
      frame->open.store(2, std::memory_order_relaxed);
      frame->above = victim.frame.load(std::memory_order_relaxed);
      victim.frame.store(frame, std::memory_order_relaxed);
      own_->frame.store(frame, std::memory_order_relaxed);
    });
  }
  bool go_on(CilkHalf<P>* half) noexcept {
    begin_ = half->begin.load(std::memory_order_relaxed);
    end_ = half->end.load(std::memory_order_relaxed);
    own_->half_store.give_back(half);
    return true;
  }
  void finish(CilkFrame<P>* frame) noexcept {
    while (frame->open.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      CilkFrame<P>* const above = frame->above;
      own_->frames.give_back(frame);
      if (above == nullptr) return loop_->end(number_);
      frame = above;
    }
  }

  Loop* loop_ = nullptr;
  CilkMember<P>* own_ = nullptr;
  std::uint64_t number_ = 0; // number of the loop
  std::uint64_t iterations_ = 0;
  std::uint64_t grain_ = 1;
  std::uint64_t begin_ = 0; // begin of the range at hand
  std::uint64_t end_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t members_ = 1;
  bool busy_ = false; // it has to return to a frame
  core::Rng random_;
  core::Counts counts_;
};

} // namespace wstree::simulate
