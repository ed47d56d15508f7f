// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of the versions of gcc's loops: their effects have to be one function of the iteration.
#include "location.h"
#include "registers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wstree::proof {
namespace {

constexpr std::int64_t k_endless = INT64_MAX;
constexpr std::uint8_t k_some_effects = 255; // the effects of some iterations that are executed together
constexpr unsigned k_epoch_shift = 56; // in a load's z: how many effects of its iteration come before it

} // namespace

/// `value` with `replacement` instead of `symbol`, also in the values that it was made of, if it then is
/// a function of the iteration and of shared memory; else 0. `effects`: the number of effects of the
/// first stores.
Value Prover::rewritten(Value value, SymbolId symbol, Value replacement,
                        const std::uint8_t* effects) noexcept {
  if (rewrites_ == 0 || value == 0) return 0;
  --rewrites_;
  const Node& node = values_.at(value);
  if (node.kind == Node::Kind::plain) return rewritten(node.address, symbol, replacement, effects);
  if (node.kind != Node::Kind::polynomial) return 0;
  const Value moved = values_.substitute(value, symbol, replacement);
  if (!values_.is_polynomial(moved)) return 0;
  const Polynomial polynomial = values_.at(moved).polynomial;
  Value sum = values_.constant(polynomial.constant);
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    Value product = values_.constant(polynomial.terms[i].factor);
    for (const SymbolId id : {polynomial.terms[i].a, polynomial.terms[i].b}) {
      if (id == 0) continue;
      const Value made = rewritten_symbol(id, symbol, replacement, effects);
      if (made == 0) return 0;
      product = values_.multiply(product, made);
      if (!values_.is_polynomial(product)) return 0;
    }
    sum = values_.add(sum, product);
    if (!values_.is_polynomial(sum)) return 0;
  }
  return sum;
}

Value Prover::rewritten_symbol(SymbolId id, SymbolId symbol, Value replacement,
                               const std::uint8_t* effects) noexcept {
  const Symbol of = values_.symbol(id);
  const Value itself = values_.of_symbol(id);
  switch (of.kind) {
  case Symbol::Kind::argument:
  case Symbol::Kind::stack_argument:
    return itself;
  case Symbol::Kind::cursor:
    return of.bits == k_iteration ? itself : 0;
  case Symbol::Kind::load: {
    if (of.y == 0) return of.bits == k_common ? itself : 0; // no memory
    const Value address = rewritten(static_cast<Value>(of.x), symbol, replacement, effects);
    if (address == 0 || !is_exact(address)) return 0;
    std::uint64_t before = of.z >> k_epoch_shift;
    if (effects != nullptr && before <= k_most_stores) before = effects[before];
    if (before == k_some_effects) return 0; // some lanes are new and others are not: no other load is like it
    return values_.of(Symbol::Kind::load, k_iteration, address, of.y, before << k_epoch_shift);
  }
  case Symbol::Kind::result: {
    if ((of.x & k_operation_lane) == 0) return 0;
    Value a = rewritten(static_cast<Value>(of.y), symbol, replacement, effects);
    Value b = rewritten(static_cast<Value>(of.z >> 32), symbol, replacement, effects);
    if (a == 0 || b == 0) return 0;
    if ((of.x & 1U << 16) != 0 && b < a) std::swap(a, b);
    return values_.of(Symbol::Kind::result, k_iteration, of.x, a, std::uint64_t{b} << 32);
  }
  default:
    return 0;
  }
}

/// Returns whether an address holds for 8 bytes: for the prover, a number of 4 bytes is one both with and
/// without a sign.
bool Prover::is_exact(Value address) const noexcept {
  const Polynomial& polynomial = values_.at(address).polynomial;
  for (std::uint32_t i = 0; i < polynomial.count; ++i)
    for (const SymbolId id : {polynomial.terms[i].a, polynomial.terms[i].b}) {
      if (id == 0) continue;
      const Symbol& symbol = values_.symbol(id);
      const bool is_word = symbol.kind == Symbol::Kind::load && symbol.y == 8;
      if (!is_word && symbol.kind != Symbol::Kind::argument && symbol.kind != Symbol::Kind::cursor)
        return false;
    }
  return true;
}

/// Returns `value`, a function of the iteration, for the iteration that is `count` later.
Value Prover::later(Value value, std::int64_t count) noexcept {
  if (count == 0) return value;
  const Value at = values_.of(Symbol::Kind::cursor, k_iteration);
  return rewritten(value, values_.only_symbol(at), values_.add(at, values_.constant(count)), nullptr);
}

/// `value` of the code as a function of the iteration that `cursor` stands for; 0: it is none.
Value Prover::of_iteration(Value value, Value cursor, const std::uint8_t* effects) noexcept {
  if (!values_.is_polynomial(cursor)) return 0;
  // The cursor begins with a symbol of its own: the part's or a join's.
  SymbolId begin = 0;
  const Polynomial& polynomial = values_.at(cursor).polynomial;
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term& term = polynomial.terms[i];
    const Symbol::Kind kind = values_.symbol(term.a).kind;
    if (term.b == 0 && term.factor == 1 && (kind == Symbol::Kind::low || kind == Symbol::Kind::cursor))
      begin = term.a;
  }
  if (begin == 0) return 0;
  const Value at = values_.of(Symbol::Kind::cursor, k_iteration);
  const Value replacement = values_.subtract(at, values_.subtract(cursor, values_.of_symbol(begin)));
  return rewritten(value, begin, replacement, effects);
}

Prover::Body* Prover::body_of(Address version) noexcept {
  for (Body& body : bodies_)
    if (body.version == version || body.version == 0) {
      body.version = version;
      return &body;
    }
  return nullptr;
}

/// Finds the effect that a store of `size` bytes at `address` is, `later` iterations on; nullptr: it is none.
const Prover::Effect* Prover::effect_at(const Body& body, Value address, unsigned size,
                                        std::int64_t& iterations) noexcept {
  for (std::size_t i = 0; i < body.count; ++i) {
    const Effect& effect = body.effects[i];
    std::int64_t apart = 0;
    if (effect.size != size || !values_.is_constant(values_.subtract(address, effect.address), apart))
      continue;
    if (effect.stride == 0 || apart % effect.stride != 0) continue;
    iterations = apart / effect.stride;
    return &effect;
  }
  return nullptr;
}

/// Returns the distance of the places of two consecutive iterations; 0: it is not constant.
std::int64_t Prover::stride_of(Value address) noexcept {
  std::int64_t stride = 0;
  const Value next = later(address, 1);
  return next != 0 && values_.is_constant(values_.subtract(next, address), stride) ? stride : 0;
}

/// Makes the effects of an iteration from the stores of the loop that was followed, and compares them with
/// other versions of the loop.
bool Prover::compare_body(Address version, Address place) noexcept {
  static constexpr char k_reason[] =
      "decides by the bounds of its part between loops that the proof cannot compare";
  if (is_narrowed_ || has_opaque_effect_ || loop_.width > 64) return refuse(k_reason, place);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - loop_.width);
  Body made;
  std::uint8_t effects[k_most_stores + 1] = {}; // effects that have begun with the first stores
  std::uint64_t seen[k_most_effects] = {};
  for (std::size_t i = 0; i < store_count_; ++i) {
    const Store& store = stores_[i];
    rewrites_ = k_most_rewrites;
    const Value address = of_iteration(store.address, loop_.cursor, effects);
    if (address == 0 || !is_exact(address)) return refuse(k_reason, store.at);
    const std::int64_t stride = stride_of(address);
    if (stride == 0) return refuse(k_reason, store.at);
    const unsigned size = stride > 0 && static_cast<std::uint64_t>(stride) < store.size
                              ? static_cast<unsigned>(stride)
                              : store.size;
    if (store.size % size != 0) return refuse(k_reason, store.at);
    for (unsigned j = 0; j < store.size / size; ++j) {
      const Value value = of_iteration(lane(store.value, size, j), loop_.cursor, effects);
      if (value == 0) return refuse(k_reason, store.at);
      const Value begin = values_.add(address, values_.constant(j * size));
      std::int64_t iteration = 0;
      const Effect* effect = effect_at(made, begin, size, iteration);
      if (effect == nullptr) {
        if (made.count == k_most_effects) return refuse(k_reason, store.at);
        effect = &(made.effects[made.count++] = {begin, value, stride, size});
        iteration = 0;
      }
      const auto index = static_cast<std::size_t>(effect - made.effects);
      if (iteration < 0 || iteration >= loop_.width || iteration > 63 ||
          (seen[index] >> iteration & 1U) != 0 || value != later(effect->value, iteration))
        return refuse(k_reason, store.at);
      // Each iteration has its effects in the same order.
      for (std::size_t other = 0; other < made.count; ++other)
        if (other != index && (seen[other] >> iteration & 1U) != (other < index ? 1U : 0U))
          return refuse(k_reason, store.at);
      seen[index] |= std::uint64_t{1} << iteration;
    }
    effects[i + 1] = made.count;
    for (std::size_t j = 0; j < made.count; ++j)
      if (seen[j] != all) effects[i + 1] = k_some_effects;
  }
  for (std::size_t i = 0; i < made.count; ++i)
    if (seen[i] != all) return refuse(k_reason, place);
  Body* const body = made.count == 0 ? nullptr : body_of(version);
  if (body == nullptr) return refuse(k_reason, place);
  if (body->count == 0) {
    std::copy(made.effects, made.effects + made.count, body->effects);
    body->count = made.count;
    return true;
  }
  return is_same_body(*body, made.effects, made.count) || refuse(k_reason, place);
}

bool Prover::is_same_body(const Body& body, const Effect* effects, std::size_t count) const noexcept {
  return body.count == count &&
         std::equal(effects, effects + count, body.effects, [](const Effect& a, const Effect& b) noexcept {
           return a.address == b.address && a.value == b.value && a.stride == b.stride && a.size == b.size;
         });
}

/// A store of a copy of the loop's body outside of the loops, behind a choice by the part: it is an effect of
/// the next iteration or of one soon after it, each of which is executed once.
bool Prover::store_copy(const Instruction& instruction, State& state, Value address, unsigned size,
                        Value value) noexcept {
  static constexpr char k_reason[] =
      "decides by the bounds of its part between copies that the proof cannot compare";
  const Body* const body = body_of(state.version);
  if (body == nullptr || body->count == 0 || is_narrowed_ || in_cycle_ || state.cursor == 0 ||
      state.bulk != 0)
    return judge(k_reason, instruction.address);
  rewrites_ = k_most_rewrites;
  const Value place = of_iteration(address, state.cursor, nullptr);
  if (place == 0 || !is_exact(place)) return judge(k_reason, instruction.address);
  const std::int64_t stride = stride_of(place);
  const unsigned each =
      stride > 0 && static_cast<std::uint64_t>(stride) < size ? static_cast<unsigned>(stride) : size;
  if (size % each != 0) return judge(k_reason, instruction.address);
  for (unsigned j = 0; j < size / each; ++j) {
    std::int64_t iteration = 0;
    const Effect* const effect =
        effect_at(*body, values_.add(place, values_.constant(j * each)), each, iteration);
    if (effect == nullptr || iteration < 0 || iteration >= state.least || (iteration + 1) * body->count > 64)
      return judge(k_reason, instruction.address);
    const auto index = static_cast<unsigned>(effect - body->effects);
    const unsigned first = static_cast<unsigned>(iteration) * body->count;
    // In the order of the other versions.
    const std::uint64_t before = ((std::uint64_t{1} << index) - 1) << first;
    const std::uint64_t bit = std::uint64_t{1} << (first + index);
    if ((state.done & bit) != 0 || (state.done & before) != before ||
        of_iteration(lane(value, each, j), state.cursor, nullptr) == 0 ||
        of_iteration(lane(value, each, j), state.cursor, nullptr) != later(effect->value, iteration))
      return judge(k_reason, instruction.address);
    state.done |= bit;
  }
  const std::uint64_t whole = ~std::uint64_t{0} >> (64 - body->count);
  while ((state.done & whole) == whole) {
    state.done = body->count == 64 ? 0 : state.done >> body->count;
    state.cursor = values_.add(state.cursor, values_.constant(1));
    --state.least;
    if (state.most != k_endless) --state.most;
  }
  state.is_begun = true;
  return true;
}

/// The mark in a load's symbol for effects before it in its iteration, outside of the loops: none or some.
std::uint64_t Prover::effects_before(const State& state) noexcept {
  return state.done == 0 ? 0 : std::uint64_t{k_some_effects} << k_epoch_shift;
}

/// memset() and memcpy() instead of a loop: one effect of all iterations that are left.
bool Prover::store_all(const Instruction& instruction, State& state, bool is_set) noexcept {
  static constexpr char k_reason[] = "calls a function behind or before its loop";
  const Value to = state.general[7];
  const Value from = state.general[6];
  const Value size = state.general[2];
  if (trusts_ || state.formula != State::Formula::done || depth_ != 0 || in_cycle_ || is_narrowed_ ||
      state.done != 0 || state.cursor == 0 || state.is_begun || state.is_locked || state.is_last_part ||
      state.width[7] != 0 || state.width[2] != 0 || (is_set && state.width[6] != 0))
    return refuse(k_reason, instruction.address);
  rewrites_ = k_most_rewrites;
  Effect effect;
  effect.address = of_iteration(to, state.cursor, nullptr);
  if (effect.address == 0 || !is_exact(effect.address)) return refuse(k_reason, instruction.address);
  effect.stride = stride_of(effect.address);
  if (effect.stride <= 0 || effect.stride > 4096 || size != values_.scale(rest_of(state), effect.stride))
    return refuse(k_reason, instruction.address);
  effect.size = static_cast<std::uint32_t>(effect.stride);
  std::int64_t byte = 0;
  if (is_set) {
    if (values_.is_constant(from, byte)) {
      const std::uint64_t bytes = static_cast<std::uint8_t>(byte) * std::uint64_t{0x0101010101010101};
      effect.value =
          effect.size <= 8 ? lane(values_.constant(static_cast<std::int64_t>(bytes)), effect.size, 0) : 0;
    } else if (classify(from) != k_common)
      return refuse(k_reason, instruction.address);
  } else {
    const Value place = of_iteration(from, state.cursor, nullptr);
    if (place == 0 || !is_exact(place) || stride_of(place) != effect.stride)
      return refuse(k_reason, instruction.address);
    effect.value = values_.of(Symbol::Kind::load, k_iteration, place, effect.size,
                              std::uint64_t{state.bulk} << k_epoch_shift);
  }
  state.is_late = true;
  has_loop_ = true;
  loop_.has_merge = true;
  if (state.version == 0) { // each call of the function does so
    ++state.bulk;
    return true;
  }
  Body* const body = body_of(state.version);
  if (body == nullptr || effect.value == 0 || state.bulk == k_most_effects)
    return refuse(k_reason, instruction.address);
  if (state.bulk == body->bulk_count)
    body->bulks[body->bulk_count++] = effect;
  else if (!(body->bulks[state.bulk].address == effect.address &&
             body->bulks[state.bulk].value == effect.value && body->bulks[state.bulk].size == effect.size))
    return refuse(k_reason, instruction.address);
  ++state.bulk;
  return true;
}

/// Checks that a function may return: behind a choice by the part each iteration must have been executed, and
/// in one half of gcc's formula none was.
bool Prover::check_return(const State& state, Address place) noexcept {
  static constexpr char k_reason[] = "may leave out iterations of its part";
  if (state.formula == State::Formula::less || state.formula == State::Formula::not_less)
    return refuse(k_reason, place);
  if (state.version == 0) return true;
  const Body* const body = body_of(state.version);
  if (body == nullptr || state.done != 0 || state.version == k_several_versions)
    return refuse(k_reason, place);
  if (state.bulk != 0) return (state.bulk == body->bulk_count && !state.is_begun) || refuse(k_reason, place);
  return state.most == 0 || refuse(k_reason, place);
}

/// Checks that memset() and memcpy() in some versions do the same as the loops of the others, and that
/// compared addresses are those of stores: such addresses do not wrap.
bool Prover::check_versions() noexcept {
  if (bodies_[0].version != 0 && is_narrowed_)
    return refuse("decides by the bounds of its part", bodies_[0].version);
  for (std::size_t i = 0; i < comparison_count_; ++i) {
    const Comparison& comparison = comparisons_[i];
    bool is_stored = false;
    for (const Body& body : bodies_)
      for (std::size_t j = 0; j < body.count; ++j) {
        const Effect& effect = body.effects[j];
        std::int64_t apart = 0;
        is_stored |= values_.is_constant(values_.subtract(comparison.at, effect.address), apart) &&
                     apart > -4096 && apart < 4096 && comparison.factor >= -effect.stride &&
                     comparison.factor <= effect.stride;
      }
    if (!is_stored) return refuse("decides by the bounds of its part", 0);
  }
  for (const Body& body : bodies_)
    if (body.bulk_count != 0 && !is_same_body(body, body.bulks, body.bulk_count))
      return refuse("decides by the bounds of its part between loops that the proof cannot compare",
                    body.version);
  return true;
}

/// The next iteration where paths meet behind a choice by the part.
Value Prover::joined_cursor(const State& a, const State& b, Address place) noexcept {
  if (a.cursor == 0 || b.cursor == 0) return 0;
  if (a.cursor == b.cursor) return a.cursor;
  if (a.most == 0 && b.most == 0) return values_.add(last_of_part(), values_.constant(1));
  return values_.of(Symbol::Kind::cursor, k_part, place, a.cursor, b.cursor);
}

/// A value where paths meet behind a choice by the part: it goes with the next iteration, or is lost.
Value Prover::joined_versions(Value a, Value b, const State& x, const State& y, Address place) noexcept {
  const Value cursor = joined_cursor(x, y, place);
  if (const Value made = cursor != 0 ? joined_with_cursor(a, b, x, y, cursor) : 0; made != 0) return made;
  return values_.plain(classify(a) | classify(b) | k_part | k_carried);
}

} // namespace wstree::proof
