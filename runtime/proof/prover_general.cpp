// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effects of instructions with general registers on the values.
#include "prover.h"
#include "registers.h"

#include <initializer_list>

namespace wstree::proof {

bool Prover::step_general(const Instruction& instruction, State& state) noexcept {
  if (instruction.rep == 0 && step_narrow(instruction, state)) return true;
  const Operand* const operands = instruction.operands;
  Value a = 0;
  Value b = 0;
  const auto set_flags = [&](Value value) noexcept {
    state.flags = {value, values_.constant(0), false, operands[0].size, k_carried};
  };
  // Carry and overflow go by the result, or by these as well.
  const auto set_overflow = [&](Bits bits) noexcept { state.flags.overflow = bits; };
  if (instruction.rep != 0 && instruction.id != X86_INS_BSF && instruction.id != X86_INS_BSR &&
      instruction.id != X86_INS_TZCNT && instruction.id != X86_INS_LZCNT && instruction.id != X86_INS_POPCNT)
    return refuse("moves memory by an instruction that repeats itself", instruction.address);
  // Shifts by zero leave the flags, and rotations most of them.
  const auto is_by_none = [&](unsigned by) noexcept {
    return instruction.count > by && !operands[by].is_imm();
  };
  // Registers that are written beside the operands.
  if (instruction.id == X86_INS_CDQ || instruction.id == X86_INS_CQO)
    note_words(state, 1U << k_rdx, instruction.id == X86_INS_CDQ ? 4 : 8);
  if (instruction.id == X86_INS_LEAVE) note_words(state, 1U << k_rbp, 8);
  switch (instruction.id) {
  case X86_INS_MOV:
  case X86_INS_MOVABS:
  case X86_INS_MOVZX:
  case X86_INS_MOVSX:
  case X86_INS_MOVSXD:
    if (!read(instruction, operands[1], state, a)) return false;
    if (operands[0].size > operands[1].size && !operands[1].is_imm()) {
      a = values_.used_in(a, operands[0].size);
      // As is a number without a sign that gets one.
      if (operands[1].size == 4) {
        note_sign(a);
        a = extended(a);
        if (operands[0].size == 8 && instruction.id != X86_INS_MOV) a = with_signs(a);
      }
      // A byte with a sign is another number than one without.
      if (operands[1].size < 4 && instruction.id == X86_INS_MOVSX)
        a = values_.is_constant(a)
                ? cut_constant(a, operands[1].size, true)
                : result(instruction.id | (operands[0].size == 8 ? k_operation_flags : 0), a);
    }
    return write(instruction, operands[0], state, a);
  case X86_INS_LEA: {
    const unsigned size = operands[0].size;
    Value address = address_of(operands[1], state, size);
    is_wide_ = size == 8;
    // The summand may be a partial result.
    if (operands[1].index != X86_REG_INVALID && operands[1].scale == 1 &&
        operands[1].reg != X86_REG_INVALID && operands[1].reg != X86_REG_RIP && operands[1].value == 0) {
      const unsigned base = general_of(operands[1].reg);
      const unsigned index = general_of(operands[1].index);
      if (base != k_no_register && index != k_no_register && state.width[base] == 0 &&
          state.width[index] == 0)
        address = apply(Operation::add, size, values_.used_in(word_in(state, base, size), size),
                        values_.used_in(word_in(state, index, size), size));
    }
    for (const x86_reg reg : {operands[1].reg, operands[1].index})
      if (const unsigned number = general_of(reg); number != k_no_register)
        address = not_cancelled(address, state.general[number]);
    return write(instruction, operands[0], state, address);
  }
  case X86_INS_ADD:
  case X86_INS_SUB: {
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    const bool is_add = instruction.id == X86_INS_ADD;
    Value made = 0;
    if (operands[0].size < 4)
      made = result(instruction.id, a, b);
    else if (is_add)
      made = not_cancelled(apply(Operation::add, operands[0].size, a, b), a, b);
    else {
      made = combine(Operation::add, operands[0].size, a, b, true);
      if (made == 0) made = not_cancelled(values_.subtract(a, b), a, b);
      if (!values_.is_polynomial(made) && values_.at(made).kind == Node::Kind::plain)
        made = result(instruction.id, a, b);
    }
    if (is_add && !values_.is_polynomial(a) != !values_.is_polynomial(b))
      if (const bool is_first = values_.is_symbol(a, Symbol::Kind::header);
          is_first || values_.is_symbol(b, Symbol::Kind::header))
        made = maybe_none(made, is_first ? b : a);
    if (is_add) {
      set_flags(made);
      set_overflow(classify(a) | classify(b));
    } else
      state.flags = {a, b, true, operands[0].size};
    return write(instruction, operands[0], state, made);
  }
  case X86_INS_INC:
  case X86_INS_DEC: {
    if (!read(instruction, operands[0], state, a)) return false;
    const Value one = values_.constant(instruction.id == X86_INS_INC ? 1 : -1);
    const Value made = operands[0].size < 4
                           ? result(instruction.id, a)
                           : not_cancelled(apply(Operation::add, operands[0].size, a, one), a);
    // The carry stays.
    const Bits before =
        state.flags.is_comparison ? classify(state.flags.a) | classify(state.flags.b) : state.flags.overflow;
    set_flags(made);
    set_overflow(classify(a) | before);
    return write(instruction, operands[0], state, made);
  }
  case X86_INS_NEG: {
    if (!read(instruction, operands[0], state, a)) return false;
    const Value made = values_.is_polynomial(a) && operands[0].size >= 4
                           ? not_cancelled(values_.scale(a, -1), a)
                           : result(instruction.id, a);
    set_flags(made);
    set_overflow(classify(a));
    return write(instruction, operands[0], state, made);
  }
  case X86_INS_NOT: {
    if (!read(instruction, operands[0], state, a)) return false;
    const bool is_exact = values_.is_polynomial(a) && operands[0].size >= 4;
    return write(instruction, operands[0], state,
                 is_exact ? not_cancelled(values_.add(values_.scale(a, -1), values_.constant(-1)), a)
                          : result(instruction.id, a));
  }
  case X86_INS_IMUL:
    if (instruction.count == 1) break;
    if (!read(instruction, operands[instruction.count - 2], state, a) ||
        !read(instruction, operands[instruction.count - 1], state, b))
      return false;
    a = operands[0].size < 4 ? result(instruction.id, a, b)
                             : not_cancelled(apply(Operation::multiply, operands[0].size, a, b), a, b);
    set_flags(result(k_operation_flags, a));
    return write(instruction, operands[0], state, a);
  case X86_INS_SHL:
  case X86_INS_SAL: {
    if (!read(instruction, operands[0], state, a)) return false;
    std::int64_t count = 1;
    if (instruction.count > 1) {
      if (!read(instruction, operands[1], state, b)) return false;
    } else
      b = values_.constant(1);
    const bool is_exact =
        values_.is_constant(b, count) && count < 31 && values_.is_polynomial(a) && operands[0].size >= 4;
    a = is_exact ? values_.scale(a, std::int64_t{1} << count) : result(instruction.id, a, b);
    set_flags(is_by_none(1) ? values_.undefined() : a);
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_SAR:
  case X86_INS_SHR:
  case X86_INS_ROL:
  case X86_INS_ROR: {
    if (!read(instruction, operands[0], state, a)) return false;
    b = values_.constant(1);
    if (instruction.count > 1 && !read(instruction, operands[1], state, b)) return false;
    std::int64_t bits = 0;
    const bool is_shift = instruction.id == X86_INS_SAR || instruction.id == X86_INS_SHR;
    const Value share = is_shift && operands[0].size >= 4 && values_.is_constant(b, bits)
                            ? share_of(a, bits, operands[0].size, state)
                            : 0;
    a = share != 0 ? share : result(instruction.id, a, b);
    set_flags(is_shift && !is_by_none(1) ? a : values_.undefined());
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_SHLD:
  case X86_INS_SHRD: {
    Value c = 0;
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b) ||
        !read(instruction, operands[2], state, c))
      return false;
    a = result(instruction.id, a, b, c);
    set_flags(is_by_none(2) ? values_.undefined() : a);
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_AND:
  case X86_INS_OR:
  case X86_INS_XOR: {
    const bool is_same = operands[0].is_reg() && operands[1].is_reg() && operands[0].reg == operands[1].reg;
    if (is_same && instruction.id == X86_INS_XOR && operands[0].size >= 4) {
      a = values_.constant(0);
      set_flags(a);
      set_overflow(0);
      return write(instruction, operands[0], state, a);
    }
    const Cuts before = cuts();
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    std::int64_t constant = 0;
    const bool is_constant = values_.is_constant(b, constant);
    const bool is_full = operands[0].size >= 4;
    bool keeps_cuts = false;
    if (instruction.id == X86_INS_AND && is_constant && general_of(operands[0].reg) == k_rsp &&
        operands[0].is_reg() && constant < 0) {
      a = values_.of(Symbol::Kind::frame, k_frame, a, static_cast<std::uint64_t>(constant));
      set_flags(values_.undefined());
      return write(instruction, operands[0], state, a);
    }
    if (instruction.id == X86_INS_AND && is_constant && constant == 0 && is_full)
      a = values_.constant(0);
    else if (instruction.id == X86_INS_OR && is_constant && constant == -1 && is_full)
      a = values_.constant(-1);
    else {
      const Operation operation = instruction.id == X86_INS_AND  ? Operation::bit_and
                                  : instruction.id == X86_INS_OR ? Operation::bit_or
                                                                 : Operation::bit_xor;
      const Value share = instruction.id == X86_INS_AND && is_constant && is_full
                              ? masked_share(a, constant, operands[0].size, state)
                              : 0;
      // The first bytes have all of a rest, and all that a mask leaves.
      keeps_cuts = instruction.id == X86_INS_AND && is_constant && is_full && constant > 0 &&
                   constant < (share != 0 ? 1024 : INT32_MAX);
      a = share != 0 ? share
          : is_full  ? apply(operation, operands[0].size, a, b)
                     : result(instruction.id, a, b);
    }
    set_flags(a);
    set_overflow(0);
    if (!write(instruction, operands[0], state, a)) return false;
    if (keeps_cuts) restore(before);
    return true;
  }
  case X86_INS_CDQ:
  case X86_INS_CQO: {
    is_wide_ = instruction.id == X86_INS_CQO;
    a = word_in(state, k_rax, is_wide_ ? 8 : 4);
    if (state.width[k_rax] != 0) a = values_.undefined();
    if (!is_wide_) a = cut_constant(first_word(a), 4, true);
    std::int64_t constant = 0;
    Value sign = values_.is_constant(a, constant) ? values_.constant(constant < 0 ? -1 : 0) : 0;
    if (sign == 0)
      sign = loop_.is_entered || !values_.is_polynomial(a)
                 ? result(instruction.id, a)
                 : values_.of(Symbol::Kind::sign, values_.at(a).bits, a, is_wide_ ? 1 : 0);
    state.general[k_rdx] = sign;
    state.width[k_rdx] = 0;
    return true;
  }
  case X86_INS_CDQE:
  case X86_INS_CWDE:
    note_width(state.general[k_rax], state);
    note_sign(state.general[k_rax]);
    if (instruction.id == X86_INS_CDQE) {
      state.general[k_rax] =
          with_signs(cut_constant(extended(first_word(word_in(state, k_rax, 4))), 4, true));
      note_words(state, 1U << k_rax, 8);
    }
    state.general[k_rax] = values_.used_in(state.general[k_rax], 8);
    if (instruction.id == X86_INS_CWDE) state.general[k_rax] = result(instruction.id, state.general[k_rax]);
    return true;
  case X86_INS_CMP:
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    state.flags = {a, b, true, operands[0].size};
    for (int i = 0; i < 2; ++i)
      if (const unsigned reg = operands[i].is_reg() ? general_of(operands[i].reg) : k_no_register;
          reg != k_no_register)
        state.flags.registers[i] = static_cast<std::uint16_t>(1U << reg);
    return true;
  case X86_INS_TEST:
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    if (operands[0].is_reg() && operands[1].is_reg() && operands[0].reg == operands[1].reg)
      set_flags(a);
    else {
      // A byte of a register holds the number of iterations left, if they are few.
      std::int64_t mask = 0;
      const bool has_mask = values_.is_constant(b, mask) && mask > 0 && mask < 128 && operands[0].is_reg();
      const unsigned reg = has_mask ? general_of(operands[0].reg) : k_no_register;
      const Value share = reg != k_no_register && state.width[reg] == 0
                              ? masked_share(state.general[reg], mask, 8, state)
                              : 0;
      const bool is_swap = mask == 1 && values_.is_of_swap(a);
      set_flags(share != 0 ? share : is_swap ? a : result(instruction.id, a, b));
    }
    set_overflow(0);
    return true;
  case X86_INS_BT:
    if (operands[0].is_mem()) break; // addresses bits far away
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    set_flags(result(instruction.id, a, b));
    set_overflow(0);
    state.flags.is_carry = true;
    return true;
  case X86_INS_BSF:
  case X86_INS_BSR: // a number without bits leaves the register as it was
    if (!read(instruction, operands[0], state, b) || !read(instruction, operands[1], state, a)) return false;
    set_flags(result(instruction.id, a));
    return write(instruction, operands[0], state, result(instruction.id, a, b));
  case X86_INS_TZCNT:
  case X86_INS_LZCNT:
  case X86_INS_POPCNT:
    if (!read(instruction, operands[1], state, a)) return false;
    a = result(instruction.id, a);
    set_flags(a);
    return write(instruction, operands[0], state, a);
  case X86_INS_BSWAP:
  case X86_INS_MOVBE:
  case X86_INS_RORX: // leave the flags
    if (!read(instruction, operands[instruction.count > 1 ? 1 : 0], state, a)) return false;
    return write(instruction, operands[0], state, result(instruction.id, a));
  case X86_INS_ANDN:
  case X86_INS_SHLX:
  case X86_INS_SHRX:
  case X86_INS_SARX:
  case X86_INS_BZHI:
    if (!read(instruction, operands[1], state, a) || !read(instruction, operands[2], state, b)) return false;
    a = result(instruction.id, a, b);
    if (instruction.id == X86_INS_ANDN || instruction.id == X86_INS_BZHI) set_flags(a);
    return write(instruction, operands[0], state, a);
  case X86_INS_ADC:
  case X86_INS_SBB: {
    const Value condition = condition_of(state, instruction.id);
    const bool is_same = operands[0].is_reg() && operands[1].is_reg() && operands[0].reg == operands[1].reg;
    if (is_same && instruction.id == X86_INS_SBB) {
      a = result(instruction.id, condition);
    } else {
      if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b))
        return false;
      const Polynomial& sum = values_.at(a).polynomial;
      const bool may_stay = values_.is_polynomial(a) && sum.count == 1 && sum.terms[0].factor == 1;
      a = result(instruction.id, a, b, condition);
      if (may_stay) a = maybe_none(a, condition);
    }
    set_flags(a);
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_PUSH:
    if (operands[0].size == 2) break;
    if (!read(instruction, operands[0], state, a)) return false;
    state.general[k_rsp] = values_.add(state.general[k_rsp], values_.constant(-8));
    return store(instruction, state, state.general[k_rsp], 8, a);
  case X86_INS_POP: {
    if (operands[0].size == 2) break;
    if (!load(instruction, state, state.general[k_rsp], 8, a)) return false;
    state.general[k_rsp] = values_.add(state.general[k_rsp], values_.constant(8));
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_LEAVE:
    if (!load(instruction, state, state.general[k_rbp], 8, a)) return false;
    state.general[k_rsp] = values_.add(state.general[k_rbp], values_.constant(8));
    state.general[k_rbp] = a;
    return true;
  default:
    break;
  }
  if (instruction.id >= X86_INS_SETAE && instruction.id <= X86_INS_SETS) return step_set(instruction, state);
  switch (instruction.id) {
  case X86_INS_CMOVA:
  case X86_INS_CMOVAE:
  case X86_INS_CMOVB:
  case X86_INS_CMOVBE:
  case X86_INS_CMOVE:
  case X86_INS_CMOVG:
  case X86_INS_CMOVGE:
  case X86_INS_CMOVL:
  case X86_INS_CMOVLE:
  case X86_INS_CMOVNE:
  case X86_INS_CMOVNO:
  case X86_INS_CMOVNP:
  case X86_INS_CMOVNS:
  case X86_INS_CMOVO:
  case X86_INS_CMOVP:
  case X86_INS_CMOVS:
    return step_conditional_move(instruction, state);
  case X86_INS_MUL:
  case X86_INS_IMUL:
    if (!read(instruction, operands[0], state, b)) return false;
    if (operands[0].size < 4) break;
    a = state.width[k_rax] != 0 ? values_.undefined() : word_in(state, k_rax, operands[0].size);
    note_words(state, 1U << k_rax | 1U << k_rdx, operands[0].size);
    state.general[k_rax] = values_.is_polynomial(a) && values_.is_polynomial(b)
                               ? apply(Operation::multiply, operands[0].size, a, b)
                               : result(instruction.id, a, b);
    state.general[k_rdx] = result(k_operation_high | instruction.id, a, b);
    state.width[k_rax] = state.width[k_rdx] = 0;
    set_flags(state.general[k_rdx]);
    return true;
  case X86_INS_MULX: {
    if (!read(instruction, operands[2], state, b)) return false;
    a = state.width[k_rdx] != 0 ? values_.undefined() : word_in(state, k_rdx, operands[0].size);
    return write(instruction, operands[1], state, result(instruction.id, a, b)) &&
           write(instruction, operands[0], state, result(k_operation_high | instruction.id, a, b));
  }
  case X86_INS_DIV:
  case X86_INS_IDIV:
    if (operands[0].size < 4) break;
    return step_divide(instruction, state);
  default:
    break;
  }
  return refuse("has an instruction that the proof does not know", instruction.address);
}

} // namespace wstree::proof
