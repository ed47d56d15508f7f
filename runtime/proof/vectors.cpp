// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vectors.h"

#include <capstone/capstone.h>

namespace wstree::proof {

VectorUse vector_use(unsigned instruction) noexcept {
  using F = VectorForm;
  using O = Operation;
#define BOTH(name)                                                                                           \
  case X86_INS_##name:                                                                                       \
  case X86_INS_V##name:
#define PACKED(name) BOTH(name##PD) BOTH(name##PS)
#define SCALAR(name) BOTH(name##SD) BOTH(name##SS)
#define FUSED(name, order, last)                                                                             \
  case X86_INS_V##name##order##PD:                                                                           \
  case X86_INS_V##name##order##PS:                                                                           \
    return {F::fused, O::add_float, last};                                                                   \
  case X86_INS_V##name##order##SD:                                                                           \
  case X86_INS_V##name##order##SS:                                                                           \
    return {F::fused_scalar, O::add_float, last};
#define FUSED_ALL(name) FUSED(name, 132, 1) FUSED(name, 213, 2) FUSED(name, 231, 0)
  // clang-format off
  switch (instruction) {
  BOTH(MOVAPS) BOTH(MOVAPD) BOTH(MOVUPS) BOTH(MOVUPD) BOTH(MOVDQA) BOTH(MOVDQU) BOTH(LDDQU)
    return {F::move};
  SCALAR(MOV) return {F::scalar_move};
  BOTH(MOVD) BOTH(MOVQ) return {F::word_move};
  PACKED(ADD) return {F::lanes, O::add_float};
  SCALAR(ADD) return {F::scalar, O::add_float};
  PACKED(MUL) return {F::lanes, O::multiply_float};
  SCALAR(MUL) return {F::scalar, O::multiply_float};
  PACKED(MIN) return {F::lanes};
  SCALAR(MIN) return {F::scalar};
  PACKED(MAX) return {F::lanes};
  SCALAR(MAX) return {F::scalar};
  // A difference is a sum with the negated second operand.
  PACKED(SUB) return {F::lanes, O::add_float, 1};
  SCALAR(SUB) return {F::scalar, O::add_float, 1};
  PACKED(DIV) BOTH(ADDSUBPS) return {F::lanes};
  SCALAR(DIV) return {F::scalar};
  BOTH(PADDD) BOTH(PADDQ) return {F::lanes, O::add};
  BOTH(PSUBD) BOTH(PSUBQ) return {F::lanes, O::add, 1};
  BOTH(PADDB) BOTH(PADDW) BOTH(PSUBB) BOTH(PSUBW) return {F::lanes};
  BOTH(PAND) PACKED(AND) return {F::lanes, O::bit_and};
  BOTH(POR) PACKED(OR) return {F::lanes, O::bit_or};
  BOTH(PXOR) PACKED(XOR) return {F::lanes, O::bit_xor};
  BOTH(PMINSD) return {F::lanes, O::least};
  BOTH(PMINUD) return {F::lanes, O::least_unsigned};
  BOTH(PMAXSD) return {F::lanes, O::most};
  BOTH(PMAXUD) return {F::lanes, O::most_unsigned};
  BOTH(PANDN) PACKED(ANDN) BOTH(PMULLD) BOTH(PMULLW) BOTH(PMULUDQ) BOTH(PMULDQ) BOTH(PMADDWD) BOTH(PMULHUW) BOTH(PMULHW)
  BOTH(PCMPEQB) BOTH(PCMPEQW) BOTH(PCMPEQD) BOTH(PCMPEQQ) BOTH(PCMPGTB) BOTH(PCMPGTW) BOTH(PCMPGTD) BOTH(PCMPGTQ)
  BOTH(PMINUB) BOTH(PMAXUB) BOTH(PMINSW) BOTH(PMAXSW) BOTH(PAVGB) BOTH(PABSD)
  PACKED(CMP)
  case X86_INS_VPSLLVD: case X86_INS_VPSLLVQ: case X86_INS_VPSRLVD: case X86_INS_VPSRLVQ:
    return {F::lanes};
  SCALAR(CMP) return {F::scalar};
  PACKED(SQRT) BOTH(CVTDQ2PS) BOTH(CVTPS2DQ) BOTH(CVTTPS2DQ) BOTH(ROUNDPD) BOTH(ROUNDPS) BOTH(PSHUFD) BOTH(PSHUFLW) BOTH(PSHUFHW)
  BOTH(MOVSHDUP) BOTH(MOVSLDUP) BOTH(CVTPD2PS) BOTH(CVTPD2DQ) BOTH(CVTTPD2DQ)
  BOTH(PSLLD) BOTH(PSLLQ) BOTH(PSRLD) BOTH(PSRLQ) BOTH(PSRAD) BOTH(PSLLW) BOTH(PSRLW) BOTH(PSRAW) BOTH(PSLLDQ) BOTH(PSRLDQ)
  BOTH(SHUFPD) BOTH(SHUFPS) BOTH(UNPCKHPD) BOTH(UNPCKHPS) BOTH(PUNPCKHDQ) BOTH(PUNPCKHQDQ) BOTH(PUNPCKHBW) BOTH(PUNPCKHWD)
  BOTH(MOVHLPS) BOTH(PACKUSWB) BOTH(PACKSSDW) BOTH(PACKSSWB) BOTH(PACKUSDW) BOTH(PSHUFB) BOTH(PALIGNR) BOTH(HADDPD) BOTH(HADDPS) BOTH(PHADDD) BOTH(ADDSUBPD)
  BOTH(PINSRB) BOTH(PINSRW) BOTH(PINSRD) BOTH(PINSRQ) BOTH(BLENDPD) BOTH(BLENDPS) BOTH(BLENDVPD) BOTH(BLENDVPS) BOTH(PBLENDVB) BOTH(PBLENDW) BOTH(INSERTPS)
  case X86_INS_VEXTRACTF128: case X86_INS_VEXTRACTI128:
  case X86_INS_VPERM2F128: case X86_INS_VPERM2I128: case X86_INS_VPERMPD: case X86_INS_VPERMQ: case X86_INS_VPERMD: case X86_INS_VPERMPS:
  case X86_INS_VPERMILPD: case X86_INS_VPERMILPS: case X86_INS_VINSERTF128: case X86_INS_VINSERTI128: case X86_INS_VPBLENDD:
    return {F::mixed};
  SCALAR(SQRT) BOTH(CVTSD2SS) BOTH(CVTSS2SD) BOTH(CVTSI2SD) BOTH(CVTSI2SS) SCALAR(ROUND)
    return {F::scalar_unary};
  BOTH(CVTPS2PD) BOTH(CVTDQ2PD) BOTH(MOVDDUP) BOTH(PMOVSXDQ) BOTH(PMOVZXDQ) BOTH(PMOVSXWD) BOTH(PMOVZXWD)
  BOTH(PMOVSXBD) BOTH(PMOVZXBD) BOTH(PMOVSXBW) BOTH(PMOVZXBW)
  case X86_INS_VBROADCASTSD: case X86_INS_VBROADCASTSS: case X86_INS_VPBROADCASTD: case X86_INS_VPBROADCASTQ:
    return {F::spread};
  BOTH(UNPCKLPD) BOTH(PUNPCKLQDQ) BOTH(MOVLHPS) return {F::low_halves};
  // Both halves come from the low ones.
  BOTH(UNPCKLPS) BOTH(PUNPCKLDQ) BOTH(PUNPCKLBW) BOTH(PUNPCKLWD) return {F::spread, O::none, 1};
  BOTH(MOVLPS) BOTH(MOVLPD) return {F::low_load};
  BOTH(MOVHPS) BOTH(MOVHPD) return {F::high_load};
  BOTH(COMISD) BOTH(COMISS) BOTH(UCOMISD) BOTH(UCOMISS) return {F::compare};
  FUSED_ALL(FMADD) FUSED_ALL(FNMADD)
  // The addend is negated.
#define NEGATED(name, order, last)                                                                           \
  case X86_INS_V##name##order##PD: case X86_INS_V##name##order##PS: return {F::fused, O::none, last};          \
  case X86_INS_V##name##order##SD: case X86_INS_V##name##order##SS: return {F::fused_scalar, O::none, last};
  NEGATED(FMSUB, 132, 1) NEGATED(FMSUB, 213, 2) NEGATED(FMSUB, 231, 0)
  NEGATED(FNMSUB, 132, 1) NEGATED(FNMSUB, 213, 2) NEGATED(FNMSUB, 231, 0)
  BOTH(CVTTSD2SI) BOTH(CVTTSS2SI) BOTH(CVTSD2SI) BOTH(CVTSS2SI) return {F::to_general};
  BOTH(MOVMSKPD) BOTH(MOVMSKPS) BOTH(PMOVMSKB) BOTH(PEXTRB) BOTH(PEXTRW) BOTH(PEXTRD) BOTH(PEXTRQ) BOTH(EXTRACTPS)
    return {F::to_general, O::none, 1};
  BOTH(MOVNTPS) BOTH(MOVNTPD) BOTH(MOVNTDQ) return {F::move};
  default: break;
  }
  // clang-format on
  // Comparisons that Capstone names by their relation.
  const auto is_in = [instruction](unsigned first, unsigned last) noexcept {
    return instruction >= first && instruction <= last;
  };
  if (is_in(X86_INS_CMPSS, X86_INS_CMPORDSS) || is_in(X86_INS_CMPSD, X86_INS_CMPORDSD) ||
      is_in(X86_INS_VCMPSS, X86_INS_VCMPTRUE_USSS) || is_in(X86_INS_VCMPSD, X86_INS_VCMPTRUE_USSD))
    return {F::scalar};
  if (is_in(X86_INS_CMPPS, X86_INS_CMPORDPS) || is_in(X86_INS_CMPPD, X86_INS_CMPORDPD) ||
      is_in(X86_INS_VCMPPS, X86_INS_VCMPTRUE_USPS) || is_in(X86_INS_VCMPPD, X86_INS_VCMPTRUE_USPD))
    return {F::lanes};
  return {};
}

unsigned lane_size(unsigned instruction, const VectorUse& use) noexcept {
#define DOUBLES(name)                                                                                        \
  case X86_INS_##name##PD:                                                                                   \
  case X86_INS_##name##SD:                                                                                   \
  case X86_INS_V##name##PD:                                                                                  \
  case X86_INS_V##name##SD:
#define FUSED_DOUBLES(name)                                                                                  \
  case X86_INS_V##name##PD:                                                                                  \
  case X86_INS_V##name##SD:
  switch (instruction) {
    DOUBLES(ADD)
    DOUBLES(SUB)
    DOUBLES(MUL)
    DOUBLES(MIN)
    DOUBLES(MAX)
    FUSED_DOUBLES(FMADD132)
    FUSED_DOUBLES(FMADD213)
    FUSED_DOUBLES(FMADD231)
    FUSED_DOUBLES(FNMADD132)
    FUSED_DOUBLES(FNMADD213)
    FUSED_DOUBLES(FNMADD231)
    FUSED_DOUBLES(FMSUB132)
    FUSED_DOUBLES(FMSUB213)
    FUSED_DOUBLES(FMSUB231)
    FUSED_DOUBLES(FNMSUB132)
    FUSED_DOUBLES(FNMSUB213)
    FUSED_DOUBLES(FNMSUB231)
    BOTH(PADDQ)
    BOTH(PSUBQ)
    return 8;
  default:
    return use.form == VectorForm::scalar || use.form == VectorForm::fused_scalar ? 4 : k_packed;
  }
#undef DOUBLES
#undef FUSED_DOUBLES
}

bool converts(unsigned instruction) noexcept {
  return instruction == X86_INS_CVTSI2SS || instruction == X86_INS_CVTSI2SD ||
         instruction == X86_INS_VCVTSI2SS || instruction == X86_INS_VCVTSI2SD;
}

} // namespace wstree::proof
