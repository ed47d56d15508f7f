// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effects of instructions with vector registers on the values.
#include "prover.h"
#include "registers.h"

#include <algorithm>

namespace wstree::proof {
namespace {

/// Returns whether an instruction writes the first 4 bytes of a register alone, from the last operand.
bool writes_word(unsigned instruction) noexcept {
  switch (instruction) {
#define WSTREE_BOTH(name)                                                                                    \
  case X86_INS_##name:                                                                                       \
  case X86_INS_V##name:
    WSTREE_BOTH(SQRTSS)
    WSTREE_BOTH(ROUNDSS)
    WSTREE_BOTH(CVTSD2SS)
    WSTREE_BOTH(CVTSI2SS)
    return true;
  default:
    return false;
  }
}

/// Returns whether an instruction uses the first 4 bytes of vector registers alone.
bool is_of_word(unsigned instruction, const VectorUse& use) noexcept {
  switch (instruction) {
    WSTREE_BOTH(SQRTSS)
    WSTREE_BOTH(ROUNDSS)
    WSTREE_BOTH(MOVSS)
    WSTREE_BOTH(CVTSS2SD)
    WSTREE_BOTH(CVTSS2SI)
    WSTREE_BOTH(CVTTSS2SI)
    WSTREE_BOTH(COMISS)
    WSTREE_BOTH(UCOMISS)
    WSTREE_BOTH(DIVSS)
    WSTREE_BOTH(MINSS)
    WSTREE_BOTH(MAXSS)
#undef WSTREE_BOTH
    return true;
  default:
    return (use.form == VectorForm::scalar || use.form == VectorForm::fused_scalar) &&
           use.operation != Operation::none && lane_size(instruction, use) == 4;
  }
}

/// Returns whether an instruction writes one number of 8 or 4 bytes to all lanes.
bool repeats(unsigned instruction) noexcept {
  return instruction == X86_INS_MOVDDUP || instruction == X86_INS_VMOVDDUP ||
         instruction == X86_INS_VBROADCASTSD || instruction == X86_INS_VBROADCASTSS ||
         instruction == X86_INS_VPBROADCASTD || instruction == X86_INS_VPBROADCASTQ;
}

/// Returns whether an instruction with a prefix of AVX writes the first half of a register of 32 bytes.
bool clears_upper(const Instruction& instruction) noexcept {
  const unsigned first = *reinterpret_cast<const unsigned char*>(instruction.address);
  return (first == 0xc4 || first == 0xc5) && instruction.operands[0].size == 16;
}

} // namespace

bool Prover::read_vector(const Instruction& instruction, const Operand& operand, const State& state,
                         unsigned size, Value& low, Value& high) noexcept {
  if (operand.is_mem()) {
    const Value address = address_of(operand, state);
    if (!load(instruction, state, address, std::min(size, 8U), low)) return false;
    high = values_.constant(0);
    if (size == 4) note_width(low, state);
    if (size <= 4) low = cut_constant(first_word(size == 4 ? first_four(low) : low), size, false);
    is_wide_ |= size == 8;
    return size <= 8 || load(instruction, state, values_.add(address, values_.constant(8)), size - 8, high);
  }
  const unsigned reg = vector_of(operand.reg);
  if (reg == k_no_register) {
    if (general_of(operand.reg) == k_no_register)
      return refuse("uses a register that the proof does not know", instruction.address);
    high = values_.constant(0);
    const Cuts before = cuts();
    if (!read(instruction, operand, state, low)) return false;
    if (converts(instruction.id)) restore(before);
    low = cut_constant(low, operand.size, false);
    if (operand.size == 4) low = with_zeros(low);
    return true;
  }
  low = state.low[reg];
  high = state.high[reg];
  return true;
}

/// The halves of a vector where an instruction moves lanes of partial results, or adds neighbours of a sum.
/// False: it is none that does just that.
bool Prover::moves_lanes(const Instruction& instruction, Value a_low, Value a_high, Value b_low, Value b_high,
                         bool is_same, Value& low, Value& high) noexcept {
  if (!values_.is_partial(b_low) && !values_.is_partial(b_high)) return false;
  const std::int64_t control = instruction.operands[instruction.count - 1].is_imm()
                                   ? instruction.operands[instruction.count - 1].value & 255
                                   : -1;
  const Node& node = values_.at(b_low);
  const bool is_uniform = b_low == b_high && node.kind == Node::Kind::merged;
  const auto keep = [&]() noexcept {
    low = high = b_low;
    return true;
  };
  // A half of the second operand, by two controls of 4 bytes each.
  const auto half = [&](std::int64_t two) noexcept { return two == 0x4 ? b_low : two == 0xe ? b_high : 0; };
  switch (instruction.id) {
  case X86_INS_PSHUFD:
  case X86_INS_VPSHUFD:
  case X86_INS_SHUFPS:
  case X86_INS_VSHUFPS:
  case X86_INS_VPERMILPS: {
    const bool is_shuffle = instruction.id == X86_INS_SHUFPS || instruction.id == X86_INS_VSHUFPS;
    if (control < 0 || (is_shuffle && !is_same) || instruction.operands[0].size != 16) return false;
    if (is_uniform && node.size == k_packed) return keep();
    low = half(control & 15);
    high = half(control >> 4);
    // The first lane alone counts where the other ones are mixed.
    if (low == 0 && node.kind == Node::Kind::merged && node.size == k_packed && (control & 15) < 8 &&
        (control & 2) == 0)
      low = b_low;
    if (low == 0) return false;
    if (high == 0) high = values_.plain(values_.at(b_low).bits | values_.at(b_high).bits);
    return true;
  }
  case X86_INS_UNPCKHPD:
  case X86_INS_VUNPCKHPD:
  case X86_INS_PUNPCKHQDQ:
  case X86_INS_VPUNPCKHQDQ:
    low = a_high;
    high = b_high;
    return instruction.operands[0].size == 16;
  case X86_INS_MOVHLPS:
  case X86_INS_VMOVHLPS:
    low = b_high;
    high = a_high;
    return true;
  case X86_INS_SHUFPD:
  case X86_INS_VSHUFPD:
    low = (control & 1) != 0 ? a_high : a_low;
    high = (control & 2) != 0 ? b_high : b_low;
    return instruction.operands[0].size == 16;
  case X86_INS_VPERMILPD:
    low = (control & 1) != 0 ? b_high : b_low;
    high = (control & 2) != 0 ? b_high : b_low;
    return control >= 0 && instruction.operands[0].size == 16;
  case X86_INS_PSRLDQ:
  case X86_INS_VPSRLDQ:
    if (instruction.operands[0].size != 16) return false;
    high = values_.constant(0);
    low = b_high;
    if (control == 8) return true;
    // The lanes behind the first one may be others, as where a result of 4 bytes stands alone.
    low = values_.at(b_low).kind == Node::Kind::merged && node.size == k_packed && control == 4
              ? values_.merged(node.operation, 4, node.start)
              : 0;
    high = values_.plain(node.bits);
    return low != 0;
  case X86_INS_MOVSHDUP:
  case X86_INS_VMOVSHDUP:
    return is_uniform && node.size == k_packed && keep();
  case X86_INS_UNPCKHPS:
  case X86_INS_VUNPCKHPS:
  case X86_INS_PUNPCKHDQ:
  case X86_INS_VPUNPCKHDQ:
    return is_uniform && is_same && node.size == k_packed && keep();
  case X86_INS_HADDPD:
  case X86_INS_VHADDPD:
    return is_uniform && is_same && node.operation == Operation::add_float && node.size == 8 && keep();
  case X86_INS_HADDPS:
  case X86_INS_VHADDPS:
    return is_uniform && is_same && node.operation == Operation::add_float && node.size == k_packed && keep();
  case X86_INS_PHADDD:
  case X86_INS_VPHADDD:
    return is_uniform && is_same && node.operation == Operation::add && node.size == k_packed && keep();
  case X86_INS_VEXTRACTF128:
  case X86_INS_VEXTRACTI128:
    // A shorter instruction may have cleared the upper lanes.
    return is_uniform && is_identity(node.operation, node.size, values_.constant(0)) && keep();
  default:
    return false;
  }
}

bool Prover::step_vector(const Instruction& instruction, State& state, const VectorUse& use) noexcept {
  const Operand* const operands = instruction.operands;
  unsigned count = instruction.count;
  while (count > 1 && operands[count - 1].is_imm()) --count;
  const unsigned reg = operands[0].is_reg() ? vector_of(operands[0].reg) : k_no_register;
  Value low[3] = {};
  Value high[3] = {};
  const auto read_all = [&](unsigned first, unsigned size) noexcept {
    for (unsigned i = first; i < std::min(count, 3U); ++i)
      if (!read_vector(instruction, operands[i], state, operands[i].is_mem() ? size : 16, low[i], high[i]))
        return false;
    return true;
  };
  const unsigned last = std::min(count, 3U) - 1;
  const auto memory_size = [&]() noexcept {
    for (unsigned i = 0; i < count; ++i)
      if (operands[i].is_mem()) return static_cast<unsigned>(operands[i].size);
    return 16U;
  };
  const auto set = [&](Value new_low, Value new_high) noexcept {
    if (reg == k_no_register)
      return refuse("uses a register that the proof does not know", instruction.address);
    state.low[reg] = new_low;
    state.high[reg] = clears_upper(instruction) ? without_upper(new_high) : new_high;
    return true;
  };
  const auto store_vector = [&](Value new_low, Value new_high, unsigned size) noexcept {
    const Value address = address_of(operands[0], state);
    new_low = size < 8 ? first_four(values_.first_lane(new_low)) : whole_lane(new_low);
    return store(instruction, state, address, std::min(size, 8U), new_low) &&
           (size <= 8 ||
            store(instruction, state, values_.add(address, values_.constant(8)), size - 8, new_high));
  };
  const bool is_three = count == 3;
  const bool is_word = is_of_word(instruction.id, use);
  const bool is_of_general = instruction.id == X86_INS_CVTSI2SD || instruction.id == X86_INS_CVTSI2SS ||
                             instruction.id == X86_INS_VCVTSI2SD || instruction.id == X86_INS_VCVTSI2SS;
  is_wide_ = !is_word && !is_of_general;
  // The rest of the first source stays.
  const auto kept = [&]() noexcept {
    return is_three ? low[1] : reg == k_no_register ? values_.undefined() : state.low[reg];
  };
  switch (use.form) {
  case VectorForm::move:
    if (!read_all(1, memory_size())) return false;
    if (operands[0].is_mem()) return store_vector(low[1], high[1], operands[0].size);
    return set(low[1], high[1]);
  case VectorForm::scalar_move:
    if (!read_all(1, memory_size())) return false;
    if (operands[0].is_mem()) return store_vector(low[1], high[1], operands[0].size);
    if (operands[1].is_mem()) return set(low[1], values_.constant(0));
    // Registers: the rest of the first one stays.
    if (const Value source = low[is_three ? 2 : 1];
        values_.is_partial(source) && values_.at(source).size != 8)
      low[is_three ? 2 : 1] = values_.plain(values_.at(source).bits);
    if (state.version != 0 || loop_.is_version)
      if (const Value source = low[is_three ? 2 : 1];
          instruction.id == X86_INS_MOVSS || instruction.id == X86_INS_VMOVSS)
        low[is_three ? 2 : 1] = result(instruction.id, source);
    if (is_word) {
      const Value rest = kept();
      Value& word = low[is_three ? 2 : 1];
      word = with_upper(first_word(word), rest);
      // With another rest it is another value.
      if (values_.is_polynomial(word) && word != rest)
        word = classify(rest) == k_common
                   ? result(instruction.id, word, rest)
                   : values_.plain(loop_.is_entered ? classify(word) | k_iteration : classify(word));
    }
    return is_three ? set(low[2], high[1]) : set(low[1], reg == k_no_register ? 0 : state.high[reg]);
  case VectorForm::word_move:
    if (!read_all(1, memory_size())) return false;
    if (operands[0].is_mem()) return store_vector(low[1], 0, operands[0].size);
    if (reg == k_no_register)
      return write(instruction, operands[0], state,
                   operands[0].size == 4 ? first_four(values_.first_lane(low[1]))
                                         : values_.used_in(whole_lane(low[1]), 8));
    // The lane behind a word gets no part of the result.
    if (instruction.id == X86_INS_MOVD || instruction.id == X86_INS_VMOVD)
      low[1] = values_.first_lane(low[1]);
    return set(low[1], values_.constant(0));
  case VectorForm::low_load:
    if (operands[0].is_mem()) return read_all(1, 8) && store_vector(low[1], 0, 8);
    if (!read_all(1, 8)) return false;
    return is_three ? set(low[2], high[1]) : set(low[1], reg == k_no_register ? 0 : state.high[reg]);
  case VectorForm::high_load:
    if (operands[0].is_mem()) return read_all(1, 8) && store_vector(high[1], 0, 8);
    if (!read_all(1, 8)) return false;
    return is_three ? set(low[1], low[2]) : set(reg == k_no_register ? 0 : state.low[reg], low[1]);
  case VectorForm::to_general: {
    if (!read_all(1, memory_size())) return false;
    if (is_word) low[1] = first_word(low[1]);
    const Value made =
        use.addend == 1 ? result(instruction.id, low[1], high[1]) : result(instruction.id, low[1]);
    return write(instruction, operands[0], state, made);
  }
  case VectorForm::compare:
    if (!read_all(0, memory_size())) return false;
    if (is_word)
      for (Value& value : low) value = first_word(value);
    state.flags = {low[0], low[1], true};
    // Unordered operands: the sign does not show the difference.
    if (values_.is_polynomial(low[0]) && values_.is_polynomial(low[1]))
      state.flags = {values_.plain(classify(low[0])), values_.plain(classify(low[1])), true};
    return true;
  default:
    break;
  }
  // The first of two operands is the first source, too.
  const unsigned first = is_three ? 1 : 0;
  if (!read_all(use.form == VectorForm::fused || use.form == VectorForm::fused_scalar ? 0 : first,
                memory_size()))
    return false;
  const bool is_same =
      operands[first].is_reg() && operands[last].is_reg() && operands[first].reg == operands[last].reg;
  Value mask = 0;
  if (instruction.id == X86_INS_BLENDVPD || instruction.id == X86_INS_BLENDVPS ||
      instruction.id == X86_INS_PBLENDVB)
    mask = result(instruction.id, state.low[0], state.high[0]);
  else if (count > 3)
    return refuse("has an instruction that the proof does not know", instruction.address);
  const bool is_spread =
      (instruction.id == X86_INS_PSHUFD || instruction.id == X86_INS_VPSHUFD ||
       ((instruction.id == X86_INS_SHUFPS || instruction.id == X86_INS_VSHUFPS) && is_same)) &&
      operands[instruction.count - 1].is_imm() && operands[instruction.count - 1].value == 0 &&
      !operands[last].is_mem() && operands[0].size == 16;
  if (is_spread && !values_.is_partial(low[last])) {
    is_wide_ = false;
    const Value made = result(k_operation_spread, without_zeros(low[last]));
    return set(made, made);
  }
  // The control is part of the operation.
  const std::uint64_t code =
      instruction.id |
      (operands[instruction.count - 1].is_imm()
           ? (static_cast<std::uint64_t>(operands[instruction.count - 1].value) & 255) << 32 |
                 std::uint64_t{1} << 47
           : 0);
  const bool is_difference =
      use.operation == Operation::add || use.operation == Operation::add_float ? use.addend == 1 : false;
  const auto make = [&](Value a, Value b) noexcept {
    if (use.operation == Operation::bit_xor && is_same) return values_.constant(0);
    if (use.operation == Operation::none) return result(instruction.id, a, b);
    if (const Value combined = combine(use.operation, lane_size(instruction.id, use), a, b, is_difference);
        combined != 0)
      return combined;
    return result(instruction.id, a, b);
  };
  switch (use.form) {
  case VectorForm::lanes:
    return set(make(low[first], low[last]), make(high[first], high[last]));
  case VectorForm::scalar: {
    const Value made = make(low[first], low[last]);
    const bool has_upper = is_word && !values_.is_partial(made) && (classify(low[first]) & k_upper) != 0;
    return set(has_upper ? values_.plain(classify(made) | k_upper) : made, high[first]);
  }
  case VectorForm::scalar_unary: {
    const Value made = result(instruction.id, low[is_three ? 2 : 1]);
    return set(writes_word(instruction.id) ? with_upper(made, kept()) : made, is_three ? high[1]
                                                                              : reg == k_no_register
                                                                                  ? 0
                                                                                  : state.high[reg]);
  }
  case VectorForm::spread: {
    Value made =
        use.addend == 1 ? result(instruction.id, low[first], low[last]) : result(instruction.id, low[last]);
    // Longer registers have a half of their own.
    if (operands[0].size > 16) made = result(instruction.id, made, high[first], high[last]);
    Value new_low = made;
    if (instruction.id == X86_INS_UNPCKLPS || instruction.id == X86_INS_PUNPCKLDQ) {
      is_wide_ = false;
      new_low = result(instruction.id, low[first], low[last]);
    }
    // Both halves are the same only where a lane is repeated.
    const bool is_repeated = !values_.is_polynomial(made) || repeats(instruction.id);
    return set(new_low, is_repeated ? made : result(k_operation_high | instruction.id, made));
  }
  case VectorForm::low_halves:
    return set(low[first], operands[0].size > 16 ? result(instruction.id, low[last], high[first], high[last])
                                                 : low[last]);
  case VectorForm::mixed: {
    Value new_low = 0;
    Value new_high = 0;
    if (moves_lanes(instruction, low[first], high[first], low[last], high[last], is_same, new_low, new_high))
      return set(new_low, new_high);
    Value made = result(code, low[last], high[last]);
    const bool is_unary =
        !is_three && (instruction.id == X86_INS_PSHUFD || instruction.id == X86_INS_PSHUFLW ||
                      instruction.id == X86_INS_PSHUFHW || instruction.id == X86_INS_CVTDQ2PS ||
                      instruction.id == X86_INS_SQRTPD || instruction.id == X86_INS_SQRTPS);
    if (!is_unary) made = result(instruction.id, made, low[first], high[first]);
    if (mask != 0) made = result(instruction.id, made, mask);
    return set(made, values_.is_polynomial(made) ? result(k_operation_high | code, made) : made);
  }
  case VectorForm::fused:
  case VectorForm::fused_scalar: {
    const auto fuse = [&](const Value* parts) noexcept {
      const Value product = result(instruction.id, parts[(use.addend + 1) % 3], parts[(use.addend + 2) % 3]);
      if (const Value combined =
              combine(use.operation, lane_size(instruction.id, use), parts[use.addend], product, false);
          combined != 0)
        return combined;
      return result(instruction.id, parts[use.addend], product);
    };
    const bool has_upper = is_word && (classify(low[0]) & k_upper) != 0;
    const Value made = fuse(low);
    return set(has_upper && !values_.is_partial(made) ? values_.plain(classify(made) | k_upper) : made,
               use.form == VectorForm::fused ? fuse(high) : high[0]);
  }
  default:
    return refuse("has an instruction that the proof does not know", instruction.address);
  }
}

} // namespace wstree::proof
