// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a function, found from its entry by control flow. For the .cpp files of this folder alone.
#pragma once

#include "arena.h"
#include "decoder.h"
#include "proof.h"

#include <cstdint>

namespace wstree::proof {

using Address = std::uintptr_t;

struct Operand {
  x86_op_type type = X86_OP_INVALID;
  std::uint8_t size = 0;
  std::uint8_t scale = 0;
  x86_reg reg = X86_REG_INVALID; // or the base of a memory operand
  x86_reg index = X86_REG_INVALID;
  std::int64_t value = 0; // immediate, or displacement (with a base of rip: the address)
  bool is_reg() const noexcept { return type == X86_OP_REG; }
  bool is_imm() const noexcept { return type == X86_OP_IMM; }
  bool is_mem() const noexcept { return type == X86_OP_MEM; }
};

/// The place that a call or jump leads to.
struct Target {
  const char* name = nullptr; // name of a function elsewhere
  Address code = 0;           // code to follow; 0: unknown
};

struct Instruction {
  Address address = 0;
  std::uint16_t id = 0;
  std::uint8_t size = 0;
  std::uint8_t count = 0; // number of operands
  std::uint8_t rep = 0;   // X86_PREFIX_REP, _REPNE or _LOCK
  x86_reg segment = X86_REG_INVALID;
  Operand operands[4];
  Target target; // target of a call or an unconditional jump
  Address next() const noexcept { return address + size; }
};

inline constexpr std::uint32_t k_none = ~0U;

struct Block {
  std::uint32_t first = 0; // instructions
  std::uint32_t end = 0;
  std::uint32_t next[2] = {k_none, k_none}; // blocks: behind it, and where its jump leads
  std::uint32_t component = k_none;         // strongly connected, as large as possible
  std::uint32_t order = k_none;             // reverse postorder; k_none: not reached
  bool is_cyclic = false;
  bool returns = false; // ends in ret, or in a jump to a function elsewhere
  bool reaches_return = false;
  std::uint32_t from =
      k_none; // an edge that leads here: twice the block where it begins, and which of its edges
};

/// Why a function is refused.
struct Refusal {
  const char* reason = nullptr;
  Address at = 0;
  explicit operator bool() const noexcept { return reason != nullptr; }
};

class Function {
public:
  Function(Arena& arena, Address entry) noexcept
      : entry_(entry), instructions(arena), blocks(arena), order(arena) {}
  /// Decodes; the first problem.
  Refusal read(Arena& arena, Decoder& decoder, const Process& process) noexcept;
  Address entry() const noexcept { return entry_; }

private:
  Address entry_;
  Refusal decode(Arena& arena, Decoder& decoder, const Process& process) noexcept;
  Refusal connect(Arena& arena) noexcept;
  Refusal find_cycles(Arena& arena) noexcept;

public:
  Grown<Instruction> instructions; // by address
  Grown<Block> blocks;
  Grown<std::uint32_t> order;         // blocks in reverse postorder
  std::uint32_t* next_from = nullptr; // by edge: another one that leads to the same block
};

/// Returns the target of a call or of a jump out of its function.
Target target_of(const Instruction& instruction, const Process& process) noexcept;
/// Returns whether a call of `name` never comes back.
bool never_returns(const char* name) noexcept;
bool is_call(const Instruction& instruction) noexcept;
bool is_jump(const Instruction& instruction) noexcept;   // unconditional
bool is_branch(const Instruction& instruction) noexcept; // conditional

} // namespace wstree::proof
