// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that move lanes of vector registers, or make lanes of another size, in words.
#include "turn.h"

#include "registers.h"
#include "vectors.h"

#include <algorithm>

namespace wstree::proof {
namespace {

#define WSTREE_BOTH(name)                                                                                    \
  case X86_INS_##name:                                                                                       \
  case X86_INS_V##name:

unsigned count_lanes(const Operand& operand) noexcept {
  return operand.is_mem() ? (operand.size + 3) / 4 : operand.size / 4;
}

} // namespace

/// Instructions that move lanes, or make lanes of another size.
bool Turn::step_mixed(const Instruction& instruction) noexcept {
  const Operand* const operands = instruction.operands;
  unsigned count = instruction.count;
  std::int64_t control = -1;
  if (count > 1 && operands[count - 1].is_imm()) control = operands[--count].value & 255;
  if (count > 3) return false;
  const unsigned lanes = operands[0].size / 4;
  Word a[k_lanes] = {}; // the first source, of three operands or of two
  Word b[k_lanes] = {}; // the last one
  Word made[k_lanes] = {};
  const Operand& first = operands[count == 1 ? 0 : count - 2];
  if (!read_lanes(instruction, first, count_lanes(first), a) ||
      !read_lanes(instruction, operands[count - 1], count_lanes(operands[count - 1]), b))
    return false;
  const auto each_half = [&](auto one) noexcept { // of 16 bytes
    for (unsigned base = 0; base < lanes; base += 4) one(a + base, b + base, made + base);
    return write_lanes(instruction, operands[0], lanes, made);
  };
  const auto choose = [&](unsigned i) noexcept { return static_cast<unsigned>(control >> 2 * i) & 3; };
  switch (instruction.id) {
    WSTREE_BOTH(PSHUFD)
    return each_half([&](const Word*, const Word* y, Word* to) noexcept {
      for (unsigned i = 0; i < 4; ++i) to[i] = y[choose(i)];
    });
  case X86_INS_VPERMILPS:
    return control >= 0 && each_half([&](const Word*, const Word* y, Word* to) noexcept {
             for (unsigned i = 0; i < 4; ++i) to[i] = y[choose(i)];
           });
    WSTREE_BOTH(SHUFPS)
    return each_half([&](const Word* x, const Word* y, Word* to) noexcept {
      for (unsigned i = 0; i < 4; ++i) to[i] = i < 2 ? x[choose(i)] : y[choose(i)];
    });
    WSTREE_BOTH(UNPCKLPS)
    WSTREE_BOTH(PUNPCKLDQ)
    return each_half([&](const Word* x, const Word* y, Word* to) noexcept {
      for (unsigned i = 0; i < 4; ++i) to[i] = i % 2 == 0 ? x[i / 2] : y[i / 2];
    });
    WSTREE_BOTH(UNPCKHPS)
    WSTREE_BOTH(PUNPCKHDQ)
    return each_half([&](const Word* x, const Word* y, Word* to) noexcept {
      for (unsigned i = 0; i < 4; ++i) to[i] = i % 2 == 0 ? x[2 + i / 2] : y[2 + i / 2];
    });
    WSTREE_BOTH(UNPCKLPD)
    WSTREE_BOTH(PUNPCKLQDQ)
    WSTREE_BOTH(MOVLHPS)
    return each_half([&](const Word* x, const Word* y, Word* to) noexcept {
      for (unsigned i = 0; i < 4; ++i) to[i] = i < 2 ? x[i] : y[i - 2];
    });
    WSTREE_BOTH(UNPCKHPD)
    WSTREE_BOTH(PUNPCKHQDQ)
    return each_half([&](const Word* x, const Word* y, Word* to) noexcept {
      for (unsigned i = 0; i < 4; ++i) to[i] = i < 2 ? x[2 + i] : y[i];
    });
    WSTREE_BOTH(MOVHLPS)
    return each_half([&](const Word* x, const Word* y, Word* to) noexcept {
      for (unsigned i = 0; i < 4; ++i) to[i] = i < 2 ? y[2 + i] : x[i];
    });
    WSTREE_BOTH(SHUFPD)
    for (unsigned i = 0; i < lanes; ++i) {
      const unsigned upper = static_cast<unsigned>(control >> i / 2) & 1;
      made[i] = (i % 4 < 2 ? a : b)[i / 4 * 4 + upper * 2 + i % 2];
    }
    return write_lanes(instruction, operands[0], lanes, made);
  case X86_INS_VPERMILPD:
    if (control < 0) return false;
    for (unsigned i = 0; i < lanes; ++i)
      made[i] = b[i / 4 * 4 + (static_cast<unsigned>(control >> i / 2) & 1) * 2 + i % 2];
    return write_lanes(instruction, operands[0], lanes, made);
    WSTREE_BOTH(MOVSHDUP)
    WSTREE_BOTH(MOVSLDUP)
    for (unsigned i = 0; i < lanes; ++i)
      made[i] =
          b[instruction.id == X86_INS_MOVSHDUP || instruction.id == X86_INS_VMOVSHDUP ? i | 1 : i & ~1U];
    return write_lanes(instruction, operands[0], lanes, made);
    WSTREE_BOTH(MOVDDUP)
    for (unsigned i = 0; i < lanes; ++i) made[i] = b[i / 4 * 4 + i % 2];
    return write_lanes(instruction, operands[0], lanes, made);
  case X86_INS_VBROADCASTSS:
  case X86_INS_VPBROADCASTD:
    for (unsigned i = 0; i < lanes; ++i) made[i] = b[0];
    return write_lanes(instruction, operands[0], lanes, made);
  case X86_INS_VBROADCASTSD:
  case X86_INS_VPBROADCASTQ:
    for (unsigned i = 0; i < lanes; ++i) made[i] = b[i % 2];
    return write_lanes(instruction, operands[0], lanes, made);
    WSTREE_BOTH(PSRLDQ)
    if (control % 4 != 0 || lanes != 4) return false;
    for (unsigned i = 0; i < 4; ++i)
      made[i] = i + control / 4 < 4 ? b[i + control / 4] : words_.constant(0, 4);
    return write_lanes(instruction, operands[0], lanes, made);
    WSTREE_BOTH(BLENDPD)
    WSTREE_BOTH(BLENDPS)
  case X86_INS_VPBLENDD:
    for (unsigned i = 0; i < lanes; ++i) {
      const bool is_double = instruction.id == X86_INS_BLENDPD || instruction.id == X86_INS_VBLENDPD;
      made[i] = (control >> (is_double ? i / 2 : i) & 1) != 0 ? b[i] : a[i];
    }
    return write_lanes(instruction, operands[0], lanes, made);
  case X86_INS_VEXTRACTF128:
  case X86_INS_VEXTRACTI128:
    return write_lanes(instruction, operands[0], 4, b + (control & 1) * 4);
  case X86_INS_VINSERTF128:
  case X86_INS_VINSERTI128:
    for (unsigned i = 0; i < 8; ++i) made[i] = i / 4 == static_cast<unsigned>(control & 1) ? b[i % 4] : a[i];
    return write_lanes(instruction, operands[0], 8, made);
  case X86_INS_VPERM2F128:
  case X86_INS_VPERM2I128:
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned choice = static_cast<unsigned>(control >> i / 4 * 4);
      made[i] =
          (choice & 8) != 0 ? words_.constant(0, 4) : ((choice & 2) != 0 ? b : a)[(choice & 1) * 4 + i % 4];
    }
    return write_lanes(instruction, operands[0], 8, made);
  case X86_INS_VPERMPD:
  case X86_INS_VPERMQ:
    if (control < 0) return false;
    for (unsigned i = 0; i < 8; ++i) made[i] = b[choose(i / 2) * 2 + i % 2];
    return write_lanes(instruction, operands[0], 8, made);
    WSTREE_BOTH(HADDPD)
    WSTREE_BOTH(HADDPS)
    WSTREE_BOTH(PHADDD) {
      const bool is_double = instruction.id == X86_INS_HADDPD || instruction.id == X86_INS_VHADDPD;
      const bool is_whole = instruction.id == X86_INS_PHADDD || instruction.id == X86_INS_VPHADDD;
      return each_half([&](const Word* x, const Word* y, Word* to) noexcept {
        if (is_double) {
          for (unsigned i = 0; i < 2; ++i) {
            const Word* const from = i == 0 ? x : y;
            const Word sum = words_.operation(WordOperation::add_float, 8, words_.pair(from[0], from[1]),
                                              words_.pair(from[2], from[3]));
            to[2 * i] = words_.half(sum, 0);
            to[2 * i + 1] = words_.half(sum, 1);
          }
          return;
        }
        for (unsigned i = 0; i < 4; ++i) {
          const Word* const from = (i < 2 ? x : y) + i % 2 * 2;
          to[i] = is_whole ? words_.add(from[0], from[1])
                           : words_.operation(WordOperation::add_float, 4, from[0], from[1]);
        }
      });
    }
    WSTREE_BOTH(CVTPS2PD)
    WSTREE_BOTH(CVTDQ2PD)
    WSTREE_BOTH(PMOVSXDQ)
    WSTREE_BOTH(PMOVZXDQ)
    for (unsigned i = 0; i < lanes / 2; ++i) {
      const bool is_zero = instruction.id == X86_INS_PMOVZXDQ || instruction.id == X86_INS_VPMOVZXDQ;
      const bool is_sign = instruction.id == X86_INS_PMOVSXDQ || instruction.id == X86_INS_VPMOVSXDQ;
      const Word done = is_zero   ? words_.zero_extended(b[i])
                        : is_sign ? words_.sign_extended(b[i])
                                  : words_.operation(instruction.id, 8, b[i]);
      made[2 * i] = words_.half(done, 0);
      made[2 * i + 1] = words_.half(done, 1);
    }
    return write_lanes(instruction, operands[0], lanes, made);
    WSTREE_BOTH(CVTPD2PS)
    WSTREE_BOTH(CVTPD2DQ)
    WSTREE_BOTH(CVTTPD2DQ) {
      const unsigned wide = count_lanes(operands[count - 1]);
      for (unsigned i = 0; i < 4; ++i)
        made[i] = i < wide / 2 ? words_.operation(instruction.id, 4, words_.pair(b[2 * i], b[2 * i + 1]))
                               : words_.constant(0, 4);
      return write_lanes(instruction, operands[0], 4, made);
    }
  default:
    return step_lanes(instruction, VectorForm::mixed);
  }
}

#undef WSTREE_BOTH

} // namespace wstree::proof
