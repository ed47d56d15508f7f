// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proof's knowledge about the contents of a register or of a word of the frame. For the .cpp files of
// this folder alone. README.md explains the kinds.
#pragma once

#include "arena.h"
#include "count.h"

#include <algorithm>
#include <cstdint>

namespace wstree::proof {

/// A value, by its number in Values; equal numbers are equal values (but for plain ones).
using Value = std::uint32_t;

/// The inputs that a value depends on beyond the inputs that all calls of the function have in common.
using Bits = std::uint16_t;
inline constexpr Bits k_common = 0;
inline constexpr Bits k_iteration = 1; ///< the iteration that is executed, and shared memory
inline constexpr Bits k_part = 2;     ///< the bounds of the part, or how many iterations were executed before
inline constexpr Bits k_number = 4;   ///< the numbers of the thread and of threads
inline constexpr Bits k_carried = 8;  ///< earlier iterations, or nothing defined
inline constexpr Bits k_partial = 16; ///< a partial result of a reduction
inline constexpr Bits k_last = 32;    ///< the last iteration of this call
inline constexpr Bits k_frame = 64;   ///< an address in the own frame
inline constexpr Bits k_empty = 256;  ///< undefined if the part is empty
inline constexpr Bits k_turn =
    128; ///< which turn of an inner loop it is; only while that loop's end is looked for

inline constexpr Bits k_fixed_memory = 1024; ///< memory at a place that is the same in each turn; as k_turn
inline constexpr Bits k_other_memory = 512;  ///< memory at a place that turns change; as k_turn
inline constexpr Bits k_polled = 4096; ///< with k_other_memory: turns may come back to the place; as k_turn
inline constexpr Bits k_link = 8192;   ///< what memory said in the turn before, and nothing else; as k_turn
inline constexpr Bits k_stays = 16384; ///< may be as in the turn before; as k_turn
inline constexpr Bits k_upper = 2048;  ///< the other bits speak of its first 4 bytes alone

enum class Operation : std::uint8_t {
  none,
  add,
  add_float,
  multiply,
  multiply_float,
  bit_and,
  bit_or,
  bit_xor,
  least,
  most,
  least_unsigned,
  most_unsigned
};
/// Returns whether the order in which values are put in shows, by rounding.
inline bool is_float(Operation operation) noexcept {
  return operation == Operation::add_float || operation == Operation::multiply_float;
}

/// The size of partial results of 4 bytes, two of them in half a vector register.
inline constexpr std::uint8_t k_packed = 20;

struct Symbol {
  enum class Kind : std::uint8_t {
    argument,
    stack_argument,
    frame,
    thread_count,
    thread_number,
    quotient,
    remainder,
    remainder_or_zero,
    length,
    share, ///< a share of the part's iterations: x, divided by 2^y
    low,
    raw_end,
    is_last,
    ticks,
    header,
    load,
    result,
    sign,
    canary,
    cursor,
    found, ///< by a compare and exchange in an inner loop
    identity
  };
  Kind kind;
  Bits bits;
  std::uint64_t x;
  std::uint64_t y;
  std::uint64_t z;
};
using SymbolId = std::uint32_t; // 0: none

/// factor * a * b
struct Term {
  std::int64_t factor;
  SymbolId a;
  SymbolId b;
};
inline constexpr std::size_t k_most_terms = 8;

/// Copies leave out the terms that are not there.
struct Polynomial {
  constexpr Polynomial() noexcept = default;
  Polynomial(const Polynomial& other) noexcept { *this = other; }
  Polynomial& operator=(const Polynomial& other) noexcept {
    if (&other == this) return *this;
    constant = other.constant;
    count = other.count;
    std::copy_n(other.terms, count, terms);
    return *this;
  }
  ~Polynomial() = default;

  std::int64_t constant = 0;
  std::uint32_t count = 0;
  Term terms[k_most_terms];
};

struct Node {
  enum class Kind : std::uint8_t {
    polynomial, ///< a sum of products of symbols, modulo 2^64
    plain,      ///< only the bits are known
    sum,      ///< a location's value at the loop's header, with values of iterations put in by one operation
    merged,   ///< the result of a sum behind the loop: the operation's identity for no iterations
    combined, ///< shared memory at an address, with a merged value put in
  };
  Kind kind = Kind::plain;
  Bits bits = 0;
  Operation operation = Operation::none;
  std::uint32_t location = 0; // sum
  Value address = 0;          // combined; sum: where it was made; plain: the value it was made of, or 0
  Value start = 0;            // merged: the start value of an idempotent operation; 0: its identity
  std::uint8_t size = 0;      // bytes of a partial result, or k_packed; 0: any
  Polynomial polynomial;      // the last member: a kept node has no room for terms that are not there
};

class Values {
public:
  explicit Values(Arena& arena) noexcept;
  bool is_exhausted() const noexcept { return exhausted_; }

  const Node& at(Value value) const noexcept { return *nodes_[value]; }
  const Symbol& symbol(SymbolId id) const noexcept { return symbols_[id]; }

  Value constant(std::int64_t value) noexcept;
  Value plain(Bits bits, Value made_of = 0) noexcept;
  Value undefined() noexcept { return plain(k_carried); }
  Value of(Symbol::Kind kind, Bits bits, std::uint64_t x = 0, std::uint64_t y = 0,
           std::uint64_t z = 0) noexcept;
  Value of_symbol(SymbolId id) noexcept;
  /// `made`: where it was made; equal sums with it are equal values. 0: as at the header.
  Value sum(std::uint32_t location, Operation operation, unsigned size, std::uint32_t made = 0) noexcept;
  Value merged(Operation operation, unsigned size, Value start = 0) noexcept;
  Value combined(Operation operation, unsigned size, Value address) noexcept;
  bool is_partial(Value value) const noexcept {
    return at(value).kind != Node::Kind::polynomial && at(value).kind != Node::Kind::plain;
  }
  /// `value` as a use of `size` bytes sees it: a partial result of another size is none any more.
  Value used_in(Value value, unsigned size) noexcept;
  /// `value` where the first 4 bytes of half a vector register move alone.
  Value first_lane(Value value) noexcept;
  Value intern(const Polynomial& polynomial) noexcept;
  std::uint32_t location(std::uint64_t x, std::uint64_t y) noexcept;

  bool is_polynomial(Value value) const noexcept { return at(value).kind == Node::Kind::polynomial; }
  bool is_constant(Value value, std::int64_t& constant) const noexcept;
  bool is_constant(Value value) const noexcept {
    return is_polynomial(value) && at(value).polynomial.count == 0;
  }
  /// Returns the only symbol of a value that is nothing else; 0: it is something else.
  SymbolId only_symbol(Value value) const noexcept;
  bool is_symbol(Value value, Symbol::Kind kind) const noexcept {
    const SymbolId id = only_symbol(value);
    return id != 0 && symbol(id).kind == kind;
  }

  /// Returns whether `value` says whether a compare and exchange has failed.
  bool is_of_swap(Value value) const noexcept {
    return is_symbol(value, Symbol::Kind::found) && symbol(only_symbol(value)).y != 0;
  }

  // Arithmetic of polynomials; other values keep their bits only.
  Value add(Value a, Value b) noexcept { return sum_of(a, b, 1); }
  Value subtract(Value a, Value b) noexcept { return sum_of(a, b, -1); }
  Value multiply(Value a, Value b) noexcept;
  Value scale(Value a, std::int64_t factor) noexcept;
  /// `value` with `polynomial` instead of `symbol`; plain if that is too long.
  Value substitute(Value value, SymbolId symbol, Value replacement) noexcept;

  // The formula of gcc: set when they are known.
  SymbolId thread_number = 0;
  SymbolId remainder_or_zero = 0;
  SymbolId length = 0; // iterations of the part
  SymbolId low = 0;    // its first iteration

private:
  SymbolId symbol_id(Symbol::Kind kind, Bits bits, std::uint64_t x, std::uint64_t y,
                     std::uint64_t z) noexcept;
  Value intern(const Node& node) noexcept;
  Value sum_of(Value a, Value b, std::int64_t factor) noexcept;
  void find_part(Polynomial& polynomial) const noexcept;
  Bits bits_of(const Polynomial& polynomial) const noexcept;

  static constexpr std::size_t k_slots = 1U << 14;
  Arena& arena_;
  Grown<const Node*> nodes_;
  Grown<Symbol> symbols_;
  struct NodeSlot {
    Value value;
    std::uint32_t hash;
  };
  NodeSlot* node_slots_ = nullptr;
  std::uint32_t* symbol_slots_ = nullptr;
  bool exhausted_ = false;
};

/// Returns the number in `dividend`, which has so many bytes, in a form that can be read when a
/// region begins.
IterationCount count_of(const Values& values, Value dividend, unsigned width) noexcept;

} // namespace wstree::proof
