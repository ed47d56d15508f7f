// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a node: phase and progress in one 64-bit word, so that every transition is
// one compare-and-swap.
#pragma once

#include "wstree/core/marks.h"
#include "wstree/core/shape.h"

#include <cstdint>

namespace wstree::core {

/// Phases of a node in the words of the paper (section 3, figure 3). COMPLETED is `owned` with nothing left;
/// EXPANDED is `stolen` with children.
enum class Phase : std::uint8_t { available = 0, owned = 1, stolen = 2 };

/// | phase:2 | epoch:14 | right:21 | left:27 |
///
/// `left` and `right` count the units handed out from the two ends of the node's range (the paper's appendix
/// A.4; the batch modes that work from one end leave `right` at zero, and shares are smaller where it is
/// needed). `epoch` is the mark (marks.h) of the use of the node for which the word was written: a word of
/// another use means AVAILABLE and untouched. So the roots of a loop need no initialisation, and no member
/// waits for the first one.
template <class Epoch> class BasicWord {
public:
  static constexpr unsigned k_left_bits = 27;
  static constexpr unsigned k_right_bits = 21;
  static constexpr std::uint32_t k_max_size = (1U << k_left_bits) - 1;
  static constexpr std::uint32_t k_max_right = (1U << k_right_bits) - 1;
  static_assert(k_max_size >= k_max_share && k_max_right >= k_max_share_from_both_ends);
  static constexpr unsigned k_epoch_shift = k_left_bits + k_right_bits;
  static_assert(k_epoch_shift + Epoch::k_bits <= 62);

  constexpr BasicWord() = default;
  constexpr explicit BasicWord(std::uint64_t raw) : raw_(raw) {}
  constexpr BasicWord(Phase phase, std::uint64_t use, std::uint32_t left, std::uint32_t right)
      : raw_(static_cast<std::uint64_t>(phase) << 62 | Epoch::of(use) << k_epoch_shift |
             static_cast<std::uint64_t>(right) << k_left_bits | left) {}

  /// Returns the word as use `use` has to read it: a word of an earlier use is AVAILABLE with all units left.
  static constexpr BasicWord seen(std::uint64_t raw, std::uint64_t use) {
    const BasicWord word(raw);
    return Epoch::is_of(word.epoch(), use) ? word : BasicWord(Phase::available, use, 0, 0);
  }

  constexpr std::uint64_t raw() const { return raw_; }
  constexpr Phase phase() const { return static_cast<Phase>(raw_ >> 62); }
  constexpr std::uint64_t epoch() const { return raw_ >> k_epoch_shift & Epoch::k_mask; }
  /// Returns whether the word is so old that it has to be refreshed: it has a meaning in its own use only.
  constexpr bool is_old(std::uint64_t use) const {
    return phase() != Phase::available && Epoch::is_old(epoch(), use);
  }
  constexpr std::uint32_t left() const { return static_cast<std::uint32_t>(raw_) & k_max_size; }
  constexpr std::uint32_t right() const {
    return static_cast<std::uint32_t>(raw_ >> k_left_bits) & k_max_right;
  }

  constexpr BasicWord with_left(std::uint32_t more) const { return BasicWord(raw_ + more); }
  constexpr BasicWord with_right(std::uint32_t more) const {
    return BasicWord(raw_ + (static_cast<std::uint64_t>(more) << k_left_bits));
  }
  constexpr BasicWord stopped() const { return BasicWord(Phase::stolen, epoch(), left(), right()); }

  friend constexpr bool operator==(BasicWord, BasicWord) = default;

private:
  std::uint64_t raw_ = 0;
};

using Word = BasicWord<UsualMarks::Word>;
template <class P> using WordOf = BasicWord<typename MarksOf<P>::Word>;

} // namespace wstree::core
