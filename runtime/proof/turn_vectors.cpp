// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of vector registers, in words of 4 bytes.
#include "turn.h"

#include "registers.h"
#include "vectors.h"

#include <algorithm>

namespace wstree::proof {

/// Reads the first lanes of a vector register, or memory.
bool Turn::read_lanes(const Instruction& instruction, const Operand& operand, unsigned count,
                      Word* lanes) noexcept {
  if (operand.is_mem()) {
    Word address = 0;
    if (!address_of(instruction, operand, address)) return false;
    (void)note_frame(address, 4 * count, false);
    for (unsigned i = 0; i < count; ++i) lanes[i] = loaded(words_.add(address, words_.constant(4 * i, 8)), 4);
    return true;
  }
  const unsigned reg = operand.is_reg() ? vector_of(operand.reg) : k_no_register;
  if (reg == k_no_register) return false;
  std::copy(vectors_[reg], vectors_[reg] + count, lanes);
  return true;
}

/// Writes the first lanes of a vector register, or memory.
bool Turn::write_lanes(const Instruction& instruction, const Operand& operand, unsigned count,
                       const Word* lanes) noexcept {
  if (operand.is_mem()) return store(instruction, operand, count * 4, lanes);
  const unsigned reg = operand.is_reg() ? vector_of(operand.reg) : k_no_register;
  if (reg == k_no_register) return false;
  std::copy(lanes, lanes + count, vectors_[reg]);
  return true;
}

bool Turn::step_vector(const Instruction& instruction) noexcept {
  const Operand* const operands = instruction.operands;
  const VectorUse use = vector_use(instruction.id);
  unsigned count = instruction.count;
  while (count > 1 && operands[count - 1].is_imm()) --count;
  const unsigned reg = operands[0].is_reg() ? vector_of(operands[0].reg) : k_no_register;
  const Operand& source = operands[count - 1];
  const bool is_same = count >= 2 && operands[count - 1].is_reg() && operands[count - 2].is_reg() &&
                       operands[count - 1].reg == operands[count - 2].reg;
  // Lanes behind 16 bytes become zero or stay: no loop of such instructions uses them.
  const auto done = [&](bool is_known) noexcept {
    if (is_known && reg != k_no_register && operands[0].size == 16)
      std::fill(vectors_[reg] + 4, vectors_[reg] + k_lanes, words_.unknown(4));
    return is_known;
  };
  Word lanes[k_lanes] = {};
  switch (use.form) {
  case VectorForm::move: {
    const unsigned size = operands[0].size / 4;
    return done(read_lanes(instruction, source, size, lanes) &&
                write_lanes(instruction, operands[0], size, lanes));
  }
  case VectorForm::scalar_move: {
    const bool is_double = instruction.id == X86_INS_MOVSD || instruction.id == X86_INS_VMOVSD;
    const unsigned size = is_double ? 2 : 1;
    if (operands[0].is_mem())
      return !source.is_mem() && read_lanes(instruction, source, size, lanes) &&
             write_lanes(instruction, operands[0], size, lanes);
    if (source.is_mem())
      for (Word& lane : lanes) lane = words_.constant(0, 4);
    else if (!read_lanes(instruction, operands[count == 3 ? 1 : 0], 4, lanes))
      return false;
    return done(read_lanes(instruction, source, size, lanes) &&
                write_lanes(instruction, operands[0], 4, lanes));
  }
  case VectorForm::word_move: {
    const bool is_long = instruction.id == X86_INS_MOVQ || instruction.id == X86_INS_VMOVQ;
    const unsigned size = is_long || source.size == 8 || operands[0].size == 8 ? 2 : 1;
    if (source.is_reg() && general_of(source.reg) != k_no_register) {
      Word word = 0;
      if (!read(instruction, source, word)) return false;
      lanes[0] = source.size == 8 ? words_.half(word, 0) : word;
      lanes[1] = source.size == 8 ? words_.half(word, 1) : words_.constant(0, 4);
    } else {
      lanes[1] = words_.constant(0, 4);
      if (!read_lanes(instruction, source, size, lanes)) return false;
    }
    if (operands[0].is_mem()) return write_lanes(instruction, operands[0], size, lanes);
    if (reg == k_no_register)
      return write(instruction, operands[0],
                   operands[0].size == 8 ? words_.pair(lanes[0], lanes[1]) : lanes[0]);
    lanes[2] = lanes[3] = words_.constant(0, 4);
    return done(write_lanes(instruction, operands[0], 4, lanes));
  }
  case VectorForm::low_load:
  case VectorForm::high_load: {
    const unsigned place = use.form == VectorForm::high_load ? 2 : 0;
    if (operands[0].is_mem())
      return read_lanes(instruction, source, 4, lanes) &&
             write_lanes(instruction, operands[0], 2, lanes + place);
    return done(read_lanes(instruction, operands[count == 3 ? 1 : 0], 4, lanes) && source.is_mem() &&
                read_lanes(instruction, source, 2, lanes + place) &&
                write_lanes(instruction, operands[0], 4, lanes));
  }
  case VectorForm::compare: {
    const bool is_double = instruction.id == X86_INS_COMISD || instruction.id == X86_INS_VCOMISD ||
                           instruction.id == X86_INS_UCOMISD || instruction.id == X86_INS_VUCOMISD;
    Word other[2] = {};
    const unsigned size = is_double ? 2 : 1;
    if (!read_lanes(instruction, operands[0], size, lanes) || !read_lanes(instruction, source, size, other))
      return false;
    flags_ = words_.operation(instruction.id, 4, is_double ? words_.pair(lanes[0], lanes[1]) : lanes[0],
                              is_double ? words_.pair(other[0], other[1]) : other[0]);
    return true;
  }
  case VectorForm::lanes:
  case VectorForm::scalar:
  case VectorForm::fused:
  case VectorForm::fused_scalar:
    if (is_same && (use.operation == Operation::bit_xor || instruction.id == X86_INS_PSUBD ||
                    instruction.id == X86_INS_PSUBQ)) {
      for (Word& lane : lanes) lane = words_.constant(0, 4);
      return done(write_lanes(instruction, operands[0], operands[0].size / 4, lanes));
    }
    if (is_same && (instruction.id == X86_INS_PCMPEQD || instruction.id == X86_INS_VPCMPEQD)) {
      for (Word& lane : lanes) lane = words_.constant(-1, 4);
      return done(write_lanes(instruction, operands[0], operands[0].size / 4, lanes));
    }
    return done(step_lanes(instruction, use.form));
  case VectorForm::scalar_unary:
  case VectorForm::to_general:
    return done(step_scalar(instruction, use.form));
  case VectorForm::spread:
  case VectorForm::low_halves:
  case VectorForm::mixed:
    return done(step_mixed(instruction));
  default:
    return false;
  }
}

} // namespace wstree::proof
