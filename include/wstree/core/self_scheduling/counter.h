// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The word from which a loop is handed out by a rule.
#pragma once

#include "wstree/core/marks.h"
#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::core {

/// The word that the members share: | tag of the use:20 | value:44 |. The rule decides what the value counts:
/// chunks that were handed out, or iterations. It needs no initialisation: a word with another tag (marks.h)
/// is of an earlier use and stands for (tag, 0), and each member that enters writes (tag, 0) unless another
/// member has. Zeroed memory is a valid state.
template <class P> class alignas(k_line_pair) CounterLoop {
public:
  static constexpr unsigned k_value_bits = 44;

  /// Turns the word of an earlier use into (tag, 0). Called before any other access of a member, and in loops
  /// of other models whenever the slot is refreshed.
  void make_current(std::uint64_t use) noexcept {
    // [C1] relaxed: the word says all that there is to know, and no data goes with it. Only members of this
    //      use are here (the slot's earlier uses have been left, which loop/member.h orders by T1 and T2), so
    //      a failure means that one of them has put the tag in; from then on coherence of the one word shows
    //      this member nothing older. Guard: model_counter fixed_2x4 (a plain store sets the value back
    //      and hands chunks out twice).
    std::uint64_t seen = word_.load(P::order(Tag::enter_counter, std::memory_order_relaxed));
    if (Word::is_of(seen, use)) return;
    word_.compare_exchange_strong(seen, Word::of(use),
                                  P::order(Tag::enter_counter, std::memory_order_relaxed),
                                  P::order(Tag::enter_counter, std::memory_order_relaxed));
  }

  /// Adds one; returns the value before. Each member may do so once after the end of the loop: a team is far
  /// too small to carry that into the tag.
  std::uint64_t take() noexcept {
    // [C2] relaxed: iterations carry no data; that no value is given twice is up to the read-modify-write.
    //      Guard: model_counter fixed_2x4 (a load and a store hand chunks out twice).
    return Word::value(word_.fetch_add(1, P::order(Tag::take_step, std::memory_order_relaxed)));
  }

  /// Raises the value from `seen` to `wanted`. Returns false if the value differs from `seen` or the attempt
  /// failed without a reason; `seen` is then the present value.
  bool raise(std::uint64_t& seen, std::uint64_t wanted, std::uint64_t use) noexcept {
    // [C3] relaxed both ways: as C2. Guard: model_counter guided_2x4 (a plain store hands iterations
    //      out twice).
    std::uint64_t word = Word::of(use, seen);
    const bool raised = word_.compare_exchange_weak(word, Word::of(use, wanted),
                                                    P::order(Tag::raise_counter, std::memory_order_relaxed),
                                                    P::order(Tag::raise_counter, std::memory_order_relaxed));
    if (!raised) seen = Word::value(word);
    return raised;
  }

  /// Returns the value of `use`; 0 as long as no member has entered.
  std::uint64_t value(std::uint64_t use) const noexcept {
    const std::uint64_t word = word_.load(P::order(Tag::raise_counter, std::memory_order_relaxed)); // C3
    return Word::value_in(word, use);
  }

  /// Forgets all uses. Only while no other thread can reach it.
  void clear() noexcept { Word::template clear<P>(word_); }

private:
  using Word = Marked<typename MarksOf<P>::Counter, k_value_bits>;

  typename P::template Atomic<std::uint64_t> word_{0};
};

} // namespace wstree::core
