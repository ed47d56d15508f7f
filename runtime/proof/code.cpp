// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "code.h"

#include "known_functions.h"

#include <algorithm>
#include <cstring>

namespace wstree::proof {
namespace {

constexpr std::size_t k_most_instructions = 4000; // instructions of a function
constexpr std::size_t k_most_blocks = 1200;

Instruction compact(const cs_insn& found) noexcept {
  Instruction made;
  made.address = found.address;
  made.id = static_cast<std::uint16_t>(found.id);
  made.size = static_cast<std::uint8_t>(found.size);
  const cs_x86& x86 = found.detail->x86;
  made.rep = x86.prefix[0];
  // Capstone takes the prefix of notrack for a segment: no memory is addressed by it.
  made.count = x86.op_count;
  for (int i = 0; i < std::min<int>(x86.op_count, 4); ++i) {
    const cs_x86_op& from = x86.operands[i];
    Operand& to = made.operands[i];
    to.type = from.type;
    to.size = from.size;
    if (from.type == X86_OP_REG)
      to.reg = from.reg;
    else if (from.type == X86_OP_IMM)
      to.value = from.imm;
    else if (from.type == X86_OP_MEM) {
      to.reg = static_cast<x86_reg>(from.mem.base);
      to.index = static_cast<x86_reg>(from.mem.index);
      to.scale = static_cast<std::uint8_t>(from.mem.scale);
      to.value = from.mem.disp;
      if (from.mem.segment != X86_REG_INVALID) made.segment = static_cast<x86_reg>(from.mem.segment);
      if (to.reg == X86_REG_RIP) to.value += static_cast<std::int64_t>(made.next());
    }
    // 4 bytes of an address, which the proof does not follow.
    const bool is_short = from.type == X86_OP_MEM && x86.addr_size != 8 && made.id != X86_INS_NOP;
    if (is_short || from.avx_zero_opmask || from.avx_bcast != X86_AVX_BCAST_INVALID)
      made.id = X86_INS_INVALID;
  }
  return made;
}

/// Returns whether control goes on behind `instruction`.
bool goes_on(const Instruction& instruction) noexcept {
  switch (instruction.id) {
  case X86_INS_JMP:
  case X86_INS_RET:
  case X86_INS_UD2:
  case X86_INS_HLT:
    return false;
  case X86_INS_CALL: {
    const Target target = instruction.target;
    return target.name == nullptr || !never_returns(target.name);
  }
  default:
    return true;
  }
}

} // namespace

bool is_call(const Instruction& instruction) noexcept { return instruction.id == X86_INS_CALL; }
bool is_jump(const Instruction& instruction) noexcept { return instruction.id == X86_INS_JMP; }
bool is_branch(const Instruction& instruction) noexcept {
  return instruction.id >= X86_INS_JAE && instruction.id <= X86_INS_JS && instruction.id != X86_INS_JMP;
}

Target target_of(const Instruction& instruction, const Process& process) noexcept {
  const Operand& operand = instruction.operands[0];
  if (operand.is_mem() && operand.reg == X86_REG_RIP && operand.index == X86_REG_INVALID) {
    const Callee callee = process.callee_in(process.context, reinterpret_cast<const void*>(operand.value));
    return {callee.name, reinterpret_cast<Address>(callee.address)};
  }
  if (!operand.is_imm()) return {};
  const auto code = static_cast<Address>(operand.value);
  // A stub of the linker: [endbr64] [bnd] jmp *slot(%rip).
  const Segment segment = process.segment_around(process.context, reinterpret_cast<const void*>(code));
  if (segment.begin == nullptr || !segment.is_executable) return {};
  const auto* byte = reinterpret_cast<const unsigned char*>(code);
  const auto left = segment.size - (code - reinterpret_cast<Address>(segment.begin));
  constexpr unsigned char k_endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
  std::size_t at = 0;
  if (left < 16) return {nullptr, code};
  if (std::memcmp(byte, k_endbr, sizeof k_endbr) == 0) at = sizeof k_endbr;
  if (byte[at] == 0xf2) ++at;
  if (byte[at] != 0xff || byte[at + 1] != 0x25) return {nullptr, code};
  std::int32_t distance = 0;
  std::memcpy(&distance, byte + at + 2, sizeof distance);
  const Address slot = code + at + 6 + static_cast<Address>(static_cast<std::int64_t>(distance));
  const Callee callee = process.callee_in(process.context, reinterpret_cast<const void*>(slot));
  return {callee.name, reinterpret_cast<Address>(callee.address)};
}

Refusal Function::read(Arena& arena, Decoder& decoder, const Process& process) noexcept {
  if (const Refusal refusal = decode(arena, decoder, process)) return refusal;
  if (const Refusal refusal = connect(arena)) return refusal;
  return find_cycles(arena);
}

Refusal Function::decode(Arena& arena, Decoder& decoder, const Process& process) noexcept {
  // Open addressing; 0: free.
  constexpr std::size_t k_slots = 8192;
  static_assert(k_slots > 2 * k_most_instructions);
  auto* const seen = arena.make<Address>(k_slots);
  if (seen == nullptr) return {"there is no memory for the proof", 0};
  const auto add = [seen](Address address) noexcept {
    for (std::size_t i = address * 0x9e3779b97f4a7c15 >> 51;; i = (i + 1) % k_slots) {
      if (seen[i] == address) return false;
      if (seen[i] == 0) {
        seen[i] = address;
        return true;
      }
    }
  };
  Grown<Address> open(arena);
  if (!open.add(entry_)) return {"there is no memory for the proof", 0};
  Segment segment;
  while (open.size() != 0) {
    Address at = open.back();
    open.pop();
    for (;;) {
      if (instructions.size() >= k_most_instructions) return {"is too long", at};
      const auto* code = reinterpret_cast<const std::byte*>(at);
      if (code < segment.begin || static_cast<std::size_t>(code - segment.begin) >= segment.size) {
        segment = process.segment_around(process.context, code);
        if (segment.begin == nullptr || !segment.is_executable || segment.is_writable)
          return {"jumps to where there is no code", at};
      }
      if (!add(at)) break;
      const auto left = segment.size - static_cast<std::size_t>(code - segment.begin);
      const cs_insn* const found = decoder.decode(code, left);
      if (found == nullptr) return {"has an instruction that the decoder does not know", at};
      Instruction made = compact(*found);
      if (is_call(made) || is_jump(made)) made.target = target_of(made, process);
      if (!instructions.add(made)) return {"there is no memory for the proof", 0};
      if (is_branch(made)) {
        // Some go by a register.
        if (!made.operands[0].is_imm() || made.id == X86_INS_JCXZ || made.id == X86_INS_JECXZ ||
            made.id == X86_INS_JRCXZ)
          return {"has an unusual jump", at};
        if (!open.add(static_cast<Address>(made.operands[0].value)))
          return {"there is no memory for the proof", 0};
      } else if (is_jump(made)) {
        const Target target = made.target;
        if (target.name != nullptr) break; // a call that returns to our caller
        if (!made.operands[0].is_imm()) return {"has a table of jumps", at};
        at = static_cast<Address>(made.operands[0].value);
        continue;
      }
      if (!goes_on(made)) break;
      at = made.next();
    }
  }
  std::sort(instructions.begin(), instructions.end(),
            [](const Instruction& a, const Instruction& b) noexcept { return a.address < b.address; });
  for (std::size_t i = 1; i < instructions.size(); ++i)
    if (instructions[i - 1].next() > instructions[i].address)
      return {"has instructions that overlap", instructions[i].address};
  return {};
}

Refusal Function::connect(Arena& arena) noexcept {
  const std::size_t count = instructions.size();
  auto* const begins = arena.make<std::uint8_t>(count + 1);
  auto* const block_of = arena.make<std::uint32_t>(count + 1);
  if (begins == nullptr || block_of == nullptr) return {"there is no memory for the proof", 0};
  const auto index_of = [this, count](Address address) noexcept {
    const auto* const found =
        std::lower_bound(instructions.begin(), instructions.end(), address,
                         [](const Instruction& a, Address b) noexcept { return a.address < b; });
    return static_cast<std::size_t>(found - instructions.begin()) == count || found->address != address
               ? k_none
               : static_cast<std::uint32_t>(found - instructions.begin());
  };
  const auto jump_of = [](const Instruction& instruction) noexcept {
    if (is_branch(instruction)) return static_cast<Address>(instruction.operands[0].value);
    if (is_jump(instruction) && instruction.target.name == nullptr)
      return static_cast<Address>(instruction.operands[0].value);
    return Address{0};
  };
  const std::uint32_t entry = index_of(entry_);
  begins[entry] = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& instruction = instructions[i];
    const Address jump = jump_of(instruction);
    if (jump != 0) begins[index_of(jump)] = 1;
    // Behind a call that the proof answers itself, and behind all that does not simply go on.
    if (jump != 0 || !goes_on(instruction)) begins[i + 1] = 1;
    if (i + 1 < count && instruction.next() != instructions[i + 1].address) begins[i + 1] = 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (begins[i] != 0 || i == 0) {
      if (blocks.size() >= k_most_blocks) return {"is too long", instructions[i].address};
      if (!blocks.add({})) return {"there is no memory for the proof", 0};
      blocks.back().first = static_cast<std::uint32_t>(i);
    }
    block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
    blocks.back().end = static_cast<std::uint32_t>(i + 1);
  }
  for (Block& block : blocks) {
    const Instruction& last = instructions[block.end - 1];
    if (goes_on(last)) {
      const std::uint32_t next = index_of(last.next());
      if (next == k_none) return {"runs out of its code", last.address};
      block.next[0] = block_of[next];
    }
    if (const Address jump = jump_of(last); jump != 0)
      block.next[1] = block_of[index_of(jump)];
    else
      block.returns = last.id == X86_INS_RET || is_jump(last);
  }
  next_from = arena.make<std::uint32_t>(blocks.size() * 2);
  if (next_from == nullptr) return {"there is no memory for the proof", 0};
  for (std::uint32_t i = 0; i < blocks.size(); ++i)
    for (std::uint32_t edge = 0; edge < 2; ++edge) {
      const std::uint32_t to = blocks[i].next[edge];
      if (to == k_none) continue;
      next_from[i * 2 + edge] = blocks[to].from;
      blocks[to].from = i * 2 + edge;
    }
  // Reverse postorder, by a walk with a stack of its own.
  struct Step {
    std::uint32_t block;
    std::uint32_t next;
  };
  auto* const steps = arena.make<Step>(blocks.size() + 1);
  auto* const visited = arena.make<std::uint8_t>(blocks.size());
  if (steps == nullptr || visited == nullptr) return {"there is no memory for the proof", 0};
  std::size_t depth = 0;
  steps[depth++] = {block_of[entry], 0};
  visited[block_of[entry]] = 1;
  while (depth != 0) {
    Step& step = steps[depth - 1];
    if (step.next < 2) {
      // The jump first: blocks behind a loop in memory come behind it in the order, too.
      const std::uint32_t next = blocks[step.block].next[1 - step.next++];
      if (next != k_none && visited[next] == 0) {
        visited[next] = 1;
        steps[depth++] = {next, 0};
      }
      continue;
    }
    if (!order.add(step.block)) return {"there is no memory for the proof", 0};
    --depth;
  }
  std::reverse(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) blocks[order[i]].order = static_cast<std::uint32_t>(i);
  return {};
}

Refusal Function::find_cycles(Arena& arena) noexcept {
  // Tarjan's components, by a walk with a stack of its own.
  const std::size_t count = blocks.size();
  struct Step {
    std::uint32_t block;
    std::uint32_t next;
  };
  auto* const steps = arena.make<Step>(count + 1);
  auto* const index = arena.make<std::uint32_t>(count);
  auto* const low = arena.make<std::uint32_t>(count);
  auto* const stack = arena.make<std::uint32_t>(count);
  if (steps == nullptr || index == nullptr || low == nullptr || stack == nullptr)
    return {"there is no memory for the proof", 0};
  std::uint32_t next_index = 1;
  std::uint32_t next_component = 0;
  std::size_t depth = 0;
  std::size_t stacked = 0;
  const auto enter = [&](std::uint32_t block) noexcept {
    index[block] = low[block] = next_index++;
    stack[stacked++] = block;
    steps[depth++] = {block, 0};
  };
  enter(order[0]);
  while (depth != 0) {
    Step& step = steps[depth - 1];
    const std::uint32_t block = step.block;
    if (step.next < 2) {
      const std::uint32_t next = blocks[block].next[step.next++];
      if (next == k_none) continue;
      if (index[next] == 0)
        enter(next);
      else if (blocks[next].component == k_none)
        low[block] = std::min(low[block], index[next]);
      continue;
    }
    --depth;
    if (depth != 0) low[steps[depth - 1].block] = std::min(low[steps[depth - 1].block], low[block]);
    if (low[block] != index[block]) continue;
    const bool is_alone = stack[stacked - 1] == block;
    for (std::uint32_t member = k_none; member != block;) {
      member = stack[--stacked];
      blocks[member].component = next_component;
      blocks[member].is_cyclic =
          !is_alone || blocks[member].next[0] == member || blocks[member].next[1] == member;
    }
    ++next_component;
  }
  for (std::size_t i = order.size(); i-- != 0;) {
    // A component at a time, from the last one: within one, each block reaches the blocks that
    // another reaches.
    Block& block = blocks[order[i]];
    block.reaches_return = block.returns;
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = order.size(); i-- != 0;) {
      Block& block = blocks[order[i]];
      if (block.reaches_return) continue;
      for (const std::uint32_t next : block.next)
        if (next != k_none && blocks[next].reaches_return) block.reaches_return = changes = true;
    }
  }
  return {};
}

} // namespace wstree::proof
