// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a node: phase and progress in one 64-bit word, so that every transition is one
// compare-and-swap.
#pragma once

#include "wstree/core/shape.h"

#include <cstdint>

namespace wstree::core {

/// Phases of a node in the words of the paper (section 3, figure 3). COMPLETED is `owned` with nothing left;
/// EXPANDED is `stolen` with children.
enum class Phase : std::uint8_t { available = 0, owned = 1, stolen = 2 };

/// | phase:2 | epoch:8 | right:27 | left:27 |
///
/// `left` and `right` count the units handed out from the two ends of the node's range (the paper's appendix
/// A.4; the batch modes that work from one end leave `right` at zero). `epoch` says for which use of the node
/// the word was written: a word of another epoch means AVAILABLE and untouched. That is why the roots of a
/// loop need no initialisation and nobody has to wait for the first arriver.
class Word {
public:
  static constexpr unsigned k_count_bits = 27;
  static constexpr std::uint32_t k_max_size = (1U << k_count_bits) - 1;
  static_assert(k_max_size >= k_max_share);
  static constexpr unsigned k_epoch_bits = 8;
  static constexpr std::uint64_t k_epoch_mask = (1U << k_epoch_bits) - 1;

  constexpr Word() = default;
  constexpr explicit Word(std::uint64_t raw) : raw_(raw) {}
  constexpr Word(Phase phase, std::uint64_t use, std::uint32_t left, std::uint32_t right)
      : raw_(static_cast<std::uint64_t>(phase) << 62 | (use & k_epoch_mask) << 54 |
             static_cast<std::uint64_t>(right) << k_count_bits | left) {}

  /// The word as loop use `use` has to read it: a word of an earlier use is AVAILABLE with all units left.
  static constexpr Word seen(std::uint64_t raw, std::uint64_t use) {
    const Word word(raw);
    return word.epoch() == (use & k_epoch_mask) ? word : Word(Phase::available, use, 0, 0);
  }

  constexpr std::uint64_t raw() const { return raw_; }
  constexpr Phase phase() const { return static_cast<Phase>(raw_ >> 62); }
  constexpr std::uint64_t epoch() const { return raw_ >> 54 & k_epoch_mask; }
  constexpr std::uint32_t left() const { return static_cast<std::uint32_t>(raw_) & k_max_size; }
  constexpr std::uint32_t right() const {
    return static_cast<std::uint32_t>(raw_ >> k_count_bits) & k_max_size;
  }

  constexpr Word with_left(std::uint32_t more) const { return Word(raw_ + more); }
  constexpr Word with_right(std::uint32_t more) const {
    return Word(raw_ + (static_cast<std::uint64_t>(more) << k_count_bits));
  }
  constexpr Word stopped() const { return Word(Phase::stolen, epoch(), left(), right()); }

  friend constexpr bool operator==(Word, Word) = default;

private:
  std::uint64_t raw_ = 0;
};

} // namespace wstree::core
