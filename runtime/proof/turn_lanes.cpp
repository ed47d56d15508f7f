// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that work on lanes of vector registers one by one, in words.
#include "turn.h"

#include "registers.h"
#include "vectors.h"

#include <algorithm>

namespace wstree::proof {
namespace {

#define WSTREE_BOTH(name)                                                                                    \
  case X86_INS_##name:                                                                                       \
  case X86_INS_V##name:

/// Work on one lane.
struct LaneWork {
  std::uint32_t code = 0; ///< 0: unknown
  unsigned size = 0;
};

bool is_in(unsigned instruction, unsigned first, unsigned last) noexcept {
  return instruction >= first && instruction <= last;
}

LaneWork work_of(unsigned instruction) noexcept {
  const auto named = [](WordOperation operation, unsigned size) noexcept {
    return LaneWork{static_cast<std::uint32_t>(operation), size};
  };
#define WSTREE_FLOATS(name, operation)                                                                       \
  WSTREE_BOTH(name##PD) WSTREE_BOTH(name##SD) return named(operation, 8);                                    \
  WSTREE_BOTH(name##PS) WSTREE_BOTH(name##SS) return named(operation, 4);
  // clang-format off
  switch (instruction) {
  WSTREE_FLOATS(ADD, WordOperation::add_float)
  WSTREE_FLOATS(SUB, WordOperation::subtract_float)
  WSTREE_FLOATS(MUL, WordOperation::multiply_float)
  WSTREE_FLOATS(DIV, WordOperation::divide_float)
  WSTREE_BOTH(MINPD) WSTREE_BOTH(MINSD) return {X86_INS_MINPD, 8};
  WSTREE_BOTH(MINPS) WSTREE_BOTH(MINSS) return {X86_INS_MINPS, 4};
  WSTREE_BOTH(MAXPD) WSTREE_BOTH(MAXSD) return {X86_INS_MAXPD, 8};
  WSTREE_BOTH(MAXPS) WSTREE_BOTH(MAXSS) return {X86_INS_MAXPS, 4};
  WSTREE_BOTH(SQRTPD) WSTREE_BOTH(SQRTSD) return {X86_INS_SQRTPD, 8};
  WSTREE_BOTH(SQRTPS) WSTREE_BOTH(SQRTSS) return {X86_INS_SQRTPS, 4};
  WSTREE_BOTH(PAND) WSTREE_BOTH(ANDPD) WSTREE_BOTH(ANDPS) return named(WordOperation::bit_and, 4);
  WSTREE_BOTH(POR) WSTREE_BOTH(ORPD) WSTREE_BOTH(ORPS) return named(WordOperation::bit_or, 4);
  WSTREE_BOTH(PXOR) WSTREE_BOTH(XORPD) WSTREE_BOTH(XORPS) return named(WordOperation::bit_xor, 4);
  WSTREE_BOTH(PANDN) WSTREE_BOTH(ANDNPD) WSTREE_BOTH(ANDNPS) return named(WordOperation::and_not, 4);
  WSTREE_BOTH(PMULLD) return named(WordOperation::multiply, 4);
  WSTREE_BOTH(PMINSD) return named(WordOperation::least, 4);
  WSTREE_BOTH(PMAXSD) return named(WordOperation::most, 4);
  WSTREE_BOTH(PMINUD) return named(WordOperation::least_unsigned, 4);
  WSTREE_BOTH(PMAXUD) return named(WordOperation::most_unsigned, 4);
  WSTREE_BOTH(PADDD) WSTREE_BOTH(PSUBD) WSTREE_BOTH(PCMPEQD) WSTREE_BOTH(PCMPGTD) WSTREE_BOTH(PABSD)
  WSTREE_BOTH(CVTDQ2PS) WSTREE_BOTH(CVTPS2DQ) WSTREE_BOTH(CVTTPS2DQ) WSTREE_BOTH(ROUNDPS) WSTREE_BOTH(ROUNDSS)
  WSTREE_BOTH(PSLLD) WSTREE_BOTH(PSRLD) WSTREE_BOTH(PSRAD)
  WSTREE_BOTH(CMPPS) WSTREE_BOTH(CMPSS)
  case X86_INS_VPSLLVD: case X86_INS_VPSRLVD: case X86_INS_VPSRAVD:
    return {instruction, 4};
  WSTREE_BOTH(PADDQ) WSTREE_BOTH(PSUBQ) WSTREE_BOTH(PMULUDQ) WSTREE_BOTH(PMULDQ) WSTREE_BOTH(PCMPEQQ) WSTREE_BOTH(PCMPGTQ)
  WSTREE_BOTH(PSLLQ) WSTREE_BOTH(PSRLQ) WSTREE_BOTH(ROUNDPD) WSTREE_BOTH(ROUNDSD) WSTREE_BOTH(CMPPD)
  case X86_INS_VPSLLVQ: case X86_INS_VPSRLVQ:
    return {instruction, 8};
  default: break;
  }
  // clang-format on
  if (is_in(instruction, X86_INS_CMPSS, X86_INS_CMPORDSS) ||
      is_in(instruction, X86_INS_CMPPS, X86_INS_CMPORDPS) ||
      is_in(instruction, X86_INS_VCMPSS, X86_INS_VCMPTRUE_USSS) ||
      is_in(instruction, X86_INS_VCMPPS, X86_INS_VCMPTRUE_USPS))
    return {instruction, 4};
  if (is_in(instruction, X86_INS_CMPSD, X86_INS_CMPORDSD) ||
      is_in(instruction, X86_INS_CMPPD, X86_INS_CMPORDPD) ||
      is_in(instruction, X86_INS_VCMPSD, X86_INS_VCMPTRUE_USSD) ||
      is_in(instruction, X86_INS_VCMPPD, X86_INS_VCMPTRUE_USPD))
    return {instruction, 8};
  return {};
#undef WSTREE_FLOATS
}

/// One lane of `work`, whose control or number of bits is `control`.
Word worked(Words& words, LaneWork work, Word a, Word b, std::int64_t control) noexcept {
  const unsigned size = work.size;
  switch (work.code) {
    WSTREE_BOTH(PADDD)
    WSTREE_BOTH(PADDQ)
    return words.add(a, b);
    WSTREE_BOTH(PSUBD)
    WSTREE_BOTH(PSUBQ)
    return words.add(a, b, -1);
    WSTREE_BOTH(PMULUDQ)
    return words.operation(WordOperation::multiply_wide, 8, words.half(a, 0), words.half(b, 0));
    WSTREE_BOTH(PSLLD)
    WSTREE_BOTH(PSLLQ)
    return control >= 8 * size ? words.constant(0, size) : words.scale(a, std::int64_t{1} << control);
    WSTREE_BOTH(PSRLD)
    WSTREE_BOTH(PSRLQ)
    if (size == 8 && control == 32) return words.zero_extended(words.half(a, 1));
    return words.operation(WordOperation::shift_right, size, a, words.constant(control, 4));
    WSTREE_BOTH(PSRAD)
    return words.operation(WordOperation::shift_right_sign, size, a, words.constant(control, 4));
  default:
    return words.operation(work.code, size, a, b, 0, control);
  }
}

bool is_shift(unsigned instruction) noexcept {
  switch (instruction) {
    WSTREE_BOTH(PSLLD)
    WSTREE_BOTH(PSLLQ)
    WSTREE_BOTH(PSRLD)
    WSTREE_BOTH(PSRLQ)
    WSTREE_BOTH(PSRAD)
    return true;
  default:
    return false;
  }
}

} // namespace

/// Instructions that do the same on each lane or on the first one, or add to a product.
bool Turn::step_lanes(const Instruction& instruction, VectorForm form) noexcept {
  const Operand* const operands = instruction.operands;
  const VectorUse use = vector_use(instruction.id);
  const bool is_scalar = form == VectorForm::scalar || form == VectorForm::fused_scalar;
  const bool is_fused = form == VectorForm::fused || form == VectorForm::fused_scalar;
  unsigned count = instruction.count;
  std::int64_t control = 0;
  if (count > 1 && operands[count - 1].is_imm()) control = operands[--count].value & 255;
  const LaneWork work = is_fused ? LaneWork{instruction.id, lane_size(instruction.id, use) == 8 ? 8U : 4U}
                                 : work_of(instruction.id);
  if (work.code == 0 || count < 1 || count > 3) return false;
  const unsigned lanes = operands[0].size / 4;
  Word in[3][k_lanes] = {};
  for (unsigned i = 0; i < count; ++i) {
    const unsigned all = is_scalar && operands[i].is_mem() ? work.size / 4 : lanes;
    if (!read_lanes(instruction, operands[i], all, in[i])) return false;
  }
  const bool is_mixed = form == VectorForm::mixed;
  const bool is_absolute = instruction.id == X86_INS_PABSD || instruction.id == X86_INS_VPABSD;
  const bool is_unary = count == 1 || (count == 2 && (is_mixed || is_absolute));
  if (is_mixed && (count == 3 || (count == instruction.count && is_shift(instruction.id)))) return false;
  const unsigned first = count == 3 ? 1 : 0;
  const unsigned last = count - 1;
  Word made[k_lanes] = {};
  // The lanes behind that of a fused operation stay those of the destination.
  const Word* const rest = in[is_fused ? 0 : first];
  std::copy(rest, rest + lanes, made);
  const auto word = [&](const Word* from, unsigned i) noexcept {
    return work.size == 8 ? words_.pair(from[i], from[i + 1]) : from[i];
  };
  for (unsigned i = 0; i < (is_scalar ? work.size / 4 : lanes); i += work.size / 4) {
    Word done = 0;
    const Word a = word(in[is_unary ? last : first], i);
    if (is_fused) {
      const unsigned addend = use.addend;
      const Word product = words_.operation(WordOperation::multiply_float, work.size,
                                            word(in[(addend + 1) % 3], i), word(in[(addend + 2) % 3], i));
      // One name for the three orders of operands.
      std::uint32_t code = instruction.id;
      if (use.operation != Operation::none) code = work.size == 8 ? X86_INS_VFMADD231PD : X86_INS_VFMADD231PS;
      const bool is_negative = is_in(instruction.id, X86_INS_VFNMADD132PD, X86_INS_VFNMADD231SS);
      done = words_.operation(code, work.size,
                              is_negative ? words_.operation(WordOperation::negate_float, work.size, product)
                                          : product,
                              word(in[addend], i));
    } else
      done = worked(words_, work, a, is_unary ? 0 : word(in[last], i), control);
    if (work.size == 8) {
      made[i] = words_.half(done, 0);
      made[i + 1] = words_.half(done, 1);
    } else
      made[i] = done;
  }
  return write_lanes(instruction, operands[0], lanes, made);
}

/// Conversions and moves of the first lane.
bool Turn::step_scalar(const Instruction& instruction, VectorForm form) noexcept {
  const Operand* const operands = instruction.operands;
  unsigned count = instruction.count;
  std::int64_t control = 0;
  if (count > 1 && operands[count - 1].is_imm()) control = operands[--count].value & 255;
  const Operand& source = operands[count - 1];
  Word made[k_lanes] = {};
  if (form == VectorForm::to_general) {
    Word lanes[2] = {};
    unsigned size = 4;
    switch (instruction.id) {
      WSTREE_BOTH(CVTTSD2SI)
      WSTREE_BOTH(CVTSD2SI)
      size = 8;
      break;
      WSTREE_BOTH(CVTTSS2SI)
      WSTREE_BOTH(CVTSS2SI)
      break;
      WSTREE_BOTH(PEXTRD)
      WSTREE_BOTH(EXTRACTPS)
      return vector_of(source.reg) != k_no_register && operands[0].size >= 4 &&
             write(instruction, operands[0],
                   operands[0].size == 8 ? words_.zero_extended(vectors_[vector_of(source.reg)][control & 3])
                                         : vectors_[vector_of(source.reg)][control & 3]);
      WSTREE_BOTH(PEXTRQ)
      return vector_of(source.reg) != k_no_register &&
             write(instruction, operands[0],
                   words_.pair(vectors_[vector_of(source.reg)][(control & 1) * 2],
                               vectors_[vector_of(source.reg)][(control & 1) * 2 + 1]));
    default:
      return false;
    }
    return read_lanes(instruction, source, size / 4, lanes) &&
           write(instruction, operands[0],
                 words_.operation(instruction.id, operands[0].size,
                                  size == 8 ? words_.pair(lanes[0], lanes[1]) : lanes[0]));
  }
  // The rest stays that of the first source.
  const unsigned lanes = 4;
  if (!read_lanes(instruction, operands[count == 3 ? 1 : 0], lanes, made)) return false;
  unsigned from = 4;
  unsigned to = 4;
  switch (instruction.id) {
    WSTREE_BOTH(SQRTSD)
    WSTREE_BOTH(ROUNDSD)
    from = to = 8;
    break;
    WSTREE_BOTH(SQRTSS)
    WSTREE_BOTH(ROUNDSS)
    break;
    WSTREE_BOTH(CVTSD2SS)
    from = 8;
    break;
    WSTREE_BOTH(CVTSS2SD)
    to = 8;
    break;
    WSTREE_BOTH(CVTSI2SD)
    from = source.size;
    to = 8;
    break;
    WSTREE_BOTH(CVTSI2SS)
    from = source.size;
    break;
  default:
    return false;
  }
  Word value = 0;
  const bool is_of_general = source.is_reg() && general_of(source.reg) != k_no_register;
  if (is_of_general) {
    if (!read(instruction, source, value)) return false;
  } else {
    Word in[2] = {};
    if (from < 4 || !read_lanes(instruction, source, from / 4, in)) return false;
    value = from == 8 ? words_.pair(in[0], in[1]) : in[0];
  }
  const LaneWork work = work_of(instruction.id);
  const Word done = words_.operation(work.code != 0 ? work.code : instruction.id, to, value, 0, 0, control);
  made[0] = to == 8 ? words_.half(done, 0) : done;
  if (to == 8) made[1] = words_.half(done, 1);
  return write_lanes(instruction, operands[0], lanes, made);
}

#undef WSTREE_BOTH

} // namespace wstree::proof
