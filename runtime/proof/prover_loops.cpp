// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop over the part: what its header's locations are in terms of the iterations that were executed
// before, and that the loop executes each iteration of the part once.
#include "prover.h"

#include <cstring>
#include <initializer_list>

namespace wstree::proof {
namespace {

constexpr unsigned k_rsp = 4;
constexpr std::size_t k_registers = 48;
constexpr int k_most_rounds = 10;

/// A register, or half of one.
Value& register_of(State& state, std::size_t i) noexcept {
  return i < 16 ? state.general[i] : i < 32 ? state.low[i - 16] : state.high[i - 32];
}

} // namespace

/// A place whose value at the loop's header is known: a register, or a slot of the frame.
struct Prover::Location {
  enum class Class : std::uint8_t {
    same,    ///< as before the loop
    changed, ///< in a way that is being found out
    stepped, ///< `step` more with each iteration
    sum,     ///< a partial result
    lost,    ///< something that earlier iterations have left
  };
  Class is = Class::same;
  Operation operation = Operation::none;
  std::uint32_t id = 0;
  SymbolId base = 0; // of a slot
  std::int32_t offset = 0;
  std::uint32_t size = 0;
  Value start = 0;
  Value step = 0;

  Value* in(State& state, std::size_t i) const noexcept {
    if (i < k_registers) return &register_of(state, i);
    for (std::uint16_t j = 0; j < state.count; ++j)
      if (Slot& slot = state.slots[j]; slot.base == base && slot.offset == offset && slot.size == size)
        return &slot.value;
    return nullptr;
  }
};

/// Whether a way out of the cycle depends on the part.
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

/// Follows the body from the fixed header; `back` is what holds where it returns there.
bool Prover::run_body(Walk& walk, State& back) noexcept {
  if (!settle(walk)) return false;
  back.is_reached = false;
  const Block& header = walk.function.blocks[walk.members[0]];
  State* const other = passing_.make<State>();
  if (other == nullptr) return refuse("there is no memory for the proof", 0);
  for (std::uint32_t edge = header.from; edge != k_none; edge = walk.function.next_from[edge]) {
    const std::uint32_t from = edge / 2;
    if (walk.function.blocks[from].order == k_none || !walk.is_member(from) || !walk.out[from]->is_reached)
      continue;
    *other = *walk.out[from];
    if (is_branch(walk.last(from)) && !take_edge(*other, walk.last(from), edge % 2 == 1)) return false;
    if (!other->is_reached) continue;
    if (back.is_reached)
      join(back, *other, walk.function.instructions[header.first].address);
    else
      back = *other;
  }
  return back.is_reached || refuse("has a loop that does not repeat", walk.last(walk.members[0]).address);
}

bool Prover::follow_part(Walk& walk, const State& entry) noexcept {
  using Class = Location::Class;
  const Address place = walk.function.instructions[walk.function.blocks[walk.members[0]].first].address;
  if (entry.cursor == 0) return refuse("has several loops", place);
  const std::size_t count = k_registers + entry.count;
  auto* const locations = passing_.make<Location>(count);
  auto* const behind = passing_.make<std::uint8_t>(walk.function.blocks.size());
  State* const header = passing_.make<State>();
  State* const back = passing_.make<State>();
  if (locations == nullptr || behind == nullptr || header == nullptr || back == nullptr)
    return refuse("there is no memory for the proof", place);
  *header = entry;
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
        value = values_.sum(location.id, Operation::none);
        break;
      case Class::lost:
        value = values_.undefined();
        break;
      }
      *location.in(*header, i) = value;
    }
    for (unsigned i = 0; i < 16; ++i)
      if (locations[i].is == Class::lost) header->width[i] = 0;
    header->flags = {values_.undefined(), values_.undefined()};
    header->is_late = true;
  };
  // Which locations change, and how.
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
    else if (node.kind == Node::Kind::sum && node.location == location.id) {
      location.is = Class::sum;
      location.operation = node.operation;
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
  // What the loop does with them.
  loop_.is_guessed = false;
  loop_.ticks = values_.only_symbol(values_.of(Symbol::Kind::ticks, k_part, place));
  const Value ticks = values_.of(Symbol::Kind::ticks, k_part, place);
  loop_.cursor = trusts_ ? entry.cursor : values_.add(entry.cursor, ticks);
  loop_.width = 1;
  for (int round = 0;; ++round) {
    if (round == k_most_rounds) return refuse("is too tangled for the proof", place);
    set_header();
    if (!run_body(walk, *back)) return false;
    // How many iterations it executes at a time follows from its end.
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
        holds = is_whole && values_.at(*value).kind == Node::Kind::sum &&
                values_.at(*value).location == location.id &&
                (values_.at(*value).operation == location.operation ||
                 values_.at(*value).operation == Operation::none);
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
  loop_.is_silent = before.is_silent;
  if (!settle(walk)) return false;
  if (!check_order(walk, behind)) return false;
  const std::int64_t width = loop_.width;
  loop_ = before;
  has_loop_ = true;
  bool has_effect = false;
  for (std::size_t i = 0; i < walk.count; ++i) has_effect |= walk.has_effect[walk.members[i]];
  if (has_effect && entry.is_begun) return refuse("executes its first iteration apart", place);
  return leave_part(walk, entry, width, behind, locations, count);
}

/// Which test decides about `left`, the iterations of the part that have not begun when this one does, it
/// included: 1: whether this one begins, 2: whether another one follows, 0: none of both.
std::uint8_t Prover::exact_end(unsigned condition, unsigned exit, Value difference, Value left) noexcept {
  const Node& node = values_.at(difference);
  if (node.kind != Node::Kind::polynomial) return 0;
  std::int64_t factor = 0;
  SymbolId other = 0;
  for (std::uint32_t j = 0; j < node.polynomial.count; ++j) {
    const Term& term = node.polynomial.terms[j];
    if (term.a != loop_.ticks && term.b != loop_.ticks) continue;
    factor = -term.factor;
    other = term.a == loop_.ticks ? term.b : term.a;
  }
  Value expected = values_.scale(left, factor);
  if (other != 0) {
    Polynomial times;
    times.count = 1;
    times.terms[0] = {1, other, 0};
    expected = values_.multiply(expected, values_.intern(times));
  }
  std::int64_t rest = 0;
  if (factor == 0 || !values_.is_constant(values_.subtract(difference, expected), rest) ||
      (other != 0 && rest != 0))
    return 0;
  const auto leaves = [&](std::int64_t remaining, std::int64_t sign) noexcept {
    const std::int64_t value = sign * factor * remaining + rest;
    bool is_known = false;
    const bool is_taken = holds_for(condition, value < 0 ? -1 : value > 0 ? 1 : 0, is_known);
    return !is_known || is_taken == (exit == 1);
  };
  for (std::uint8_t at = 0; at < 2; ++at)
    for (const std::int64_t sign : {1, -1}) {
      if (sign < 0 && other == 0) continue; // only an unknown stride may be negative
      if (leaves(at, sign) && !leaves(at + 1, sign) && !leaves(at + 2, sign) && !leaves(at + 3, sign))
        return static_cast<std::uint8_t>(at + 1);
    }
  return 0;
}

/// How many iterations a loop executes at a time that ends by a part of the length: its ticks count in that
/// part's unit. 0: unknown.
std::int64_t Prover::width_by(Value difference) const noexcept {
  const Node& node = values_.at(difference);
  if (node.kind != Node::Kind::polynomial) return 0;
  std::int64_t step = 0;
  double share = 0;
  for (std::uint32_t i = 0; i < node.polynomial.count; ++i)
    if (node.polynomial.terms[i].a == loop_.ticks && node.polynomial.terms[i].b == 0)
      step = node.polynomial.terms[i].factor;
  if (step == 0 || !share_of_length(difference, share) || share == 0) return 0;
  const double width = static_cast<double>(step) / -share;
  if (width < 1 || width > 1024) return 0;
  const auto whole = static_cast<std::int64_t>(width);
  return static_cast<double>(whole) == width ? whole : 0;
}

/// Finds where the loop is left: where the part is over, and only there. behind[block]: 1 if the test is
/// whether another iteration begins, 2 if it is whether another one follows.
bool Prover::find_bounds(Walk& walk, const State& entry, std::uint8_t* behind) noexcept {
  const Value ticks =
      values_.of(Symbol::Kind::ticks, k_part,
                 walk.function.instructions[walk.function.blocks[walk.members[0]].first].address);
  const Value end = values_.add(last_of_part(), values_.constant(1));
  const Value left = values_.subtract(values_.subtract(end, entry.cursor), ticks);
  std::int64_t found = 0;
  for (std::size_t i = 0; i < walk.count; ++i) {
    const std::uint32_t block = walk.members[i];
    const Block& shape = walk.function.blocks[block];
    if (!walk.out[block]->is_reached) continue;
    const Instruction& last = walk.last(block);
    unsigned exit = 2;
    for (unsigned edge = 0; edge < 2; ++edge)
      if (shape.next[edge] != k_none && !walk.is_member(shape.next[edge]) &&
          walk.function.blocks[shape.next[edge]].reaches_return)
        exit = edge;
    if (exit == 2 && !shape.returns) continue;
    if (!is_branch(last) || shape.returns || !walk.is_member(shape.next[1 - exit]))
      return refuse("leaves its loop early", last.address);
    const Flags& flags = walk.out[block]->flags;
    const Value difference = values_.subtract(flags.a, flags.b);
    if (flags.is_comparison || !compares_unsigned(last.id))
      behind[block] = exact_end(last.id, exit, difference, left);
    std::int64_t width = 1;
    if (behind[block] == 0 && trusts_ && (width = width_by(difference)) != 0) behind[block] = 3;
    if (behind[block] == 0) return refuse("has a loop whose end the proof does not understand", last.address);
    if (behind[block] == 2 && !trusts_ && !entry.is_nonempty)
      return refuse("executes an iteration without a look whether there is one", last.address);
    if (found != 0 && width != found) return refuse("has a loop with several ends", last.address);
    found = width;
    walk.is_bound[block] = true;
  }
  if (found != 0) loop_.width = found;
  return true;
}

/// Each way around the loop meets one test, and iterations have their effects on the right side of it.
bool Prover::check_order(Walk& walk, const std::uint8_t* behind) noexcept {
  const std::size_t count = walk.function.blocks.size();
  const Address place = walk.function.instructions[walk.function.blocks[walk.members[0]].first].address;
  auto* const open = passing_.make<std::uint32_t>(count * 2 + 2);
  auto* const seen = passing_.make<std::uint8_t>(count);
  if (open == nullptr || seen == nullptr) return refuse("there is no memory for the proof", place);
  std::size_t waiting = 0;
  bool has_effect = false;
  bool has_first_test = false;
  const auto add = [&](std::uint32_t block) noexcept {
    if (seen[block] != 0) return;
    seen[block] = 1;
    open[waiting++] = block;
  };
  // From the header to the tests.
  add(walk.members[0]);
  while (waiting != 0) {
    const std::uint32_t block = open[--waiting];
    has_effect |= walk.has_effect[block];
    has_first_test |= behind[block] == 1;
    if (behind[block] != 0) continue;
    for (const std::uint32_t next : walk.function.blocks[block].next) {
      if (next == k_none || !walk.is_member(next)) continue;
      if (next == walk.members[0]) return refuse("has a way around its loop without a test", place);
      add(next);
    }
  }
  if (has_first_test && has_effect)
    return refuse("does something in its loop before it looks whether it is over", place);
  // From the tests back to the header.
  bool has_later_effect = false;
  for (std::size_t i = 0; i < walk.count; ++i) {
    const std::uint32_t test = walk.members[i];
    if (behind[test] == 0) continue;
    for (const std::uint32_t next : walk.function.blocks[test].next)
      if (next != k_none && walk.is_member(next) && next != walk.members[0]) {
        std::memset(seen, 0, count);
        add(next);
        while (waiting != 0) {
          const std::uint32_t block = open[--waiting];
          if (behind[block] != 0)
            return refuse("tests twice in an iteration whether its loop is over", place);
          if (behind[test] == 2) has_later_effect |= walk.has_effect[block];
          for (const std::uint32_t follower : walk.function.blocks[block].next)
            if (follower != k_none && walk.is_member(follower) && follower != walk.members[0]) add(follower);
        }
      }
  }
  return !has_later_effect || refuse("does something in its loop after it looks whether it is over", place);
}

/// A value of the loop as it is behind it.
Value Prover::at_exit(Value value, Value executed, const Location* locations, std::size_t count) noexcept {
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
      // Without an operation in this iteration it has those of former ones.
      const Operation operation = node.operation == Operation::none ? location.operation : node.operation;
      const Node& start = values_.at(location.start);
      if (is_identity(operation, location.start)) return values_.merged(operation);
      if (start.kind == Node::Kind::merged && start.operation == operation) return location.start;
      return values_.undefined();
    }
    return values_.undefined();
  default:
    return value;
  }
}

/// How much of the part's length `value` is, but for less than one unit.
bool Prover::share_of_length(Value value, double& share) const noexcept {
  const Node& node = values_.at(value);
  if (node.kind != Node::Kind::polynomial) return false;
  share = 0;
  for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
    const Term& term = node.polynomial.terms[i];
    if (term.a == loop_.ticks || term.b == loop_.ticks) {
      if (term.b != 0) return false;
      continue;
    }
    const Symbol& symbol = values_.symbol(term.a);
    if (term.b != 0 && ((symbol.bits | values_.symbol(term.b).bits) & k_part) != 0) return false;
    if ((symbol.bits & k_part) == 0) continue;
    double of = 0;
    if (term.a == values_.length)
      of = 1;
    else if (symbol.kind == Symbol::Kind::low || symbol.kind == Symbol::Kind::cursor)
      of = 0;
    else if (symbol.kind == Symbol::Kind::result) {
      std::int64_t constant = 0;
      if (!values_.is_constant(static_cast<Value>(symbol.z >> 32), constant) ||
          !share_of_length(static_cast<Value>(symbol.y), of))
        return false;
      if (symbol.x == X86_INS_SHR || symbol.x == X86_INS_SAR) {
        if (constant < 0 || constant > 62) return false;
        of /= static_cast<double>(std::int64_t{1} << constant);
      } else if (symbol.x != static_cast<std::uint64_t>(Operation::bit_and) << 20)
        return false;
      else if (const std::int64_t edge = constant < 0 ? -constant : constant + 1; (edge & (edge - 1)) != 0)
        return false;
    } else
      return false;
    share += of * static_cast<double>(term.factor);
  }
  return true;
}

/// A loop that only waits for memory to change may wait for an iteration that this thread has yet to execute.
/// So one way out of each inner loop must depend on what its turns change themselves.
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
  inner.is_bound = passing_.make<bool>(blocks);
  State* const fixed = passing_.make<State>();
  State* const entry = passing_.make<State>();
  State* const back = passing_.make<State>();
  if (members == nullptr || is_in == nullptr || open == nullptr || inner.out == nullptr ||
      inner.exits == nullptr || inner.has_effect == nullptr || inner.is_bound == nullptr ||
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
    inner.out[block] = passing_.make<State>();
    if (inner.out[block] == nullptr) return refuse("is too long", place);
  }
  inner.members = members;
  inner.count = count;
  inner.is_in = is_in;
  inner.header = fixed;
  if (!enter(walk, header, *entry)) return false;
  const Loop before = loop_;
  loop_.is_silent = true;
  const std::size_t locations = k_registers + entry->count;
  auto* const changes = passing_.make<std::uint8_t>(locations);
  if (changes == nullptr) return refuse("is too long", place);
  const auto place_of = [&](State& state, std::size_t i) noexcept -> Value* {
    if (i < k_registers) return &register_of(state, i);
    const Slot& slot = entry->slots[i - k_registers];
    for (std::uint16_t j = 0; j < state.count; ++j)
      if (Slot& found = state.slots[j];
          found.base == slot.base && found.offset == slot.offset && found.size == slot.size)
        return &found.value;
    return nullptr;
  };
  const Value turn = values_.plain(k_iteration | k_turn);
  *fixed = *entry;
  for (std::size_t i = 0; i < locations; ++i)
    if (Value& value = *place_of(*fixed, i); (values_.at(value).bits & k_frame) == 0)
      value = values_.of(Symbol::Kind::header, k_iteration | k_turn, place + 1, i);
  if (!run_body(inner, *back)) return false;
  for (std::size_t i = 0; i < locations; ++i) {
    const Value* const value = place_of(*back, i);
    const Value was = *place_of(*fixed, i);
    changes[i] = value == nullptr || *value != was ? 1 : 0;
  }
  // Those of them that stay so: what a turn makes of nothing that has changed is the same in each turn.
  loop_.is_turning = true;
  for (bool shrinks = true; shrinks;) {
    shrinks = false;
    *fixed = *entry;
    for (std::size_t i = 0; i < locations; ++i)
      if (Value& value = *place_of(*fixed, i); changes[i] != 0 && (values_.at(value).bits & k_frame) == 0)
        value = turn;
    if (!run_body(inner, *back)) return false;
    for (std::size_t i = 0; i < locations; ++i) {
      if (changes[i] == 0) continue;
      const Value* const value = place_of(*back, i);
      if (value != nullptr && (values_.at(*value).bits & k_turn) != 0) continue;
      changes[i] = 0;
      shrinks = true;
    }
  }
  loop_ = before;
  bool has_end = false;
  for (std::size_t i = 0; i < count && !has_end; ++i) {
    const std::uint32_t block = members[i];
    if (!inner.out[block]->is_reached || !is_branch(walk.last(block))) continue;
    for (const std::uint32_t next : function.blocks[block].next)
      if (next != k_none && is_in[next] == 0 && function.blocks[next].reaches_return)
        has_end |= (condition_bits(*inner.out[block]) & k_turn) != 0;
  }
  passing_.release(mark);
  return has_end || refuse("may wait for another iteration", place);
}

/// What holds behind the loop.
bool Prover::leave_part(Walk& walk, const State& entry, std::int64_t width, const std::uint8_t* behind,
                        const Location* locations, std::size_t count) noexcept {
  const Address place = walk.function.instructions[walk.function.blocks[walk.members[0]].first].address;
  loop_.ticks = values_.only_symbol(values_.of(Symbol::Kind::ticks, k_part, place));
  const Value end = values_.add(last_of_part(), values_.constant(1));
  const Value all = values_.subtract(end, entry.cursor);
  for (std::size_t i = 0; i < walk.count; ++i) {
    const std::uint32_t block = walk.members[i];
    if (behind[block] == 0) continue;
    const unsigned edge = walk.is_member(walk.function.blocks[block].next[0]) ? 1 : 0;
    State* const state = passing_.make<State>();
    if (state == nullptr) return refuse("there is no memory for the proof", place);
    *state = *walk.out[block];
    const Value executed = behind[block] == 3 ? values_.of(Symbol::Kind::result, k_part, place, block)
                                              : values_.subtract(all, values_.constant(behind[block] - 1));
    for (std::size_t j = 0; j < k_registers; ++j) {
      Value& value = register_of(*state, j);
      value = at_exit(value, executed, locations, count);
    }
    for (std::uint16_t j = 0; j < state->count; ++j)
      state->slots[j].value = at_exit(state->slots[j].value, executed, locations, count);
    state->flags = {values_.undefined(), values_.undefined()};
    // The iteration in which the loop ends by a test at its end is executed, too.
    const Value done = walk.function.blocks[block].next[1 - edge] == walk.members[0]
                           ? values_.add(executed, values_.constant(1))
                           : executed;
    state->cursor = behind[block] == 3 ? values_.add(entry.cursor, values_.scale(done, width)) : end;
    state->is_begun = true;
    state->is_late = true;
    walk.exits[block * 2 + edge] = state;
  }
  return true;
}

} // namespace wstree::proof
