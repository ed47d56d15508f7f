// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proof's knowledge at a place of a function. For the .cpp files of this folder alone.
#pragma once

#include "code.h"
#include "values.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace wstree::proof {

/// Memory of a frame.
struct Slot {
  SymbolId base = 0; // a frame, or an aligned address in it
  std::int32_t offset = 0;
  std::uint32_t size = 0;
  Value value = 0;
  std::int32_t end() const noexcept { return offset + static_cast<std::int32_t>(size); }
};

/// The last comparison, or a result that the flags belong to and zero.
struct Flags {
  Value a = 0;
  Value b = 0;
  bool is_comparison = false;      ///< if not, the carry is not that of a comparison
  std::uint8_t size = 0;           ///< bytes of the operands, in general registers or memory
  Bits overflow = k_carried;       ///< inputs of overflow and carry beyond the result; not for comparisons
  std::uint16_t registers[2] = {}; ///< registers that still hold the compared operands, a bit each
  bool is_carry = false;           ///< the flags hold a carry alone
};

/// The facts that hold on every path to a place. Copies leave out the slots that are not there, and may be in
/// memory without room for them.
struct State {
  static constexpr std::size_t k_most_slots = 240;
  enum class Formula : std::uint8_t { open, less, not_less, done };

  constexpr State() noexcept = default;
  State(const State& other) noexcept { *this = other; }
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): memmove() takes overlapping memory
  State& operator=(const State& other) noexcept {
    std::memmove(static_cast<void*>(this), static_cast<const void*>(&other), other.bytes());
    return *this;
  }
  ~State() = default;
  bool operator==(const State& other) const noexcept {
    return count == other.count &&
           std::memcmp(static_cast<const void*>(this), static_cast<const void*>(&other), bytes()) == 0;
  }
  /// Its bytes, without the slots that are not there.
  std::size_t bytes() const noexcept;

  Value general[16] = {};
  std::uint8_t width[16] = {}; ///< bytes of it that are defined; 0: all
  std::uint16_t words = 0;     ///< registers that have got 4 bytes in this iteration, and zeros above them
  Value low[16] = {};          ///< first 8 bytes of each vector register
  Value high[16] = {};         ///< and the rest
  Flags flags;
  Value cursor = 0;       ///< the next iteration of the part that is to be executed
  Address version = 0;    ///< the first choice by the part that led here; 0: none
  std::int64_t least = 0; ///< iterations of the part that are left, at least
  std::int64_t most = 0;  ///< and at most
  std::uint64_t done = 0; ///< the effects of following iterations that copies of the body had, by iteration
  std::uint32_t bulk = 0; ///< effects that memset() and memcpy() had for all iterations
  Formula formula = Formula::open;
  bool is_reached = false;
  bool is_nonempty = false;  ///< the part has iterations
  bool is_empty = false;     ///< it has none
  bool is_begun = false;     ///< iterations were executed on each path
  bool is_last_part = false; ///< it has the last one of the loop
  bool is_locked = false;    ///< the lock for reductions is held
  bool was_locked = false;   ///< it is or was held on some path
  bool is_late = false;      ///< memory may not be as it was at the entry
  std::uint16_t count = 0;
  Slot slots[k_most_slots];
};
inline std::size_t State::bytes() const noexcept { return offsetof(State, slots) + count * sizeof(Slot); }

/// Notes that `registers`, a bit each, got `size` bytes: 4 have zeros above them.
inline void note_words(State& state, unsigned registers, unsigned size) noexcept {
  state.words = static_cast<std::uint16_t>(size == 4 ? state.words | registers : state.words & ~registers);
}

/// A state in memory that is as large as it needs.
struct Kept {
  State* state = nullptr;
  std::size_t room = 0;
};
/// The last visit of a block.
struct Visited {
  Kept in;
  Kept out;
  std::uint32_t mode = 0; ///< its number among the modes of the walk; 0: it may not be repeated
  bool is_silent = false; ///< nothing in it was to be judged
  bool ends = false;      ///< the end of the block was reached
};

} // namespace wstree::proof
