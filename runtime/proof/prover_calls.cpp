// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls: of functions that are known by name, and of others, which are followed.
#include "prover.h"

#include "registers.h"

#include <cstring>
#include <iterator>

namespace wstree::proof {
namespace {

constexpr int k_most_calls = 8; // in each other

/// Returns why a function that calls `name` is refused.
const char* why_not(const char* name) noexcept {
  struct Reason {
    const char* beginning;
    const char* text;
  };
  static constexpr Reason k_reasons[] = {
      {"GOMP_barrier", "waits at a barrier"},
      {"__kmpc_barrier", "waits at a barrier"},
      {"GOMP_critical", "has a critical section"},
      {"__kmpc_critical", "has a critical section"},
      {"__kmpc_end_critical", "has a critical section"},
      {"GOMP_single", "has a single construct"},
      {"__kmpc_single", "has a single construct"},
      {"__kmpc_master", "has a master construct"},
      {"__kmpc_masked", "has a masked construct"},
      {"GOMP_task", "makes tasks"},
      {"__kmpc_omp_task", "makes tasks"},
      {"GOMP_parallel", "opens a region in its region"},
      {"__kmpc_fork", "opens a region in its region"},
      {"GOMP_loop", "has a loop that asks the runtime"},
      {"__kmpc_dispatch", "has a loop that asks the runtime"},
      {"GOMP_sections", "has sections"},
      {"GOMP_ordered", "has an ordered construct"},
      {"__kmpc_ordered", "has an ordered construct"},
      {"GOMP_cancel", "may be cancelled"},
      {"__kmpc_cancel", "may be cancelled"},
      {"__kmpc_copyprivate", "has a single construct"},
      {"__kmpc_threadprivate", "uses memory of its thread"},
      {"__tls_get_addr", "uses memory of its thread"},
      {"__errno_location", "uses memory of its thread"},
      {"omp_set_lock", "takes a lock"},
      {"omp_set_nest_lock", "takes a lock"},
      {"omp_get_thread_num", "uses its thread's number"},
      {"pthread_", "calls functions of threads"},
  };
  for (const Reason& reason : k_reasons)
    if (std::strncmp(name, reason.beginning, std::strlen(reason.beginning)) == 0) return reason.text;
  return "calls a function that the proof does not know";
}

} // namespace

bool Prover::step_call(const Instruction& instruction, State& state, int depth, bool in_cycle,
                       bool is_jump) noexcept {
  const Target target = instruction.target;
  const KnownFunction* known = find_known_function(target.name);
  if (loop_.is_entered) has_opaque_effect_ = true;
  // A function of that name in the same object is the program's.
  if (known != nullptr && target.code != 0 && known->kind >= KnownFunction::Kind::pure) {
    const auto of = [this](Address code) noexcept {
      return process_.segment_around(process_.context, reinterpret_cast<const void*>(code)).unwind_index;
    };
    if (of(target.code) == of(instruction.address)) known = nullptr;
  }
  const auto is_standard = [&](const char* name) noexcept {
    return process_.is_standard(process_.context, reinterpret_cast<const void*>(instruction.address), name);
  };
  if (known != nullptr && known->kind >= KnownFunction::Kind::pure &&
      known->kind != KnownFunction::Kind::team_wide) {
    // Operators new and delete call the others.
    const bool allocates = known->kind == KnownFunction::Kind::allocates;
    if (!is_standard(known->name) || (allocates && !(is_standard("malloc") && is_standard("free"))))
      return refuse(allocates ? "calls an allocator that the proof does not know"
                              : "calls a function that another library than the C library provides",
                    instruction.address);
  }
  if (known != nullptr) {
    if (!call_known(*known, instruction, state, depth, in_cycle)) return false;
    if (is_jump) state.general[k_rsp] = values_.add(state.general[k_rsp], values_.constant(8));
    return true;
  }
  if (target.code == 0) {
    if (target.name != nullptr) return refuse(why_not(target.name), instruction.address);
    return refuse("calls through a pointer", instruction.address);
  }
  if (target.name != nullptr &&
      std::strcmp(why_not(target.name), "calls a function that the proof does not know") != 0)
    return refuse(why_not(target.name), instruction.address);
  if (depth == k_most_calls) return refuse("calls functions too deep for the proof", instruction.address);
  Function* const function = function_at(target.code);
  if (function == nullptr) return false;
  if (!is_jump) {
    state.general[k_rsp] = values_.add(state.general[k_rsp], values_.constant(-8));
    if (!store(instruction, state, state.general[k_rsp], 8, values_.constant(0))) return false;
  }
  bool returns = false;
  const Loop before = loop_;
  is_judged_ = true; // its own blocks
  if (!frame_place(state.general[k_rsp], loop_.callee_base, loop_.callee_offset))
    return refuse("moves its stack in an unusual way", instruction.address);
  const std::uint64_t context = context_;
  context_ = values_.location(instruction.address, context << 32 | (in_cycle ? 0 : budget_));
  Value* const results[] = {&state.general[k_rax], &state.general[k_rdx], &state.low[0],
                            &state.high[0],        &state.low[1],         &state.high[1]};
  Value had[std::size(results)];
  for (std::size_t i = 0; i < std::size(results); ++i) had[i] = *results[i];
  if (!follow(*function, state, depth + 1, returns)) return false;
  context_ = context;
  loop_.callee_base = before.callee_base;
  loop_.callee_offset = before.callee_offset;
  // Results are what memory says; a function may leave a register alone.
  for (std::size_t i = 0; i < std::size(results); ++i)
    if (Value& value = *results[i]; value != had[i] || !values_.is_polynomial(value)) value = asked(value);
  loop_.asks_memory = before.asks_memory;
  if (!returns) {
    state.is_reached = false;
    return true;
  }
  // Words below the stack are gone.
  SymbolId base = 0;
  std::int32_t offset = 0;
  if (!frame_place(state.general[k_rsp], base, offset))
    return refuse("moves its stack in an unusual way", instruction.address);
  std::uint16_t kept = 0;
  for (std::uint16_t i = 0; i < state.count; ++i)
    if (state.slots[i].base != base || state.slots[i].offset >= offset) state.slots[kept++] = state.slots[i];
  state.count = kept;
  return true;
}

bool Prover::call_static_init(const Instruction& instruction, State& state, bool in_cycle) noexcept {
  if (in_cycle) return refuse("asks for its part in a loop", instruction.address);
  const auto* const behind = reinterpret_cast<const void*>(instruction.next());
  if (verdict_.after_static_init != nullptr && verdict_.after_static_init != behind)
    return refuse("has several loops", instruction.address);
  std::int64_t kind = 0;
  if (!values_.is_constant(state.general[k_rdx], kind) || kind != 34)
    return refuse("has a loop with chunks", instruction.address);
  verdict_.after_static_init = behind;
  const Target target = instruction.target;
  const unsigned size = target.name[std::strlen("__kmpc_for_static_init_")] == '4' ? 4 : 8;
  dividend_size_ = static_cast<std::uint8_t>(size);
  // In order: last, low, high, stride.
  Value pointers[4] = {state.general[1], state.general[8], state.general[9], 0};
  if (!load(instruction, state, state.general[k_rsp], 8, pointers[3])) return false;
  SymbolId base[4] = {};
  std::int32_t offset[4] = {};
  for (int i = 0; i < 4; ++i)
    if (!frame_place(pointers[i], base[i], offset[i]))
      return refuse("asks for its part in an unusual way", instruction.address);
  Value low = 0;
  if (!load(instruction, state, pointers[1], size, low) ||
      !load(instruction, state, pointers[2], size, dividend_))
    return false;
  if (!values_.is_polynomial(low) || !values_.is_polynomial(dividend_) || values_.at(low).bits != k_common ||
      values_.at(dividend_).bits != k_common)
    return refuse("asks for its part in an unusual way", instruction.address);
  const Value first = values_.of(Symbol::Kind::low, k_part);
  values_.low = values_.only_symbol(first);
  values_.length = values_.only_symbol(values_.of(Symbol::Kind::length, k_part));
  const Value end = values_.of(Symbol::Kind::raw_end, k_part);
  if (!put(instruction, state, base[0], offset[0], 4, values_.of(Symbol::Kind::is_last, k_part)) ||
      !put(instruction, state, base[1], offset[1], size, first) ||
      !put(instruction, state, base[2], offset[2], size, end) ||
      !put(instruction, state, base[3], offset[3], size, values_.plain(k_part)))
    return false;
  state.cursor = first;
  state.formula = State::Formula::done;
  has_part_ = true;
  return true;
}

bool Prover::call_known(const KnownFunction& known, const Instruction& instruction, State& state, int depth,
                        bool in_cycle) noexcept {
  using Kind = KnownFunction::Kind;
  const auto answer = [&](Value general, Value vector) noexcept {
    clobber(state);
    state.general[k_rax] = general;
    state.low[0] = vector;
    return true;
  };
  const auto* const behind = reinterpret_cast<const void*>(instruction.next());
  switch (known.kind) {
  case Kind::thread_count:
  case Kind::thread_number: {
    const bool is_count = known.kind == Kind::thread_count;
    if (is_clang_ || depth != 0) {
      if (is_count)
        return answer(loop_.is_entered ? values_.plain(k_iteration)
                                       : values_.of(Symbol::Kind::load, k_common, 1),
                      values_.undefined());
      return answer(values_.plain(k_number), values_.undefined());
    }
    const void*& site = is_count ? verdict_.after_thread_count : verdict_.after_thread_number;
    if (in_cycle) return refuse("asks for its part in a loop", instruction.address);
    if (instruction.id == X86_INS_JMP || (site != nullptr && site != behind))
      return refuse(is_count ? "asks twice for the number of threads" : "asks twice for its thread's number",
                    instruction.address);
    site = behind;
    const Value number =
        values_.of(is_count ? Symbol::Kind::thread_count : Symbol::Kind::thread_number, k_number);
    if (!is_count) values_.thread_number = values_.only_symbol(number);
    return answer(number, values_.undefined());
  }
  case Kind::static_init:
    if (!is_clang_ || loop_.is_entered || instruction.id == X86_INS_JMP)
      return refuse("asks for its part in an unusual way", instruction.address);
    return call_static_init(instruction, state, in_cycle) && answer(values_.undefined(), values_.undefined());
  case Kind::static_fini:
    if (!is_clang_ || loop_.is_entered)
      return refuse("asks for its part in an unusual way", instruction.address);
    return answer(values_.undefined(), values_.undefined());
  case Kind::reduce:
    if (loop_.is_entered || state.is_locked || !has_part_)
      return refuse("has a reduction in an unusual place", instruction.address);
    // The library answers 1: this call puts its values in, and others do not meanwhile.
    verdict_.has_reduction = true;
    loop_.has_merge = true;
    answer(values_.constant(1), values_.undefined());
    state.is_locked = state.was_locked = true;
    state.is_late = true;
    return true;
  case Kind::end_reduce:
    if (!state.is_locked) return refuse("has a reduction in an unusual place", instruction.address);
    state.is_locked = false;
    return answer(values_.undefined(), values_.undefined());
  case Kind::lock:
    if (state.is_locked || state.version != 0)
      return refuse("has a reduction in an unusual place", instruction.address);
    loop_.has_merge = true;
    answer(values_.undefined(), values_.undefined());
    state.is_locked = state.was_locked = true;
    state.is_late = true;
    return true;
  case Kind::unlock:
    if (!state.is_locked) return refuse("has a reduction in an unusual place", instruction.address);
    state.is_locked = false;
    return answer(values_.undefined(), values_.undefined());
  case Kind::no_return:
  case Kind::throws:
    for (unsigned i = 0; i < known.integers; ++i) {
      const unsigned reg = k_arguments[i];
      if (!check_use(state.width[reg] != 0 ? values_.undefined() : state.general[reg], instruction))
        return false;
    }
    state.is_reached = false;
    return true;
  case Kind::team_wide:
    return answer(loop_.is_entered ? values_.plain(k_iteration)
                                   : values_.of(Symbol::Kind::load, k_common, 2,
                                                reinterpret_cast<std::uintptr_t>(known.name)),
                  values_.undefined());
  case Kind::sleeps: {
    if (!loop_.is_entered) return refuse("sleeps outside of its loop", instruction.address);
    for (unsigned i = 0; i < known.integers; ++i)
      if (state.width[k_arguments[i]] != 0) return refuse("sleeps for an unknown time", instruction.address);
    const bool is_number = known.integers == 1;
    const Value time = state.general[k_arguments[0]];
    if (!(is_number ? check_use(time, instruction, 4) : check_sleep(instruction, state))) return false;
    return answer(values_.plain(k_iteration), values_.undefined());
  }
  case Kind::pure:
  case Kind::allocates:
  case Kind::copies:
    break;
  }
  if (known.kind == Kind::copies && !loop_.is_entered && has_part_ && !trusts_)
    return store_all(instruction, state, std::strcmp(known.name, "memset") == 0) &&
           answer(values_.undefined(), values_.undefined());
  if (known.kind != Kind::pure && !loop_.is_entered)
    return refuse(has_part_ ? "calls a function behind or before its loop"
                            : "calls a function before its loop",
                  instruction.address);
  if (known.kind == Kind::copies) {
    const Value to = state.general[k_arguments[0]]; // which it returns
    return copy_memory(instruction, state, std::strcmp(known.name, "memset") == 0) &&
           answer(to, values_.undefined());
  }
  for (unsigned i = 0; i < known.integers; ++i) {
    const unsigned reg = k_arguments[i];
    const Value value = state.width[reg] != 0 ? values_.undefined() : state.general[reg];
    // A function that only reads takes an address first.
    if (!check_use(value, instruction, i < 2 && known.kind == Kind::pure ? 4 : 8)) return false;
  }
  for (unsigned i = 0; i < known.floats; ++i)
    if (!check_use(state.low[i], instruction)) return false;
  if (known.kind == Kind::allocates) loop_.has_effect = true;
  // Another iteration may give memory back.
  const bool may_wait = known.kind == Kind::allocates && loop_.is_turning;
  const Value made = values_.plain(static_cast<Bits>((loop_.is_entered ? k_iteration : k_common) |
                                                     (may_wait ? k_fixed_memory : k_common)));
  return answer(made, made);
}

/// nanosleep() in the loop. The answer says whether the time is valid. The time that a signal leaves to it
/// may only be written to the own frame, where otherwise the old one stays.
bool Prover::check_sleep(const Instruction& instruction, State& state) noexcept {
  constexpr std::int32_t k_word = 8; // a timespec has two
  const Value time = state.general[k_arguments[0]];
  const Value left = state.general[k_arguments[1]];
  SymbolId base = 0;
  std::int32_t offset = 0;
  Value word = 0;
  if (!frame_place(time, base, offset) && !check_use(time, instruction)) return false;
  for (const std::int32_t at : {0, k_word})
    if (!load(instruction, state, values_.add(time, values_.constant(at)), k_word, word) ||
        !check_use(word, instruction))
      return false;
  std::int64_t none = 0;
  if (values_.is_constant(left, none) && none == 0) return true;
  if (!frame_place(left, base, offset))
    return refuse("sleeps, and has the time that is left elsewhere", instruction.address);
  for (const std::int32_t at : {0, k_word})
    if (!load(instruction, state, values_.add(left, values_.constant(at)), k_word, word) ||
        !put(instruction, state, base, offset + at, k_word,
             values_.plain(static_cast<Bits>(classify(word) | k_iteration))))
      return false;
  return true;
}

/// memcpy(), memmove() and memset() in the loop.
bool Prover::copy_memory(const Instruction& instruction, State& state, bool is_set) noexcept {
  const Value to = state.general[7];
  const Value from = state.general[6];
  const Value size = state.general[2];
  if ((state.width[7] | state.width[2] | (is_set ? 0 : state.width[6])) != 0)
    return judge("copies by a number of which only some bytes are known", instruction.address);
  if (!check_use(size, instruction)) return false;
  std::int64_t bytes = 0;
  const bool is_constant = values_.is_constant(size, bytes) && bytes > 0 && bytes <= 4096;
  Value content = from;
  SymbolId base = 0;
  std::int32_t offset = 0;
  if (!is_set) {
    if ((values_.at(from).bits & k_frame) == 0) {
      if (!check_use(from, instruction, 4)) return false;
      content = values_.plain(k_iteration);
    } else {
      if (!is_constant || !frame_place(from, base, offset))
        return judge("has a private array", instruction.address);
      if (!load(instruction, state, from, static_cast<unsigned>(bytes), content)) return false;
      content = values_.plain(classify(content) | k_iteration);
    }
  }
  if ((values_.at(to).bits & k_frame) == 0) {
    loop_.has_effect = true;
    return check_use(to, instruction, 4) && check_use(content, instruction, is_set ? 1 : 8);
  }
  if (!is_constant || !frame_place(to, base, offset))
    return judge("has a private array", instruction.address);
  // Slots of 8 bytes, because loads mostly have that size.
  if (bytes > 512) return judge("has a private array", instruction.address);
  for (std::int64_t i = 0; i < bytes; i += 8)
    if (!put(instruction, state, base, offset + static_cast<std::int32_t>(i),
             static_cast<std::uint32_t>(bytes - i < 8 ? bytes - i : 8),
             values_.plain(classify(content) | k_iteration)))
      return false;
  return true;
}

} // namespace wstree::proof
