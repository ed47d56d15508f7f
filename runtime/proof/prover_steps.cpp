// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effect of each instruction on the values. An instruction that is not known refuses the function.
#include "prover.h"
#include "registers.h"

namespace wstree::proof {

/// Returns the inputs of the last comparison's operands.
Bits Prover::compared_bits(const State& state) const noexcept {
  const Bits bits = classify(state.flags.a) | classify(state.flags.b);
  return state.flags.size == 8 || state.flags.size == 0 ? bits : static_cast<Bits>(bits & ~k_upper);
}

Bits Prover::condition_bits(const State& state) noexcept {
  const Value difference = values_.subtract(state.flags.a, state.flags.b);
  Bits bits = compared_bits(state);
  if (values_.is_polynomial(difference))
    bits = static_cast<Bits>((classify(difference) & ~k_upper) | (bits & k_upper));
  // An address may be a loop's end.
  const Bits both = values_.at(state.flags.a).bits != k_common ? values_.at(state.flags.b).bits : k_common;
  if (both != k_common && (is_place(state.flags.a) || is_place(state.flags.b)))
    bits &= static_cast<Bits>(~k_upper);
  return bits;
}

/// Returns the inputs of `condition`: carry and overflow need more than the result.
Bits Prover::condition_bits(const State& state, unsigned condition) noexcept {
  if (state.flags.is_carry && !goes_by_carry(condition)) return compared_bits(state) | k_carried;
  if (goes_by_result(condition)) return condition_bits(state);
  const Bits operands = compared_bits(state);
  return state.flags.is_comparison ? operands : static_cast<Bits>(operands | state.flags.overflow);
}

/// Returns `condition` as a value.
Value Prover::condition_of(const State& state, unsigned condition) noexcept {
  const Bits bits = condition_bits(state, condition);
  return (bits & k_upper) != 0 ? values_.undefined() : values_.plain(bits);
}

/// Notes which register has the same 8 bytes as rax: without optimisation gcc divides one number twice.
void Prover::note_copy(const Instruction& instruction) noexcept {
  if (instruction.id == X86_INS_CQO || instruction.id == X86_INS_IDIV || instruction.id == X86_INS_DIV)
    return;
  const Operand* const operands = instruction.operands;
  const bool is_copy = instruction.id == X86_INS_MOV && operands[0].is_reg() && operands[1].is_reg() &&
                       operands[0].size == 8 && operands[1].size == 8;
  const unsigned to = is_copy ? general_of(operands[0].reg) : k_no_register;
  if (to == k_no_register || to == divided_) division_ = 0;
  if (to == k_no_register || to == copied_) copied_ = k_no_register;
  if (to == k_rax) copied_ = general_of(operands[1].reg);
  if (copied_ == k_rax || copied_ == k_rdx) copied_ = k_no_register; // the division's
}

void Prover::clobber(State& state) noexcept {
  const Value undefined = values_.undefined();
  for (const unsigned reg : k_caller_saved) {
    state.general[reg] = undefined;
    state.width[reg] = 0;
    state.words = static_cast<std::uint16_t>(state.words & ~(1U << reg));
  }
  for (unsigned i = 0; i < 16; ++i) state.low[i] = state.high[i] = undefined;
  state.flags = {undefined, undefined};
}

/// Follows the registers that hold the compared values; behind an instruction that is no move, none does.
void Prover::note_overwritten(const Instruction& instruction, State& state) noexcept {
  std::uint16_t(&registers)[2] = state.flags.registers;
  const bool is_move = instruction.id == X86_INS_MOV || instruction.id == X86_INS_MOVZX ||
                       instruction.id == X86_INS_MOVSX || instruction.id == X86_INS_MOVSXD ||
                       instruction.id == X86_INS_LEA ||
                       (instruction.id >= X86_INS_CMOVA && instruction.id <= X86_INS_CMOVS);
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  if (is_move && !to.is_reg()) return;
  const unsigned written = is_move ? general_of(to.reg) : k_no_register;
  const bool is_copy = instruction.id == X86_INS_MOV && from.is_reg() && to.size >= state.flags.size;
  const unsigned source = is_copy ? general_of(from.reg) : k_no_register;
  for (std::uint16_t& held : registers) {
    const bool has_copy = source != k_no_register && (held >> source & 1) != 0;
    held = written == k_no_register ? std::uint16_t{0} : static_cast<std::uint16_t>(held & ~(1U << written));
    if (has_copy && written != k_no_register) held = static_cast<std::uint16_t>(held | 1U << written);
  }
}

bool Prover::step(const Instruction& instruction, State& state, int depth, bool in_cycle) noexcept {
  if (budget_ == 0) return refuse("is too long", instruction.address);
  --budget_;
  is_natural_ = is_natural(state);
  at_ = instruction.address;
  note_copy(instruction);
  if (values_.is_exhausted()) return refuse("is too long", instruction.address);
  stamp_ = in_cycle ? 0 : budget_ + 1;
  site_ = values_.location(instruction.address, UINT64_MAX);
  is_wide_ = false;
  switch (instruction.id) {
  case X86_INS_NOP:
  case X86_INS_ENDBR64:
  case X86_INS_PREFETCHT0:
  case X86_INS_PREFETCHT1:
  case X86_INS_PREFETCHT2:
  case X86_INS_PREFETCHNTA:
  case X86_INS_PREFETCHW:
    return true;
  case X86_INS_VZEROUPPER:
    for (Value& high : state.high) high = without_upper(high);
    return true;
  case X86_INS_UD2:
  case X86_INS_HLT:
    state.is_reached = false;
    return true;
  case X86_INS_CALL:
    return step_call(instruction, state, depth, in_cycle, false);
  case X86_INS_JMP:
    if (instruction.target.name != nullptr) return step_call(instruction, state, depth, in_cycle, true);
    return true;
  case X86_INS_RET:
    if (instruction.count != 0) return refuse("returns in an unusual way", instruction.address);
    state.general[k_rsp] = values_.add(state.general[k_rsp], values_.constant(8));
    return true;
  default:
    break;
  }
  if (is_branch(instruction)) return true; // judged with its edges
  if (instruction.rep == X86_PREFIX_LOCK || instruction.id == X86_INS_XCHG)
    state.flags.registers[0] = state.flags.registers[1] = 0;
  if (instruction.rep == X86_PREFIX_LOCK || instruction.id == X86_INS_XCHG)
    return step_atomic(instruction, state);
  if (const VectorUse use = vector_use(instruction.id); use.form != VectorForm::unknown) {
    const bool is_string =
        instruction.count == 2 && instruction.operands[0].is_mem() && instruction.operands[1].is_mem();
    if (!is_string) {
      // SSE leaves the second half of a register of 32 bytes, which the proof takes for written.
      const unsigned char first = *reinterpret_cast<const unsigned char*>(instruction.address);
      const bool is_avx = first == 0xc4 || first == 0xc5 || first == 0x62;
      const Operand& to = instruction.operands[0];
      if (!is_avx && to.is_reg() && vector_of(to.reg) != k_no_register) vectors_ |= 1;
      for (const Operand& operand : instruction.operands) vectors_ |= operand.size == 32 ? 2 : 0;
      if (vectors_ == 3) return refuse("mixes instructions of SSE and of AVX", instruction.address);
      if (use.form == VectorForm::to_general || use.form == VectorForm::word_move)
        state.flags.registers[0] = state.flags.registers[1] = 0;
      return step_vector(instruction, state, use);
    }
  }
  if (!step_general(instruction, state)) return false;
  if (instruction.id != X86_INS_CMP) note_overwritten(instruction, state);
  return true;
}

} // namespace wstree::proof
