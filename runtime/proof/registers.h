// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of registers. For the .cpp files of this folder alone.
#pragma once

#include <capstone/capstone.h>

#include <cstdint>

namespace wstree::proof {

inline constexpr unsigned k_rax = 0;
inline constexpr unsigned k_rdx = 2;
inline constexpr unsigned k_rsp = 4;
inline constexpr unsigned k_rbp = 5;
inline constexpr unsigned k_arguments[] = {7, 6, 2, 1, 8, 9}; // in the order of the parameters
inline constexpr unsigned k_caller_saved[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
inline constexpr unsigned k_no_register = ~0U;

/// Returns the number of a general register; k_no_register: it is another one, or a second byte (ah).
inline unsigned general_of(x86_reg reg) noexcept {
  switch (reg) {
#define ONE(number, a, b, c, d)                                                                              \
  case X86_REG_##a:                                                                                          \
  case X86_REG_##b:                                                                                          \
  case X86_REG_##c:                                                                                          \
  case X86_REG_##d:                                                                                          \
    return number;
    ONE(0, RAX, EAX, AX, AL)
    ONE(1, RCX, ECX, CX, CL)
    ONE(2, RDX, EDX, DX, DL)
    ONE(3, RBX, EBX, BX, BL)
    ONE(4, RSP, ESP, SP, SPL)
    ONE(5, RBP, EBP, BP, BPL)
    ONE(6, RSI, ESI, SI, SIL)
    ONE(7, RDI, EDI, DI, DIL)
    ONE(8, R8, R8D, R8W, R8B)
    ONE(9, R9, R9D, R9W, R9B)
    ONE(10, R10, R10D, R10W, R10B)
    ONE(11, R11, R11D, R11W, R11B)
    ONE(12, R12, R12D, R12W, R12B)
    ONE(13, R13, R13D, R13W, R13B)
    ONE(14, R14, R14D, R14W, R14B)
    ONE(15, R15, R15D, R15W, R15B)
#undef ONE
  default:
    return k_no_register;
  }
}

/// Returns the number of a vector register; k_no_register: it is none that is followed.
inline unsigned vector_of(x86_reg reg) noexcept {
  if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15) return reg - X86_REG_XMM0;
  if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM15) return reg - X86_REG_YMM0;
  return k_no_register;
}

/// For y of a symbol of a compare and exchange: a number that is zero if it has not failed, or if it has.
inline constexpr std::uint64_t k_swap_failed = 1;
inline constexpr std::uint64_t k_swapped = 2;

inline constexpr std::uint64_t k_operation_address = 1;
inline constexpr std::uint64_t k_operation_flags = std::uint64_t{1} << 40;
inline constexpr std::uint64_t k_operation_high = std::uint64_t{1} << 41;
inline constexpr std::uint64_t k_operation_spread = std::uint64_t{1} << 45; // the first 4 bytes in each lane
inline constexpr std::uint64_t k_operation_steps = std::uint64_t{1} << 46;  // a start in 4 bytes, and steps

inline constexpr std::uint64_t k_operation_join = std::uint64_t{1} << 42;
inline constexpr std::uint64_t k_operation_signs = std::uint64_t{1} << 38; // 4 bytes with a sign, in 8
inline constexpr std::uint64_t k_operation_first = std::uint64_t{3} << 42; // the first 4 bytes
inline constexpr std::uint64_t k_operation_zeros = std::uint64_t{1} << 43; // 4 bytes, and zeros above them

/// The place of an instruction among the bits of its operation.
inline constexpr unsigned k_stamp_shift = 48;
inline constexpr std::uint64_t k_most_stamp = UINT16_MAX;
/// Returns an operation without the place of its instruction.
inline constexpr std::uint64_t without_stamp(std::uint64_t operation) noexcept {
  return operation & ((std::uint64_t{1} << k_stamp_shift) - 1);
}

} // namespace wstree::proof
