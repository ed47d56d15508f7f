// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The use of operands' halves by instructions of vector registers: the low 8 bytes, and the rest.
#pragma once

#include "values.h"

#include <cstdint>

namespace wstree::proof {

enum class VectorForm : std::uint8_t {
  unknown,
  move,         // whole registers or memory
  scalar_move,  // movss, movsd
  word_move,    // movd, movq
  lanes,        // each half of the result from the same halves of the operands
  scalar,       // the low half from the low halves
  scalar_unary, // the low half from that of the last operand alone
  spread,       // the whole result from the low half of the last operand
  low_halves,   // the low half of the first and that of the last operand
  mixed,        // the whole result from the whole operands
  low_load,     // movlps, movlpd
  high_load,    // movhps, movhpd
  to_general,   // a general register or memory: from the low half, or (addend 1) from both
  compare,      // sets flags
  fused,        // multiply and add: lanes, or
  fused_scalar, // the low halves
};

struct VectorUse {
  VectorForm form = VectorForm::unknown;
  Operation operation = Operation::none;
  std::uint8_t addend = 0; // fused: which operand is added
};

VectorUse vector_use(unsigned instruction) noexcept;

/// Returns the size of a partial result that an instruction with an operation makes.
unsigned lane_size(unsigned instruction, const VectorUse& use) noexcept;

/// Returns whether an instruction makes a floating-point number of an integer.
bool converts(unsigned instruction) noexcept;

} // namespace wstree::proof
