// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a shared_loop: a tree for one loop, or a counter, and each member's part.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/prior.h"
#include "wstree/core/self_scheduling/worker.h"
#include "wstree/core/tree/worker.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Lives in memory of the caller's, from create() to destroy().
template <class P> class SharedLoop {
public:
  /// The costs of a loop's code location for each member: one element for each. Zeroed memory holds no costs.
  using Costs = core::Prior;

  static std::size_t bytes(std::uint32_t members) noexcept {
    return sizeof(SharedLoop) + members * (sizeof(Member) + sizeof(core::Node<P>));
  }
  /// `memory` is aligned to k_alignment. iterations < 2^63 - 1, 1 <= members < 2^20, 1 <= smallest. `costs`
  /// outlives the loop, or is nullptr.
  static constexpr std::size_t k_alignment = core::k_line_pair;
  static SharedLoop* create(void* memory, std::uint64_t iterations, std::uint32_t members,
                            std::uint64_t smallest, bool ascending, Costs* costs) noexcept {
    return ::new (memory) SharedLoop(iterations, members, smallest, ascending, costs);
  }
  /// Destroys the loop, in which no thread is. Gives back the memory that its nodes took besides.
  static void destroy(SharedLoop* loop) noexcept {
    for (std::uint32_t i = 0; i < loop->members_; ++i) loop->member(i).~Member();
    loop->~SharedLoop();
  }
  SharedLoop(const SharedLoop&) = delete;
  SharedLoop& operator=(const SharedLoop&) = delete;

  std::uint32_t members() const noexcept { return members_; }

  /// Hands the next iterations [begin, end) to a member, for which one thread at a time calls. Returns false
  /// if every iteration was handed out, or the loop is stopped.
  bool next(std::uint32_t index, std::uint64_t& begin, std::uint64_t& end) noexcept {
    Member& mine = member(index);
    // [D3] relaxed: iterations that are handed out meanwhile are executed all the same.
    if (is_stopped_.load(P::order(core::Tag::stop_loop, std::memory_order_relaxed))) return false;
    core::Range range;
    if (mine.stage == Stage::in_tree ? mine.inside.worker.next_quickly(range) || next_of_tree(mine, range)
                                     : next_slowly(mine, index, range)) {
      begin = range.begin;
      end = mine.end = range.end;
      return true;
    }
    mine.end = 0;
    return false;
  }

  /// The member gets no more iterations, and leaves its latest batch from iteration `from` on to
  /// other members.
  void leave(std::uint32_t index, std::uint64_t from) noexcept {
    Member& mine = member(index);
    mine.stage = Stage::left;
    if (from >= mine.end) return;
    mine.rest.begin = from;
    mine.rest.end = mine.end;
    mine.end = from;
    // [D1] store release, update acquire in next_of_rests(): a member that takes the rest reads its bounds,
    //      and sees the writes of the executed iterations. Guard: model_types shared_leave_2x3 (a data race).
    mine.rest.is_there.store(true, P::order(core::Tag::leave_rest, std::memory_order_release));
    // [D2] relaxed: a hint; a member that misses it returns, and may ask again.
    has_rests_.store(true, P::order(core::Tag::hint_at_rests, std::memory_order_relaxed));
  }

  /// No iteration is handed out from now on. By any thread.
  void stop() noexcept {
    is_stopped_.store(true, P::order(core::Tag::stop_loop, std::memory_order_relaxed)); // D3
  }

  /// Calls visit(begin, end) for iterations that were not handed out, or given back. No other thread is here.
  template <class Visit> void each_left(Visit&& visit) {
    if (iterations_ == 0) return;
    for (std::uint32_t i = 0; i < members_; ++i)
      if (const Rest& rest = member(i).rest;
          rest.is_there.load(P::order(core::Tag::leave_rest, std::memory_order_relaxed))) // no thread is here
        visit(rest.begin, rest.end);
    if (ascending_) {
      const std::uint64_t left = Counter::unclaimed(counter_, entry(0));
      if (left != 0) visit(iterations_ - left, iterations_);
      return;
    }
    if (!tree_.last.is_taken(k_loop)) visit(iterations_ - 1, iterations_);
    const core::Shape shape = Worker::shape_of(entry(0));
    core::View<P>(tree_, shape, k_loop).any_leaf([&](const core::Target<P>& leaf) {
      const std::uint64_t first = leaf.begin + leaf.word.left();
      const core::Range left = shape.range(first, first + leaf.remaining());
      if (left.begin < left.end) visit(left.begin, left.end);
      return false;
    });
  }

private:
  using Worker = core::Worker<P>;
  using Counter = core::SelfSchedulingWorker<P, core::FactoringRule>;

  enum class Stage : std::uint8_t { outside, in_tree, at_counter, through, left };
  struct Rest {
    typename P::template Plain<std::uint64_t> begin{}, end{};
    typename P::template Atomic<bool> is_there{false};
  };
  static constexpr std::uint32_t k_pairs = 2;
  static constexpr std::uint64_t k_loop = 1; // number of the execution

  /// A member's state from its entry on; open and close touch none of it if the member does not come.
  struct Inside {
    Worker worker;
    Counter counter;
    core::Arena<P> arena;
    core::Node<P> nodes[2 * k_pairs];
  };
  /// A member's part, used by one thread at a time but for `rest`.
  struct alignas(core::k_line_pair) Member {
    Member() noexcept {}
    ~Member() {
      if (has_come) inside.~Inside();
    }
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    std::uint64_t end = 0; // end of its latest batch
    Stage stage = Stage::outside;
    bool has_come = false;
    Rest rest;
    union {
      Inside inside;
    };
  };

  SharedLoop(std::uint64_t iterations, std::uint32_t members, std::uint64_t smallest, bool ascending,
             Costs* costs) noexcept
      : iterations_(iterations), members_(members), smallest_(smallest), ascending_(ascending),
        costs_(costs) {
    settings_.clocked = false;
    auto* const member = ::new (static_cast<void*>(this + 1)) Member[members];
    tree_.roots = ::new (static_cast<void*>(member + members)) core::Node<P>[members];
  }

  Member& member(std::uint32_t index) noexcept { return reinterpret_cast<Member*>(this + 1)[index]; }
  core::Entry entry(std::uint32_t index) const noexcept {
    return {iterations_, k_loop,   1,
            index,       members_, &settings_,
            smallest_,   nullptr,  costs_ != nullptr ? costs_ + index : nullptr};
  }

  void enter(Member& mine, std::uint32_t index) noexcept {
    Inside& inside = *::new (static_cast<void*>(&mine.inside)) Inside;
    mine.has_come = true;
    if (ascending_) {
      core::NoMemory none;
      inside.counter.enter(counter_, none, entry(index));
      mine.stage = Stage::at_counter;
    } else {
      inside.arena.reset(inside.nodes, k_pairs);
      inside.worker.enter(tree_, inside.arena, entry(index));
      inside.worker.go_on_after_last();
      mine.stage = Stage::in_tree;
    }
  }
  bool next_of_tree(Member& mine, core::Range& range) noexcept {
    if (mine.inside.worker.next_slowly(range)) return true;
    mine.stage = Stage::through;
    return next_of_rests(range);
  }
  [[gnu::noinline]] bool next_slowly(Member& mine, std::uint32_t index, core::Range& range) noexcept {
    if (mine.stage == Stage::outside && iterations_ != 0) {
      enter(mine, index);
      if (mine.stage == Stage::in_tree) return next_of_tree(mine, range);
    }
    if (mine.stage == Stage::left) return false;
    if (mine.stage == Stage::at_counter && mine.inside.counter.next(range)) return true;
    mine.stage = Stage::through;
    return next_of_rests(range);
  }

  /// Takes a rest that another member has left behind.
  [[gnu::noinline]] bool next_of_rests(core::Range& range) noexcept {
    if (!has_rests_.load(P::order(core::Tag::hint_at_rests, std::memory_order_relaxed))) return false; // D2
    for (std::uint32_t i = 0; i < members_; ++i) {
      Rest& rest = member(i).rest;
      // D1; load relaxed: a hint.
      if (!rest.is_there.load(P::order(core::Tag::leave_rest, std::memory_order_relaxed)) ||
          !rest.is_there.exchange(false, P::order(core::Tag::leave_rest, std::memory_order_acquire)))
        continue;
      range = {rest.begin, rest.end, false};
      return true;
    }
    return false;
  }

  std::uint64_t iterations_;
  std::uint32_t members_;
  std::uint64_t smallest_;
  bool ascending_;
  Costs* costs_;
  core::Settings settings_ = core::settings_by_clock<P>();
  alignas(core::k_line_pair) typename P::template Atomic<bool> is_stopped_{false};
  typename P::template Atomic<bool> has_rests_{false};
  core::CounterLoop<P> counter_;
  core::Tree<P> tree_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
