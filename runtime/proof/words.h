// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of registers as functions of a loop's entry and of memory, bit by bit exact: in words of 4 and
// of 8 bytes. Bodies of a loop that executes several iterations at a time are compared in them. For the .cpp
// files of this folder alone.
#pragma once

#include "arena.h"

#include <cstdint>

namespace wstree::proof {

/// A word, by its number in Words; equal numbers are equal words.
using Word = std::uint32_t;

struct WordNode {
  enum class Kind : std::uint8_t {
    sum,       ///< constant + factors * words, modulo 2^32 or 2^64
    start,     ///< some word that is there before the loop
    entry,     ///< unit `code` at the beginning of a turn
    partial,   ///< unit `code`: a partial result at the beginning of a turn
    unknown,   ///< it is like no other one, not even itself
    load,      ///< `code` bytes of memory at a, without a sign, behind `constant` stores of this turn
    half,      ///< 4 bytes of a: the first ones, or (code 1) the others
    pair,      ///< a in front of b
    operation, ///< `code` of a, b, c and `constant`
  };
  struct Term {
    std::int64_t factor;
    Word word;
  };
  Kind kind = Kind::unknown;
  std::uint8_t size = 0;    ///< 4 or 8
  bool has_entry = false;   ///< it may change from turn to turn
  bool has_partial = false; ///< it contains a partial result
  bool has_unknown = false;
  bool has_load = false;  ///< it contains memory
  std::uint8_t count = 0; ///< terms of a sum
  std::uint32_t code = 0;
  Word a = 0;
  Word b = 0;
  Word c = 0;
  std::int64_t constant = 0;
  const Term* terms = nullptr;
};

/// Operations of words that have a name here; others are the number of their instruction.
enum class WordOperation : std::uint32_t {
  first = 1U << 16,
  zero_extend = first, ///< 4 bytes to 8
  sign_extend,
  narrow,      ///< the first `constant` bytes of 4, and zeros
  sign_narrow, ///< these, with their sign
  insert,      ///< a, with the first `constant` bytes of b
  bit_and,
  bit_or,
  bit_xor,
  and_not, ///< ~a & b
  multiply,
  multiply_wide, ///< 4 bytes by 4 bytes without a sign
  shift_right,
  shift_right_sign,
  shift_left,
  add_float,
  subtract_float,
  multiply_float,
  divide_float,
  negate_float, ///< what a difference adds
  least,
  most,
  least_unsigned,
  most_unsigned,
  comparison, ///< the flags of a and b
  result,     ///< the flags of a result
  choice,     ///< a where the condition `constant` holds for the flags c, else b
  condition,  ///< 1 where it holds, else 0
};

class Words {
public:
  explicit Words(Arena& arena) noexcept;
  bool is_exhausted() const noexcept { return exhausted_; }
  /// Returns whether an operation is one whose operands may change places.
  static bool commutes(std::uint32_t code) noexcept;
  const WordNode& at(Word word) const noexcept { return nodes_[word]; }

  Word constant(std::int64_t value, unsigned size) noexcept;
  Word leaf(WordNode::Kind kind, std::uint32_t code, unsigned size) noexcept;
  Word unknown(unsigned size) noexcept { return leaf(WordNode::Kind::unknown, 0, size); }
  /// Some word that is like itself alone.
  Word some(unsigned size) noexcept { return leaf(WordNode::Kind::start, made_++, size); }
  Word load(Word address, unsigned bytes, std::uint32_t stores) noexcept;
  /// a + factor * b, of one size.
  Word add(Word a, Word b, std::int64_t factor = 1) noexcept;
  Word scale(Word a, std::int64_t factor) noexcept { return add(constant(0, at(a).size), a, factor); }
  Word half(Word word, unsigned index) noexcept;
  Word pair(Word low, Word high) noexcept;
  Word zero_extended(Word word) noexcept;
  Word sign_extended(Word word) noexcept;
  Word operation(std::uint32_t code, unsigned size, Word a, Word b = 0, Word c = 0,
                 std::int64_t constant = 0) noexcept;
  Word operation(WordOperation code, unsigned size, Word a, Word b = 0, Word c = 0,
                 std::int64_t constant = 0) noexcept {
    return operation(static_cast<std::uint32_t>(code), size, a, b, c, constant);
  }
  bool is_constant(Word word, std::int64_t& value) const noexcept;
  bool is_operation(Word word, WordOperation code) const noexcept {
    return at(word).kind == WordNode::Kind::operation && at(word).code == static_cast<std::uint32_t>(code);
  }

private:
  Word intern(const WordNode& node) noexcept;
  Word sum_of(const WordNode::Term* terms, std::size_t count, std::int64_t constant, unsigned size) noexcept;

  static constexpr std::size_t k_most = 6000;
  static constexpr std::size_t k_slots = 1U << 14;
  Arena& arena_;
  WordNode* nodes_ = nullptr;
  std::uint32_t* slots_ = nullptr;
  std::uint32_t count_ = 1;
  std::uint32_t made_ = 0;
  bool exhausted_ = false;
};

} // namespace wstree::proof
