// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effects of atomic instructions on the values.
#include "prover.h"
#include "registers.h"

#include <initializer_list>
#include <iterator>

namespace wstree::proof {

/// The memory that the compare and exchange at `place` has found in this turn of an inner loop, or before.
Value Prover::found_in(std::uint64_t place, bool is_before) noexcept {
  return values_.of(Symbol::Kind::found, k_iteration | k_fixed_memory | (is_before ? k_turn : k_common),
                    place);
}

/// Returns `address` as if each pointer in it had been read at the entry: it may have been read twice.
Value Prover::read_once(Value address) noexcept {
  if (!values_.is_polynomial(address)) return address;
  const Polynomial polynomial = values_.at(address).polynomial;
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Symbol symbol = values_.symbol(polynomial.terms[i].a);
    if (symbol.kind == Symbol::Kind::load)
      address = values_.substitute(address, polynomial.terms[i].a,
                                   values_.of(Symbol::Kind::load, symbol.bits, symbol.x, symbol.y));
  }
  return address;
}

/// Notes a merge; false: an earlier one has another operation or size at that place, so their order shows.
bool Prover::merges(Operation operation, Value address, unsigned size) noexcept {
  address = read_once(address);
  // With clang's code a number of 4 bytes is not followed in 8, so equal places need not be equal.
  const Polynomial polynomial = values_.at(address).polynomial;
  for (std::uint32_t i = 0; i < polynomial.count && is_clang_; ++i)
    for (const SymbolId id : {polynomial.terms[i].a, polynomial.terms[i].b}) {
      const Symbol& symbol = values_.symbol(id);
      if (id != 0 && symbol.kind != Symbol::Kind::argument && symbol.kind != Symbol::Kind::stack_argument &&
          (symbol.kind != Symbol::Kind::load || symbol.y != 8))
        return false;
    }
  for (std::size_t i = 0; i < merge_count_; ++i) {
    const Merge& merge = merges_[i];
    std::int64_t apart = 0;
    if (!values_.is_constant(values_.subtract(address, merge.address), apart)) continue;
    if (apart == 0 && merge.size == size && merge.operation == operation) return true;
    if (apart < merge.size && -apart < static_cast<std::int64_t>(size)) return false;
  }
  if (merge_count_ == std::size(merges_)) return false;
  merges_[merge_count_++] = {operation, address, size};
  return true;
}

/// Returns whether `value` is made of memory that partial results are merged into.
bool Prover::is_of_merges(Value value, int depth) noexcept {
  if (value == 0 || !values_.is_polynomial(value)) return false;
  if (depth == 0) return true;
  const Polynomial polynomial = values_.at(value).polynomial;
  for (std::uint32_t i = 0; i < polynomial.count; ++i)
    for (const SymbolId id : {polynomial.terms[i].a, polynomial.terms[i].b}) {
      const Symbol symbol = values_.symbol(id);
      if (id == 0) continue;
      if (symbol.kind == Symbol::Kind::load) {
        for (std::size_t j = 0; j < merge_count_; ++j)
          if (read_once(static_cast<Value>(symbol.x)) == merges_[j].address) return true;
        if (symbol.y != 0 && is_of_merges(static_cast<Value>(symbol.x), depth - 1)) return true;
      }
      if (symbol.kind == Symbol::Kind::result && (symbol.x & k_operation_first) == k_operation_join)
        return true;
      if (symbol.kind == Symbol::Kind::result && symbol.bits == k_common &&
          (is_of_merges(static_cast<Value>(symbol.y), depth - 1) ||
           is_of_merges(static_cast<Value>(symbol.z >> 32), depth - 1) ||
           is_of_merges(static_cast<Value>(symbol.z & UINT32_MAX), depth - 1)))
        return true;
    }
  return false;
}

/// Checks that no place of a merge depends on another merge.
bool Prover::check_merges() noexcept {
  constexpr int k_most_links = 8;
  for (std::size_t i = 0; i < merge_count_; ++i)
    if (is_of_merges(merges_[i].address, k_most_links))
      return refuse("merges where other calls may have merged", 0);
  return true;
}

bool Prover::step_atomic(const Instruction& instruction, State& state) noexcept {
  const Operand* const operands = instruction.operands;
  const Operand& memory = instruction.id == X86_INS_XCHG && operands[1].is_mem() ? operands[1] : operands[0];
  if (!memory.is_mem()) {
    // xchg of two registers
    Value a = 0;
    Value b = 0;
    return instruction.id == X86_INS_XCHG && read(instruction, operands[0], state, a) &&
           read(instruction, operands[1], state, b) && write(instruction, operands[0], state, b) &&
           write(instruction, operands[1], state, a);
  }
  if (instruction.segment == X86_REG_FS || instruction.segment == X86_REG_GS)
    return refuse("uses memory of its thread", instruction.address);
  const Value address = address_of(memory, state);
  Value operand = 0;
  const bool has_operand = instruction.count > 1;
  const Operand& other = &memory == operands ? operands[1] : operands[0];
  if (has_operand && !read(instruction, other, state, operand)) return false;
  state.is_late = true;
  // The lock of a statement on private memory is as good as none.
  if ((values_.at(address).bits & k_frame) != 0) return judge("has a private array", instruction.address);
  const Bits at_place = memory_at(address);
  const Value fresh = loop_.is_entered ? values_.plain(static_cast<Bits>(k_iteration | at_place))
                                       : values_.of(Symbol::Kind::load, k_common, address, memory.size,
                                                    values_.location(instruction.address, context_));
  if (loop_.is_entered) {
    loop_.has_effect = true;
    has_opaque_effect_ = true;
    if (!check_use(address, instruction, 4)) return false;
    if (has_operand && !check_use(operand, instruction, memory.size)) return false;
    const unsigned width = state.width[k_rax];
    const Value expected = width != 0 && width < memory.size ? values_.undefined() : state.general[k_rax];
    if (instruction.id == X86_INS_CMPXCHG && !check_use(expected, instruction, memory.size)) return false;
  } else {
    if (state.version != 0 &&
        !judge("has an atomic operation behind a choice by the bounds of its part", instruction.address))
      return false;
    if (classify(address) != k_common &&
        !judge("has an atomic operation on memory of its part", instruction.address))
      return false;
    operand = values_.used_in(operand, memory.size);
    const Node& node = values_.at(operand);
    Operation operation = Operation::none;
    switch (instruction.id) {
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_XADD:
      operation = Operation::add;
      break;
    case X86_INS_AND:
      operation = Operation::bit_and;
      break;
    case X86_INS_OR:
      operation = Operation::bit_or;
      break;
    case X86_INS_XOR:
      operation = Operation::bit_xor;
      break;
    default:
      break;
    }
    bool is_merge = false;
    if (instruction.id == X86_INS_CMPXCHG) {
      const Value expected = state.general[k_rax];
      const bool is_expected = values_.is_symbol(expected, Symbol::Kind::load) &&
                               values_.symbol(values_.only_symbol(expected)).x == address &&
                               values_.symbol(values_.only_symbol(expected)).y == memory.size;
      is_merge = node.kind == Node::Kind::combined && node.address == address && is_expected &&
                 merges(node.operation, address, memory.size);
      if (is_merge) verdict_.has_float_reduction |= is_float(node.operation);
    } else if (operation != Operation::none) {
      is_merge = (node.kind == Node::Kind::merged && node.operation == operation) ||
                 (operation == Operation::add && is_additive(operand, memory.size, is_natural_));
      is_merge = is_merge && merges(operation, address, memory.size);
      std::int64_t constant = 0;
      if (operation == Operation::add || operation == Operation::bit_or || operation == Operation::bit_xor)
        is_merge |= values_.is_constant(operand, constant) && constant == 0;
    }
    if (!is_merge && !judge("has an atomic operation behind or before its loop", instruction.address))
      return false;
    verdict_.has_reduction = true;
    loop_.has_merge = true;
  }
  // A merge finds what other calls have merged.
  const Value found = loop_.is_entered ? fresh : values_.undefined();
  switch (instruction.id) {
  case X86_INS_ADD:
  case X86_INS_SUB:
  case X86_INS_AND:
  case X86_INS_OR:
  case X86_INS_XOR:
  case X86_INS_INC:
  case X86_INS_DEC:
  case X86_INS_NEG:
  case X86_INS_NOT:
    state.flags = {found, values_.constant(0), false, memory.size, values_.at(found).bits};
    return true;
  case X86_INS_XADD:
    state.flags = {found, values_.constant(0), false, memory.size, values_.at(found).bits};
    return write(instruction, other, state, found);
  case X86_INS_XCHG:
    return write(instruction, other, state, found);
  case X86_INS_CMPXCHG: {
    // If it fails with the value that it has found in the turn before, the memory has changed: another thread
    // gets on. A loop that is left when it does not fail ends.
    const std::uint64_t place = values_.location(instruction.address, context_);
    const bool is_last = loop_.is_turning && state.general[k_rax] == found_in(place, true) &&
                         state.width[k_rax] == 0 && memory.size >= 4 &&
                         (values_.at(address).bits & k_turn) == 0;
    const Bits bits = loop_.is_entered ? k_iteration : k_common;
    state.flags = {is_last
                       ? values_.of(Symbol::Kind::found, bits | k_turn | k_fixed_memory, place, k_swap_failed)
                       : values_.plain(static_cast<Bits>(bits | at_place)),
                   values_.constant(0)};
    state.general[k_rax] = loop_.is_turning ? found_in(place, false) : fresh;
    state.width[k_rax] = static_cast<std::uint8_t>(memory.size < 4 ? memory.size : 0);
    note_words(state, 1U << k_rax, memory.size);
    return true;
  }
  default:
    return refuse("has an instruction that the proof does not know", instruction.address);
  }
}

} // namespace wstree::proof
