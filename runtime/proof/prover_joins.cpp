// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The join of two paths: the facts that hold on both.
#include "prover.h"
#include "registers.h"

#include <algorithm>
#include <cstdint>

namespace wstree::proof {

/// The last iteration of the part, by clang's count.
Value Prover::last_of_part() noexcept {
  const Value low = values_.of(Symbol::Kind::low, k_part);
  const Value length = values_.of(Symbol::Kind::length, k_part);
  return values_.add(values_.add(low, length), values_.constant(-1));
}

/// The value behind gcc's correction of quotient and remainder, from those on its two paths; 0: they are no
/// such pair.
Value Prover::joined_formula(Value less, Value not_less) noexcept {
  if (!values_.is_polynomial(less) || !values_.is_polynomial(not_less)) return 0;
  const Value length = values_.of(Symbol::Kind::length, k_part);
  const Value rest = values_.of(Symbol::Kind::remainder_or_zero, k_number);
  const SymbolId quotient = values_.only_symbol(quotient_);
  const SymbolId remainder = values_.only_symbol(remainder_);
  const Value made = values_.substitute(values_.substitute(not_less, quotient, length), remainder, rest);
  // On the other path the length is one more, and the rest zero.
  const Value next = values_.add(quotient_, values_.constant(1));
  const Value number = values_.of(Symbol::Kind::thread_number, k_number);
  Value check = values_.substitute(made, values_.low, values_.multiply(next, number));
  check = values_.substitute(check, values_.length, next);
  check = values_.substitute(check, values_.remainder_or_zero, values_.constant(0));
  return check == less ? made : 0;
}

/// A value that is as much more on one path than on the other as the next iteration is, or a multiple, in
/// terms of `cursor`, the next iteration behind both; 0: it is none.
Value Prover::joined_with_cursor(Value a, Value b, const State& x, const State& y, Value cursor) noexcept {
  const Value between = values_.subtract(x.cursor, y.cursor);
  const Value apart = values_.subtract(a, b);
  if (!values_.is_polynomial(between) || !values_.is_polynomial(apart)) return 0;
  const Polynomial& p = values_.at(between).polynomial;
  const Polynomial& q = values_.at(apart).polynomial;
  for (std::uint32_t i = 0; i < p.count; ++i)
    for (std::uint32_t j = 0; j < q.count; ++j) {
      if (p.terms[i].b != 0 || q.terms[j].a != p.terms[i].a || q.terms[j].b != 0 ||
          q.terms[j].factor % p.terms[i].factor != 0)
        continue;
      const std::int64_t factor = q.terms[j].factor / p.terms[i].factor;
      if (values_.scale(between, factor) != apart) continue;
      return values_.add(values_.subtract(a, values_.scale(x.cursor, factor)), values_.scale(cursor, factor));
    }
  return 0;
}

/// Joins two values if iterations were executed on some of the paths, in a program that does not see the
/// bounds of its part. A value that depends on the bounds before the first iteration is the compiler's, and
/// goes with the cursor. Other values are the program's, and if they differ, iterations have changed them. 0:
/// neither side is before the first iteration.
Value Prover::joined_begun(Value a, Value b, const State& x, const State& y, Address place,
                           std::uint64_t location) noexcept {
  // A path that may have executed iterations counts as begun if the other path has executed none.
  const auto is_fresh = [this](const State& state) noexcept {
    return !state.is_begun && values_.only_symbol(state.cursor) == values_.low;
  };
  const bool x_begun = x.is_begun || (!is_fresh(x) && is_fresh(y));
  const bool y_begun = y.is_begun || (!is_fresh(y) && is_fresh(x));
  if (x_begun && y_begun)
    return (values_.at(a).bits & values_.at(b).bits & k_part) != 0
               ? 0
               : values_.plain(classify(a) | classify(b) | k_carried);
  const Value cursor = values_.of(Symbol::Kind::cursor, k_part, place);
  const Bits bits = classify(a) | classify(b);
  if ((bits & ~k_part) != 0) return values_.plain(bits | k_carried);
  if (const Value made = joined_with_cursor(a, b, x, y, cursor); made != 0) return made;
  const Value fresh = values_.of(Symbol::Kind::result, k_part, k_operation_join, place, location);
  if (x_begun != y_begun) {
    const State& first = x_begun ? y : x;
    const Value value = x_begun ? b : a;
    if ((values_.at(value).bits & k_part) == 0) return values_.plain(bits | k_carried);
    const SymbolId begin = values_.only_symbol(first.cursor);
    const Value made = begin != 0 ? values_.substitute(value, begin, cursor) : value;
    return made == value || !values_.is_polynomial(made) ? fresh : made;
  }
  const SymbolId p = values_.only_symbol(x.cursor);
  const SymbolId q = values_.only_symbol(y.cursor);
  if (p != q && p != 0 && q != 0) {
    const Value made = values_.substitute(a, p, cursor);
    if (made == values_.substitute(b, q, cursor)) return made;
  }
  return (values_.at(a).bits & values_.at(b).bits & k_part) != 0 ? fresh : values_.plain(bits | k_carried);
}

Value Prover::joined(Value a, Value b, const State& x, const State& y, Address place,
                     std::uint64_t location) noexcept {
  const Node& m = values_.at(a);
  const Node& n = values_.at(b);
  using Kind = Node::Kind;
  if (a == b && (m.kind != Kind::plain || (m.bits & k_carried) != 0 || loop_.is_entered)) return a;
  if (x.formula == State::Formula::less && y.formula == State::Formula::not_less)
    if (const Value made = joined_formula(a, b); made != 0) return made;
  if (x.formula == State::Formula::not_less && y.formula == State::Formula::less)
    if (const Value made = joined_formula(b, a); made != 0) return made;
  if (!trusts_ && !loop_.is_entered && (x.version | y.version) != 0 && x.formula == State::Formula::done &&
      y.formula == State::Formula::done)
    return joined_versions(a, b, x, y, place);
  // Partial results, put together on one path only.
  if (m.kind == Kind::sum && n.kind == Kind::sum && m.location == n.location) {
    const Node& made = m.operation != Operation::none ? m : n;
    if (m.operation == n.operation || m.operation == Operation::none || n.operation == Operation::none)
      return values_.sum(made.location, made.operation, made.size,
                         values_.location(values_.location(place, location), context_));
  }
  if (loop_.is_guessed) {
    const auto header_of = [this](const Node& node) noexcept -> SymbolId {
      if (node.kind != Kind::polynomial) return 0;
      SymbolId found = 0;
      for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
        const Term& term = node.polynomial.terms[i];
        if (values_.symbol(term.a).kind != Symbol::Kind::header) continue;
        if (found != 0 || term.b != 0 || term.factor != 1) return 0;
        found = term.a;
      }
      return found;
    };
    const SymbolId p = header_of(m);
    const SymbolId q = header_of(n);
    if (p != 0 && n.kind == Kind::sum && n.location == values_.symbol(p).y) return b;
    if (q != 0 && m.kind == Kind::sum && m.location == values_.symbol(q).y) return a;
    if (p != 0 && p == q)
      return values_.sum(static_cast<std::uint32_t>(values_.symbol(p).y), Operation::add, 0);
  }
  if (!loop_.is_entered) {
    const auto is_start = [this](const Node& node, Value value) noexcept {
      return node.size == 4 || node.size == k_packed ? without_zeros(node.start) == without_zeros(value)
                                                     : node.start == value;
    };
    const auto merged_with = [this, is_start](Value merged, Value other, const State& at_merged,
                                              const State& at_other) noexcept -> Value {
      const Node& node = values_.at(merged);
      std::int64_t constant = 0;
      if (node.kind == Kind::merged) {
        // An empty part puts in the start value of the others, or nothing.
        if (is_identity(node.operation, node.size, other) || (node.start != 0 && is_start(node, other)))
          return merged;
        if (node.operation == Operation::add && is_additive(other, node.size, is_natural(at_other)))
          return merged;
      }
      const bool is_count = is_natural(at_merged);
      if (is_additive(merged, 4, is_count) && values_.is_constant(other, constant) && constant == 0)
        return values_.merged(Operation::add, !is_additive(merged, 8, is_count) ? 4
                                              : trusts_ && dividend_size_ == 8  ? 8
                                                                                : 0);
      return 0;
    };
    // In a program of clang's the side without a partial result is one before the first iteration: behind it
    // a counter may have decided.
    const auto is_before = [this](const State& state) noexcept {
      return state.formula != State::Formula::done ||
             (!state.is_begun && values_.only_symbol(state.cursor) == values_.low);
    };
    if (!trusts_ || is_before(x) || is_before(y)) {
      if (const Value made = merged_with(a, b, x, y); made != 0) return made;
      if (const Value made = merged_with(b, a, y, x); made != 0) return made;
    }
    if (values_.is_symbol(a, Symbol::Kind::load) && values_.is_symbol(b, Symbol::Kind::load)) {
      const Symbol& p = values_.symbol(values_.only_symbol(a));
      const Symbol& q = values_.symbol(values_.only_symbol(b));
      if (p.x == q.x && p.y == q.y && p.bits == q.bits)
        return values_.of(Symbol::Kind::load, p.bits, p.x, p.y, values_.location(place, context_));
    }
  }
  if (is_clang_ && dividend_ != 0)
    if ((values_.is_symbol(a, Symbol::Kind::raw_end) && b == dividend_) ||
        (values_.is_symbol(b, Symbol::Kind::raw_end) && a == dividend_))
      return last_of_part();
  if (!loop_.is_entered && x.is_empty != y.is_empty && !x.is_nonempty != !y.is_nonempty) {
    // The one of an empty part counts for nothing where the part is not empty.
    const Node& of_loop = x.is_empty ? n : m;
    if (of_loop.kind == Kind::plain && (of_loop.bits & k_last) != 0)
      return values_.plain(of_loop.bits | k_empty);
  }
  if (trusts_ && !loop_.is_entered && x.formula == State::Formula::done && y.formula == State::Formula::done)
    if (const Value made = joined_begun(a, b, x, y, place, location); made != 0) return made;
  Bits bits = classify(a) | classify(b);
  if (loop_.is_entered) return values_.plain(bits | k_iteration | may_stay(a, b));
  if (x.formula != State::Formula::open || y.formula != State::Formula::open) bits |= k_part;
  if ((bits & ~(k_part | k_number)) != 0) return values_.plain(bits);
  return values_.of(Symbol::Kind::result, bits, k_operation_join | context_ << k_stamp_shift, place,
                    location);
}

void Prover::join(State& into, const State& other, Address place) noexcept {
  const State& a = into;
  const State& b = other;
  for (unsigned i = 0; i < 16; ++i) {
    if (((a.words ^ b.words) >> i & 1) != 0) widen(into, i);
    if (a.width[i] != b.width[i]) {
      into.general[i] = values_.plain(classify(a.general[i]) | classify(b.general[i]) | k_carried);
      into.width[i] = 0;
    } else
      into.general[i] =
          joined(a.general[i], (a.words >> i & 1) == 0 ? word_in(b, i, 8) : b.general[i], a, b, place, i);
    into.low[i] = joined(a.low[i], b.low[i], a, b, place, 16 + i);
    into.high[i] = joined(a.high[i], b.high[i], a, b, place, 32 + i);
  }
  into.words = a.words & b.words;
  into.flags.a = joined(a.flags.a, b.flags.a, a, b, place, 48);
  if (a.flags.size != b.flags.size) into.flags.size = 0;
  for (int i = 0; i < 2; ++i) into.flags.registers[i] = a.flags.registers[i] & b.flags.registers[i];
  into.flags.is_carry = a.flags.is_carry || b.flags.is_carry;
  into.flags.is_comparison = a.flags.is_comparison && b.flags.is_comparison;
  into.flags.size = a.flags.size == b.flags.size ? a.flags.size : 0;
  into.flags.overflow = a.flags.overflow | b.flags.overflow;
  into.flags.b = joined(a.flags.b, b.flags.b, a, b, place, 49);
  std::uint16_t kept = 0;
  std::uint16_t j = 0;
  const auto is_before = [](const Slot& x, const Slot& y) noexcept {
    if (x.base != y.base) return x.base < y.base;
    return x.offset != y.offset ? x.offset < y.offset : x.size < y.size;
  };
  for (std::uint16_t i = 0; i < a.count; ++i) {
    const Slot slot = a.slots[i];
    while (j < b.count && is_before(b.slots[j], slot)) ++j;
    if (j == b.count || is_before(slot, b.slots[j])) continue;
    into.slots[kept] = slot;
    const std::uint64_t location = std::uint64_t{slot.base} << 40 |
                                   std::uint64_t{static_cast<std::uint32_t>(slot.offset)} << 8 | 64 |
                                   slot.size;
    into.slots[kept++].value = joined(slot.value, b.slots[j].value, a, b, place, location);
  }
  into.count = kept;
  const bool is_done = a.formula == State::Formula::done && b.formula == State::Formula::done;
  const Address version = a.version == 0 || a.version == b.version ? b.version
                          : b.version == 0                         ? a.version
                                                                   : k_several_versions;
  // A way that no choice by the part has led to is one that all calls take, or none.
  const auto is_over = [](const State& state) noexcept { return state.most == 0 && state.done == 0; };
  const bool leaves_out = (a.version == 0) != (b.version == 0) && is_over(a.version != 0 ? a : b) &&
                          !(is_done && is_over(a.version != 0 ? b : a));
  if (!trusts_ && version != 0 && is_done)
    into.cursor = leaves_out ? 0 : joined_cursor(a, b, place);
  else if (!trusts_ && is_done && a.cursor != b.cursor)
    into.cursor = is_over(a) && is_over(b) ? joined_cursor(a, b, place) : 0;
  else if (a.cursor != b.cursor || a.is_begun != b.is_begun)
    into.cursor = trusts_ && is_done         ? values_.of(Symbol::Kind::cursor, k_part, place)
                  : a.is_begun == b.is_begun ? 0
                                             : a.cursor;
  if (a.formula != b.formula) {
    using Formula = State::Formula;
    const bool is_formula = (a.formula == Formula::less && b.formula == Formula::not_less) ||
                            (a.formula == Formula::not_less && b.formula == Formula::less);
    const auto is_half = [](Formula formula) noexcept {
      return formula == Formula::less || formula == Formula::not_less;
    };
    // One of its halves has passed the loop by.
    if (!is_formula && (is_half(a.formula) || is_half(b.formula)))
      refuse("may leave out iterations of its part", place);
    into.formula = Formula::done;
    into.cursor = 0;
    if (is_formula) {
      into.cursor = values_.of(Symbol::Kind::low, k_part);
      has_part_ = true;
    }
    into.least = is_formula && a.is_nonempty && b.is_nonempty ? 1 : 0;
    into.most = leaves_out ? 0 : INT64_MAX;
  } else {
    into.least = std::min(a.least, b.least);
    into.most = leaves_out ? 0 : std::max(a.most, b.most);
  }
  into.version = version;
  if (a.done != b.done || a.bulk != b.bulk) into.done = ~std::uint64_t{0};
  into.bulk = std::max(a.bulk, b.bulk);
  into.is_nonempty = a.is_nonempty && b.is_nonempty;
  into.is_empty = a.is_empty && b.is_empty;
  into.is_begun = a.is_begun && b.is_begun;
  into.is_last_part = a.is_last_part && b.is_last_part;
  into.is_locked = a.is_locked && b.is_locked;
  into.was_locked = a.was_locked || b.was_locked;
  into.is_late = a.is_late || b.is_late;
}

} // namespace wstree::proof
