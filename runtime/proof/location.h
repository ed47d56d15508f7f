// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A place whose value at the header of a loop is known. For the .cpp files of this folder alone.
#pragma once

#include "prover.h"

namespace wstree::proof {

inline constexpr std::size_t k_registers = 48;

/// Returns the value of a register, or of half of one.
inline Value& register_of(State& state, std::size_t i) noexcept {
  return i < 16 ? state.general[i] : i < 32 ? state.low[i - 16] : state.high[i - 32];
}

/// Returns the first unit of a register's half that registers are made of in Copies.
inline unsigned unit_of(std::size_t i) noexcept {
  const auto number = static_cast<unsigned>(i);
  return number < 16 ? number : number < 32 ? 16 + (number - 16) * 4 : 16 + (number - 32) * 4 + 1;
}
/// Returns the lanes of 4 bytes of a partial result of `size` bytes, a bit each; 0: it has 8.
inline unsigned lanes_of(unsigned size) noexcept { return size == k_packed ? 3 : size == 4 ? 1 : 0; }

/// A place whose value at the loop's header is known: a register, or a slot of the frame.
struct Prover::Location {
  enum class Class : std::uint8_t {
    same,    ///< as before the loop
    changed, ///< in a way that is being found out
    stepped, ///< `step` more with each iteration
    sum,     ///< a partial result
    lost,    ///< something that earlier iterations have left
    reread,  ///< the value of a word that all calls share, when it was last read
    lanes,   ///< `step` more in each 4 bytes with each turn
  };
  Class is = Class::same;
  Operation operation = Operation::none;
  std::uint8_t bytes = 0;   ///< bytes of a sum; 0: not known
  std::uint16_t member = 0; ///< sum: its number, if other registers have some of the iterations
  std::uint32_t id = 0;
  SymbolId base = 0; // base of a slot
  std::int32_t offset = 0;
  std::uint32_t size = 0;
  Value start = 0;
  Value step = 0;

  Value* in(State& state, std::size_t i) const noexcept {
    if (i < k_registers) return &register_of(state, i);
    for (std::uint16_t j = 0; j < state.count; ++j)
      if (Slot& slot = state.slots[j]; slot.base == base && slot.offset == offset && slot.size == size)
        return &slot.value;
    return nullptr;
  }
};
} // namespace wstree::proof
