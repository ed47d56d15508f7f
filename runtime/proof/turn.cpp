// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of general registers, in words.
#include "turn.h"

#include "registers.h"

#include <algorithm>
#include <cstring>

namespace wstree::proof {
namespace {

bool is_whole(x86_reg reg) noexcept {
  switch (reg) {
  case X86_REG_RAX:
  case X86_REG_RBX:
  case X86_REG_RCX:
  case X86_REG_RDX:
  case X86_REG_RSI:
  case X86_REG_RDI:
  case X86_REG_RBP:
  case X86_REG_RSP:
    return true;
  default:
    return reg >= X86_REG_R8 && reg <= X86_REG_R15;
  }
}

} // namespace

void Turn::forget() noexcept {
  for (unsigned i = 0; i < k_units; ++i) set_unit(i, words_.some(8));
  flags_ = words_.some(4);
}

/// Notes an access to a word that is a constant away from the stack pointer. False: it is none.
bool Turn::note_frame(Word address, unsigned bytes, bool is_store) noexcept {
  std::int64_t place = 0;
  if (!words_.is_constant(words_.add(address, general_[k_rsp], -1), place)) return false;
  (is_store ? writes_frame_ : reads_frame_) = true;
  if (place_count_ == k_most_places)
    has_all_places_ = false;
  else
    places_[place_count_++] = {place, place + bytes, is_store};
  return true;
}

bool Turn::is_frame_apart() const noexcept {
  for (std::size_t i = 0; i < place_count_; ++i)
    for (std::size_t j = 0; j < place_count_; ++j) {
      const FramePlace& a = places_[i];
      const FramePlace& b = places_[j];
      if (a.is_store && !b.is_store && a.begin < b.end && b.begin < a.end) return false;
    }
  return has_all_places_;
}

bool Turn::address_of(const Instruction& instruction, const Operand& operand, Word& address) noexcept {
  if (instruction.segment == X86_REG_FS || instruction.segment == X86_REG_GS) return false;
  address = words_.constant(operand.value, 8);
  if (operand.reg != X86_REG_INVALID && operand.reg != X86_REG_RIP) {
    if (!is_whole(operand.reg)) return false;
    address = words_.add(address, general_[general_of(operand.reg)]);
  }
  if (operand.index != X86_REG_INVALID && operand.index != X86_REG_RIZ) {
    if (!is_whole(operand.index)) return false;
    address = words_.add(address, general_[general_of(operand.index)], operand.scale);
  }
  return true;
}

/// Returns 4 bytes of memory, or fewer and zeros. Memory that nobody writes is its content.
Word Turn::loaded(Word address, unsigned bytes) noexcept {
  std::int64_t place = 0;
  if (words_.is_constant(address, place)) {
    const Segment segment = process_.segment_around(process_.context, reinterpret_cast<const void*>(place));
    const auto left = segment.size - (static_cast<Address>(place) - reinterpret_cast<Address>(segment.begin));
    if (segment.begin != nullptr && !segment.is_writable && left >= bytes) {
      std::uint32_t content = 0;
      std::memcpy(&content, reinterpret_cast<const void*>(place), bytes);
      return words_.constant(content, 4);
    }
  }
  return words_.load(address, bytes, epoch_ + static_cast<std::uint32_t>(stores_.size()));
}

/// Returns the first bytes of a word of 4, and zeros.
Word Turn::narrow(Word word, unsigned bytes) noexcept {
  if (bytes >= 4) return word;
  const WordNode& node = words_.at(word);
  std::int64_t value = 0;
  if (words_.is_constant(word, value)) return words_.constant(value & ((1 << 8 * bytes) - 1), 4);
  if (node.kind == WordNode::Kind::load && node.code <= bytes) return word;
  if (words_.is_operation(word, WordOperation::condition)) return word;
  if (words_.is_operation(word, WordOperation::narrow) && node.constant <= bytes) return word;
  if (node.kind == WordNode::Kind::half && node.code == 0 &&
      words_.is_operation(node.a, WordOperation::insert) && words_.at(node.a).constant >= bytes)
    return narrow(words_.at(node.a).b, bytes);
  return words_.operation(WordOperation::narrow, 4, word, 0, 0, bytes);
}

/// Reads an operand of general registers, memory or a number: a word of 4 or 8 bytes.
bool Turn::read(const Instruction& instruction, const Operand& operand, Word& word) noexcept {
  const unsigned size = operand.size;
  if (operand.is_imm()) {
    word = words_.constant(operand.value, instruction.operands[0].size == 8 ? 8 : 4);
    return true;
  }
  if (operand.is_mem()) {
    Word address = 0;
    if (size > 8 || !address_of(instruction, operand, address)) return false;
    (void)note_frame(address, size, false);
    word = loaded(address, size < 4 ? size : 4);
    if (size == 8) word = words_.pair(word, loaded(words_.add(address, words_.constant(4, 8)), 4));
    return true;
  }
  const unsigned reg = operand.is_reg() ? general_of(operand.reg) : k_no_register;
  if (reg == k_no_register) return false;
  word = size == 8 ? general_[reg] : narrow(words_.half(general_[reg], 0), size);
  return true;
}

bool Turn::store(const Instruction& instruction, const Operand& operand, unsigned bytes,
                 const Word* lanes) noexcept {
  TurnStore made;
  made.bytes = bytes;
  if (!address_of(instruction, operand, made.address) || stores_.size() >= k_most_stores) return false;
  if (note_frame(made.address, bytes, true)) {
    ++epoch_; // a word of the frame may be another one now
    return true;
  }
  for (unsigned i = 0; i < (bytes + 3) / 4; ++i) made.lanes[i] = lanes[i];
  return stores_.add(made);
}

bool Turn::write(const Instruction& instruction, const Operand& operand, Word word) noexcept {
  const unsigned size = operand.size;
  if (operand.is_mem()) {
    const Word lanes[2] = {size == 8 ? words_.half(word, 0) : narrow(word, size),
                           size == 8 ? words_.half(word, 1) : 0};
    return store(instruction, operand, size, lanes);
  }
  const unsigned reg = operand.is_reg() ? general_of(operand.reg) : k_no_register;
  if (reg == k_no_register) return false;
  if (size == 8)
    general_[reg] = word;
  else if (size == 4)
    general_[reg] = words_.zero_extended(word);
  else
    general_[reg] = words_.operation(WordOperation::insert, 8, general_[reg], word, 0, size);
  return true;
}

/// The flags are a function of the instruction, of its operands and of the flags that it keeps.
void Turn::set_flags(std::uint32_t code, Word a, Word b, unsigned size, Word before) noexcept {
  flags_ =
      words_.operation(WordOperation::result, 4, a, b, before, static_cast<std::int64_t>(code) << 8 | size);
}

bool Turn::step_move(const Instruction& instruction) noexcept {
  const Operand* const operands = instruction.operands;
  Word word = 0;
  switch (instruction.id) {
  case X86_INS_LEA: {
    if (!address_of(instruction, operands[1], word) || operands[0].size < 4) return false;
    return write(instruction, operands[0], operands[0].size == 4 ? words_.half(word, 0) : word);
  }
  case X86_INS_MOV:
  case X86_INS_MOVABS:
    return read(instruction, operands[1], word) && write(instruction, operands[0], word);
  case X86_INS_MOVZX:
    if (!read(instruction, operands[1], word)) return false;
    return write(instruction, operands[0], operands[0].size == 8 ? words_.zero_extended(word) : word);
  case X86_INS_MOVSX:
  case X86_INS_MOVSXD:
    if (!read(instruction, operands[1], word) || operands[1].size > 4) return false;
    if (operands[1].size < 4)
      word = words_.operation(WordOperation::sign_narrow, 4, word, 0, 0, operands[1].size);
    return write(instruction, operands[0], operands[0].size == 8 ? words_.sign_extended(word) : word);
  case X86_INS_CDQE:
    general_[k_rax] = words_.sign_extended(words_.half(general_[k_rax], 0));
    return true;
  case X86_INS_CDQ:
    general_[k_rdx] = words_.zero_extended(words_.operation(
        WordOperation::shift_right_sign, 4, words_.half(general_[k_rax], 0), words_.constant(31, 4)));
    return true;
  case X86_INS_CQO:
    general_[k_rdx] =
        words_.operation(WordOperation::shift_right_sign, 8, general_[k_rax], words_.constant(63, 4));
    return true;
  default:
    return false;
  }
}

bool Turn::step_arithmetic(const Instruction& instruction) noexcept {
  const Operand* const operands = instruction.operands;
  const unsigned size = operands[0].size;
  const unsigned wide = size == 8 ? 8 : 4;
  Word a = 0;
  Word b = 0;
  if (!read(instruction, operands[0], a)) return false;
  const bool is_one = instruction.id == X86_INS_INC || instruction.id == X86_INS_DEC;
  if (is_one)
    b = words_.constant(1, wide);
  else if (instruction.count > 1 && !read(instruction, operands[1], b))
    return false;
  if (instruction.rep == X86_PREFIX_LOCK) {
    TurnStore made;
    made.code = instruction.id;
    made.bytes = size;
    if (b == 0 || size < 4 || !operands[0].is_mem() || !address_of(instruction, operands[0], made.address) ||
        stores_.size() >= k_most_stores)
      return false;
    made.lanes[0] = size == 8 ? words_.half(b, 0) : b;
    made.lanes[1] = size == 8 ? words_.half(b, 1) : 0;
    flags_ = words_.unknown(4);
    return stores_.add(made);
  }
  const bool is_same = operands[0].is_reg() && instruction.count > 1 && operands[1].is_reg() &&
                       operands[0].reg == operands[1].reg;
  Word made = 0;
  switch (instruction.id) {
  case X86_INS_CMP:
    flags_ = words_.operation(WordOperation::comparison, 4, a, b, 0, size);
    return true;
  case X86_INS_TEST:
    set_flags(X86_INS_TEST, a, b, size);
    return true;
  case X86_INS_ADD:
  case X86_INS_INC:
    made = words_.add(a, b);
    break;
  case X86_INS_SUB:
  case X86_INS_DEC:
    made = words_.add(a, b, -1);
    break;
  case X86_INS_NEG:
    made = words_.scale(a, -1);
    break;
  case X86_INS_NOT:
    return write(instruction, operands[0],
                 words_.operation(WordOperation::bit_xor, wide, a, words_.constant(-1, wide)));
  case X86_INS_AND:
    made = words_.operation(WordOperation::bit_and, wide, a, b);
    break;
  case X86_INS_OR:
    made = words_.operation(WordOperation::bit_or, wide, a, b);
    break;
  case X86_INS_XOR:
    made = is_same ? words_.constant(0, wide) : words_.operation(WordOperation::bit_xor, wide, a, b);
    break;
  default:
    return false;
  }
  set_flags(instruction.id, a, b, size, is_one ? flags_ : 0);
  return write(instruction, operands[0], made);
}

bool Turn::step(const Instruction& instruction) noexcept {
  if (is_branch(instruction) || is_jump(instruction)) return true;
  const bool is_locked = instruction.rep == X86_PREFIX_LOCK;
  switch (instruction.id) {
  case X86_INS_NOP:
  case X86_INS_PREFETCHNTA:
  case X86_INS_PREFETCHT0:
  case X86_INS_PREFETCHT1:
  case X86_INS_PREFETCHT2:
  case X86_INS_PREFETCHW:
    return true;
  case X86_INS_VZEROUPPER:
    for (auto& lanes : vectors_) std::fill(lanes + 4, lanes + k_lanes, words_.constant(0, 4));
    return true;
  case X86_INS_LEA:
  case X86_INS_MOV:
  case X86_INS_MOVABS:
  case X86_INS_MOVZX:
  case X86_INS_MOVSX:
  case X86_INS_MOVSXD:
  case X86_INS_CDQE:
  case X86_INS_CDQ:
  case X86_INS_CQO:
    return step_move(instruction);
  case X86_INS_ADD:
  case X86_INS_SUB:
  case X86_INS_INC:
  case X86_INS_DEC:
  case X86_INS_NEG:
  case X86_INS_NOT:
  case X86_INS_AND:
  case X86_INS_OR:
  case X86_INS_XOR:
  case X86_INS_CMP:
  case X86_INS_TEST:
    return step_arithmetic(instruction);
  case X86_INS_SHL:
  case X86_INS_SAL:
  case X86_INS_SHR:
  case X86_INS_SAR:
  case X86_INS_SHLX:
  case X86_INS_SHRX:
  case X86_INS_SARX:
    return !is_locked && step_shift(instruction);
  case X86_INS_IMUL:
  case X86_INS_MUL:
  case X86_INS_IDIV:
  case X86_INS_DIV:
    return step_multiply(instruction);
  default:
    break;
  }
  if (is_locked) return false;
  return condition_number(instruction.id) != 0 ? step_condition(instruction) : step_vector(instruction);
}

} // namespace wstree::proof
