// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifts, products and conditions of general registers, in words.
#include "turn.h"

#include "registers.h"

namespace wstree::proof {
namespace {

enum Condition : std::uint8_t {
  above = 1,
  not_above,
  below,
  not_below,
  equal,
  not_equal,
  greater,
  not_greater,
  less,
  not_less,
  other
};

} // namespace

unsigned condition_number(unsigned instruction) noexcept {
#define WSTREE_CONDITION(name, number)                                                                       \
  case X86_INS_CMOV##name:                                                                                   \
  case X86_INS_SET##name:                                                                                    \
    return number;
  switch (instruction) {
    WSTREE_CONDITION(A, above)
    WSTREE_CONDITION(BE, not_above)
    WSTREE_CONDITION(B, below)
    WSTREE_CONDITION(AE, not_below)
    WSTREE_CONDITION(E, equal)
    WSTREE_CONDITION(NE, not_equal)
    WSTREE_CONDITION(G, greater)
    WSTREE_CONDITION(LE, not_greater)
    WSTREE_CONDITION(L, less)
    WSTREE_CONDITION(GE, not_less)
    WSTREE_CONDITION(S, other)
    WSTREE_CONDITION(NS, other + 1)
    WSTREE_CONDITION(O, other + 2)
    WSTREE_CONDITION(NO, other + 3)
    WSTREE_CONDITION(P, other + 4)
    WSTREE_CONDITION(NP, other + 5)
  default:
    return 0;
  }
#undef WSTREE_CONDITION
}

/// Returns one of two words by the flags: a minimum or a maximum where these compare the two.
Word Turn::choose(unsigned condition, Word yes, Word no) noexcept {
  const unsigned size = words_.at(yes).size;
  const WordNode flags = words_.at(flags_);
  if (words_.is_operation(flags_, WordOperation::comparison) && flags.constant == size &&
      ((flags.a == yes && flags.b == no) || (flags.a == no && flags.b == yes))) {
    const bool is_first = flags.a == yes;
    switch (condition) {
    case less:
    case not_greater:
      return words_.operation(is_first ? WordOperation::least : WordOperation::most, size, yes, no);
    case greater:
    case not_less:
      return words_.operation(is_first ? WordOperation::most : WordOperation::least, size, yes, no);
    case below:
    case not_above:
      return words_.operation(is_first ? WordOperation::least_unsigned : WordOperation::most_unsigned, size,
                              yes, no);
    case above:
    case not_below:
      return words_.operation(is_first ? WordOperation::most_unsigned : WordOperation::least_unsigned, size,
                              yes, no);
    default:
      break;
    }
  }
  return words_.operation(WordOperation::choice, size, yes, no, flags_, condition);
}

bool Turn::step_shift(const Instruction& instruction) noexcept {
  const Operand* const operands = instruction.operands;
  const unsigned size = operands[0].size;
  const bool keeps_flags =
      instruction.id == X86_INS_SHLX || instruction.id == X86_INS_SHRX || instruction.id == X86_INS_SARX;
  Word a = 0;
  Word by = 0;
  if (size < 4 || !read(instruction, operands[keeps_flags ? 1 : 0], a)) return false;
  std::int64_t number = 0;
  if (instruction.count < 2 || operands[instruction.count - 1].is_imm()) {
    number = instruction.count < 2 ? 1 : operands[instruction.count - 1].value & (size * 8 - 1);
    by = words_.constant(number, 4);
    if (number == 0) return false; // the flags stay
  } else {
    if (!read(instruction, operands[instruction.count - 1], by)) return false;
    by = narrow(words_.at(by).size == 8 ? words_.half(by, 0) : by, 1);
  }
  Word made = 0;
  switch (instruction.id) {
  case X86_INS_SHL:
  case X86_INS_SAL:
  case X86_INS_SHLX:
    made = number != 0 ? words_.scale(a, std::int64_t{1} << number)
                       : words_.operation(WordOperation::shift_left, size, a, by);
    break;
  case X86_INS_SHR:
  case X86_INS_SHRX:
    made = words_.operation(WordOperation::shift_right, size, a, by);
    break;
  case X86_INS_SAR:
  case X86_INS_SARX:
    made = words_.operation(WordOperation::shift_right_sign, size, a, by);
    break;
  default:
    return false;
  }
  // A shift by a register may be one by zero, which keeps the flags.
  if (!keeps_flags) set_flags(instruction.id, a, by, size, flags_);
  return write(instruction, operands[0], made);
}

bool Turn::step_multiply(const Instruction& instruction) noexcept {
  const Operand* const operands = instruction.operands;
  const unsigned size = operands[0].size;
  if (size < 4) return false;
  Word a = 0;
  Word b = 0;
  if (instruction.id == X86_INS_IMUL && instruction.count >= 2) {
    if (!read(instruction, operands[instruction.count == 2 ? 0 : 1], a) ||
        !read(instruction, operands[instruction.count - 1], b))
      return false;
    std::int64_t factor = 0;
    set_flags(instruction.id, a, b, size);
    return write(instruction, operands[0],
                 words_.is_constant(b, factor) ? words_.scale(a, factor)
                                               : words_.operation(WordOperation::multiply, size, a, b));
  }
  if (!read(instruction, operands[0], b)) return false;
  a = size == 8 ? general_[k_rax] : words_.half(general_[k_rax], 0);
  const Word high = size == 8 ? general_[k_rdx] : words_.half(general_[k_rdx], 0);
  const bool is_division = instruction.id == X86_INS_DIV || instruction.id == X86_INS_IDIV;
  Word low = words_.operation(instruction.id, size, a, b, is_division ? high : 0);
  Word upper = words_.operation(instruction.id, size, a, b, is_division ? high : 0, 1);
  flags_ = words_.unknown(4);
  general_[k_rax] = size == 8 ? low : words_.zero_extended(low);
  general_[k_rdx] = size == 8 ? upper : words_.zero_extended(upper);
  return true;
}

bool Turn::step_condition(const Instruction& instruction) noexcept {
  const unsigned condition = condition_number(instruction.id);
  const Operand* const operands = instruction.operands;
  if (instruction.count == 1) // sets a byte
    return write(instruction, operands[0],
                 words_.operation(WordOperation::condition, 4, flags_, 0, 0, condition));
  Word yes = 0;
  Word no = 0;
  if (operands[0].size < 4 || !read(instruction, operands[1], yes) || !read(instruction, operands[0], no))
    return false;
  return write(instruction, operands[0], choose(condition, yes, no));
}

} // namespace wstree::proof
