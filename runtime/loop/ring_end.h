// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a region's ring of loop slots, if a member waits for a slot that does not become free.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::loop {

/// A member that is a ring of loops ahead waits for the slowest one. If that one waits in turn for something
/// that the first one would do in a later loop, both wait for ever, which libgomp's own loops do not. So a
/// member that has waited for long ends the ring: the region's loops from that one on are the runtime's, for
/// all members alike. Not on libomp (Member::keep_ring): there a member waits as soon as it is seven loops
/// ahead, and waits for ever if another one has left one of these loops unfinished, or left the region, by a
/// cancellation. A slow member must not turn our loops, which get over that, into such ones.
///
/// Another member may have seen just now that the slot is free. So the member asks first, looks at all
/// positions again, and ends the ring only if the slot is still in use and the question still stands. A
/// member that finds slots free looks at this word afterwards, and withdraws a question about one of them.
///
/// [T7] seq_cst but for failures, from which nothing is concluded. So are the positions (T2) on both sides,
///      the own position that is written before, and the count of absent members. If a member that found a
///      slot free misses the question, then the asking member sees every position that this member has seen.
///      Guard: model_team ends_2x4, ends_3x4 (anything weaker: a loop is served for some members only).
template <class P> class RingEnd {
public:
  /// | loop:44, from the region's first one on | member:18 | state:2 |
  class Word {
  public:
    constexpr Word() = default;
    constexpr explicit Word(std::uint64_t raw) noexcept : raw_(raw) {}
    static constexpr Word asked(std::uint64_t loop, std::uint32_t member) noexcept {
      return Word(loop << 20 | std::uint64_t{member} << 2 | 1);
    }
    constexpr Word ended() const noexcept { return Word((raw_ & ~std::uint64_t{3}) | 2); }
    constexpr bool is_open() const noexcept { return raw_ == 0; }
    constexpr bool is_ended() const noexcept { return (raw_ & 3) == 2; }
    constexpr std::uint64_t loop() const noexcept { return raw_ >> 20; }
    constexpr std::uint64_t raw() const noexcept { return raw_; }

  private:
    std::uint64_t raw_ = 0;
  };

  /// Before the fork of a region.
  void open() noexcept {
    if (word_.load(std::memory_order_relaxed) != 0)
      word_.store(0, std::memory_order_relaxed); // ordered by the fork
  }
  Word read() const noexcept {
    return Word(word_.load(P::order(core::Tag::end_ring, std::memory_order_seq_cst))); // T7
  }
  /// Replaces the word that was read. Returns false if it has changed since.
  bool replace(Word seen, Word wanted) noexcept {
    std::uint64_t expected = seen.raw();
    return word_.compare_exchange_strong(expected, wanted.raw(),
                                         P::order(core::Tag::end_ring, std::memory_order_seq_cst),
                                         P::order(core::Tag::end_ring, std::memory_order_relaxed)); // T7
  }

private:
  typename P::template Atomic<std::uint64_t> word_{0};
};

} // namespace wstree::loop
