// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop over the part: the values at its header, in terms of the executed iterations.
#include "location.h"
#include "registers.h"
#include "walk.h"

#include <algorithm>
#include <cstring>

namespace wstree::proof {
namespace {

constexpr int k_most_rounds = 10;

} // namespace

/// Returns whether an exit of the cycle depends on the part.
bool Prover::has_bound(const Walk& walk) const noexcept {
  for (std::size_t i = 0; i < walk.count; ++i) {
    const std::uint32_t block = walk.members[i];
    if (!walk.out[block]->is_reached || !is_branch(walk.last(block))) continue;
    for (const std::uint32_t next : walk.function.blocks[block].next) {
      if (next == k_none || walk.is_member(next) || !walk.function.blocks[next].reaches_return) continue;
      const Flags& flags = walk.out[block]->flags;
      if (((values_.at(flags.a).bits | values_.at(flags.b).bits) & k_part) != 0) return true;
    }
  }
  return false;
}

/// Returns whether a location has the content of 8 bytes of memory, read before the loop or in the iteration
/// before: no iteration may write a word that another one reads.
bool Prover::is_read_again(Value start, Value value) const noexcept {
  const Node& node = values_.at(value);
  const SymbolId first = values_.only_symbol(start);
  const SymbolId again = node.kind == Node::Kind::plain ? values_.only_symbol(node.address) : 0;
  if (is_clang_ || first == 0 || again == 0 || (node.bits & ~k_iteration) != 0) return false;
  const Symbol& a = values_.symbol(first);
  const Symbol& b = values_.symbol(again);
  return a.kind == Symbol::Kind::load && b.kind == Symbol::Kind::load && a.bits == k_common && a.x == b.x &&
         a.y == b.y && a.y == 8 && values_.is_polynomial(static_cast<Value>(a.x)) &&
         values_.at(static_cast<Value>(a.x)).bits == k_common;
}

/// Returns the value that an iteration adds to the lanes of `header` to make `value` of it; 0: it does
/// something else.
Value Prover::lanes_step(Value value, Value header) const noexcept {
  const Node& node = values_.at(value);
  const SymbolId id = node.kind == Node::Kind::plain ? values_.only_symbol(node.address) : 0;
  if (id == 0 || header == 0) return 0;
  const Symbol& symbol = values_.symbol(id);
  const auto step = static_cast<Value>(symbol.z >> 32);
  if (symbol.kind != Symbol::Kind::result || (symbol.x != X86_INS_PADDD && symbol.x != X86_INS_VPADDD) ||
      static_cast<Value>(symbol.y) != header || !values_.is_constant(step))
    return 0;
  return step;
}

/// Follows the body from the fixed header; `back`: the state at its return there.
bool Prover::run_body(Walk& walk, State& back) noexcept {
  return run_turn(walk, back) &&
         (back.is_reached || refuse("has a loop that does not repeat", walk.last(walk.members[0]).address));
}

/// As run_body(), but the body need not return to the header.
bool Prover::run_turn(Walk& walk, State& back) noexcept {
  if (!settle(walk)) return false;
  back.is_reached = false;
  const Block& header = walk.function.blocks[walk.members[0]];
  State* const other = make_state();
  if (other == nullptr) return refuse("there is no memory for the proof", 0);
  for (std::uint32_t edge = header.from; edge != k_none; edge = walk.function.next_from[edge]) {
    const std::uint32_t from = edge / 2;
    if (walk.function.blocks[from].order == k_none || !walk.is_member(from) || !walk.out[from]->is_reached ||
        (walk.closed != nullptr && walk.closed[edge] != 0))
      continue;
    *other = *walk.out[from];
    if (is_branch(walk.last(from)) && !take_edge(*other, walk.last(from), edge % 2 == 1)) return false;
    if (!other->is_reached) continue;
    if (back.is_reached)
      join(back, *other, walk.function.instructions[header.first].address);
    else
      back = *other;
  }
  for (unsigned i = 0; i < 16; ++i) widen(back, i);
  return true;
}

bool Prover::follow_part(Walk& walk, const State& entry) noexcept {
  using Class = Location::Class;
  const Address place = walk.function.instructions[walk.function.blocks[walk.members[0]].first].address;
  // A second loop would have an iteration more than the part if it looks at its end only.
  const bool is_second = !trusts_ && entry.version == 0 && values_.only_symbol(entry.cursor) != values_.low;
  if (entry.cursor == 0 || entry.version == k_several_versions || is_second)
    return refuse("has several loops", place);
  if (entry.version != 0 && (walk.count != 1 || entry.done != 0 || entry.bulk != 0))
    return refuse("decides by the bounds of its part between loops that the proof cannot compare", place);
  const std::size_t count = k_registers + entry.count;
  auto* const locations = passing_.make<Location>(count);
  auto* const behind = passing_.make<std::uint8_t>(walk.function.blocks.size());
  State* const header = make_state();
  State* const back = make_state();
  if (locations == nullptr || behind == nullptr || header == nullptr || back == nullptr)
    return refuse("there is no memory for the proof", place);
  *header = entry;
  for (unsigned i = 0; i < 16; ++i) widen(*header, i);
  for (std::size_t i = 0; i < count; ++i) {
    Location& location = locations[i];
    if (i >= k_registers) {
      const Slot& slot = entry.slots[i - k_registers];
      location.base = slot.base;
      location.offset = slot.offset;
      location.size = slot.size;
      location.id = values_.location(
          slot.base, static_cast<std::uint64_t>(static_cast<std::uint32_t>(slot.offset)) << 16 | slot.size);
    } else
      location.id = values_.location(0, i);
    location.start = *location.in(*header, i);
    if (values_.at(location.start).kind == Node::Kind::plain) location.is = Class::lost;
  }
  walk.header = header;
  const Loop before = loop_;
  loop_.is_entered = loop_.is_silent = true;
  loop_.cursor = 0;
  loop_.is_version = entry.version != 0;
  has_opaque_effect_ = false;
  const auto set_header = [&]() noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const Location& location = locations[i];
      Value value = location.start;
      switch (location.is) {
      case Class::same:
        break;
      case Class::changed:
        value = values_.of(Symbol::Kind::header, k_part, place, location.id);
        break;
      case Class::stepped:
        value = values_.add(value,
                            values_.multiply(location.step, values_.of(Symbol::Kind::ticks, k_part, place)));
        break;
      case Class::sum:
        value = values_.sum(location.id, Operation::none, location.bytes);
        break;
      case Class::lost:
        value = values_.undefined();
        break;
      case Class::reread:
        value = values_.plain(k_iteration);
        break;
      case Class::lanes:
        value =
            values_.plain(k_iteration, values_.of(Symbol::Kind::result, k_iteration, k_operation_steps, value,
                                                  std::uint64_t{location.step} << 32 |
                                                      values_.of(Symbol::Kind::ticks, k_part, place)));
        break;
      }
      *location.in(*header, i) = value;
    }
    for (unsigned i = 0; i < 16; ++i)
      if (locations[i].is == Class::lost) header->width[i] = 0;
    header->flags = {values_.undefined(), values_.undefined()};
    header->words = 0;
    header->is_late = true;
  };
  // Finds the changes of locations, with unknown values at the header.
  loop_.is_guessed = true;
  for (int round = 0;; ++round) {
    if (round == k_most_rounds) return refuse("is too tangled for the proof", place);
    set_header();
    if (!run_body(walk, *back)) return false;
    bool changes = false;
    for (std::size_t i = 0; i < count; ++i) {
      Location& location = locations[i];
      if (location.is != Class::same) continue;
      const Value* const value = location.in(*back, i);
      if (value != nullptr && *value == location.start && (i >= 16 || back->width[i] == 0)) continue;
      location.is = Class::changed;
      changes = true;
    }
    if (!changes) break;
  }
  if (locations[k_rsp].is != Class::same) return refuse("moves its stack in an unusual way", place);
  for (std::size_t i = 0; i < count; ++i) {
    Location& location = locations[i];
    if (location.is != Class::changed) continue;
    location.is = Class::lost;
    const Value* const value = location.in(*back, i);
    if (value == nullptr || (i < 16 && back->width[i] != 0)) continue;
    const Value symbol = values_.of(Symbol::Kind::header, k_part, place, location.id);
    const Node& node = values_.at(*value);
    if (*value == symbol)
      location.is = Class::same;
    else if (is_read_again(location.start, *value))
      location.is = Class::reread;
    else if (const Value by = loop_.is_version ? lanes_step(*value, symbol) : 0; by != 0) {
      location.is = Class::lanes;
      location.step = by;
    } else if (node.kind == Node::Kind::sum && node.location == location.id) {
      location.is = Class::sum;
      location.operation = node.operation;
      location.bytes = node.size;
    } else if (node.kind == Node::Kind::polynomial) {
      const Value step = values_.subtract(*value, symbol);
      if (!values_.is_polynomial(step)) continue;
      location.step = step;
      bool is_left = false; // the location's own symbol, or another one's
      const Polynomial& polynomial = values_.at(step).polynomial;
      for (std::uint32_t j = 0; j < polynomial.count; ++j)
        is_left |= polynomial.terms[j].a == values_.only_symbol(symbol) ||
                   polynomial.terms[j].b == values_.only_symbol(symbol);
      if (is_left) continue;
      if (values_.at(step).bits == k_common && values_.is_polynomial(location.start))
        location.is = Class::stepped;
      else if ((values_.at(step).bits & ~k_part) == 0) {
        location.is = Class::sum;
        location.operation = Operation::add;
      }
    }
  }
  // The loop's uses of them.
  loop_.is_guessed = false;
  loop_.ticks = values_.only_symbol(values_.of(Symbol::Kind::ticks, k_part, place));
  const Value ticks = values_.of(Symbol::Kind::ticks, k_part, place);
  loop_.cursor = trusts_ ? entry.cursor : values_.add(entry.cursor, ticks);
  loop_.width = 1;
  for (int round = 0;; ++round) {
    if (round == k_most_rounds) return refuse("is too tangled for the proof", place);
    set_header();
    if (!run_body(walk, *back)) return false;
    // The number of iterations that the loop executes at a time follows from its end.
    const std::int64_t width = loop_.width;
    std::memset(behind, 0, walk.function.blocks.size());
    if (!find_bounds(walk, entry, behind)) return false;
    if (loop_.width != width) continue;
    bool changes = false;
    for (std::size_t i = 0; i < count; ++i) {
      Location& location = locations[i];
      const Value* const value = location.in(*back, i);
      const bool is_whole = value != nullptr && (i >= 16 || back->width[i] == 0);
      bool holds = false;
      switch (location.is) {
      case Class::same:
        holds = is_whole && *value == location.start;
        break;
      case Class::stepped:
        holds = is_whole && *value == values_.add(*location.in(*header, i), location.step);
        break;
      case Class::sum:
        if (is_whole && location.bytes == 0 && values_.at(*value).size != 0) {
          location.bytes = values_.at(*value).size;
          changes = true;
        }
        holds = is_whole && values_.at(*value).size == location.bytes &&
                values_.at(*value).kind == Node::Kind::sum && values_.at(*value).location == location.id &&
                (values_.at(*value).operation == location.operation ||
                 values_.at(*value).operation == Operation::none);
        break;
      case Class::reread:
        holds = is_whole && is_read_again(location.start, *value);
        break;
      case Class::lanes:
        holds = is_whole && lanes_step(*value, values_.at(*location.in(*header, i)).address) == location.step;
        break;
      default:
        holds = true;
        break;
      }
      if (holds) continue;
      location.is = Class::lost;
      changes = true;
    }
    if (!changes) break;
  }
  for (std::size_t i = 0; i < count; ++i)
    is_cut_ |= (i < k_registers || locations[i].size == 8) && may_be_cut(*locations[i].in(*header, i), entry);
  loop_.is_silent = before.is_silent;
  if (!settle(walk)) return false;
  if (!check_order(walk, behind)) return false;
  if (entry.version != 0) {
    for (std::size_t i = 0; i < count; ++i)
      if (locations[i].is == Class::sum)
        return refuse("decides by the bounds of its part between loops that the proof cannot compare", place);
    if (!compare_body(entry.version, place)) return false;
  }
  const std::int64_t width = loop_.width;
  loop_ = before;
  has_loop_ = true;
  if (!trusts_) walk.has_merge[walk.members[0]] = true;
  bool has_effect = false;
  for (std::size_t i = 0; i < walk.count; ++i) has_effect |= walk.has_effect[walk.members[i]];
  if (trusts_) {
    const bool has_sum = std::any_of(locations, locations + count, [](const Location& location) noexcept {
      return location.is == Class::sum && location.operation != Operation::none;
    });
    walk.loops[walk.members[0]] =
        static_cast<std::uint8_t>((has_effect ? Walk::k_has_effect : 0) | (has_sum ? Walk::k_has_sum : 0) |
                                  (width > 1 ? Walk::k_is_wide : 0));
  }
  if (has_effect && entry.is_begun && entry.version == 0)
    return refuse("executes its first iteration apart", place);
  return leave_part(walk, entry, width, behind, locations, count);
}

/// A value of the loop as it is behind it. `last`: the state at the end of the last iteration, as another
/// place may have a partial result without that; nullptr: the loop is left before an iteration.
Value Prover::at_exit(Value value, Value executed, State* last, const Location* locations,
                      std::size_t count) noexcept {
  const Node& node = values_.at(value);
  switch (node.kind) {
  case Node::Kind::polynomial:
    return values_.substitute(value, loop_.ticks, executed);
  case Node::Kind::plain:
    return values_.plain(
        static_cast<Bits>((node.bits & ~k_iteration) | ((node.bits & k_iteration) != 0 ? k_last : 0)));
  case Node::Kind::sum:
    for (std::size_t i = 0; i < count; ++i) {
      const Location& location = locations[i];
      if (location.id != node.location) continue;
      const Value* const whole = last != nullptr ? location.in(*last, i) : &value;
      if (whole == nullptr || *whole != value) break;
      // Without an operation in this iteration it has those of former ones.
      const Operation operation = node.operation == Operation::none ? location.operation : node.operation;
      const unsigned size = node.operation == Operation::none ? location.bytes : node.size;
      const Node& start = values_.at(location.start);
      if (Value put_in = 0; starts_with(operation, size, location.start, put_in))
        return values_.merged(operation, size, put_in);
      if (start.kind == Node::Kind::merged && start.operation == operation && start.size == size)
        return location.start;
      return values_.undefined();
    }
    return values_.undefined();
  default:
    return value;
  }
}

/// Adds the facts behind the loop.
bool Prover::leave_part(Walk& walk, const State& entry, std::int64_t width, const std::uint8_t* behind,
                        const Location* locations, std::size_t count) noexcept {
  const Address place = walk.function.instructions[walk.function.blocks[walk.members[0]].first].address;
  loop_.ticks = values_.only_symbol(values_.of(Symbol::Kind::ticks, k_part, place));
  const Value end = values_.add(last_of_part(), values_.constant(1));
  const Value all = values_.subtract(end, entry.cursor);
  State* const moved = make_state();
  if (moved == nullptr) return refuse("there is no memory for the proof", place);
  for (std::size_t i = 0; i < walk.count; ++i) {
    const std::uint32_t block = walk.members[i];
    if (behind[block] == 0) continue;
    const unsigned edge = walk.is_member(walk.function.blocks[block].next[0]) ? 1 : 0;
    State* const state = make_state();
    if (state == nullptr) return refuse("there is no memory for the proof", place);
    *state = *walk.out[block];
    const Value executed =
        behind[block] == 3 ? values_.of(Symbol::Kind::result, k_part, place, block)
                           : values_.subtract(width != 1 ? turns_ : all, values_.constant(behind[block] - 1));
    const bool is_at_end = walk.function.blocks[block].next[1 - edge] == walk.members[0];
    // Blocks between the test and the header may move sums.
    State* const last = behind[block] == 1 ? nullptr : is_at_end ? walk.out[block] : moved;
    for (std::size_t j = 0; j < k_registers; ++j) {
      Value& value = register_of(*state, j);
      value = at_exit(value, executed, last, locations, count);
    }
    for (std::uint16_t j = 0; j < state->count; ++j)
      state->slots[j].value = at_exit(state->slots[j].value, executed, last, locations, count);
    state->flags = {values_.undefined(), values_.undefined()};
    // The iteration in which the loop ends by a test at its end is executed, too.
    const Value done = is_at_end ? values_.add(executed, values_.constant(1)) : executed;
    state->cursor = behind[block] == 3 ? values_.add(entry.cursor, values_.scale(done, width)) : end;
    if (!trusts_) {
      state->least = state->most = 0;
      if (width != 1) {
        state->cursor = values_.add(entry.cursor, values_.scale(turns_, width));
        state->most = width - 1;
      }
    }
    state->is_begun = true;
    state->is_late = true;
    walk.exits[block * 2 + edge] = state;
  }
  return true;
}

} // namespace wstree::proof
