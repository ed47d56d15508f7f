// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prover.h"

#include "registers.h"
#include "walk.h"

#include <algorithm>
#include <cerrno>

namespace wstree::proof {
bool Prover::refuse(const char* reason, Address at) noexcept {
  if (!refusal_) refusal_ = {reason, at};
  return false;
}

Function* Prover::function_at(Address entry) noexcept {
  for (Function* const function : functions_)
    if (function->entry() == entry) return function;
  auto* const place = kept_.make<Function>();
  if (place == nullptr || !functions_.add(nullptr)) {
    refuse("there is no memory for the proof", entry);
    return nullptr;
  }
  auto* const function = new (place) Function(kept_, entry);
  functions_.back() = function;
  if (const Refusal refusal = function->read(kept_, decoder_, process_)) {
    refuse(refusal.reason, refusal.at);
    return nullptr;
  }
  verdict_.instructions += static_cast<std::uint32_t>(function->instructions.size());
  for (const Instruction& instruction : function->instructions) {
    if (!is_call(instruction) && !is_jump(instruction)) continue;
    const KnownFunction* const known = find_known_function(instruction.target.name);
    if (known != nullptr && may_throw(*known)) throws_ = true;
    if (is_call(instruction) && !catches_) catches_ = catches_exceptions(instruction.address, process_);
  }
  if (throws_ && catches_) {
    refuse("may catch an exception", entry);
    return nullptr;
  }
  return function;
}

bool Prover::enter(Walk& walk, std::uint32_t block, State& state) noexcept {
  Function& function = walk.function;
  state.is_reached = false;
  if (walk.header != nullptr && block == walk.members[0]) {
    state = *walk.header;
    return true;
  }
  const Address place = function.instructions[function.blocks[block].first].address;
  if (block == function.order[0]) state = *walk.entry;
  State* const other = make_state();
  if (other == nullptr) return refuse("there is no memory for the proof", place);
  for (std::uint32_t edge = function.blocks[block].from; edge != k_none; edge = function.next_from[edge]) {
    const std::uint32_t from = edge / 2;
    const State* source = walk.exits[edge];
    const bool is_exit = source != nullptr;
    if (source == nullptr) source = walk.out[from];
    if (source == nullptr || !source->is_reached || (walk.closed != nullptr && walk.closed[edge] != 0))
      continue;
    *other = *source;
    if (!is_exit && is_branch(walk.last(from)) && !take_edge(*other, walk.last(from), edge % 2 == 1))
      return false;
    if (!other->is_reached) continue;
    if (state.is_reached)
      join(state, *other, place);
    else
      state = *other;
  }
  return true;
}

bool Prover::follow(Function& function, State& state, int depth, bool& returns) noexcept {
  const std::size_t mark = passing_.mark();
  const std::size_t count = function.blocks.size();
  Walk walk{function, depth};
  walk.out = passing_.make<State*>(count);
  walk.exits = passing_.make<State*>(count * 2);
  walk.has_effect = passing_.make<bool>(count);
  walk.has_sum = passing_.make<bool>(count);
  walk.has_merge = passing_.make<bool>(count);
  walk.decides = passing_.make<bool>(count);
  walk.is_bound = passing_.make<bool>(count);
  walk.loops = passing_.make<std::uint8_t>(count);
  walk.visited = passing_.make<Visited>(count);
  walk.entry = make_state();
  walk.now = make_state();
  State* const result = make_state();
  State* const none = make_state();
  if (walk.out == nullptr || walk.exits == nullptr || walk.has_effect == nullptr || walk.has_sum == nullptr ||
      walk.has_merge == nullptr || walk.decides == nullptr || walk.is_bound == nullptr ||
      walk.loops == nullptr || walk.entry == nullptr || result == nullptr || none == nullptr ||
      walk.now == nullptr || walk.visited == nullptr)
    return refuse("is too long", function.entry());
  for (std::size_t i = 0; i < count; ++i) walk.out[i] = none;
  *walk.entry = state;
  const bool had_effect = loop_.has_effect;
  const bool had_merge = loop_.has_merge;
  bool has_effect = false;
  bool has_merge = false;
  bool changes = false;
  for (std::size_t i = 0; i < function.order.size(); ++i) {
    const std::uint32_t block = function.order[i];
    const Block& shape = function.blocks[block];
    if (!shape.is_cyclic) {
      walk.header = nullptr;
      if (!visit(walk, block, changes)) return false;
    } else {
      bool is_first = true;
      for (std::size_t j = 0; j < i && is_first; ++j)
        is_first = function.blocks[function.order[j]].component != shape.component;
      if (is_first && !follow_cycle(walk, i)) return false;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    has_effect |= walk.has_effect[i];
    has_merge |= walk.has_merge[i];
    if (!function.blocks[i].returns || !walk.out[i]->is_reached) continue;
    if (depth == 0 && !check_return(*walk.out[i], walk.last(static_cast<std::uint32_t>(i)).address))
      return false;
    if (result->is_reached)
      join(*result, *walk.out[i], function.entry());
    else
      *result = *walk.out[i];
  }
  if (!check_decisions(walk) || !check_rests(walk)) return false;
  returns = result->is_reached;
  if (returns) state = *result;
  loop_.has_effect = had_effect || has_effect;
  loop_.has_merge = had_merge || has_merge;
  passing_.release(mark);
  return true;
}

Verdict Prover::prove(Address entry) noexcept {
  Function* const function = decoder_.is_ready() && !values_.is_exhausted() ? function_at(entry) : nullptr;
  State* const state = make_state();
  const auto answer = [this]() noexcept {
    if (refusal_) {
      Verdict refused;
      refused.reason = refusal_.reason;
      refused.at = reinterpret_cast<const void*>(refusal_.at);
      refused.instructions = verdict_.instructions;
      return refused;
    }
    verdict_.kind = is_clang_ ? Verdict::Kind::clang : Verdict::Kind::gcc;
    return verdict_;
  };
  if (function == nullptr || state == nullptr) {
    refuse(decoder_.is_ready() ? "there is no memory for the proof" : "there is no decoder", 0);
    return answer();
  }
  if (process_.refers_to(process_.context, reinterpret_cast<const void*>(entry), is_of_float_environment)) {
    refuse("is in an object that uses the functions of <fenv.h>", 0);
    return answer();
  }
  // The compiler, by the functions that the function calls, or those of the function that it calls first
  // (without optimisation clang makes two). Static loops of gcc ask for both numbers; a thread's own number
  // alone is what many regions want to know.
  bool asks = false;
  const auto look = [&](Function& in) noexcept {
    bool has_number = false, has_count = false;
    for (const Instruction& instruction : in.instructions) {
      if (!is_call(instruction)) continue;
      const KnownFunction* const known = find_known_function(instruction.target.name);
      if (known == nullptr) continue;
      if (known->kind == KnownFunction::Kind::static_init) is_clang_ = asks = true;
      has_number |= known->kind == KnownFunction::Kind::thread_number;
      has_count |= known->kind == KnownFunction::Kind::thread_count;
    }
    asks |= has_number && has_count;
  };
  look(*function);
  for (std::size_t i = 0; i < function->instructions.size() && !asks; ++i) {
    const Instruction& instruction = function->instructions[i];
    if (!is_call(instruction)) continue;
    const Target target = instruction.target;
    if (target.name != nullptr || target.code == 0) continue;
    Function* const callee = function_at(target.code);
    if (callee == nullptr) return answer();
    look(*callee);
  }
  if (!asks) {
    refuse(k_no_static_loop, 0);
    return answer();
  }
  trusts_ = is_clang_;
  const Value undefined = values_.undefined();
  for (unsigned i = 0; i < 16; ++i) state->general[i] = state->low[i] = state->high[i] = undefined;
  state->flags = {undefined, undefined};
  state->general[k_rsp] = values_.of(Symbol::Kind::frame, k_frame);
  for (unsigned i = 0; i < (is_clang_ ? 6U : 1U); ++i)
    state->general[k_arguments[i]] = values_.of(Symbol::Kind::argument, k_common, i);
  state->is_reached = true;
  bool returns = false;
  if (!follow(*function, *state, 0, returns)) {
    refuse("is too long", 0);
    return answer();
  }
  if (!check_versions() || !check_merges()) return answer();
  const bool asks_for_numbers =
      verdict_.after_thread_count != nullptr && verdict_.after_thread_number != nullptr;
  if (!returns || !has_loop_ || (!is_clang_ && !asks_for_numbers))
    refuse("divides its work in a way that the proof does not know", 0);
  else if (!is_clang_)
    verdict_.iterations = count_of(values_, dividend_, dividend_size_);
  return answer();
}

Verdict prove(const void* function, const Process& process) noexcept {
  const int saved_errno = errno;
  const Verdict verdict = Prover(process).prove(reinterpret_cast<Address>(function));
  errno = saved_errno;
  return verdict;
}

} // namespace wstree::proof
