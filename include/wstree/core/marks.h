// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks: the part of a word in a slot that names the use to which the word belongs, and the rules by which no
// reader believes an old word.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"

#include <atomic>
#include <cstdint>

namespace wstree::core {

/// The low `bits` bits of the number of a use. They go round after 2^bits uses, so a mark tells uses apart
/// only while no word is older than that. Three rules keep every word of a slot younger than half a round:
///
///   - In each use whose number is a multiple of Marks::k_every, a member that enters the slot refreshes
///     all its words before it looks at them: a word that is_old() becomes empty.
///   - When a region opens and the loops' numbers have advanced by k_every uses since the last time,
///     the opener, which is alone, clears all slots.
///   - Inside a region a member enters every loop, one number after the other.
///
/// So take any member that reads a word in use v, and the last multiple u of k_every up to v. If u was in
/// this region, this member itself has refreshed the word in u. Otherwise the region was opened less than
/// k_every uses before v, and the opener cleared the word then, or at most k_every uses before that. The
/// argument needs no other member and no departure, and it holds where no member executed a loop.
///
/// An empty word (AVAILABLE, no link, no count) means the same in every use, so it never grows old.
template <unsigned bits> struct Mark {
  static_assert(bits >= 2 && bits < 64);
  static constexpr unsigned k_bits = bits;
  static constexpr std::uint64_t k_mask = (std::uint64_t{1} << bits) - 1;
  static constexpr std::uint64_t k_quarter = std::uint64_t{1} << (bits - 2);

  static constexpr std::uint64_t of(std::uint64_t use) noexcept { return use & k_mask; }
  static constexpr bool is_of(std::uint64_t mark, std::uint64_t use) noexcept { return mark == of(use); }
  /// Returns whether `mark` is a quarter of a round or more before `use`. Only for marks younger than
  /// a round.
  static constexpr bool is_old(std::uint64_t mark, std::uint64_t use) noexcept {
    return ((use - mark) & k_mask) >= k_quarter;
  }
};

/// The marks of a slot that is used by one loop after the other, and how often they are refreshed.
struct UsualMarks {
  using Word = Mark<14>;     ///< in a root's word: tree/word.h
  using Link = Mark<23>;     ///< in a root's links to its children and to the held node: tree/node.h
  using Board = Mark<48>;    ///< in a word of the board: tree/search/board.h
  using Counter = Mark<20>;  ///< in the counter: self_scheduling/counter.h
  using Returned = Mark<32>; ///< in the count of units that a member has drained: range/range.h
  using Leavers = Mark<40>;  ///< in the count of members that have left a measured loop: loop/team_storage.h
  static constexpr std::uint64_t k_every = Word::k_quarter; ///< uses of a slot
};

/// Uses after which the narrowest of the marks has to be refreshed.
template <class Marks>
inline constexpr auto k_shortest_quarter = least_of(Marks::Word::k_quarter, Marks::Link::k_quarter,
                                                    Marks::Board::k_quarter, Marks::Counter::k_quarter,
                                                    Marks::Returned::k_quarter, Marks::Leavers::k_quarter);
static_assert(UsualMarks::k_every <= k_shortest_quarter<UsualMarks>);

/// The marks of a platform: Platform::Marks if it has such a type. Tests have narrow marks, which go round
/// all the time.
template <class P> struct MarksOfPlatform { using type = UsualMarks; };
template <class P>
requires requires { typename P::Marks; }
struct MarksOfPlatform<P> {
  using type = typename P::Marks;
};
template <class P> using MarksOf = typename MarksOfPlatform<P>::type;

/// Returns whether a member that enters a slot for its use number `use` has to refresh the slot.
template <class P> constexpr bool is_refresh_due(std::uint64_t use) noexcept {
  return use % MarksOf<P>::k_every == 0;
}

/// When the opener of a team's regions has to clear all slots of its ring.
template <class P> class ClearedSlots {
public:
  /// Returns whether to clear the slots now, when a region opens whose first loop has the number `base`.
  bool are_old(std::uint64_t base, std::uint64_t ring) noexcept {
    if (base - cleared_at_ < MarksOf<P>::k_every * ring) [[likely]]
      return false;
    cleared_at_ = base;
    return true;
  }

private:
  std::uint64_t cleared_at_ = 0; // number of the first loop since
};

/// | mark of a use | value |: a word that is 0 in every other use.
template <class Mark, unsigned value_bits> struct Marked {
  static_assert(Mark::k_bits + value_bits <= 64);
  static constexpr std::uint64_t k_mask = (std::uint64_t{1} << value_bits) - 1;

  static constexpr std::uint64_t of(std::uint64_t use, std::uint64_t value = 0) noexcept {
    return Mark::of(use) << value_bits | value;
  }
  static constexpr bool is_of(std::uint64_t raw, std::uint64_t use) noexcept {
    return Mark::is_of(raw >> value_bits & Mark::k_mask, use);
  }
  static constexpr std::uint64_t value(std::uint64_t raw) noexcept { return raw & k_mask; }
  static constexpr std::uint64_t value_in(std::uint64_t raw, std::uint64_t use) noexcept {
    return is_of(raw, use) ? value(raw) : 0;
  }

  /// Empties a word that is old. A member that enters `use` calls it where is_refresh_due().
  template <class P>
  static void refresh(typename P::template Atomic<std::uint64_t>& word, std::uint64_t use) noexcept {
    std::uint64_t raw = word.load(P::order(Tag::refresh, std::memory_order_relaxed)); // N8
    if (value(raw) != 0 && Mark::is_old(raw >> value_bits & Mark::k_mask, use))
      word.compare_exchange_strong(raw, of(use), P::order(Tag::refresh, std::memory_order_relaxed),
                                   P::order(Tag::refresh, std::memory_order_relaxed));
  }
  /// Forgets all uses; while no other thread can reach the word. Memory that no loop has used is not written.
  template <class P> static void clear(typename P::template Atomic<std::uint64_t>& word) noexcept {
    // relaxed: alone, ordered by the region's join and the next fork.
    if (word.load(std::memory_order_relaxed) != 0) word.store(0, std::memory_order_relaxed); // likewise
  }
};

} // namespace wstree::core
