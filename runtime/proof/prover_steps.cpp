// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effect of each instruction on the values. An instruction that is not known refuses the function.
#include "prover.h"
#include "registers.h"

namespace wstree::proof {

Bits Prover::condition_bits(const State& state) noexcept {
  const Value difference = values_.subtract(state.flags.a, state.flags.b);
  if (values_.is_polynomial(difference)) return classify(difference);
  return classify(state.flags.a) | classify(state.flags.b);
}

void Prover::clobber(State& state) noexcept {
  const Value undefined = values_.undefined();
  for (const unsigned reg : k_caller_saved) {
    state.general[reg] = undefined;
    state.width[reg] = 0;
  }
  for (unsigned i = 0; i < 16; ++i) state.low[i] = state.high[i] = undefined;
  state.flags = {undefined, undefined};
}

bool Prover::step(const Instruction& instruction, State& state, int depth, bool in_cycle) noexcept {
  if (budget_ == 0) return refuse("is too long", instruction.address);
  --budget_;
  if (values_.is_exhausted()) return refuse("is too long", instruction.address);
  switch (instruction.id) {
  case X86_INS_NOP:
  case X86_INS_ENDBR64:
  case X86_INS_PREFETCHT0:
  case X86_INS_PREFETCHT1:
  case X86_INS_PREFETCHT2:
  case X86_INS_PREFETCHNTA:
  case X86_INS_PREFETCHW:
  case X86_INS_VZEROUPPER: // the first 16 bytes stay, and those above them are zero already
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
    return step_atomic(instruction, state);
  if (const VectorUse use = vector_use(instruction.id); use.form != VectorForm::unknown) {
    const bool is_string =
        instruction.count == 2 && instruction.operands[0].is_mem() && instruction.operands[1].is_mem();
    if (!is_string) return step_vector(instruction, state, use);
  }
  return step_general(instruction, state);
}

} // namespace wstree::proof
