// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a team working on one loop that is scheduled by work-stealing ranges.
#pragma once

#include "wstree/core/assertion.h"
#include "wstree/core/pacing.h"
#include "wstree/core/range/range.h"
#include "wstree/core/tuning.h"
#include "wstree/core/victims.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// Private to its member; next() is called until it returns false.
///
/// Every member starts with its share, that of schedule(static) unless the loop has another one, takes
/// batches from its left end, and when it is drained steals the last part of another member's range, whose
/// first batch it keeps and whose rest it shows as its own. A share whose member is late is taken whole.
/// Iteration n-1 is kept out (last_taken.h), for the first member that finds nothing else. Batches are taken
/// from the left in every mode: `random` is the same as `exponential`, since the right end is the thieves'.
template <class P> class RangeWorker {
public:
  using Loop = RangeLoop<P>;
  using Memory = NoMemory;

  void enter(Loop& loop, Memory&, const Entry& entry) noexcept {
    shape_ = shape_of(entry);
    shared_ = &loop;
    own_ = &loop.cells[entry.index];
    loop_ = entry.loop;
    use_ = entry.use;
    index_ = entry.index;
    members_ = entry.members;
    near_ = entry.near;
    open_ = false;
    shown_ = false;
    arrived_ = false;
    retired_ = false;
    handed_out_ = 0;
    counts_ = {};
    pacing_.enter(shape_, entry);
  }

  /// Hands out the next piece of the loop. Returns false if nothing is left for this member.
  bool next(Range& out) noexcept {
    const OneThread::Inside inside(one_thread_);
    if (pacing_.given() != 0) pacing_.finish(true, counts_.busy_ticks);
    if (open_ && take(out)) return true;
    if (retired_) return false;
    if (!arrived_ && arrive(out)) return true;
    if (!find(out) && !take_last(out)) return false;
    pacing_.searched();
    return true;
  }

  const Counts& counts() const noexcept { return counts_; }

  /// Calls visit(range) for the iterations but n-1 that were not handed out, member by member. Exact while no
  /// member is in a call.
  template <class Visit> static void each_unclaimed(Loop& loop, const Entry& entry, Visit&& visit) {
    const Shape shape = shape_of(entry);
    for (std::uint32_t m = 0; m < entry.members; ++m) {
      if (loop.cells[m].is_of(entry.loop)) {
        const StealWord units = loop.cells[m].unclaimed();
        if (!units.empty()) visit(shape.range(units.mid(), units.high()));
      } else if (loop.cells[m].share.is_free(entry.loop) &&
                 share_begin(loop, shape, m) != share_begin(loop, shape, m + 1)) {
        visit(shape.range(share_begin(loop, shape, m), share_begin(loop, shape, m + 1)));
      }
    }
  }

  static std::uint64_t unclaimed(Loop& loop, const Entry& entry) noexcept {
    std::uint64_t iterations = loop.last.is_taken(entry.loop) ? 0 : 1;
    each_unclaimed(loop, entry, [&](const Range& left) { iterations += left.end - left.begin; });
    return iterations;
  }

private:
  enum class Steal : std::uint8_t { taken, empty, lost_race };

  /// With so few units per member that their numbers have 32 bits.
  static Shape shape_of(const Entry& entry) noexcept {
    const auto most = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / entry.members) - 2;
    return {entry.iterations, entry.members, std::min(most, k_max_share / 2)};
  }

  static std::uint32_t share_begin(const Loop& loop, const Shape& shape, std::uint32_t member) noexcept {
    return loop.shares != nullptr ? loop.shares[member]
                                  : static_cast<std::uint32_t>(shape.root_begin(member));
  }

  /// Hands out units [begin, end).
  void give(Range& out, std::uint32_t begin, std::uint32_t end) noexcept {
    out = shape_.range(begin, end);
    pacing_.gave(end - begin);
    handed_out_ += end - begin;
    counts_.iterations += out.end - out.begin;
    ++counts_.batches;
  }

  /// Takes the next batch of this member's own range.
  bool take(Range& out) noexcept {
    std::uint32_t end = 0;
    if (!own_->take(
            known_, low_, [this](std::uint32_t left) { return pacing_.size(left); }, end)) {
      open_ = false;
      return false;
    }
    give(out, low_, end);
    low_ = end;
    return true;
  }

  // The functions below run once or a few times per loop: kept out of the way of next().

  /// Units [begin, end) are this member's now, which has no others: the first batch at once, the rest shown
  /// to all.
  void receive(std::uint32_t begin, std::uint32_t end, Range& out) noexcept {
    pacing_.start_node();
    low_ = begin + pacing_.size(end - begin);
    give(out, begin, low_);
    open_ = low_ != end;
    if (!open_) return;
    known_ = own_->open(low_, end, loop_, shown_);
    shown_ = true;
  }

  /// Takes the share of `member`, if it is free.
  Steal take_share(std::uint32_t member, Range& out) noexcept {
    const std::uint32_t begin = share_begin(*shared_, shape_, member);
    const std::uint32_t end = share_begin(*shared_, shape_, member + 1);
    ShareMark<P>& share = shared_->cells[member].share;
    if (begin == end || !share.is_free(loop_)) return Steal::empty;
    own_->begin_move();
    const bool taken = share.take(loop_);
    if (taken) receive(begin, end, out);
    own_->end_move();
    return taken ? Steal::taken : Steal::lost_race;
  }

  [[gnu::noinline]] bool arrive(Range& out) noexcept {
    arrived_ = true;
    return take_share(index_, out) == Steal::taken;
  }

  Steal steal_from(std::uint32_t member, Range& out) noexcept {
    RangeCell<P>& victim = shared_->cells[member];
    if (!victim.is_of(loop_)) return take_share(member, out);
    const auto offer = victim.offer();
    if (offer.part.empty()) return Steal::empty;
    own_->begin_move();
    const bool taken = victim.steal(offer.seen, offer.rest);
    if (taken) receive(offer.part.mid(), offer.part.high(), out);
    own_->end_move();
    return taken ? Steal::taken : Steal::lost_race;
  }

  /// Takes work from another member. Returns false if every unit is taken, or if a member has held some so
  /// long between taking and showing them that its thread must be suspended.
  [[gnu::noinline]] bool find(Range& out) noexcept {
    own_->give_back(handed_out_, use_);
    for (std::uint32_t waited = 0; waited < tuning::k_range_patience;) {
      const RangeSurvey before = survey();
      if (before.returned == shape_.units()) return false;
      bool lost_race = false;
      const bool found = any_victim(near_, index_, members_, [&](std::uint32_t member) {
        const Steal steal = steal_from(member, out);
        lost_race |= steal == Steal::lost_race;
        return steal == Steal::taken;
      });
      if (found) {
        ++counts_.steals;
        return true;
      }
      if (lost_race) { // another thief got ahead
        P::relax();
        continue;
      }
      const RangeSurvey after = survey();
      if (after.moving || before.moving) {
        if (++waited < tuning::k_range_spins)
          P::relax();
        else
          P::yield();
      } else if (after.moves == before.moves) {
        return false; // no range that was empty at the look was filled before the look ended
      }
    }
    return false;
  }

  RangeSurvey survey() const noexcept { return shared_->survey(members_, use_); }

  /// Takes iteration n-1, which one member gets. This member's part ends in any case.
  [[gnu::noinline]] bool take_last(Range& out) noexcept {
    retired_ = true;
    if (!shared_->last.claim(loop_)) return false;
    out = {shape_.iterations() - 1, shape_.iterations(), true};
    pacing_.gave(1);
    ++counts_.iterations;
    ++counts_.batches;
    return true;
  }

  Shape shape_;
  Loop* shared_ = nullptr;
  RangeCell<P>* own_ = nullptr;
  StealWord known_;              // the own word, as seen last
  std::uint32_t low_ = 0;        // the begin of the own range
  std::uint32_t handed_out_ = 0; // units in this loop
  std::uint32_t index_ = 0;
  std::uint32_t members_ = 1;
  bool open_ = false;  // the own range is not known to be drained
  bool shown_ = false; // the own cell is of this loop
  bool arrived_ = false;
  bool retired_ = false;
  std::uint64_t loop_ = 0;
  std::uint64_t use_ = 0;
  const Neighbourhood* near_ = nullptr;
  Pacing<P> pacing_;
  Counts counts_;
  [[no_unique_address]] OneThread one_thread_;
};

} // namespace wstree::core
