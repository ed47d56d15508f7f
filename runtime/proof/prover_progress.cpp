// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inner loops, which must not wait for other iterations.
#include "location.h"
#include "registers.h"
#include "walk.h"

#include <algorithm>

namespace wstree::proof {

namespace {

constexpr std::size_t k_most_looks = 64;
constexpr std::size_t k_most_choices = 32;
constexpr std::size_t k_most_ways = 6;
constexpr int k_most_last_looks = 16;

} // namespace

/// A loop that only waits for memory to change may wait for an iteration that this thread has yet to execute.
/// So one exit of each inner loop must depend on values that its own turns change, whichever way the loop's
/// decisions by such memory go as long as it stays as it is.
bool Prover::check_progress(Walk& walk, std::uint32_t header) noexcept {
  Function& function = walk.function;
  const std::size_t blocks = function.blocks.size();
  const Address place = function.instructions[function.blocks[header].first].address;
  const std::size_t mark = passing_.mark();
  Walk inner{function, walk.depth};
  auto* const members = passing_.make<std::uint32_t>(walk.count);
  auto* const is_in = passing_.make<std::uint8_t>(blocks);
  auto* const open = passing_.make<std::uint32_t>(blocks + 1);
  inner.out = passing_.make<State*>(blocks);
  inner.exits = passing_.make<State*>(blocks * 2);
  inner.has_effect = passing_.make<bool>(blocks);
  inner.has_sum = passing_.make<bool>(blocks);
  inner.is_bound = passing_.make<bool>(blocks);
  inner.has_merge = walk.has_merge;
  inner.decides = walk.decides;
  inner.visited = passing_.make<Visited>(blocks);
  inner.now = make_state();
  State* const none = make_state();
  State* const fixed = make_state();
  State* const entry = make_state();
  State* const back = make_state();
  if (members == nullptr || is_in == nullptr || open == nullptr || inner.out == nullptr ||
      inner.exits == nullptr || inner.has_effect == nullptr || inner.has_sum == nullptr ||
      inner.is_bound == nullptr || inner.visited == nullptr || inner.now == nullptr || none == nullptr ||
      fixed == nullptr || entry == nullptr || back == nullptr)
    return refuse("is too long", place);
  // The members reach the header without passing it.
  std::size_t waiting = 0;
  is_in[header] = 1;
  const auto add_sources = [&](std::uint32_t block) noexcept {
    for (std::uint32_t edge = function.blocks[block].from; edge != k_none; edge = function.next_from[edge]) {
      const std::uint32_t from = edge / 2;
      if (!walk.is_member(from) || is_in[from] != 0) continue;
      if (block == header && function.blocks[from].order < function.blocks[header].order) continue;
      is_in[from] = 1;
      open[waiting++] = from;
    }
  };
  add_sources(header);
  while (waiting != 0) add_sources(open[--waiting]);
  std::size_t count = 0;
  members[count++] = header;
  for (std::size_t i = 0; i < walk.count; ++i) {
    const std::uint32_t block = walk.members[i];
    if (is_in[block] == 0) continue;
    if (block != header) members[count++] = block;
    if (walk.header != nullptr && block == walk.members[0])
      return refuse("has a loop with several entries", place);
    inner.out[block] = none;
  }
  inner.members = members;
  inner.count = count;
  inner.is_in = is_in;
  inner.header = fixed;
  if (!enter(walk, header, *entry)) return false;
  auto* const closed = passing_.make<std::uint8_t>(blocks * 2);
  const std::size_t locations = k_registers + entry->count;
  struct Turn {
    Bits bits; // 0: turns do not change the location
    std::int64_t step;
  };
  auto* const turns = passing_.make<Turn>(locations);
  if (turns == nullptr || closed == nullptr) return refuse("is too long", place);
  inner.closed = closed;
  const auto place_of = [&](State& state, std::size_t i) noexcept -> Value* {
    if (i < k_registers) return &register_of(state, i);
    // Most often where it was.
    const Slot& slot = entry->slots[i - k_registers];
    for (std::size_t j = 0; j < state.count; ++j) {
      const std::size_t at = (i - k_registers + j) % state.count;
      if (Slot& found = state.slots[at];
          found.base == slot.base && found.offset == slot.offset && found.size == slot.size)
        return &found.value;
    }
    return nullptr;
  };
  // Whether a turn may leave the loop.
  const auto leaves = [&]() noexcept {
    for (std::size_t i = 0; i < count; ++i)
      for (const std::uint32_t next : function.blocks[members[i]].next)
        if (inner.out[members[i]]->is_reached && next != k_none && is_in[next] == 0 &&
            function.blocks[next].reaches_return)
          return true;
    return false;
  };
  bool has_turn = true; // a turn comes to its end
  // Whether an edge is the one behind a compare and exchange that succeeds, if it expects what it found last.
  const auto is_swapped = [this](const Flags& flags, unsigned condition, bool is_taken) noexcept {
    const auto found = [this](Value value) noexcept {
      const SymbolId id = values_.only_symbol(value);
      return id != 0 && values_.symbol(id).kind == Symbol::Kind::found ? values_.symbol(id) : Symbol{};
    };
    const Symbol a = found(flags.a), b = found(flags.b);
    bool is_known = false;
    const bool for_zero = holds_for(condition, 0, is_known) == is_taken;
    if (a.x == 0 || (condition != X86_INS_JE && condition != X86_INS_JNE)) return false;
    if (b.x == a.x) return for_zero && flags.is_comparison && a.y == 0 && b.y == 0 && a.bits != b.bits;
    return values_.is_constant(flags.b) && values_.at(flags.b).polynomial.constant == 0 && a.y != 0 &&
           for_zero == (a.y == k_swap_failed);
  };
  // Whether each turn adds the same to a number, whichever way it goes.
  const auto goes_on = [this, place](Value value) noexcept {
    const Node& node = values_.at(value);
    if (node.kind != Node::Kind::polynomial || node.polynomial.count != 1 || node.polynomial.terms[0].b != 0)
      return false;
    const Symbol& symbol = values_.symbol(node.polynomial.terms[0].a);
    return symbol.kind == Symbol::Kind::header && static_cast<Address>(symbol.x) == place + 1 &&
           symbol.z != 0;
  };
  // Whether the loop ends if memory stays as it is, and its decisions by memory go the open ways.
  bool may_wait = false; // a way out by memory was judged before
  const auto ends = [&](bool is_decided = false, bool at_once = false) noexcept {
    const Loop before = loop_;
    loop_.is_silent = true;
    loop_.is_turning = is_decided ? 2 : 1;
    *fixed = *entry;
    for (std::size_t i = 0; i < locations; ++i)
      if (Value& value = *place_of(*fixed, i); (values_.at(value).bits & k_frame) == 0)
        value = values_.of(Symbol::Kind::header, k_iteration | k_turn | k_link, place + 1, i);
    if (!run_turn(inner, *back)) return false;
    if (!back->is_reached) {
      loop_ = before;
      has_turn = false;
      return may_wait || !leaves() || refuse("may wait for another iteration", place);
    }
    for (std::size_t i = 0; i < locations; ++i) {
      const Value* const value = place_of(*back, i);
      const Value was = *place_of(*fixed, i);
      turns[i] = {};
      if (value != nullptr && *value == was) continue;
      std::int64_t step = 0;
      if (value != nullptr) (void)values_.is_constant(values_.subtract(*value, was), step);
      const Bits bits = value != nullptr ? values_.at(*value).bits : k_common;
      const bool may_be_link = (bits & (k_link | k_other_memory | k_polled)) == k_other_memory;
      turns[i] = {static_cast<Bits>(may_be_link ? k_turn | k_link : k_turn), step};
    }
    // Drops locations that do not change: a turn makes the same of values that do not change, in each turn.
    // Others are what they are made of.
    for (bool shrinks = true; shrinks;) {
      shrinks = false;
      bool are_as_found = true;
      *fixed = *entry;
      for (std::size_t i = 0; i < locations; ++i) {
        Value& value = *place_of(*fixed, i);
        const Node& node = values_.at(value);
        if ((node.bits & k_frame) != 0) continue;
        // A symbol is the same in all turns, or as much more as it says.
        if (turns[i].bits != 0)
          value = values_.of(Symbol::Kind::header, k_iteration | turns[i].bits, place + 1, i,
                             static_cast<std::uint64_t>(turns[i].step));
        else if (node.kind == Node::Kind::plain)
          value = values_.of(Symbol::Kind::header, node.bits, place + 1, i);
      }
      if (!run_body(inner, *back)) return false;
      const auto bits_of = [&](std::size_t i) noexcept {
        const Value* const value = place_of(*back, i);
        return value != nullptr ? values_.at(*value).bits : k_common;
      };
      const auto is_looked_at = [&](std::size_t i) noexcept {
        const Value* const value = place_of(*back, i);
        return turns[i].bits != 0 && (value == nullptr || !values_.is_symbol(*value, Symbol::Kind::found));
      };
      for (std::size_t i = 0; i < locations; ++i)
        if (is_looked_at(i) && (bits_of(i) & k_turn) == 0) {
          turns[i] = {};
          shrinks = true;
        }
      for (std::size_t i = 0; i < locations && !shrinks; ++i) {
        if (!is_looked_at(i)) continue;
        const Bits bits = bits_of(i);
        Bits made = turns[i].bits | (bits & (k_fixed_memory | k_polled | k_stays));
        if ((bits & (k_link | k_other_memory | k_polled)) != k_other_memory)
          made &= static_cast<Bits>(~k_link);
        are_as_found &= made == turns[i].bits;
        turns[i].bits = made;
      }
      shrinks |= !are_as_found;
    }
    // Locations that have the value found by the last compare and exchange.
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t i = 0; i < locations; ++i) {
        const Value* const value = place_of(*back, i);
        if ((turns[i].bits & ~k_link) != k_turn || value == nullptr) continue;
        if (values_.is_symbol(*place_of(*fixed, i), Symbol::Kind::found)) continue;
        const SymbolId found = values_.only_symbol(*value);
        if (found == 0 || *value != found_in(values_.symbol(found).x, false)) continue;
        *place_of(*fixed, i) = found_in(values_.symbol(found).x, true);
        grows = true;
      }
      if (grows && !run_body(inner, *back)) return false;
    }
    loop_ = before;
    bool has_end = false;
    bool waits = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t block = members[i];
      if (!inner.out[block]->is_reached || !is_branch(walk.last(block))) continue;
      for (const std::uint32_t next : function.blocks[block].next) {
        if (next == k_none || is_in[next] != 0 || !function.blocks[next].reaches_return) continue;
        const Flags& flags = inner.out[block]->flags;
        const Bits bits = condition_bits(*inner.out[block]);
        waits |= (bits & (k_turn | k_fixed_memory)) == k_fixed_memory;
        // A counter may be compared with memory, but one mixed with memory is none.
        const auto is_counter = [&](Value value, Value other) noexcept {
          if (at_once && !goes_on(value)) return false;
          return (values_.at(value).bits & (k_turn | k_fixed_memory | k_polled | k_stays)) == k_turn &&
                 (values_.at(other).bits & k_turn) == 0;
        };
        has_end |= (!at_once && (bits & (k_turn | k_fixed_memory | k_polled | k_stays)) == k_turn) ||
                   is_swapped(flags, walk.last(block).id, next == function.blocks[block].next[1]) ||
                   (flags.is_comparison && (is_counter(flags.a, flags.b) || is_counter(flags.b, flags.a)));
      }
    }
    return (has_end && (may_wait || !waits)) || refuse("may wait for another iteration", place);
  };
  // The next decision by such memory, from `first` on, both ways of which stay in the loop.
  const auto undecided = [&](std::size_t first, Bits memory) noexcept {
    for (std::size_t i = first; i < count; ++i) {
      const std::uint32_t block = members[i];
      const Block& shape = function.blocks[block];
      if (inner.out[block]->is_reached && is_branch(walk.last(block)) && closed[block * 2] == 0 &&
          closed[block * 2 + 1] == 0 && shape.next[0] != k_none && is_in[shape.next[0]] != 0 &&
          is_in[shape.next[1]] != 0 && (condition_bits(*inner.out[block], walk.last(block).id) & memory) != 0)
        return i;
    }
    return count;
  };
  auto* const others = passing_.make<std::uint32_t>(count);
  if (others == nullptr) return refuse("is too long", place);
  std::size_t other_count = 0;
  std::uint32_t taken[k_most_choices]; // edges
  std::size_t choices = 0;
  std::size_t looks = 0;
  // Goes the other way at the last choice that has one; false: all were gone.
  const auto turns_back = [&]() noexcept {
    for (; choices != 0 && taken[choices - 1] % 2 != 0; --choices) closed[taken[choices - 1] - 1] = 0;
    if (choices == 0) return false;
    std::uint32_t& edge = taken[choices - 1];
    closed[edge] = 1;
    closed[++edge] = 0;
    return true;
  };
  const auto choose = [&](std::size_t next) noexcept {
    taken[choices++] = members[next] * 2;
    closed[members[next] * 2 + 1] = 1;
  };
  for (;; ++looks) {
    if (looks == k_most_looks || choices == k_most_choices)
      return refuse("is too tangled for the proof", place);
    has_turn = true;
    if (!ends()) return false;
    if (looks == 0)
      for (std::size_t i = undecided(0, k_other_memory); i != count; i = undecided(i + 1, k_other_memory))
        others[other_count++] = members[i];
    if (const std::size_t next = has_turn ? undecided(0, k_fixed_memory) : count; next != count)
      choose(next);
    else if (!turns_back())
      break;
  }
  // Memory at a place that turns change stays as it is while they do not: one such decision at a time.
  std::fill_n(closed, blocks * 2, std::uint8_t{0});
  for (std::size_t i = 0; i < other_count * 2; ++i) {
    std::uint8_t& way = closed[others[i / 2] * 2 + i % 2];
    way = 1;
    if (!ends()) return false;
    way = 0;
  }
  may_wait = true;
  // Once all of them are made, a turn must go on on each of the ways that are left. Where there are too many
  // ways, they are taken at once, and only a number to which each turn adds the same ends the loop.
  for (int left = looks + other_count != 0 ? k_most_last_looks : 0; left != 0; --left) {
    has_turn = true;
    if (!ends()) return false;
    const std::size_t next = has_turn ? undecided(0, k_fixed_memory | k_other_memory) : count;
    const bool at_once = left == 1 || (next != count && choices == k_most_ways);
    if (next != count && !at_once) {
      choose(next);
      continue;
    }
    if (at_once) std::fill_n(closed, blocks * 2, std::uint8_t{0});
    if ((at_once || (has_turn && choices != 0)) && !ends(true, at_once)) return false;
    if (at_once || !turns_back()) break;
  }
  passing_.release(mark);
  return true;
}

} // namespace wstree::proof
