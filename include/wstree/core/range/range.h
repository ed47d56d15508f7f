// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team's shared state of a loop that is scheduled by work-stealing ranges.
#pragma once

#include "wstree/core/last_taken.h"
#include "wstree/core/marks.h"
#include "wstree/core/range/steal_word.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/share_mark.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// The sums over all cells of the moves and the returned units in one loop.
struct RangeSurvey {
  std::uint64_t moves = 0;    ///< marks of the beginning and the end of moves; never shrinks
  std::uint64_t returned = 0; ///< units handed out by members whose ranges are drained
  bool moving = false;        ///< a member has taken units and not yet shown the rest of them
};

/// One member's range [low, high), of which [mid, high) can be stolen:
///
///     low ......................... mid ........ high
///      owner takes from here          a thief takes all of this
///
/// The owner reserves units by raising `low`, and then looks at the steal word: units below mid are its own
/// without a compare-and-swap, for the others it contends with the thieves. A thief reads the word, then
/// `low`, and replaces the word by the last quarter of the rest. Zeroed memory is a valid state.
///
/// R-I1 A member that reads a word w, and then `low`, finds there at least the end of each batch whose owner
///      looked at a word that is older than w (R1, R2, R6, R7). A batch whose owner looked at w itself ends
///      at w's mid at most, or has replaced w. So what a thief takes by replacing w, from mid and from `low`
///      on, is nothing that the owner has; what the owner takes later ends at the new high at most.
/// R-I2 A thief may have read a `low` that is out of date, so mid may be below `low`, even if all of [low,
///      high) is taken. And the owner may have reserved more than it gets. Neither loses anything: the owner
///      goes on from what it was handed to the high that it finds, and a thief takes what is beyond `low`.
/// R-I3 In one loop a word that is not empty never comes back to a cell once it was replaced, so comparing
///      the word is as good as comparing the identity of an object. While a range is open, high only falls
///      (R7), and while high is the same, mid only rises (R3, R4). When the last word with that high is
///      replaced, a unit of its [mid, high) is handed out: a thief keeps the first one that it takes, and R3
///      takes all below the new mid. A range that the cell gets later in the loop does not have that unit, so
///      it has no word with that high and that mid or a lower one. Guard: core_range_words.
/// R-I4 An empty word is replaced by its owner only. Empty means that nothing can be stolen; the owner may
///      have units below.
template <class P> class alignas(k_line_pair) RangeCell {
public:
  ShareMark<P> share;

  // The owner.

  /// Announces that everything below `end` is taken.
  void reserve(std::uint32_t end) noexcept {
    // [R1] seq_cst, like R2, R6 and R7: the owner writes `low` and reads the word; a thief writes the word,
    //      and a member that reads that, reads `low`. If R2 reads a word from before R7, then R1, R2, R7, R6
    //      is the order for all members, and R6 sees this value (R-I1). With less R2 may read before this can
    //      be seen. Guard: core_range_words (R2 before R1), model_range.
    low_.store(end, P::order(Tag::reserve_units, std::memory_order_seq_cst));
  }
  /// Returns the word, after reserve().
  StealWord check() const noexcept {
    // [R2] seq_cst: see R1. Guard: model_range.
    return StealWord(steal_.load(P::order(Tag::check_reserved, std::memory_order_seq_cst)));
  }
  /// Claims the reserved units of [mid, high), which thieves may take as well, and leaves `rest`. Returns
  /// false if a thief was faster; `seen` is then the word that it left.
  bool contend(StealWord& seen, StealWord rest) noexcept {
    std::uint64_t expected = seen.raw();
    // [R3] relaxed: the read-modify-write decides, and continues the release of R9. A thief that reads the
    //      new word depends on no younger `low` than R1 and R2 see to, since its mid is not below what was
    //      reserved. Guard: core_range_words, model_range (a plain store hands units out twice).
    if (steal_.compare_exchange_strong(expected, rest.raw(),
                                       P::order(Tag::contend, std::memory_order_relaxed),
                                       P::order(Tag::contend, std::memory_order_relaxed)))
      return true;
    seen = StealWord(expected);
    return false;
  }
  /// Makes the steal range a quarter of [low, high) again if it is more than a third of that. Returns the
  /// word that stands there now; a thief may be faster, which is as good.
  StealWord keep_quarter(StealWord seen, std::uint32_t low) noexcept {
    if (!seen.is_large_for(low)) return seen;
    const StealWord wanted = StealWord::last_quarter(low, seen.high());
    if (wanted == seen || seen.empty()) return seen;
    std::uint64_t expected = seen.raw();
    // [R4] relaxed, for R3's reasons. Guard: core_range_words, model_range (a plain store brings stolen
    //      units back).
    return steal_.compare_exchange_strong(expected, wanted.raw(),
                                          P::order(Tag::keep_quarter, std::memory_order_relaxed),
                                          P::order(Tag::keep_quarter, std::memory_order_relaxed))
               ? wanted
               : StealWord(expected);
  }
  /// Claims the next batch of the range, which begins at `low`: `size(left)` units if `left` units are left,
  /// up to `end`. Returns false if the range is drained. `known` is the word as the owner saw it last.
  template <class Size>
  bool take(StealWord& known, std::uint32_t low, const Size& size, std::uint32_t& end) noexcept {
    StealWord seen = known;
    while (low < seen.high()) {
      end = low + size(seen.high() - low);
      reserve(end);
      const StealWord now = check();
      if (end <= now.mid()) {
        known = keep_quarter(now, end);
      } else if (now != seen) {
        seen = now; // thieves were here: less is left than the batch was made for
        continue;
      } else {
        const StealWord rest = StealWord::last_quarter(end, now.high());
        if (!contend(seen, rest)) continue;
        known = rest;
      }
      return true;
    }
    if (!seen.empty()) close(seen.high());
    return false;
  }
  /// Shows units [low, high), low < high, as this member's in `loop`; `entered`: not the first ones in it.
  /// The range shown before is drained, and its word is empty.
  StealWord open(std::uint32_t low, std::uint32_t high, std::uint64_t loop, bool entered) noexcept {
    // [R8] release: a thief that reads this `low`, which may be lower than the one before, finds that the
    //      words of the range before have gone (R11); pairs with R6. Otherwise a thief with such a word
    //      could take it for a word of this range. Guard: model_range.
    low_.store(low, P::order(Tag::open_low, std::memory_order_release));
    const StealWord word = StealWord::last_quarter(low, high);
    // [R9] release: a thief that reads the word, or one that was made of it, reads this `low` or a
    //      younger one; pairs with R5. A plain store, since no other member replaces an empty word
    //      (R-I4). Guard: model_range.
    steal_.store(word.raw(), P::order(Tag::open_range, std::memory_order_release));
    // [R10] release: what stands in the cell is of this loop; pairs with is_of(). Guard: model_range.
    if (!entered) loop_.store(loop, P::order(Tag::enter_cell, std::memory_order_release));
    return word;
  }
  /// Makes the word of a drained range empty, where a stale `low` has left something in it (R-I2).
  void close(std::uint32_t high) noexcept {
    // [R11] relaxed: R8 orders it before the next `low`, until then `low` keeps thieves away. Guard:
    //       core_range (without it AStaleWordDoesNotOutliveItsRange fails), core_range_words, model_range.
    steal_.store(StealWord(high, high).raw(), P::order(Tag::close_range, std::memory_order_relaxed));
  }

  /// Between the two, units are on their way into this cell, where no other member sees them.
  void begin_move() noexcept { mark_move(std::memory_order_relaxed); }
  void end_move() noexcept { mark_move(std::memory_order_release); }
  /// This member has handed out `units` in this use of the slot so far, and has no more.
  void give_back(std::uint32_t units, std::uint64_t use) noexcept {
    // [R13] relaxed: a sum of these only says that a search would be in vain. Guard: none is possible, a
    //       value that is out of date costs a search.
    returned_.store(Returned::of(use, units), P::order(Tag::return_units, std::memory_order_relaxed));
  }
  /// As Node::refresh() and Node::clear(): a member that believes an old count gives up a search too early.
  void refresh(std::uint64_t use) noexcept { Returned::template refresh<P>(returned_, use); }
  void clear() noexcept { Returned::template clear<P>(returned_); }

  // Thieves.

  /// Returns whether its member has shown anything in this loop.
  bool is_of(std::uint64_t loop) const noexcept {
    return loop_.load(P::order(Tag::enter_cell, std::memory_order_acquire)) == loop; // R10
  }
  StealWord read() const noexcept {
    // [R5] acquire: `low` must not be read from before this word was there; pairs with R9 and R7. Guard:
    //      core_range_words (`low` read first), model_range.
    return StealWord(steal_.load(P::order(Tag::read_range, std::memory_order_acquire)));
  }
  /// After read().
  std::uint32_t read_low() const noexcept {
    // [R6] seq_cst: see R1; includes the acquire that R8 needs. Guard: model_range.
    return low_.load(P::order(Tag::read_low, std::memory_order_seq_cst));
  }
  /// A thief's possible steal: the units of `part`, by replacing `seen` with `rest`.
  struct Offer {
    StealWord seen, part, rest;
  };
  Offer offer() const noexcept {
    const StealWord seen = read();
    if (seen.empty()) return {};
    const std::uint32_t low = read_low();
    const StealWord part = seen.beyond(low);
    if (part.empty()) return {};
    return {seen, part, StealWord::last_quarter(low, part.mid())};
  }
  /// Takes the units that `seen` has beyond `rest`, which stays.
  bool steal(StealWord seen, StealWord rest) noexcept {
    std::uint64_t expected = seen.raw();
    // [R7] success seq_cst: see R1; includes a release, with which R5 sees R12's mark. failure relaxed:
    //      nothing was learned. Guard: model_range (a plain store hands units out twice).
    return steal_.compare_exchange_strong(expected, rest.raw(),
                                          P::order(Tag::steal_range, std::memory_order_seq_cst),
                                          P::order(Tag::steal_range, std::memory_order_relaxed));
  }

  // Members that look for work.

  void add_to(RangeSurvey& survey, std::uint64_t use) const noexcept {
    const std::uint64_t moves = moves_.load(P::order(Tag::move_units, std::memory_order_acquire)); // R12
    survey.moves += moves;
    survey.moving |= (moves & 1) != 0;
    const std::uint64_t returned =
        returned_.load(P::order(Tag::return_units, std::memory_order_relaxed)); // R13
    survey.returned += Returned::value_in(returned, use);
  }
  /// [mid, high) of the result: units that were not handed out. Exact while no member is in a call.
  StealWord unclaimed() const noexcept {
    const std::uint32_t high = read().high();
    return {std::min(read_low(), high), high};
  }

private:
  using Returned = Marked<typename MarksOf<P>::Returned, 32>;

  void mark_move(std::memory_order order) noexcept {
    // [R12] The beginning is relaxed: R7 releases it to a thief that misses the units that were taken. (S1,
    //       which takes a share, does not: there a searcher may give up early.) The end is a release: a
    //       member that acquires it sees the range that was opened before. No unit depends on it, only
    //       whether a member goes on looking. Guard: core_range (WaitsForUnitsThatAreOnTheirWay fails without
    //       the marks).
    const std::uint64_t marks = moves_.load(P::order(Tag::move_units, std::memory_order_relaxed)); // its own
    moves_.store(marks + 1, P::order(Tag::move_units, order));
  }

  // Seldom written: by thieves, and by the owner once for each range and now and then for R4.
  typename P::template Atomic<std::uint64_t> loop_{0};     // the loop that this cell is valid for
  typename P::template Atomic<std::uint64_t> steal_{0};    // StealWord
  typename P::template Atomic<std::uint64_t> moves_{0};    // odd: units are on their way here; grows for ever
  typename P::template Atomic<std::uint64_t> returned_{0}; // | mark of the use:32 | units:32 |
  // Written by the owner for each batch, read by thieves that have found something to steal.
  alignas(k_line_pair) typename P::template Atomic<std::uint32_t> low_{0};
};

template <class P> struct RangeLoop {
  Cells<RangeCell<P>> cells;
  /// First unit of each member's share, and behind them the number of units; null: equal shares. All are set
  /// before members enter.
  const std::uint32_t* shares = nullptr;
  alignas(k_line_pair) LastTaken<P> last;

  RangeSurvey survey(std::uint32_t members, std::uint64_t use) const noexcept {
    RangeSurvey survey;
    for (std::uint32_t m = 0; m < members; ++m) cells[m].add_to(survey, use);
    return survey;
  }
  /// As Tree::refresh() and Tree::clear().
  void refresh(std::uint64_t use, std::uint32_t most_members) noexcept {
    for (std::uint32_t m = 0; m < most_members; ++m) cells[m].refresh(use);
  }
  void clear(std::uint32_t most_members) noexcept {
    for (std::uint32_t m = 0; m < most_members; ++m) cells[m].clear();
  }
};

} // namespace wstree::core
