// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each instruction does to the values. An instruction that is not here refuses the function.
#include "prover.h"

#include <algorithm>
#include <cstring>

namespace wstree::proof {
namespace {

constexpr unsigned k_rax = 0;
constexpr unsigned k_rdx = 2;
constexpr unsigned k_rsp = 4;
constexpr unsigned k_rbp = 5;
constexpr unsigned k_caller_saved[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
constexpr unsigned k_no_register = ~0U;

/// The number of a general register; k_no_register: it is another one, or a second byte (ah).
unsigned general_of(x86_reg reg) noexcept {
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

unsigned vector_of(x86_reg reg) noexcept {
  if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15) return reg - X86_REG_XMM0;
  if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM15) return reg - X86_REG_YMM0;
  return k_no_register;
}

constexpr std::uint64_t k_operation_flags = std::uint64_t{1} << 40;
constexpr std::uint64_t k_operation_high = std::uint64_t{1} << 41;

} // namespace

bool Prover::frame_place(Value address, SymbolId& base, std::int32_t& offset) const noexcept {
  const Node& node = values_.at(address);
  if (node.kind != Node::Kind::polynomial || node.polynomial.count != 1) return false;
  const Term& term = node.polynomial.terms[0];
  if (term.factor != 1 || term.b != 0 || values_.symbol(term.a).kind != Symbol::Kind::frame) return false;
  base = term.a;
  offset = static_cast<std::int32_t>(node.polynomial.constant);
  return offset == node.polynomial.constant;
}

Value Prover::address_of(const Operand& operand, const State& state) noexcept {
  Value address = values_.constant(operand.value);
  if (operand.reg != X86_REG_INVALID && operand.reg != X86_REG_RIP) {
    const unsigned base = general_of(operand.reg);
    address = base == k_no_register ? values_.undefined() : values_.add(state.general[base], address);
    if (base != k_no_register && state.width[base] != 0) return values_.undefined();
  }
  if (operand.index != X86_REG_INVALID && operand.index != X86_REG_RIZ) {
    const unsigned index = general_of(operand.index);
    if (index == k_no_register || state.width[index] != 0) return values_.undefined();
    const Value scaled = values_.scale(state.general[index], operand.scale);
    address = values_.is_polynomial(address) && values_.is_polynomial(scaled) ? values_.add(address, scaled)
                                                                              : result(1, address, scaled);
    // The base of an array in the frame must be seen.
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
  const Bits bits = classify(address);
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
  if (loop_.is_entered)
    value = values_.plain(bits | k_iteration);
  else if (trusts_ && (bits & (k_part | k_first)) != 0)
    value = values_.plain(bits | k_first);
  else if ((bits & ~(k_part | k_number)) != 0)
    value = values_.plain(bits);
  else
    value = values_.of(Symbol::Kind::load, bits, address, size, state.is_late ? instruction.address : 0);
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
      slot.value = values_.plain(classify(slot.value));
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
bool Prover::check_use(Value value, const Instruction& instruction) noexcept {
  const Bits bits = classify(value);
  const Bits allowed = loop_.is_entered ? k_iteration : k_common;
  if ((bits & ~allowed) == 0) return true;
  if ((bits & k_number) != 0) return judge("uses its thread's number", instruction.address);
  if ((bits & k_carried) != 0)
    return judge("carries a value from iteration to iteration", instruction.address);
  if ((bits & k_partial) != 0) return judge("uses a partial result", instruction.address);
  if ((bits & k_frame) != 0) return judge("hands on an address of its own frame", instruction.address);
  if ((bits & k_part) != 0) return judge("uses the bounds of its part", instruction.address);
  return judge("uses a value behind its loop", instruction.address);
}

bool Prover::store_outside(const Instruction& instruction, State& state, Value address,
                           Value value) noexcept {
  if (state.is_last_part && (is_clang_ || state.is_nonempty)) {
    // The part with the last iteration is not empty.
    if (classify(address) == k_common && (classify(value) & ~(k_last | k_part | k_empty | k_first)) == 0) {
      verdict_.has_lastprivate = true;
      return true;
    }
    return judge("stores a value behind its loop that not every last iteration gives", instruction.address);
  }
  if (state.is_locked) {
    const Node& node = values_.at(value);
    if (node.kind == Node::Kind::combined && node.address == address) {
      verdict_.has_reduction = true;
      verdict_.has_float_reduction |= is_float(node.operation);
      return true;
    }
    if (values_.is_symbol(value, Symbol::Kind::load) &&
        values_.symbol(values_.only_symbol(value)).x == address)
      return true;
  }
  // A copy of the loop's body, for some of the iterations: its address depends on the part.
  const Node& place = values_.at(address);
  const bool is_copy = trusts_ && (place.bits & k_part) != 0 &&
                       ((place.bits | values_.at(value).bits) & ~(k_part | k_first)) == 0;
  if (is_copy && (place.kind != Node::Kind::polynomial || goes_with(place.polynomial, state.cursor))) {
    state.is_begun = true;
    return true;
  }
  return judge(has_part_ ? "stores to memory behind or before its loop" : "stores to memory before its loop",
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
  state.is_late = true;
  if (!loop_.is_entered) return store_outside(instruction, state, address, value);
  loop_.has_effect = true;
  return check_use(address, instruction) && check_use(value, instruction);
}

bool Prover::read(const Instruction& instruction, const Operand& operand, const State& state,
                  Value& value) noexcept {
  if (operand.is_imm()) {
    value = values_.constant(operand.value);
    return true;
  }
  if (operand.is_mem()) return load(instruction, state, address_of(operand, state), operand.size, value);
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
  value = state.general[reg];
  if (state.width[reg] != 0 && operand.size > state.width[reg])
    value = values_.plain(classify(value) | k_carried);
  if (operand.size < 4 && !values_.is_constant(value) && values_.is_polynomial(value))
    value = result(3 + operand.size, value);
  return true;
}

bool Prover::write(const Instruction& instruction, const Operand& operand, State& state,
                   Value value) noexcept {
  if (operand.is_mem()) return store(instruction, state, address_of(operand, state), operand.size, value);
  const unsigned reg = general_of(operand.reg);
  if (reg == k_no_register)
    return refuse("uses a register that the proof does not know", instruction.address);
  if (operand.size >= 4) {
    state.general[reg] = value;
    state.width[reg] = 0;
    return true;
  }
  const Bits old = classify(state.general[reg]);
  const bool keeps_nothing = state.width[reg] != 0 || (old & ~k_iteration) != 0;
  state.general[reg] = keeps_nothing ? result(7, value) : result(8 + operand.size, value, state.general[reg]);
  if (keeps_nothing) state.width[reg] = std::max<std::uint8_t>(operand.size, 1);
  return true;
}

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
    return true;
  case X86_INS_VZEROUPPER:
    // The first 16 bytes stay: what was above them is zero, so what is known of the rest holds.
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

/// Bitwise operations on registers of which only the first byte is defined: that byte of the result is.
/// False: it is no such instruction.
bool Prover::step_narrow(const Instruction& instruction, State& state) noexcept {
  const Operand* const operands = instruction.operands;
  if (instruction.count != 2 || !operands[0].is_reg() || !operands[1].is_reg() || operands[0].size < 4)
    return false;
  const bool is_move = instruction.id == X86_INS_MOV;
  if (!is_move && instruction.id != X86_INS_AND && instruction.id != X86_INS_OR &&
      instruction.id != X86_INS_XOR)
    return false;
  const unsigned to = general_of(operands[0].reg);
  const unsigned from = general_of(operands[1].reg);
  if (to == k_no_register || from == k_no_register || to == from) return false;
  const std::uint8_t width = std::max<std::uint8_t>(is_move                ? 0
                                                    : state.width[to] == 1 ? 1
                                                                           : 0,
                                                    state.width[from] == 1 ? 1 : 0);
  if (width == 0) return false;
  state.general[to] = is_move ? result(7, state.general[from])
                              : result(instruction.id, state.general[to], state.general[from]);
  state.width[to] = 1;
  if (!is_move) state.flags = {values_.undefined(), values_.undefined()};
  return true;
}

bool Prover::step_general(const Instruction& instruction, State& state) noexcept {
  if (instruction.rep == 0 && step_narrow(instruction, state)) return true;
  const Operand* const operands = instruction.operands;
  Value a = 0;
  Value b = 0;
  const auto set_flags = [&](Value value) noexcept { state.flags = {value, values_.constant(0)}; };
  if (instruction.rep != 0 && instruction.id != X86_INS_BSF && instruction.id != X86_INS_BSR &&
      instruction.id != X86_INS_TZCNT && instruction.id != X86_INS_LZCNT && instruction.id != X86_INS_POPCNT)
    return refuse("moves memory by an instruction that repeats itself", instruction.address);
  switch (instruction.id) {
  case X86_INS_MOV:
  case X86_INS_MOVABS:
    if (!read(instruction, operands[1], state, a)) return false;
    return write(instruction, operands[0], state, a);
  case X86_INS_MOVZX:
  case X86_INS_MOVSX:
  case X86_INS_MOVSXD:
    if (!read(instruction, operands[1], state, a)) return false;
    return write(instruction, operands[0], state, a);
  case X86_INS_LEA: {
    Value address = address_of(operands[1], state);
    // What is added up may be a partial result.
    if (operands[1].index != X86_REG_INVALID && operands[1].scale == 1 &&
        operands[1].reg != X86_REG_INVALID && operands[1].reg != X86_REG_RIP && operands[1].value == 0) {
      const unsigned base = general_of(operands[1].reg);
      const unsigned index = general_of(operands[1].index);
      if (base != k_no_register && index != k_no_register && state.width[base] == 0 &&
          state.width[index] == 0)
        address = apply(Operation::add, state.general[base], state.general[index]);
    }
    return write(instruction, operands[0], state, address);
  }
  case X86_INS_ADD:
  case X86_INS_SUB: {
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    const bool is_add = instruction.id == X86_INS_ADD;
    Value made = 0;
    if (operands[0].size < 4)
      made = result(instruction.id, a, b);
    else if (is_add)
      made = apply(Operation::add, a, b);
    else {
      made = combine(Operation::add, a, b, true);
      if (made == 0) made = values_.subtract(a, b);
      if (!values_.is_polynomial(made) && values_.at(made).kind == Node::Kind::plain)
        made = result(instruction.id, a, b);
    }
    if (is_add)
      set_flags(made);
    else
      state.flags = {a, b, true};
    return write(instruction, operands[0], state, made);
  }
  case X86_INS_INC:
  case X86_INS_DEC: {
    if (!read(instruction, operands[0], state, a)) return false;
    const Value one = values_.constant(instruction.id == X86_INS_INC ? 1 : -1);
    const Value made = operands[0].size < 4 ? result(instruction.id, a) : apply(Operation::add, a, one);
    set_flags(made);
    return write(instruction, operands[0], state, made);
  }
  case X86_INS_NEG: {
    if (!read(instruction, operands[0], state, a)) return false;
    const Value made =
        values_.is_polynomial(a) && operands[0].size >= 4 ? values_.scale(a, -1) : result(instruction.id, a);
    set_flags(made);
    return write(instruction, operands[0], state, made);
  }
  case X86_INS_NOT: {
    if (!read(instruction, operands[0], state, a)) return false;
    const bool is_exact = values_.is_polynomial(a) && operands[0].size >= 4;
    return write(instruction, operands[0], state,
                 is_exact ? values_.add(values_.scale(a, -1), values_.constant(-1))
                          : result(instruction.id, a));
  }
  case X86_INS_IMUL:
    if (instruction.count == 1) break;
    if (!read(instruction, operands[instruction.count - 2], state, a) ||
        !read(instruction, operands[instruction.count - 1], state, b))
      return false;
    a = operands[0].size < 4 ? result(instruction.id, a, b) : apply(Operation::multiply, a, b);
    set_flags(result(k_operation_flags, a));
    return write(instruction, operands[0], state, a);
  case X86_INS_SHL:
  case X86_INS_SAL: {
    if (!read(instruction, operands[0], state, a)) return false;
    std::int64_t count = 1;
    if (instruction.count > 1) {
      if (!read(instruction, operands[1], state, b)) return false;
    } else
      b = values_.constant(1);
    const bool is_exact =
        values_.is_constant(b, count) && count < 31 && values_.is_polynomial(a) && operands[0].size >= 4;
    a = is_exact ? values_.scale(a, std::int64_t{1} << count) : result(instruction.id, a, b);
    set_flags(a);
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_SAR:
  case X86_INS_SHR:
  case X86_INS_ROL:
  case X86_INS_ROR:
    if (!read(instruction, operands[0], state, a)) return false;
    b = values_.constant(1);
    if (instruction.count > 1 && !read(instruction, operands[1], state, b)) return false;
    a = result(instruction.id, a, b);
    set_flags(a);
    return write(instruction, operands[0], state, a);
  case X86_INS_SHLD:
  case X86_INS_SHRD: {
    Value c = 0;
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b) ||
        !read(instruction, operands[2], state, c))
      return false;
    a = result(instruction.id, a, b, c);
    set_flags(a);
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_AND:
  case X86_INS_OR:
  case X86_INS_XOR: {
    const bool is_same = operands[0].is_reg() && operands[1].is_reg() && operands[0].reg == operands[1].reg;
    if (is_same && instruction.id == X86_INS_XOR && operands[0].size >= 4) {
      a = values_.constant(0);
      set_flags(a);
      return write(instruction, operands[0], state, a);
    }
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    std::int64_t constant = 0;
    const bool is_constant = values_.is_constant(b, constant);
    const bool is_full = operands[0].size >= 4;
    if (instruction.id == X86_INS_AND && is_constant && general_of(operands[0].reg) == k_rsp &&
        operands[0].is_reg() && constant < 0) {
      a = values_.of(Symbol::Kind::frame, k_frame, a, static_cast<std::uint64_t>(constant));
      set_flags(values_.undefined());
      return write(instruction, operands[0], state, a);
    }
    if (instruction.id == X86_INS_AND && is_constant && constant == 0 && is_full)
      a = values_.constant(0);
    else if (instruction.id == X86_INS_OR && is_constant && constant == -1 && is_full)
      a = values_.constant(-1);
    else {
      const Operation operation = instruction.id == X86_INS_AND  ? Operation::bit_and
                                  : instruction.id == X86_INS_OR ? Operation::bit_or
                                                                 : Operation::bit_xor;
      a = is_full ? apply(operation, a, b) : result(instruction.id, a, b);
    }
    set_flags(a);
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_CDQ:
  case X86_INS_CQO: {
    a = state.general[k_rax];
    if (state.width[k_rax] != 0) a = values_.undefined();
    std::int64_t constant = 0;
    Value sign = values_.is_constant(a, constant) ? values_.constant(constant < 0 ? -1 : 0) : 0;
    if (sign == 0)
      sign = loop_.is_entered || !values_.is_polynomial(a)
                 ? result(instruction.id, a)
                 : values_.of(Symbol::Kind::sign, values_.at(a).bits, a);
    state.general[k_rdx] = sign;
    state.width[k_rdx] = 0;
    return true;
  }
  case X86_INS_CDQE:
  case X86_INS_CWDE:
    if (instruction.id == X86_INS_CWDE) state.general[k_rax] = result(instruction.id, state.general[k_rax]);
    return true;
  case X86_INS_CMP:
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    state.flags = {a, b, true};
    return true;
  case X86_INS_TEST:
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    if (operands[0].is_reg() && operands[1].is_reg() && operands[0].reg == operands[1].reg)
      set_flags(a);
    else
      set_flags(result(instruction.id, a, b));
    return true;
  case X86_INS_BT:
    if (operands[0].is_mem()) break; // addresses bits far away
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    set_flags(result(instruction.id, a, b));
    return true;
  case X86_INS_BSF:
  case X86_INS_BSR:
  case X86_INS_TZCNT:
  case X86_INS_LZCNT:
  case X86_INS_POPCNT:
  case X86_INS_BSWAP:
  case X86_INS_MOVBE:
  case X86_INS_RORX:
    if (!read(instruction, operands[instruction.count > 1 ? 1 : 0], state, a)) return false;
    a = result(instruction.id, a);
    set_flags(a);
    return write(instruction, operands[0], state, a);
  case X86_INS_ANDN:
  case X86_INS_SHLX:
  case X86_INS_SHRX:
  case X86_INS_SARX:
  case X86_INS_BZHI:
    if (!read(instruction, operands[1], state, a) || !read(instruction, operands[2], state, b)) return false;
    a = result(instruction.id, a, b);
    if (instruction.id == X86_INS_ANDN || instruction.id == X86_INS_BZHI) set_flags(a);
    return write(instruction, operands[0], state, a);
  case X86_INS_ADC:
  case X86_INS_SBB: {
    const Value condition = values_.plain(condition_bits(state));
    const bool is_same = operands[0].is_reg() && operands[1].is_reg() && operands[0].reg == operands[1].reg;
    if (is_same && instruction.id == X86_INS_SBB) {
      a = result(instruction.id, condition);
    } else {
      if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b))
        return false;
      a = result(instruction.id, a, b, condition);
    }
    set_flags(a);
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_PUSH:
    if (!read(instruction, operands[0], state, a)) return false;
    state.general[k_rsp] = values_.add(state.general[k_rsp], values_.constant(-8));
    return store(instruction, state, state.general[k_rsp], 8, a);
  case X86_INS_POP: {
    if (!load(instruction, state, state.general[k_rsp], 8, a)) return false;
    state.general[k_rsp] = values_.add(state.general[k_rsp], values_.constant(8));
    return write(instruction, operands[0], state, a);
  }
  case X86_INS_LEAVE:
    if (!load(instruction, state, state.general[k_rbp], 8, a)) return false;
    state.general[k_rsp] = values_.add(state.general[k_rbp], values_.constant(8));
    state.general[k_rbp] = a;
    return true;
  default:
    break;
  }
  if (instruction.id >= X86_INS_SETAE && instruction.id <= X86_INS_SETS)
    return write(instruction, operands[0], state, result(instruction.id, state.flags.a, state.flags.b));
  switch (instruction.id) {
  case X86_INS_CMOVA:
  case X86_INS_CMOVAE:
  case X86_INS_CMOVB:
  case X86_INS_CMOVBE:
  case X86_INS_CMOVE:
  case X86_INS_CMOVG:
  case X86_INS_CMOVGE:
  case X86_INS_CMOVL:
  case X86_INS_CMOVLE:
  case X86_INS_CMOVNE:
  case X86_INS_CMOVNO:
  case X86_INS_CMOVNP:
  case X86_INS_CMOVNS:
  case X86_INS_CMOVO:
  case X86_INS_CMOVP:
  case X86_INS_CMOVS: {
    if (!read(instruction, operands[0], state, a) || !read(instruction, operands[1], state, b)) return false;
    const Flags flags = state.flags;
    // The smaller or the greater one of both that are compared.
    const bool is_decidable = state.flags.is_comparison || !compares_unsigned(instruction.id);
    const bool is_of_compared = (flags.a == a && flags.b == b) || (flags.a == b && flags.b == a);
    if (is_of_compared && is_decidable && a != b) {
      bool is_known = true;
      bool other_known = true;
      const bool for_less = holds_for(instruction.id, -1, is_known);
      const bool for_more = holds_for(instruction.id, 1, other_known);
      if (is_known && other_known && for_less != for_more) {
        const Value if_less = for_less ? b : a; // while flags.a < flags.b
        const bool is_unsigned = compares_unsigned(instruction.id);
        const Operation operation = if_less == flags.a
                                        ? (is_unsigned ? Operation::least_unsigned : Operation::least)
                                        : (is_unsigned ? Operation::most_unsigned : Operation::most);
        if (is_clang_ && (operation == Operation::least || operation == Operation::least_unsigned) &&
            values_.length != 0) {
          const bool is_end = (values_.is_symbol(a, Symbol::Kind::raw_end) && b == dividend_) ||
                              (values_.is_symbol(b, Symbol::Kind::raw_end) && a == dividend_);
          if (is_end) return write(instruction, operands[0], state, last_of_part());
        }
        return write(instruction, operands[0], state, apply(operation, a, b));
      }
    }
    if (state.formula == State::Formula::open &&
        formula_edge(state, instruction.id, true) != State::Formula::open) {
      const bool is_less = formula_edge(state, instruction.id, true) == State::Formula::less;
      const Value made = joined_formula(is_less ? b : a, is_less ? a : b);
      if (made != 0) return write(instruction, operands[0], state, made);
    }
    if (a == b && values_.at(a).kind != Node::Kind::plain) return write(instruction, operands[0], state, a);
    const Value condition = values_.plain(condition_bits(state));
    return write(instruction, operands[0], state, result(instruction.id, a, b, condition));
  }
  case X86_INS_MUL:
  case X86_INS_IMUL:
    if (!read(instruction, operands[0], state, b)) return false;
    if (operands[0].size < 4) break;
    a = state.width[k_rax] != 0 ? values_.undefined() : state.general[k_rax];
    state.general[k_rax] = values_.is_polynomial(a) && values_.is_polynomial(b)
                               ? apply(Operation::multiply, a, b)
                               : result(instruction.id, a, b);
    state.general[k_rdx] = result(k_operation_high | instruction.id, a, b);
    state.width[k_rax] = state.width[k_rdx] = 0;
    set_flags(state.general[k_rdx]);
    return true;
  case X86_INS_MULX: {
    if (!read(instruction, operands[2], state, b)) return false;
    a = state.width[k_rdx] != 0 ? values_.undefined() : state.general[k_rdx];
    return write(instruction, operands[1], state, result(instruction.id, a, b)) &&
           write(instruction, operands[0], state, result(k_operation_high | instruction.id, a, b));
  }
  case X86_INS_DIV:
  case X86_INS_IDIV: {
    if (!read(instruction, operands[0], state, b)) return false;
    if (operands[0].size < 4) break;
    a = state.width[k_rax] != 0 ? values_.undefined() : state.general[k_rax];
    const Value top = state.width[k_rdx] != 0 ? values_.undefined() : state.general[k_rdx];
    state.width[k_rax] = state.width[k_rdx] = 0;
    set_flags(values_.undefined());
    std::int64_t constant = 0;
    const bool is_extended = instruction.id == X86_INS_DIV
                                 ? values_.is_constant(top, constant) && constant == 0
                             : values_.is_symbol(top, Symbol::Kind::sign)
                                 ? values_.symbol(values_.only_symbol(top)).x == a
                                 : values_.is_constant(a, constant) && values_.is_constant(top) &&
                                       top == values_.constant(constant < 0 ? -1 : 0);
    if (values_.is_symbol(b, Symbol::Kind::thread_count) && !loop_.is_entered && is_extended &&
        values_.is_polynomial(a) && values_.at(a).bits == k_common) {
      dividend_size_ = operands[0].size;
      state.general[k_rax] = values_.of(Symbol::Kind::quotient, k_number, a, instruction.id);
      state.general[k_rdx] = values_.of(Symbol::Kind::remainder, k_number, a, instruction.id);
      return true;
    }
    state.general[k_rax] = result(instruction.id, a, b, top);
    state.general[k_rdx] = result(k_operation_high | instruction.id, a, b, top);
    return true;
  }
  default:
    break;
  }
  return refuse("has an instruction that the proof does not know", instruction.address);
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
  const Value fresh =
      loop_.is_entered ? values_.plain(k_iteration)
                       : values_.of(Symbol::Kind::load, k_common, address, memory.size, instruction.address);
  if (loop_.is_entered) {
    loop_.has_effect = true;
    if (!check_use(address, instruction)) return false;
    if (has_operand && !check_use(operand, instruction)) return false;
    if (instruction.id == X86_INS_CMPXCHG && !check_use(state.general[k_rax], instruction)) return false;
  } else {
    if (classify(address) != k_common &&
        !judge("has an atomic operation on memory of its part", instruction.address))
      return false;
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
                               values_.symbol(values_.only_symbol(expected)).x == address;
      is_merge = node.kind == Node::Kind::combined && node.address == address && is_expected;
      if (is_merge) verdict_.has_float_reduction |= is_float(node.operation);
    } else if (operation != Operation::none) {
      is_merge = (node.kind == Node::Kind::merged && node.operation == operation) ||
                 (operation == Operation::add && is_additive(operand));
      std::int64_t constant = 0;
      if (operation == Operation::add || operation == Operation::bit_or || operation == Operation::bit_xor)
        is_merge |= values_.is_constant(operand, constant) && constant == 0;
    }
    if (!is_merge && !judge("has an atomic operation behind or before its loop", instruction.address))
      return false;
    verdict_.has_reduction = true;
  }
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
    state.flags = {fresh, values_.constant(0)};
    return true;
  case X86_INS_XADD:
    state.flags = {fresh, values_.constant(0)};
    return write(instruction, other, state, fresh);
  case X86_INS_XCHG:
    return write(instruction, other, state, fresh);
  case X86_INS_CMPXCHG: {
    // If it fails, the memory has changed: another thread gets on. That ends a loop that tries with what it
    // has found.
    const Bits found = static_cast<Bits>((loop_.is_entered ? k_iteration : k_common) |
                                         (values_.at(state.general[k_rax]).bits & k_turn));
    state.flags = {values_.plain(found), values_.constant(0)};
    state.general[k_rax] = loop_.is_turning ? values_.plain(k_iteration | k_turn) : fresh;
    state.width[k_rax] = 0;
    return true;
  }
  default:
    return refuse("has an instruction that the proof does not know", instruction.address);
  }
}

bool Prover::read_vector(const Instruction& instruction, const Operand& operand, const State& state,
                         unsigned size, Value& low, Value& high) noexcept {
  if (operand.is_mem()) {
    const Value address = address_of(operand, state);
    if (!load(instruction, state, address, std::min(size, 8U), low)) return false;
    high = values_.constant(0);
    return size <= 8 || load(instruction, state, values_.add(address, values_.constant(8)), size - 8, high);
  }
  const unsigned reg = vector_of(operand.reg);
  if (reg == k_no_register) {
    if (general_of(operand.reg) == k_no_register)
      return refuse("uses a register that the proof does not know", instruction.address);
    high = values_.constant(0);
    return read(instruction, operand, state, low);
  }
  low = state.low[reg];
  high = state.high[reg];
  return true;
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
    state.high[reg] = new_high;
    return true;
  };
  const auto store_vector = [&](Value new_low, Value new_high, unsigned size) noexcept {
    const Value address = address_of(operands[0], state);
    return store(instruction, state, address, std::min(size, 8U), new_low) &&
           (size <= 8 ||
            store(instruction, state, values_.add(address, values_.constant(8)), size - 8, new_high));
  };
  const bool is_three = count == 3;
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
    return is_three ? set(low[2], high[1]) : set(low[1], reg == k_no_register ? 0 : state.high[reg]);
  case VectorForm::word_move:
    if (!read_all(1, memory_size())) return false;
    if (operands[0].is_mem()) return store_vector(low[1], 0, operands[0].size);
    if (reg == k_no_register) return write(instruction, operands[0], state, low[1]);
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
    const Value made =
        use.addend == 1 ? result(instruction.id, low[1], high[1]) : result(instruction.id, low[1]);
    return write(instruction, operands[0], state, made);
  }
  case VectorForm::compare:
    if (!read_all(0, memory_size())) return false;
    state.flags = {low[0], low[1], true};
    // Unordered operands: the sign says nothing of the difference.
    if (values_.is_constant(values_.subtract(low[0], low[1])))
      state.flags = {result(instruction.id, low[0], low[1]), values_.constant(0)};
    return true;
  default:
    break;
  }
  // Of two operands the first one is the first source, too.
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
  const bool is_difference =
      use.operation == Operation::add || use.operation == Operation::add_float ? use.addend == 1 : false;
  const auto make = [&](Value a, Value b) noexcept {
    if (use.operation == Operation::bit_xor && is_same) return values_.constant(0);
    if (use.operation == Operation::none) return result(instruction.id, a, b);
    if (const Value combined = combine(use.operation, a, b, is_difference); combined != 0) return combined;
    return result(instruction.id, a, b);
  };
  switch (use.form) {
  case VectorForm::lanes:
    return set(make(low[first], low[last]), make(high[first], high[last]));
  case VectorForm::scalar:
    return set(make(low[first], low[last]), high[first]);
  case VectorForm::scalar_unary:
    if (is_three) return set(result(instruction.id, low[2]), high[1]);
    return set(result(instruction.id, low[1]), reg == k_no_register ? 0 : state.high[reg]);
  case VectorForm::spread: {
    const Value made =
        use.addend == 1 ? result(instruction.id, low[first], low[last]) : result(instruction.id, low[last]);
    return set(made, made);
  }
  case VectorForm::low_halves:
    return set(low[first], low[last]);
  case VectorForm::mixed: {
    // Halves of a partial result are put in another order, and stay one.
    const Node& node = values_.at(low[last]);
    if (node.kind == Node::Kind::merged && low[last] == high[last] && (is_same || count == 2)) {
      const bool takes_first =
          first != last && !is_same && !(low[first] == low[last] && high[first] == high[last]);
      if (!takes_first || instruction.id == X86_INS_PSHUFD) return set(low[last], high[last]);
    }
    Value made = result(instruction.id, low[last], high[last]);
    const bool is_unary =
        !is_three && (instruction.id == X86_INS_PSHUFD || instruction.id == X86_INS_PSHUFLW ||
                      instruction.id == X86_INS_PSHUFHW || instruction.id == X86_INS_CVTDQ2PS ||
                      instruction.id == X86_INS_SQRTPD || instruction.id == X86_INS_SQRTPS);
    if (!is_unary) made = result(instruction.id, made, low[first], high[first]);
    if (mask != 0) made = result(instruction.id, made, mask);
    return set(made, made);
  }
  case VectorForm::fused:
  case VectorForm::fused_scalar: {
    const auto fuse = [&](const Value* parts) noexcept {
      const Value product = result(instruction.id, parts[(use.addend + 1) % 3], parts[(use.addend + 2) % 3]);
      if (const Value combined = combine(use.operation, parts[use.addend], product, false); combined != 0)
        return combined;
      return result(instruction.id, parts[use.addend], product);
    };
    return set(fuse(low), use.form == VectorForm::fused ? fuse(high) : high[0]);
  }
  default:
    return refuse("has an instruction that the proof does not know", instruction.address);
  }
}

} // namespace wstree::proof
