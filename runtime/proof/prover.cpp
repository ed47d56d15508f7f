// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prover.h"

#include "registers.h"
#include "walk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace wstree::proof {
namespace {

constexpr int k_most_passes = 16;

bool is_same(const State& a, const State& b) noexcept {
  constexpr std::size_t k_fixed = offsetof(State, slots);
  return std::memcmp(&a, &b, k_fixed) == 0 && std::memcmp(a.slots, b.slots, a.count * sizeof(Slot)) == 0;
}

void copy(State& to, const State& from) noexcept {
  std::memcpy(static_cast<void*>(&to), &from, offsetof(State, slots) + from.count * sizeof(Slot));
}

} // namespace

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
    copy(state, *walk.header);
    return true;
  }
  const Address place = function.instructions[function.blocks[block].first].address;
  if (block == function.order[0]) copy(state, *walk.entry);
  State* const other = make_state();
  if (other == nullptr) return refuse("there is no memory for the proof", place);
  for (std::uint32_t edge = function.blocks[block].from; edge != k_none; edge = function.next_from[edge]) {
    const std::uint32_t from = edge / 2;
    const State* source = walk.exits[edge];
    const bool is_exit = source != nullptr;
    if (source == nullptr) source = walk.out[from];
    if (source == nullptr || !source->is_reached || (walk.closed != nullptr && walk.closed[edge] != 0))
      continue;
    copy(*other, *source);
    if (!is_exit && is_branch(walk.last(from)) && !take_edge(*other, walk.last(from), edge % 2 == 1))
      return false;
    if (!other->is_reached) continue;
    if (state.is_reached)
      join(state, *other, place);
    else
      copy(state, *other);
  }
  return true;
}

bool Prover::visit(Walk& walk, std::uint32_t block, bool& changes) noexcept {
  const Block& shape = walk.function.blocks[block];
  const std::size_t mark = passing_.mark();
  const bool was_ending = is_ending_;
  depth_ = walk.depth;
  in_cycle_ = shape.is_cyclic;
  State* const state = make_state();
  if (walk.out[block] == nullptr) return refuse("there is no memory for the proof", 0);
  if (state == nullptr) return refuse("there is no memory for the proof", 0);
  if (!enter(walk, block, *state)) return false;
  const bool had_sum = loop_.has_sum;
  loop_.has_effect = loop_.has_merge = loop_.has_sum = false;
  store_count_ = 0;
  division_ = 0;
  copied_ = ~0U;
  is_ending_ = was_ending || !shape.reaches_return;
  for (std::uint32_t i = shape.first; i < shape.end && state->is_reached; ++i)
    if (!step(walk.function.instructions[i], *state, walk.depth, shape.is_cyclic)) return false;
  // The end of the program is judged as other effects are.
  for (const std::uint32_t next : shape.next)
    is_ending_ |= next != k_none && !walk.function.blocks[next].reaches_return;
  walk.has_effect[block] = loop_.has_effect;
  walk.has_sum[block] = loop_.has_sum;
  loop_.has_sum |= had_sum;
  walk.has_merge[block] |= loop_.has_merge;
  depth_ = walk.depth;
  decides_ = false;
  // Blocks of a function that an inner loop calls: check_progress() looks at the loop's own.
  if (loop_.is_turning && walk.closed == nullptr && state->is_reached && is_branch(walk.last(block)) &&
      (condition_bits(*state, walk.last(block).id) & k_fixed_memory) != 0)
    loop_.asks_memory = true;
  if (state->is_reached && is_branch(walk.last(block)) && !walk.is_bound[block] &&
      !check_branch(*state, walk.last(block)))
    return false;
  walk.decides[block] |= decides_;
  is_ending_ = was_ending;
  State& out = *walk.out[block];
  if (out.is_reached != state->is_reached || (state->is_reached && !is_same(out, *state))) {
    copy(out, *state);
    changes = true;
  }
  passing_.release(mark);
  return true;
}

/// Follows the members of a cycle until nothing changes, and then judges their effects.
bool Prover::settle(Walk& walk) noexcept {
  const bool was_silent = loop_.is_silent;
  bool is_nested = walk.header == nullptr;
  for (std::size_t i = 0; i < walk.count && !is_nested; ++i)
    for (const std::uint32_t next : walk.function.blocks[walk.members[i]].next)
      if (next != k_none && next != walk.members[0] && walk.is_member(next) &&
          walk.function.blocks[next].order <= walk.function.blocks[walk.members[i]].order)
        is_nested = true;
  for (std::size_t i = 0; i < walk.count; ++i) walk.out[walk.members[i]]->is_reached = false;
  bool changes = is_nested;
  loop_.is_silent = true;
  for (int pass = 0; changes; ++pass) {
    if (pass == k_most_passes)
      return refuse("is too tangled for the proof", walk.last(walk.members[0]).address);
    changes = false;
    for (std::size_t i = 0; i < walk.count; ++i)
      if (!visit(walk, walk.members[i], changes)) return false;
  }
  loop_.is_silent = was_silent;
  if (is_nested && was_silent) return true;
  for (std::size_t i = 0; i < walk.count; ++i)
    if (!visit(walk, walk.members[i], changes)) return false;
  for (std::size_t i = 0; is_nested && !was_silent && i < walk.count; ++i) {
    const std::uint32_t block = walk.members[i];
    if ((walk.header != nullptr && i == 0) || !walk.out[block]->is_reached) continue;
    for (std::uint32_t edge = walk.function.blocks[block].from; edge != k_none;
         edge = walk.function.next_from[edge])
      if (walk.is_member(edge / 2) &&
          walk.function.blocks[edge / 2].order >= walk.function.blocks[block].order) {
        if (!check_progress(walk, block)) return false;
        break;
      }
  }
  return true;
}

bool Prover::follow_cycle(Walk& walk, std::size_t position) noexcept {
  Function& function = walk.function;
  const std::uint32_t header = function.order[position];
  const std::uint32_t component = function.blocks[header].component;
  const Address place = function.instructions[function.blocks[header].first].address;
  std::size_t count = 0;
  for (std::size_t i = position; i < function.order.size(); ++i)
    count += function.blocks[function.order[i]].component == component;
  auto* const members = passing_.make<std::uint32_t>(count);
  State* const entry = make_state();
  auto* const is_in = passing_.make<std::uint8_t>(function.blocks.size());
  if (members == nullptr || entry == nullptr || is_in == nullptr)
    return refuse("there is no memory for the proof", place);
  count = 0;
  for (std::size_t i = position; i < function.order.size(); ++i) {
    const std::uint32_t block = function.order[i];
    if (function.blocks[block].component != component) continue;
    members[count++] = block;
    is_in[block] = 1;
    if (block == header) continue;
    for (std::uint32_t edge = function.blocks[block].from; edge != k_none; edge = function.next_from[edge])
      if (function.blocks[edge / 2].order != k_none && function.blocks[edge / 2].component != component)
        return refuse("has a loop with several entries", place);
  }
  walk.members = members;
  walk.is_in = is_in;
  walk.count = count;
  walk.header = nullptr;
  if (!enter(walk, header, *entry)) return false; // its own blocks are not reached yet
  if (!entry->is_reached) return true;
  bool is_part = false;
  if (!loop_.is_entered && entry->formula == State::Formula::done) {
    walk.header = entry;
    const Loop before = loop_;
    loop_.is_silent = loop_.is_guessed = loop_.is_entered = true;
    if (!settle(walk)) return false;
    loop_ = before;
    is_part = has_bound(walk);
    walk.header = nullptr;
  }
  return is_part ? follow_part(walk, *entry) : settle(walk);
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
  walk.entry = make_state();
  State* const result = make_state();
  State* const outs = passing_.make<State>(count);
  if (walk.out == nullptr || walk.exits == nullptr || walk.has_effect == nullptr || walk.has_sum == nullptr ||
      walk.has_merge == nullptr || walk.decides == nullptr || walk.is_bound == nullptr ||
      walk.loops == nullptr || walk.entry == nullptr || result == nullptr || outs == nullptr)
    return refuse("is too long", function.entry());
  for (std::size_t i = 0; i < count; ++i) walk.out[i] = outs + i;
  copy(*walk.entry, state);
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
      copy(*result, *walk.out[i]);
  }
  if (!check_decisions(walk) || !check_rests(walk)) return false;
  returns = result->is_reached;
  if (returns) copy(state, *result);
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
