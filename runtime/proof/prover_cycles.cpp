// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks, and cycles of them, which are followed until nothing changes.
#include "prover.h"
#include "walk.h"

namespace wstree::proof {
namespace {

constexpr int k_most_passes = 16;

} // namespace

/// Keeps `state` in memory of passing_ that is as large as it needs.
bool Prover::keep(Kept& kept, const State& state) noexcept {
  if (kept.room < state.bytes()) {
    constexpr std::size_t k_more = 4 * sizeof(Slot);
    kept.room = state.bytes() + k_more;
    kept.state = reinterpret_cast<State*>(passing_.make<std::byte>(kept.room, 0));
    if (kept.state == nullptr) return refuse("there is no memory for the proof", 0);
  }
  *kept.state = state;
  return true;
}

Prover::Mode Prover::mode() const noexcept {
  return {loop_.is_entered,
          loop_.is_turning,
          loop_.asks_memory,
          loop_.is_guessed,
          is_ending_,
          has_part_,
          is_narrowed_,
          is_cut_,
          is_length_cut_,
          is_cut_inside_,
          has_signs_,
          has_int_part_,
          is_unsigned_,
          dividend_size_,
          loop_.callee_base,
          loop_.callee_offset,
          loop_.width,
          loop_.cursor,
          loop_.ticks,
          values_.thread_number,
          values_.remainder_or_zero,
          values_.length,
          values_.low,
          quotient_,
          remainder_,
          dividend_,
          comparison_count_,
          merge_count_};
}

bool Prover::visit(Walk& walk, std::uint32_t block, bool& changes) noexcept {
  const Block& shape = walk.function.blocks[block];
  Visited& visited = walk.visited[block];
  State& state = *walk.now;
  const bool was_ending = is_ending_;
  depth_ = walk.depth;
  in_cycle_ = shape.is_cyclic;
  std::size_t mark = passing_.mark();
  if (!enter(walk, block, state)) return false;
  passing_.release(mark);
  // A block of a cycle that begins as at its last visit ends as then. Stores behind a choice are noted anew.
  const bool may_repeat = shape.is_cyclic && state.is_reached && !loop_.is_version;
  if (const Mode now = mode(); may_repeat && !(walk.mode == now)) {
    walk.mode = now;
    ++walk.modes;
  }
  const bool is_repeated = may_repeat && visited.mode == walk.modes &&
                           (loop_.is_silent || visited.is_silent) && *visited.in.state == state;
  is_ending_ = was_ending || !shape.reaches_return;
  if (is_repeated) {
    if (visited.ends) state = *visited.out.state;
    state.is_reached = visited.ends;
    loop_.has_sum |= walk.has_sum[block];
  } else {
    visited.mode = 0;
    if (may_repeat && !keep(visited.in, state)) return false;
    mark = passing_.mark();
    const bool had_sum = loop_.has_sum;
    const bool was_judged = is_judged_;
    is_judged_ = loop_.has_effect = loop_.has_merge = loop_.has_sum = false;
    store_count_ = 0;
    division_ = 0;
    copied_ = ~0U;
    for (std::uint32_t i = shape.first; i < shape.end && state.is_reached; ++i)
      if (!step(walk.function.instructions[i], state, walk.depth, shape.is_cyclic)) return false;
    walk.has_effect[block] = loop_.has_effect;
    walk.has_sum[block] = loop_.has_sum;
    loop_.has_sum |= had_sum;
    walk.has_merge[block] |= loop_.has_merge;
    if (may_repeat) visited.mode = walk.modes;
    visited.is_silent = !is_judged_;
    visited.ends = state.is_reached;
    is_judged_ |= was_judged;
    passing_.release(mark);
  }
  // The end of the program is judged as other effects are.
  bool may_end = false;
  for (const std::uint32_t next : shape.next)
    may_end |= next != k_none && !walk.function.blocks[next].reaches_return;
  is_ending_ |= may_end;
  // Outside of the loop all calls come to that, or none. (A canary never ends it.)
  if (may_end && shape.reaches_return && state.is_reached && !loop_.is_entered &&
      !values_.is_symbol(state.flags.a, Symbol::Kind::canary)) {
    using Formula = State::Formula;
    walk.has_merge[block] = true;
    if (state.version != 0 || state.formula == Formula::less || state.formula == Formula::not_less ||
        state.is_empty)
      return refuse("may end the program where its part is such", walk.last(block).address);
  }
  depth_ = walk.depth;
  decides_ = false;
  // Blocks of a function that an inner loop calls: check_progress() looks at the loop's own.
  if (loop_.is_turning && walk.closed == nullptr && state.is_reached && is_branch(walk.last(block)))
    if (const Bits bits = condition_bits(state, walk.last(block).id);
        (bits & (k_fixed_memory | k_other_memory)) != 0)
      loop_.asks_memory |= bits & (k_turn | k_fixed_memory | k_other_memory | k_polled);
  if (state.is_reached && is_branch(walk.last(block)) && !walk.is_bound[block] &&
      !check_branch(state, walk.last(block)))
    return false;
  walk.decides[block] |= decides_;
  is_ending_ = was_ending;
  State& out = *walk.out[block];
  if (out.is_reached != state.is_reached || (state.is_reached && !(out == state))) {
    if (!keep(visited.out, state)) return false;
    walk.out[block] = visited.out.state;
    changes = true;
  }
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
  // From the same header, as follow_part() does it, all is as it was left.
  const bool may_repeat = walk.header != nullptr && walk.closed == nullptr && !loop_.is_version;
  const bool is_repeated = may_repeat && walk.settled_header == walk.members[0] &&
                           walk.settled_mode == walk.modes && mode() == walk.mode &&
                           *walk.settled.state == *walk.header;
  if (is_repeated && was_silent) {
    for (std::size_t i = 0; i < walk.count; ++i) loop_.has_sum |= walk.has_sum[walk.members[i]];
    return true;
  }
  walk.settled_header = k_none;
  for (std::size_t i = 0; i < walk.count && !is_repeated; ++i) walk.out[walk.members[i]]->is_reached = false;
  bool changes = is_nested && !is_repeated;
  loop_.is_silent = true;
  std::uint32_t settled_mode = 0;
  for (int pass = 0; changes; ++pass) {
    settled_mode = walk.modes;
    if (pass == k_most_passes)
      return refuse("is too tangled for the proof", walk.last(walk.members[0]).address);
    changes = false;
    for (std::size_t i = 0; i < walk.count; ++i)
      if (!visit(walk, walk.members[i], changes)) return false;
  }
  loop_.is_silent = was_silent;
  if (is_nested && may_repeat && settled_mode == walk.modes && mode() == walk.mode) {
    if (!keep(walk.settled, *walk.header)) return false;
    walk.settled_header = walk.members[0];
    walk.settled_mode = settled_mode;
  }
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

/// Makes `state` one at the header of the loop over the part: of what was there before, only the values stay.
void Prover::begin_part(State& state) noexcept {
  for (unsigned i = 0; i < 16; ++i) {
    widen(state, i);
    if (values_.at(state.general[i]).kind == Node::Kind::plain) state.width[i] = 0;
  }
  const auto lose = [this](Value& value) noexcept {
    if (values_.at(value).kind == Node::Kind::plain) value = values_.undefined();
  };
  for (Value* const values : {state.general, state.low, state.high})
    for (unsigned i = 0; i < 16; ++i) lose(values[i]);
  for (std::uint16_t i = 0; i < state.count; ++i) lose(state.slots[i].value);
  state.flags = {values_.undefined(), values_.undefined()};
  state.words = 0;
  state.is_late = true;
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
    // As follow_part() begins.
    State* const first = make_state();
    if (first == nullptr) return refuse("there is no memory for the proof", place);
    *first = *entry;
    begin_part(*first);
    walk.header = first;
    const Loop before = loop_;
    loop_.is_silent = loop_.is_guessed = loop_.is_entered = true;
    loop_.cursor = 0;
    loop_.is_version = entry->version != 0;
    if (!settle(walk)) return false;
    loop_ = before;
    is_part = has_bound(walk);
    walk.header = nullptr;
  }
  return is_part ? follow_part(walk, *entry) : settle(walk);
}

} // namespace wstree::proof
