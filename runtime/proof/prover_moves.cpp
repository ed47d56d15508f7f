// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions, and moves that choose: the smaller or the greater one of two values, a part of gcc's formula.
#include "prover.h"
#include "registers.h"

namespace wstree::proof {

/// Bitwise operations on registers of which only the first byte is defined: that byte of the result is.
/// False: it is no such instruction.
bool Prover::step_narrow(const Instruction& instruction, State& state) noexcept {
  const Operand* const operands = instruction.operands;
  if (instruction.count != 2 || !operands[0].is_reg() || !operands[1].is_reg() || operands[0].size < 4)
    return false;
  const bool is_move = instruction.id == X86_INS_MOV;
  if (!is_move && instruction.id != X86_INS_AND && instruction.id != X86_INS_OR &&
      instruction.id != X86_INS_XOR)
    return false;
  const unsigned to = general_of(operands[0].reg);
  const unsigned from = general_of(operands[1].reg);
  if (to == k_no_register || from == k_no_register || to == from) return false;
  if (state.width[from] != 1 && (is_move || state.width[to] != 1)) return false;
  state.general[to] = is_move ? result(7, state.general[from])
                              : result(instruction.id, state.general[to], state.general[from]);
  state.width[to] = 1;
  if (!is_move) state.flags = {values_.undefined(), values_.undefined()};
  return true;
}

/// Divides; that of the work by the number of threads begins gcc's formula.
bool Prover::step_divide(const Instruction& instruction, State& state) noexcept {
  const Operand* const operands = instruction.operands;
  Value a = 0;
  Value b = 0;
  if (!read(instruction, operands[0], state, b)) return false;
  a = cut_constant(state.width[k_rax] != 0 ? values_.undefined() : word_in(state, k_rax, operands[0].size),
                   operands[0].size, true);
  const Value top = cut_constant(state.width[k_rdx] != 0 ? values_.undefined() : state.general[k_rdx],
                                 operands[0].size, true);
  note_words(state, 1U << k_rax | 1U << k_rdx, operands[0].size);
  const unsigned copied = copied_;
  copied_ = k_no_register;
  state.width[k_rax] = state.width[k_rdx] = 0;
  state.flags = {values_.undefined(), values_.undefined()};
  std::int64_t constant = 0;
  const bool is_extended = instruction.id == X86_INS_DIV ? values_.is_constant(top, constant) && constant == 0
                           : values_.is_symbol(top, Symbol::Kind::sign)
                               ? values_.symbol(values_.only_symbol(top)).x == a
                               : values_.is_constant(a, constant) && values_.is_constant(top) &&
                                     top == values_.constant(constant < 0 ? -1 : 0);
  if (values_.is_symbol(b, Symbol::Kind::thread_count) && !loop_.is_entered && is_extended &&
      values_.is_polynomial(a) && values_.at(a).bits == k_common) {
    const bool is_unsigned = instruction.id == X86_INS_DIV;
    if (dividend_size_ != 0 && (dividend_size_ != operands[0].size || is_unsigned_ != is_unsigned))
      return refuse("divides its work in several ways", instruction.address);
    dividend_size_ = operands[0].size;
    is_unsigned_ = is_unsigned;
    has_int_part_ = dividend_size_ == 4 && !is_unsigned;
    // A number of 4 bytes is one with and without a sign: two divisions of 8 may have both.
    const bool is_again = division_ != 0 && copied == divided_;
    if (!is_again) division_ = copied != k_no_register ? instruction.address : 0;
    divided_ = copied;
    const std::uint64_t from = operands[0].size == 4 || is_exact(a) ? 0
                               : is_again                           ? division_
                                                                    : instruction.address;
    state.general[k_rax] = values_.of(Symbol::Kind::quotient, k_number, a, instruction.id, from);
    state.general[k_rdx] = values_.of(Symbol::Kind::remainder, k_number, a, instruction.id, from);
    return true;
  }
  state.general[k_rax] = result(instruction.id, a, b, top);
  state.general[k_rdx] = result(k_operation_high | instruction.id, a, b, top);
  return true;
}

/// Writes a byte that is 1 if a condition holds, and 0 otherwise.
bool Prover::step_set(const Instruction& instruction, State& state) noexcept {
  const Operand& to = instruction.operands[0];
  const Flags& flags = state.flags;
  if ((condition_bits(state, instruction.id) & k_upper) != 0 ||
      (flags.is_carry && !goes_by_carry(instruction.id)))
    return write(instruction, to, state, values_.undefined());
  const Value difference = values_.subtract(flags.a, flags.b);
  const bool is_equality = instruction.id == X86_INS_SETE || instruction.id == X86_INS_SETNE;
  if (const unsigned reg = to.is_reg() ? general_of(to.reg) : k_no_register;
      reg != k_no_register && is_equality && values_.is_of_swap(difference)) {
    const Symbol swap = values_.symbol(values_.only_symbol(difference));
    const bool is_failure = (swap.y == k_swap_failed) == (instruction.id == X86_INS_SETNE);
    state.general[reg] = values_.of(swap.kind, swap.bits, swap.x, is_failure ? k_swap_failed : k_swapped);
    state.width[reg] = 1;
    return true;
  }
  if (is_equality && values_.is_polynomial(difference))
    return write(instruction, to, state, result(instruction.id, difference, values_.constant(0)));
  const bool goes_by_both = flags.is_comparison || goes_by_result(instruction.id);
  return write(instruction, to, state,
               result(instruction.id, flags.a, goes_by_both ? flags.b : values_.plain(flags.overflow)));
}

bool Prover::step_conditional_move(const Instruction& instruction, State& state) noexcept {
  const Operand* const operands = instruction.operands;
  Value a = 0;
  Value b = 0;
  if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
  const Flags flags = state.flags;
  if (bool is_taken = false; is_decided(state, instruction.id, is_taken))
    return write(instruction, operands[0], state, is_taken ? b : a);
  // The smaller or the greater one of both that are compared.
  const bool is_decidable = state.flags.is_comparison || !compares_unsigned(instruction.id);
  // Registers that hold compared values qualify; equal values need not be equal.
  const unsigned to = general_of(operands[0].reg);
  const unsigned from = operands[1].is_reg() ? general_of(operands[1].reg) : k_no_register;
  const auto is_compared = [&](unsigned x, unsigned y) noexcept {
    return flags.size == operands[0].size && x < 16 && y < 16 && (flags.registers[0] >> x & 1) != 0 &&
           (flags.registers[1] >> y & 1) != 0;
  };
  const bool is_clangs_end = is_clang_ && values_.length != 0 &&
                             ((values_.is_symbol(a, Symbol::Kind::raw_end) && b == dividend_) ||
                              (values_.is_symbol(b, Symbol::Kind::raw_end) && a == dividend_));
  const bool is_direct = (flags.a == a && flags.b == b) && (is_compared(to, from) || is_clangs_end);
  const bool is_reverse = (flags.a == b && flags.b == a) && (is_compared(from, to) || is_clangs_end);
  const bool is_of_compared = is_direct || is_reverse;
  if (is_of_compared && is_decidable && a != b) {
    bool is_known = true;
    bool other_known = true;
    const bool for_less = holds_for(instruction.id, -1, is_known);
    const bool for_more = holds_for(instruction.id, 1, other_known);
    if (is_known && other_known && for_less != for_more) {
      const bool is_first = for_less == is_reverse; // is taken while flags.a < flags.b
      const bool is_unsigned = compares_unsigned(instruction.id);
      const Operation operation = is_first ? (is_unsigned ? Operation::least_unsigned : Operation::least)
                                           : (is_unsigned ? Operation::most_unsigned : Operation::most);
      if (is_clangs_end && (operation == Operation::least || operation == Operation::least_unsigned))
        return write(instruction, operands[0], state, last_of_part());
      if (loop_.is_turning != 2)
        return write(instruction, operands[0], state, apply(operation, operands[0].size, a, b));
    }
  }
  if (state.formula == State::Formula::open &&
      formula_edge(state, instruction.id, true) != State::Formula::open) {
    const bool is_less = formula_edge(state, instruction.id, true) == State::Formula::less;
    const Value made = joined_formula(is_less ? b : a, is_less ? a : b);
    if (made != 0) return write(instruction, operands[0], state, made);
  }
  if (a == b && values_.is_polynomial(a)) return write(instruction, operands[0], state, a);
  const Value condition = condition_of(state, instruction.id);
  return write(instruction, operands[0], state,
               chosen(result(instruction.id, a, b, condition), a, b, condition));
}

} // namespace wstree::proof
