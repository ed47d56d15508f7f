// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank of a loop that ranks share: the protocol between the ranks, without MPI, threads or clocks. The
// model checker and the simulator run the same class.
#pragma once

#include "wstree/mpi/first_cut.h"
#include "wstree/mpi/range_word.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// The words of a rank.
enum class Slot : std::uint8_t {
  range, ///< the range that is left to the rank (range_word.h)
  cost,  ///< seconds for a unit, the bits of a float: a hint
  bound, ///< call number and complement of the first unit that is not to be executed
  done,  ///< on rank 0: units that were executed or dropped since the words were made
};
inline constexpr std::uint32_t k_slots = 4;

/// The words and their changes:
///
/// - A range word is a whole state: a compare-and-swap moves units from it to a rank, so a former value may
///   come back. The owner takes units from the front, thieves from the back.
/// - Only the owner makes an empty range non-empty, and only with its own units.
/// - The word of a late rank still says that its range was drained in the previous call. A thief opens the
///   range with the units that the thief does not take.
/// - Taken units are counted once, when they are executed or dropped. The loop is done when all are counted.
///   All ranks see that, and each then enters a collective operation: no rank is a call ahead of another one.
///
/// Memory: `load(rank, slot)`, `swap_if(rank, slot, expected, wanted)` -> old, `add(rank, slot, n)`,
/// `raise(rank, slot, value)`, which keeps the larger value, and `store(slot, value)` into the executing
/// rank's own word. All are atomic.
template <class Memory> class Member {
public:
  Member(Memory& memory, std::uint32_t rank, std::uint32_t ranks) noexcept
      : memory_(memory), rank_(rank), ranks_(ranks) {}

  /// Starts call number `call` with the share of `cut`, which outlives the call. `done_before`: the value
  /// of Slot::done.
  void open(std::uint32_t call, const FirstCut& cut, std::uint64_t done_before) {
    call_ = call, cut_ = &cut, done_before_ = done_before;
    uncounted_ = 0;
    kept_.clear();
    const Range share = cut.share(rank_);
    memory_.swap_if(rank_, Slot::range, drained_in(call - 1), share.empty() ? drained() : word_of(share));
  }

  std::uint32_t units() const noexcept { return cut_->units(); }

  /// Takes `want(left)` units at the front of the rank's range, `left`. Returns whether there were any.
  template <class Want> bool take(Want&& want, Range& piece) {
    std::uint64_t seen = memory_.load(rank_, Slot::range);
    for (;;) {
      const Range left = range_of(seen);
      if (left.empty()) break;
      piece = front_of(left, want(left));
      const Range rest{piece.end, left.end};
      const std::uint64_t old =
          memory_.swap_if(rank_, Slot::range, seen, rest.empty() ? drained() : word_of(rest));
      if (old == seen) return true;
      seen = old;
    }
    if (kept_.empty()) return false;
    const Range left = kept_.back();
    kept_.pop_back();
    piece = front_of(left, want(left));
    give_back({piece.end, left.end});
    return true;
  }

  /// The rank does not execute these units, which it has taken: they go into its word, or are kept until they
  /// fit there.
  void give_back(Range rest) {
    if (rest.empty()) return;
    std::uint64_t seen = memory_.load(rank_, Slot::range);
    for (;;) {
      const Range left = range_of(seen);
      Range both;
      if (left.empty())
        both = rest;
      else if (rest.end == left.begin)
        both = {rest.begin, left.end};
      else if (left.end == rest.begin)
        both = {left.begin, rest.end};
      else
        return kept_.push_back(rest);
      const std::uint64_t old = memory_.swap_if(rank_, Slot::range, seen, word_of(both));
      if (old == seen) return;
      seen = old;
    }
  }

  /// Returns the word of a rank, and the range that a thief finds in it.
  std::uint64_t look_at(std::uint32_t victim) { return memory_.load(victim, Slot::range); }
  Range left_in(std::uint32_t victim, std::uint64_t word) const noexcept { return found(victim, word); }

  /// Takes half of another rank's range, at its back, once: another rank may be faster. The units
  /// are those that take() returns next.
  bool steal(std::uint32_t victim, Range& stolen) { return steal(victim, look_at(victim), stolen); }
  /// Does so where the word was `seen`.
  bool steal(std::uint32_t victim, std::uint64_t seen, Range& stolen) {
    const Range left = found(victim, seen);
    if (left.empty()) return false;
    const std::uint32_t middle = cut_->middle(left);
    stolen = {middle, left.end};
    const std::uint64_t wanted = middle == left.begin ? drained() : word_of({left.begin, middle});
    if (memory_.swap_if(victim, Slot::range, seen, wanted) != seen) return false;
    kept_.push_back(stolen);
    return true;
  }

  /// Adds units that this rank has executed, or dropped, to those that the next tell() counts.
  void count(std::uint64_t units) noexcept { uncounted_ += units; }
  /// Adds the units that were counted here to the number that all ranks read.
  void tell() {
    if (uncounted_ != 0) memory_.add(0, Slot::done, uncounted_);
    uncounted_ = 0;
  }
  /// Returns whether every unit was counted and told.
  bool is_done() { return memory_.load(0, Slot::done) - done_before_ >= cut_->units(); }

  /// No rank executes units from `bound` on, as soon as it sees that. By one rank to all.
  void bound_all(std::uint32_t bound) {
    const std::uint64_t word = std::uint64_t{call_} << 32 | ~bound;
    for (std::uint32_t i = 0; i < ranks_; ++i) memory_.raise((rank_ + i) % ranks_, Slot::bound, word);
  }
  /// Returns the first unit that no rank needs to execute.
  std::uint32_t bound() {
    const std::uint64_t word = memory_.load(rank_, Slot::bound);
    return word >> 32 == call_ ? ~static_cast<std::uint32_t>(word) : ~std::uint32_t{0};
  }

private:
  std::uint64_t drained() const noexcept { return drained_in(call_); }
  /// Returns the range that a thief finds. A late rank's word stands for its share.
  Range found(std::uint32_t victim, std::uint64_t word) const noexcept {
    return word == drained_in(call_ - 1) ? cut_->share(victim) : range_of(word);
  }
  Range front_of(Range left, std::uint64_t want) const noexcept {
    return {left.begin, cut_->end_of_piece(left, want)};
  }

  Memory& memory_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  std::uint32_t call_ = 0;
  const FirstCut* cut_ = nullptr;
  std::uint64_t done_before_ = 0;
  std::uint64_t uncounted_ = 0;
  std::vector<Range> kept_; // taken, not executed, and in no word
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
