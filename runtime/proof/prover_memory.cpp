// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands: registers, the frame, and memory outside of it.
#include "prover.h"
#include "registers.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wstree::proof {

bool Prover::frame_place(Value address, SymbolId& base, std::int32_t& offset) const noexcept {
  const Node& node = values_.at(address);
  if (node.kind != Node::Kind::polynomial || node.polynomial.count != 1) return false;
  const Term& term = node.polynomial.terms[0];
  if (term.factor != 1 || term.b != 0 || values_.symbol(term.a).kind != Symbol::Kind::frame) return false;
  base = term.a;
  offset = static_cast<std::int32_t>(node.polynomial.constant);
  return offset == node.polynomial.constant;
}

Value Prover::address_of(const Operand& operand, const State& state, unsigned size) noexcept {
  Value address = values_.constant(operand.value);
  const bool was_wide = is_wide_;
  if (operand.reg != X86_REG_INVALID && operand.reg != X86_REG_RIP) {
    const unsigned base = general_of(operand.reg);
    address = base == k_no_register ? values_.undefined() : values_.add(word_in(state, base, size), address);
    if (base != k_no_register && state.width[base] != 0) return values_.undefined();
  }
  if (operand.index != X86_REG_INVALID && operand.index != X86_REG_RIZ) {
    const unsigned index = general_of(operand.index);
    if (index == k_no_register || state.width[index] != 0) return values_.undefined();
    const Value scaled = values_.scale(word_in(state, index, size), operand.scale);
    is_wide_ = true;
    address = values_.is_polynomial(address) && values_.is_polynomial(scaled)
                  ? values_.add(address, scaled)
                  : result(k_operation_address, address, scaled);
    // The base of an array in the frame must be seen.
    is_wide_ = was_wide;
    if (((values_.at(state.general[index]).bits) & k_frame) != 0 && !values_.is_polynomial(address))
      return values_.plain(values_.at(address).bits | k_frame);
  }
  return address;
}

bool Prover::load(const Instruction& instruction, const State& state, Value address, unsigned size,
                  Value& value) noexcept {
  if (instruction.segment == X86_REG_FS || instruction.segment == X86_REG_GS) {
    std::int64_t offset = 0;
    if (instruction.segment != X86_REG_FS || !values_.is_constant(address, offset) || offset != 0x28)
      return refuse("uses memory of its thread", instruction.address);
    value = values_.of(Symbol::Kind::canary, k_common);
    return true;
  }
  SymbolId base = 0;
  std::int32_t offset = 0;
  if (frame_place(address, base, offset)) {
    const auto end = offset + static_cast<std::int32_t>(size);
    Bits bits = 0;
    std::uint32_t covered = 0;
    for (std::uint16_t i = 0; i < state.count; ++i) {
      const Slot& slot = state.slots[i];
      if (slot.base != base || slot.offset >= end || slot.end() <= offset) continue;
      if (slot.offset == offset &&
          (slot.size == size || (slot.size > size && size >= 4 && values_.is_polynomial(slot.value)))) {
        value = slot.value;
        return true;
      }
      bits |= classify(slot.value);
      if (slot.offset != offset && (bits & k_upper) != 0) bits |= k_carried;
      covered += static_cast<std::uint32_t>(std::min(slot.end(), end) - std::max(slot.offset, offset));
    }
    if (covered == 0 && is_clang_ && offset >= 8 && values_.symbol(base).x == 0) {
      value = values_.of(Symbol::Kind::stack_argument, k_common, static_cast<std::uint64_t>(offset));
      return true;
    }
    if (covered < size) bits |= k_carried;
    value = values_.plain(loop_.is_entered ? bits | k_iteration : bits);
    return true;
  }
  const Bits bits = classify(address) & static_cast<Bits>(~k_upper);
  if ((bits & k_frame) != 0) {
    // Some word of an array: it may be one that an earlier iteration has written.
    value = values_.plain(bits | k_carried);
    return true;
  }
  // The numbers of the thread, in a program of clang.
  if (is_clang_ && values_.at(address).kind == Node::Kind::polynomial)
    for (std::uint64_t argument = 0; argument < 2; ++argument)
      if (address == values_.of(Symbol::Kind::argument, k_common, argument)) {
        value = values_.plain(k_number);
        return true;
      }
  std::int64_t place = 0;
  if (values_.is_constant(address, place) && (size == 4 || size == 8)) {
    const Segment segment = process_.segment_around(process_.context, reinterpret_cast<const void*>(place));
    const auto left = segment.size - (static_cast<Address>(place) - reinterpret_cast<Address>(segment.begin));
    if (segment.begin != nullptr && !segment.is_writable && left >= size) {
      std::int64_t constant = 0;
      if (size == 8)
        std::memcpy(&constant, reinterpret_cast<const void*>(place), 8);
      else {
        std::int32_t word = 0;
        std::memcpy(&word, reinterpret_cast<const void*>(place), 4);
        constant = word;
      }
      value = values_.constant(constant);
      return true;
    }
  }
  if (loop_.is_entered) {
    // Its parts matter where versions are compared, or where the word was read before the loop, too.
    const bool is_known =
        !is_clang_ && values_.is_polynomial(address) && (loop_.is_version || bits == k_common);
    const bool is_bound = loop_.is_turning &&
                          values_.is_constant(address, place) && // by the loader, for good
                          process_.callee_in(process_.context, reinterpret_cast<const void*>(place)).name;
    const Bits memory = is_bound ? k_common : memory_at(address);
    value = values_.plain(static_cast<Bits>((bits & ~k_link) | k_iteration | memory),
                          is_known ? values_.of(Symbol::Kind::load, k_iteration, address, size,
                                                std::uint64_t{store_count_} << 56 | instruction.address)
                                   : 0);
  } else if (trusts_ && (bits & k_part) != 0) {
    // An iteration's, outside of the loops.
    value = values_.plain(bits | k_carried);
  } else if ((bits & ~(k_part | k_number)) != 0)
    value = values_.plain(bits);
  else
    value = values_.of(Symbol::Kind::load, bits, address, size,
                       (state.is_late ? values_.location(instruction.address, context_) : 0) |
                           effects_before(state));
  return true;
}

/// Forgets `size` bytes of a frame: the slots there end before them, and begin behind them.
void Prover::erase(State& state, SymbolId base, std::int32_t offset, std::uint32_t size) noexcept {
  const auto end = offset + static_cast<std::int32_t>(size);
  std::uint16_t kept = 0;
  Slot tail; // at most one reaches over the end
  for (std::uint16_t i = 0; i < state.count; ++i) {
    Slot slot = state.slots[i];
    if (slot.base == base && slot.offset < end && slot.end() > offset) {
      const Bits bits = classify(slot.value);
      slot.value = values_.plain((bits & k_upper) != 0 ? bits | k_carried : bits);
      if (slot.end() > end) tail = {base, end, static_cast<std::uint32_t>(slot.end() - end), slot.value};
      if (slot.offset >= offset) continue;
      slot.size = static_cast<std::uint32_t>(offset - slot.offset);
    }
    state.slots[kept++] = slot;
  }
  state.count = kept;
  if (tail.size != 0) insert(state, tail);
}

/// Slots are in order of their places. Without room the slot is forgotten, which makes it undefined.
bool Prover::insert(State& state, const Slot& slot) noexcept {
  if (state.count == State::k_most_slots) return false;
  std::uint16_t i = state.count++;
  for (; i != 0 && (state.slots[i - 1].base > slot.base ||
                    (state.slots[i - 1].base == slot.base && state.slots[i - 1].offset > slot.offset));
       --i)
    state.slots[i] = state.slots[i - 1];
  state.slots[i] = slot;
  return true;
}

bool Prover::put(const Instruction& instruction, State& state, SymbolId base, std::int32_t offset,
                 std::uint32_t size, Value value) noexcept {
  // An argument that is not in a register has no slot on the ways that do not write it.
  if (is_clang_ && offset >= 8 && values_.symbol(base).x == 0)
    return refuse("changes an argument on its stack", instruction.address);
  // A word of the caller's may be written or not, as memory says.
  if (base != loop_.callee_base || offset >= loop_.callee_offset) value = asked(value);
  for (std::uint16_t i = 0; i < state.count; ++i)
    if (Slot& slot = state.slots[i]; slot.base == base && slot.offset == offset && slot.size == size) {
      slot.value = value;
      return true;
    }
  erase(state, base, offset, size);
  return insert(state, {base, offset, size, value}) ||
         refuse("has a frame that is too large for the proof", instruction.address);
}

/// A value that leaves the function: into memory, or to a function elsewhere.
/// Addresses are used as if they had 4 bytes.
bool Prover::check_use(Value value, const Instruction& instruction, unsigned size) noexcept {
  const Bits bits = size > 4 ? classify(value) : classify(value) & static_cast<Bits>(~k_upper);
  const Bits allowed = loop_.is_entered ? k_iteration : k_common;
  if ((bits & ~allowed) == 0) return true;
  if ((bits & k_upper) != 0)
    return judge("uses 8 bytes of a number that may have lost some", instruction.address);
  if ((bits & k_number) != 0) return judge("uses its thread's number", instruction.address);
  if ((bits & k_carried) != 0)
    return judge("carries a value from iteration to iteration", instruction.address);
  if ((bits & k_partial) != 0) return judge("uses a partial result", instruction.address);
  if ((bits & k_frame) != 0) return judge("hands on an address of its own frame", instruction.address);
  if ((bits & k_part) != 0) return judge("uses the bounds of its part", instruction.address);
  return judge("uses a value behind its loop", instruction.address);
}

/// Returns whether a polynomial depends on the part by its end alone.
bool Prover::is_of_end(Value value) const noexcept {
  const Node& node = values_.at(value);
  if ((node.bits & k_part) == 0) return true;
  if (node.kind != Node::Kind::polynomial) return false;
  const Polynomial& polynomial = node.polynomial;
  std::int64_t of_low = 0;
  std::int64_t of_length = 0;
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term& term = polynomial.terms[i];
    const bool is_product =
        term.b != 0 && ((values_.symbol(term.a).bits | values_.symbol(term.b).bits) & k_part) != 0;
    if (is_product) return false;
    if ((values_.symbol(term.a).bits & k_part) == 0) continue;
    if (term.a != values_.low && term.a != values_.length) return false;
    (term.a == values_.low ? of_low : of_length) = term.factor;
  }
  return of_low == of_length;
}

bool Prover::store_outside(const Instruction& instruction, State& state, Value address, unsigned size,
                           Value value) noexcept {
  if (state.version != 0) return store_copy(instruction, state, address, size, value);
  if (state.is_last_part && (is_clang_ || state.is_nonempty)) {
    // The part with the last iteration is not empty.
    const Bits upper = size <= 4 ? k_upper : k_common;
    if (classify(address) == k_common && (classify(value) & ~(k_last | k_part | k_empty | upper)) == 0 &&
        is_of_end(value)) {
      verdict_.has_lastprivate = true;
      return true;
    }
    return judge("stores a value behind its loop that not every last iteration gives", instruction.address);
  }
  if (state.is_locked) {
    const Node& node = values_.at(value);
    if (node.kind == Node::Kind::combined && node.address == address &&
        (node.size == size || (node.size == k_packed && size == 8)) &&
        merges(node.operation, address, size)) {
      verdict_.has_reduction = true;
      verdict_.has_float_reduction |= is_float(node.operation);
      return true;
    }
    if (values_.is_symbol(value, Symbol::Kind::load) &&
        values_.symbol(values_.only_symbol(value)).x == address &&
        values_.symbol(values_.only_symbol(value)).y == size)
      return true;
  }
  return judge(
      has_part_ ? "stores to memory behind or before its loop (a second reduction, or an element of a shared "
                  "array kept in a register)"
                : "stores to memory before its loop",
      instruction.address);
}

bool Prover::store(const Instruction& instruction, State& state, Value address, unsigned size,
                   Value value) noexcept {
  if (instruction.segment == X86_REG_FS || instruction.segment == X86_REG_GS)
    return refuse("uses memory of its thread", instruction.address);
  SymbolId base = 0;
  std::int32_t offset = 0;
  if (frame_place(address, base, offset)) return put(instruction, state, base, offset, size, value);
  if ((classify(address) & k_frame) != 0) return judge("has a private array", instruction.address);
  if (is_ending_) return judge("stores to memory before it ends the program", instruction.address);
  state.is_late = true;
  if (!loop_.is_entered) return store_outside(instruction, state, address, size, value);
  loop_.has_effect = true;
  if (loop_.is_version) {
    if (store_count_ == k_most_stores) return refuse("is too long", instruction.address);
    stores_[store_count_++] = {address, value, size, instruction.address};
  }
  return check_use(address, instruction, 4) && check_use(value, instruction, size);
}

bool Prover::read(const Instruction& instruction, const Operand& operand, const State& state,
                  Value& value) noexcept {
  if (operand.is_imm()) {
    value = values_.constant(operand.value);
    return true;
  }
  if (operand.is_mem()) {
    if (!load(instruction, state, address_of(operand, state), operand.size, value)) return false;
    is_wide_ |= operand.size >= 8;
    if (operand.size == 4) value = first_four(value);
    value = cut_constant(values_.used_in(value, operand.size), operand.size, operand.size == 4);
    if (operand.size <= 4) value = first_word(value);
    if (operand.size == 4) note_width(value, state);
    return true;
  }
  is_wide_ |= operand.size >= 8;
  const unsigned reg = general_of(operand.reg);
  if (reg == k_no_register) {
    if (operand.reg == X86_REG_AH || operand.reg == X86_REG_BH || operand.reg == X86_REG_CH ||
        operand.reg == X86_REG_DH) {
      const unsigned whole = operand.reg == X86_REG_AH   ? 0U
                             : operand.reg == X86_REG_CH ? 1U
                             : operand.reg == X86_REG_DH ? 2U
                                                         : 3U;
      value = state.width[whole] == 1 ? values_.undefined() : result(2, state.general[whole]);
      return true;
    }
    return refuse("uses a register that the proof does not know", instruction.address);
  }
  value = cut_constant(values_.used_in(word_in(state, reg, operand.size), operand.size), operand.size,
                       operand.size == 4);
  if (operand.size <= 4) value = first_word(value);
  if (operand.size == 4) note_width(value, state);
  if (operand.size == 8 && (state.words >> reg & 1) != 0) value = extended(value);
  if (state.width[reg] != 0 && operand.size > state.width[reg])
    value = values_.plain(classify(value) | k_carried);
  if (operand.size < 4 && values_.is_of_swap(value)) return true;
  if (operand.size < 4 && !values_.is_constant(value) && values_.is_polynomial(value)) {
    const bool was_wide = std::exchange(is_wide_, false);
    value = result(3 + operand.size, value);
    is_wide_ = was_wide;
  } else if (operand.size < 4 && values_.at(value).kind == Node::Kind::plain &&
             values_.at(value).address != 0)
    value = values_.plain(values_.at(value).bits);
  return true;
}

bool Prover::write(const Instruction& instruction, const Operand& operand, State& state,
                   Value value) noexcept {
  if (operand.is_mem()) return store(instruction, state, address_of(operand, state), operand.size, value);
  const unsigned reg = general_of(operand.reg);
  if (reg == k_no_register)
    return refuse("uses a register that the proof does not know", instruction.address);
  if (operand.size >= 4) {
    if (operand.size == 4) note_width(value, state);
    state.general[reg] = cut_constant(value, operand.size, false);
    state.width[reg] = 0;
    note_words(state, 1U << reg, operand.size);
    return true;
  }
  const Bits old = classify(state.general[reg]);
  const bool keeps_nothing = state.width[reg] != 0 || (old & ~k_iteration) != 0;
  state.general[reg] = keeps_nothing ? result(7, value) : result(8 + operand.size, value, state.general[reg]);
  if (keeps_nothing) state.width[reg] = std::max<std::uint8_t>(operand.size, 1);
  return true;
}

} // namespace wstree::proof
