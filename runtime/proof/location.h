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
  std::uint8_t bytes = 0; ///< bytes of a sum; 0: not known
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
