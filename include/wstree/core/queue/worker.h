// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a team working on one loop with work-stealing queues: its own queue, then the shares of late
// members, then the queues of the other members.
#pragma once

#include "wstree/core/assertion.h"
#include "wstree/core/pacing.h"
#include "wstree/core/queue/item.h"
#include "wstree/core/queue/lock_free_queue.h"
#include "wstree/core/queue/locked_queue.h"
#include "wstree/core/queue/loop.h"
#include "wstree/core/queue/own_items.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/tuning.h"
#include "wstree/core/victims.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// Private to its member; next() is called until it returns false.
///
/// A member starts with its share, an item of the global queue. It goes through its items from front to back
/// (own_items.h). When it has nothing left, it takes the shares of late members, and then steals the oldest
/// items from the queues of other members.
///
/// Iteration n-1 is in no queue (last_taken.h): the first member that finds nothing else gets it and retires.
///
/// No item is lost: it is in the queue of a member that leaves only when that is empty, or in a member's
/// hands. While a member holds it, no other member can see it, and one that finds nothing would leave
/// although there will be something to steal in a moment. So a member that takes an item that it will cut
/// announces that (OwnerLine), and a search ends when two passes in a row have found nothing, and no move
/// under way. If a move takes too long, its thread is suspended, and keeps its item.
template <class P, template <class> class Queue> class QueueWorker {
public:
  using Loop = QueueLoop<P, Queue>;
  using Memory = NoMemory;

  void enter(Loop& loop, Memory&, const Entry& entry) noexcept {
    loop_ = &loop;
    shape_ = shape_of(entry);
    number_ = entry.loop;
    index_ = entry.index;
    near_ = entry.near;
    phase_ = Phase::arriving;
    counts_ = {};
    pacing_.enter(shape_, entry);
    own_.enter(loop.cells[entry.index].queue, number_);
  }

  /// Hands out the next piece of the loop. Returns false if this member has nothing left to do: every unit is
  /// in a member's hands, or in the queue of a member that will come to it.
  bool next(Range& out) noexcept {
    const OneThread::Inside inside(one_thread_);
    if (pacing_.given() != 0) pacing_.finish(phase_ != Phase::retired, counts_.busy_ticks);
    if (phase_ == Phase::retired) return false;
    return take_own(out) || (phase_ == Phase::arriving && arrive(out)) || find(out) || take_last(out);
  }

  const Counts& counts() const noexcept { return counts_; }

  static std::uint64_t unclaimed(Loop& loop, const Entry& entry) noexcept {
    const Shape shape = shape_of(entry);
    std::uint64_t iterations = loop.last.is_taken(entry.loop) ? 0 : 1;
    const auto count = [&](Item item) {
      const Range left = shape.range(item.begin, item.end);
      iterations += left.end - left.begin;
    };
    for (std::uint32_t m = 0; m < entry.members; ++m) {
      QueueCell<P, Queue>& cell = loop.cells[m];
      if (cell.share.is_free(entry.loop) && shape.root_size(m) != 0) count(share_of(shape, m));
      if (cell.queue.is_of(entry.loop)) cell.queue.each([&](std::uint64_t word) { count(Item::of(word)); });
    }
    return iterations;
  }

private:
  enum class Phase : std::uint8_t {
    arriving,    ///< has not claimed its own share yet
    late_shares, ///< takes the shares of members that are late, before it steals
    stealing,    ///< no share is left
    retired      ///< has claimed iteration n-1, after everything else
  };

  /// The moves that one pass over the other members has seen.
  struct Pass {
    std::uint64_t moves = 0;
    bool any_moves = false;
  };

  /// Units are counted from the beginning of the loop, in 32 bits.
  static Shape shape_of(const Entry& entry) noexcept {
    return {entry.iterations, entry.members,
            std::min(k_max_share / 2, static_cast<std::uint32_t>((1ULL << 32) / entry.members - 2))};
  }
  static Item share_of(const Shape& shape, std::uint32_t member) noexcept {
    return {static_cast<std::uint32_t>(shape.root_begin(member)),
            static_cast<std::uint32_t>(shape.root_begin(member + 1))};
  }

  bool take_own(Range& out) noexcept {
    Item batch;
    return own_.take(pacing_, batch) && give(batch, out);
  }

  bool give(Item batch, Range& out) noexcept {
    out = shape_.range(batch.begin, batch.end);
    pacing_.gave(batch.size());
    counts_.iterations += out.end - out.begin;
    ++counts_.batches;
    return true;
  }

  // The functions below run once or a few times per loop: kept out of the way of next().

  /// Begins with an item from elsewhere.
  void start(Item item, Range& out) noexcept {
    pacing_.start_node();
    give(own_.cut(item, pacing_.size(item.size())), out);
    pacing_.searched();
  }

  /// Takes the share that has this member's number, unless another member has taken it. First call in
  /// this loop.
  [[gnu::noinline]] bool arrive(Range& out) noexcept {
    phase_ = Phase::late_shares;
    return shape_.root_size(index_) != 0 && take_share(index_, out);
  }

  bool take_share(std::uint32_t member, Range& out) noexcept {
    own_.begin_move();
    const bool taken = loop_->cells[member].share.take(number_);
    if (taken) start(share_of(shape_, member), out);
    own_.end_move(taken);
    return taken;
  }

  [[gnu::noinline]] bool find(Range& out) noexcept {
    std::uint64_t moves_before = 0;
    bool quiet_before = false;
    for (std::uint32_t pass = 0; pass < tuning::k_queue_passes; ++pass) {
      if (pass >= tuning::k_queue_passes / 2)
        P::yield();
      else if (pass >= 2)
        P::relax();
      if (take_late_share(out)) return true;
      Pass seen;
      if (steal(pass != 0, seen, out)) return true;
      if (quiet_before && !seen.any_moves && seen.moves == moves_before) return false;
      quiet_before = !seen.any_moves;
      moves_before = seen.moves;
    }
    return false;
  }

  /// Takes a share of a late member from the global queue, until there are none.
  bool take_late_share(Range& out) noexcept {
    if (phase_ == Phase::stealing) return false;
    const bool found = any_victim(near_, index_, shape_.roots(), [&](std::uint32_t member) {
      if (shape_.root_size(member) == 0 || !loop_->cells[member].share.is_free(number_)) return false;
      const bool taken = take_share(member, out);
      if (taken) ++counts_.steals;
      return taken;
    });
    if (!found) phase_ = Phase::stealing;
    return found;
  }

  /// Steals the oldest item of another member's queue. `patient`: waits where another thief is at it.
  bool steal(bool patient, Pass& seen, Range& out) noexcept {
    return any_victim(near_, index_, shape_.roots(), [&](std::uint32_t member) {
      auto& victim = loop_->cells[member].queue;
      const std::uint64_t moves = victim.moves();
      seen.moves += moves;
      seen.any_moves |= (moves & 1) != 0;
      if (!victim.is_of(number_) || victim.looks_empty()) return false;
      own_.begin_move();
      std::uint64_t word = 0;
      const Theft theft = victim.steal(word, patient);
      if (theft == Theft::taken) {
        ++counts_.steals;
        start(Item::of(word), out);
      }
      own_.end_move(theft == Theft::taken);
      seen.any_moves |= theft == Theft::lost_race;
      return theft == Theft::taken;
    });
  }

  /// Takes iteration n-1, which one member gets.
  [[gnu::noinline]] bool take_last(Range& out) noexcept {
    phase_ = Phase::retired; // with it or without
    if (!loop_->last.claim(number_)) return false;
    const std::uint64_t n = shape_.iterations();
    out = {n - 1, n, true};
    pacing_.gave(1);
    ++counts_.iterations;
    ++counts_.batches;
    pacing_.searched();
    return true;
  }

  Loop* loop_ = nullptr;
  OwnItems<P, Queue> own_;
  Shape shape_;
  std::uint32_t index_ = 0;
  Phase phase_ = Phase::arriving;
  std::uint64_t number_ = 0;
  const Neighbourhood* near_ = nullptr; // nullptr: distance does not matter
  Pacing<P> pacing_;
  Counts counts_;
  [[no_unique_address]] OneThread one_thread_;
};

} // namespace wstree::core
