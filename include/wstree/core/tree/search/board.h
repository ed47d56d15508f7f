// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The roots of a large team that have nothing left: so that a search for work does not look at all roots.
#pragma once

#include "wstree/core/marks.h"
#include "wstree/core/platform.h"
#include "wstree/core/rng.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace wstree::core {

/// | number of the use:48 | done:16 |: one bit for each of 16 roots below which nothing is left, or of 16
/// words that are full. Units of a root only get handed out, so a bit that is set stays true until the slot's
/// next use. A word of another use (marks.h) means that nothing is done: it needs no initialisation.
template <class P> class alignas(k_line_pair) DoneWord {
public:
  static constexpr std::uint32_t k_fan_out = 16;

  std::uint32_t done(std::uint64_t use) const noexcept {
    // [N11] relaxed: a bit says that there is nothing to read below it, and a missing one is a hint.
    return bits_in(word_.load(P::order(Tag::mark_done, std::memory_order_relaxed)), use);
  }

  /// Adds `bits`. Returns true to the one member that has thereby made the word `full`.
  bool add(std::uint32_t bits, std::uint32_t full, std::uint64_t use) noexcept {
    std::uint64_t raw = word_.load(P::order(Tag::mark_done, std::memory_order_relaxed)); // N11
    if ((bits_in(raw, use) & bits) == bits) return false; // members that walk at a time find the same
    // [N11] relaxed: as above. The next walk over the board finds a lost bit missing, and sets it again.
    if (!Word::is_of(raw, use) &&
        word_.compare_exchange_strong(raw, Word::of(use, bits),
                                      P::order(Tag::mark_done, std::memory_order_relaxed),
                                      P::order(Tag::mark_done, std::memory_order_relaxed)))
      return bits == full;
    const std::uint32_t before =
        bits_in(word_.fetch_or(bits, P::order(Tag::mark_done, std::memory_order_relaxed)), use); // N11
    return before != full && (before | bits) == full;
  }

  /// As Node::refresh() and Node::clear().
  void refresh(std::uint64_t use) noexcept { Word::template refresh<P>(word_, use); }
  void clear() noexcept { Word::template clear<P>(word_); }

private:
  using Word = Marked<typename MarksOf<P>::Board, k_fan_out>;

  static std::uint32_t bits_in(std::uint64_t raw, std::uint64_t use) noexcept {
    return static_cast<std::uint32_t>(Word::value_in(raw, use));
  }

  typename P::template Atomic<std::uint64_t> word_{0};
};

/// The words over `leaves` roots in one use of a slot: one for each 16 roots, one above each 16 of those, and
/// so on up to a single one. Their places depend on the number of roots, but words of another use are empty
/// at any place.
template <class P> class Board {
public:
  using Word = DoneWord<P>;
  static constexpr std::uint32_t k_fan_out = Word::k_fan_out;

  /// Returns the words that a board over up to `roots` roots needs.
  static constexpr std::size_t words(std::size_t roots) noexcept {
    std::size_t sum = 0;
    do {
      roots = (roots + k_fan_out - 1) / k_fan_out;
      sum += roots;
    } while (roots > 1);
    return sum;
  }

  Board(Word* words, std::uint32_t leaves, std::uint64_t use) noexcept
      : words_(words), leaves_(leaves), use_(use) {}

  bool is_full() const noexcept {
    if (leaves_ == 0) return true;
    const Place top = top_place();
    return missing(top) == 0;
  }

  /// Nothing is left below this root.
  void mark(std::uint32_t root) noexcept {
    Place place{words_, leaves_, root / k_fan_out};
    set(place, 1U << root % k_fan_out);
  }

  /// Returns a random root that is not known to be done; k_none: none was met.
  std::uint32_t pick(Rng& rng) noexcept {
    if (leaves_ == 0) return k_none;
    for (Place place = top_place();;) {
      const std::uint32_t left = missing(place);
      if (left == 0) return k_none;
      const std::uint32_t thing = place.index * k_fan_out + any_of(left, rng);
      if (place.level == words_) return thing;
      place = below(place, thing);
    }
  }

  /// Calls `visit(root)` for each root that is not known to be done, from a random one on, until `stop()`
  /// returns true, which is called after each. visit() returns whether nothing is left below the root; this
  /// is noted, for all later walks. Returns whether nothing is left below any root.
  template <class Visit, class Stop> bool walk(Rng& rng, Visit&& visit, Stop&& stop) noexcept {
    return leaves_ == 0 || walk_word(top_place(), rng, visit, stop);
  }

  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

private:
  /// A word, and the level that it belongs to: the first of its words, and how many things it has bits for.
  struct Place {
    Word* level;
    std::uint32_t things;
    std::uint32_t index;
  };

  static std::uint32_t words_over(std::uint32_t things) noexcept {
    return (things + k_fan_out - 1) / k_fan_out;
  }
  static Place above(const Place& place) noexcept {
    const std::uint32_t count = words_over(place.things);
    return {place.level + count, count, place.index / k_fan_out};
  }
  Place top_place() const noexcept {
    Place place{words_, leaves_, 0};
    while (place.things > k_fan_out) place = above(place);
    return place;
  }
  /// Returns place `index` of the level below that of `place`, which is not on the lowest level.
  Place below(const Place& place, std::uint32_t index) const noexcept {
    Place at{words_, leaves_, 0};
    while (at.level + words_over(at.things) != place.level) at = above(at);
    at.index = index;
    return at;
  }
  static std::uint32_t all(const Place& place) noexcept {
    const std::uint32_t bits = place.things - place.index * k_fan_out;
    return bits >= k_fan_out ? (1U << k_fan_out) - 1 : (1U << bits) - 1;
  }
  std::uint32_t missing(const Place& place) const noexcept {
    return all(place) & ~place.level[place.index].done(use_);
  }

  /// Sets bits in a word; the member that fills the word sets its bit above. If that member is suspended in
  /// between, other members go down to the word, and find it full.
  void set(Place place, std::uint32_t bits) noexcept {
    while (place.level[place.index].add(bits, all(place), use_) && place.things > k_fan_out) {
      bits = 1U << place.index % k_fan_out;
      place = above(place);
    }
  }

  template <class Visit, class Stop>
  bool walk_word(const Place& place, Rng& rng, Visit& visit, Stop& stop) noexcept {
    const std::uint32_t left = missing(place);
    if (left == 0) return true;
    // Thieves that begin at different bits share the work, and do not all run to one victim.
    const std::uint32_t first = any_of(left, rng);
    std::uint32_t found = 0;
    for (std::uint32_t to_see = rotate(left, first); to_see != 0; to_see &= to_see - 1) {
      const std::uint32_t bit = (static_cast<std::uint32_t>(std::countr_zero(to_see)) + first) % k_fan_out;
      const std::uint32_t thing = place.index * k_fan_out + bit;
      const bool done =
          place.level == words_ ? visit(thing) : walk_word(below(place, thing), rng, visit, stop);
      if (done) found |= 1U << bit;
      if (stop()) break;
    }
    if (found != 0 && place.level == words_) set(place, found);
    return found == left;
  }

  /// Returns the number of a random bit among the set ones.
  static std::uint32_t any_of(std::uint32_t bits, Rng& rng) noexcept {
    for (auto skip = rng.below(static_cast<std::uint32_t>(std::popcount(bits))); skip != 0; --skip)
      bits &= bits - 1;
    return static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  static std::uint32_t rotate(std::uint32_t bits, std::uint32_t by) noexcept {
    return (bits >> by | bits << (k_fan_out - by)) & ((1U << k_fan_out) - 1);
  }

  Word* words_;
  std::uint32_t leaves_;
  std::uint64_t use_;
};

} // namespace wstree::core
