// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions of gcc's loops: a function may decide by its part as long as each way executes each iteration
// once, with effects that are the same function of the iteration.
#include "location.h"
#include "registers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wstree::proof {
namespace {

/// Lanes that an instruction computes one by one.
struct Lane {
  std::uint8_t operation = 0; ///< 0: unknown
  std::uint8_t size = 0;      ///< 0: any
  bool is_first_only = false; ///< the instruction is scalar
  bool commutes = false;
};

Lane lane_of(std::uint64_t code) noexcept {
#define WSTREE_LANES(name, number, commutes)                                                                 \
  case X86_INS_##name##PD:                                                                                   \
  case X86_INS_V##name##PD:                                                                                  \
    return {number, 8, false, commutes};                                                                     \
  case X86_INS_##name##SD:                                                                                   \
  case X86_INS_V##name##SD:                                                                                  \
    return {number, 8, true, commutes};                                                                      \
  case X86_INS_##name##PS:                                                                                   \
  case X86_INS_V##name##PS:                                                                                  \
    return {number, 4, false, commutes};                                                                     \
  case X86_INS_##name##SS:                                                                                   \
  case X86_INS_V##name##SS:                                                                                  \
    return {number, 4, true, commutes};
#define WSTREE_BITS(name, number, commutes)                                                                  \
  case X86_INS_##name##PD:                                                                                   \
  case X86_INS_V##name##PD:                                                                                  \
  case X86_INS_##name##PS:                                                                                   \
  case X86_INS_V##name##PS:                                                                                  \
  case X86_INS_P##name:                                                                                      \
  case X86_INS_VP##name:                                                                                     \
    return {number, 0, false, commutes};
  switch (code) {
    WSTREE_LANES(ADD, 1, true)
    WSTREE_LANES(SUB, 2, false)
    WSTREE_LANES(MUL, 3, true)
    WSTREE_LANES(DIV, 4, false)
    WSTREE_LANES(MIN, 5, false)
    WSTREE_LANES(MAX, 6, false)
    WSTREE_BITS(AND, 7, true)
    WSTREE_BITS(OR, 8, true)
    WSTREE_BITS(XOR, 9, true)
    WSTREE_BITS(ANDN, 10, false)
  case X86_INS_PADDD:
  case X86_INS_VPADDD:
    return {11, 4, false, true};
  case X86_INS_PSUBD:
  case X86_INS_VPSUBD:
    return {12, 4, false, false};
  // In general registers, where only the first 4 bytes are the same for both widths.
  case static_cast<std::uint64_t>(Operation::bit_and) << 20:
    return {7, 4, true, true};
  case static_cast<std::uint64_t>(Operation::bit_or) << 20:
    return {8, 4, true, true};
  case static_cast<std::uint64_t>(Operation::bit_xor) << 20:
    return {9, 4, true, true};
  default:
    return {};
  }
#undef WSTREE_LANES
#undef WSTREE_BITS
}

} // namespace

/// The iterations of the part that have not been executed.
Value Prover::rest_of(const State& state) noexcept {
  return values_.subtract(values_.add(last_of_part(), values_.constant(1)), state.cursor);
}

/// Returns whether `value` is factor * rest + constant.
bool Prover::is_of_rest(Value value, const State& state, std::int64_t& factor,
                        std::int64_t& constant) noexcept {
  if (!values_.is_polynomial(value) || state.cursor == 0) return false;
  factor = 0;
  const Polynomial& polynomial = values_.at(value).polynomial;
  for (std::uint32_t i = 0; i < polynomial.count; ++i)
    if (polynomial.terms[i].a == values_.length && polynomial.terms[i].b == 0)
      factor = polynomial.terms[i].factor;
  constexpr std::int64_t k_most_factor = std::int64_t{1} << 20;
  constexpr std::int64_t k_most_constant = std::int64_t{1} << 40;
  return factor > -k_most_factor && factor < k_most_factor &&
         values_.is_constant(values_.subtract(value, values_.scale(rest_of(state), factor)), constant) &&
         constant > -k_most_constant && constant < k_most_constant;
}

/// Returns whether a comparison without a sign goes by the sign of the difference: both operands are known
/// not to be negative, or are places at most one iteration beyond the part of an array that all iterations
/// store to, as check_versions() sees.
bool Prover::is_comparable(const State& state) noexcept {
  const auto is_natural = [&](Value value) noexcept {
    std::int64_t factor = 0;
    std::int64_t constant = 0;
    return is_of_rest(value, state, factor, constant) && factor >= 0 &&
           (factor == 0 ? constant : factor * std::min(state.least, std::int64_t{1} << 30) + constant) >= 0;
  };
  if (is_natural(state.flags.a) && is_natural(state.flags.b)) return true;
  std::int64_t factor = 0;
  std::int64_t constant = 0;
  if (!is_of_rest(values_.subtract(state.flags.a, state.flags.b), state, factor, constant) ||
      constant < -4096 || constant > 4096)
    return false; // the other one is as near to the part
  for (const Value value : {state.flags.a, state.flags.b}) {
    rewrites_ = k_most_rewrites;
    const Value at = values_.is_constant(value) ? 0 : of_iteration(value, state.cursor, nullptr);
    if (at == 0 || !is_exact(at)) continue;
    for (std::size_t i = 0; i < comparison_count_; ++i)
      if (comparisons_[i].at == at && comparisons_[i].factor == factor) return true;
    if (comparison_count_ == std::size(comparisons_)) return false;
    comparisons_[comparison_count_++] = {at, factor};
    return true;
  }
  return false;
}

/// Returns whether a comparison with a sign goes by the sign of the difference: neither side can wrap, as it
/// is a number of the part and nothing else.
bool Prover::is_ordered(const State& state) noexcept {
  if (!state.flags.is_comparison) return state.flags.overflow == 0;
  for (const Value value : {state.flags.a, state.flags.b}) {
    std::int64_t factor = 0;
    std::int64_t constant = 0;
    if (!is_of_rest(value, state, factor, constant) &&
        !is_of_rest(values_.subtract(value, state.cursor), state, factor, constant))
      return false;
  }
  return true;
}

/// Narrows the number of iterations left by the fact that `condition` is `is_taken`; false: it does not
/// follow from that. The bounds meet if it cannot be.
bool Prover::narrow(const State& state, unsigned condition, bool is_taken, std::int64_t& least,
                    std::int64_t& most) noexcept {
  if (trusts_ || is_narrowed_ || loop_.is_entered || state.formula != State::Formula::done) return false;
  const Value difference = values_.subtract(state.flags.a, state.flags.b);
  if (!is_natural(state)) return false; // fewer than none may be left
  if (state.least == 0 && (excludes_empty(state, condition, true) || excludes_empty(state, condition, false)))
    return false; // the test whether the part is empty
  if (compares_unsigned(condition) && (!state.flags.is_comparison || !is_comparable(state))) return false;
  if (!compares_unsigned(condition) && !goes_by_result(condition) && !is_ordered(state)) return false;
  std::int64_t factor = 0;
  std::int64_t constant = 0;
  if (!is_of_rest(difference, state, factor, constant) || factor == 0) return false;
  bool is_known = true;
  const auto may_be = [&](std::int64_t rest) noexcept {
    const std::int64_t value = factor * rest + constant;
    bool knows = false;
    const bool holds = holds_for(condition, value < 0 ? -1 : value > 0 ? 1 : 0, knows);
    is_known &= knows;
    return holds == is_taken;
  };
  // Beyond this one the sign of the difference stays.
  const std::int64_t turn = constant / factor;
  const std::int64_t beyond = std::max(state.least, (turn < 0 ? -turn : turn) + 2);
  constexpr std::int64_t k_most_tries = 4096;
  if (beyond - state.least > k_most_tries) return false;
  least = state.least;
  most = state.most;
  while (least <= std::min(most, beyond) && !may_be(least)) ++least;
  if (most > beyond && !may_be(beyond)) most = beyond;
  if (most <= beyond)
    while (most >= least && !may_be(most)) --most;
  if (!is_known) return false;
  if (least > beyond && least <= most) most = least - 1;
  return true;
}

/// Returns whether the bounds of the part decide about the condition, and sets `is_taken`.
bool Prover::is_decided(const State& state, unsigned condition, bool& is_taken) noexcept {
  for (const bool taken : {false, true}) {
    std::int64_t least = 0;
    std::int64_t most = 0;
    if (!narrow(state, condition, taken, least, most) || least <= most) continue;
    is_taken = !taken;
    return true;
  }
  return false;
}

/// `value` divided by 2^`bits`, of numbers of iterations; 0: it is none.
Value Prover::share_of(Value value, std::int64_t bits, unsigned size, const State& state) noexcept {
  if (trusts_ || loop_.is_entered || state.formula != State::Formula::done || bits < 1 || bits > 10 ||
      !values_.is_polynomial(value) || state.cursor == 0)
    return 0;
  if (value == values_.of(Symbol::Kind::length, k_part) || value == rest_of(state))
    return values_.of(Symbol::Kind::share, k_part, value, static_cast<std::uint64_t>(bits));
  std::int64_t factor = 0;
  std::int64_t constant = 0;
  const std::int64_t unit = std::int64_t{1} << bits;
  if (size != 8 || !is_of_rest(value, state, factor, constant) || factor <= 0 || factor % unit != 0 ||
      factor * std::min(state.least, std::int64_t{1} << 30) + constant < 0)
    return 0;
  const std::int64_t floor = constant >= 0 ? constant / unit : -((-constant + unit - 1) / unit);
  return values_.add(values_.scale(rest_of(state), factor / unit), values_.constant(floor));
}

/// `value` & `mask`, of numbers of iterations; 0: it is none.
Value Prover::masked_share(Value value, std::int64_t mask, unsigned size, const State& state) noexcept {
  if (size == 4) mask = static_cast<std::int32_t>(mask);
  const bool keeps_top = mask < 0;
  const std::int64_t unit = keeps_top ? -mask : mask + 1;
  if (unit < 2 || unit > 1024 || (unit & (unit - 1)) != 0) return 0;
  std::int64_t bits = 0;
  while (std::int64_t{1} << bits != unit) ++bits;
  const Value share = share_of(value, bits, size, state);
  if (share == 0 || !values_.is_symbol(share, Symbol::Kind::share)) return 0;
  const Value whole = values_.scale(share, unit);
  return keeps_top ? whole : values_.subtract(value, whole);
}

/// Notes that 4 bytes of a value were used whose polynomial holds for 8 only if the rest is zero.
void Prover::note_width(Value value, const State& state) noexcept {
  const bool was_cut = is_cut_;
  note_cut(value, state);
  if (trusts_ || is_narrowed_ || loop_.is_guessed) return;
  const Node& node = values_.at(value);
  if (node.kind == Node::Kind::plain && node.address != 0) return note_width(node.address, state);
  if (node.kind != Node::Kind::polynomial) return;
  if (values_.is_constant(value)) {
    is_narrowed_ = node.polynomial.constant < 0 || node.polynomial.constant > INT32_MAX;
    return;
  }
  const Polynomial& polynomial = node.polynomial;
  bool is_number = polynomial.constant >= 0 && polynomial.constant < 4096;
  bool is_of_words = true; // all symbols have 4 bytes, and are never taken for 8
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term& term = polynomial.terms[i];
    for (const SymbolId id : {term.a, term.b}) {
      if (id == 0) continue;
      const Symbol& symbol = values_.symbol(id);
      const bool is_result = symbol.kind == Symbol::Kind::result;
      is_of_words &= (symbol.kind == Symbol::Kind::load && symbol.y <= 4) ||
                     (is_result && (symbol.x == k_operation_spread || symbol.x == k_operation_steps ||
                                    lane_of(without_stamp(symbol.x)).size == 4));
      switch (symbol.kind) {
      case Symbol::Kind::thread_number:
      case Symbol::Kind::thread_count:
        break;
      case Symbol::Kind::low:
      case Symbol::Kind::length:
      case Symbol::Kind::share:
      case Symbol::Kind::cursor:
      case Symbol::Kind::ticks:
      case Symbol::Kind::quotient:
      case Symbol::Kind::remainder:
      case Symbol::Kind::remainder_or_zero:
        if (has_int_part_) break;
        [[fallthrough]];
      default:
        is_number = false;
      }
    }
    const Symbol::Kind kind = values_.symbol(term.a).kind;
    const bool is_share =
        kind == Symbol::Kind::share && term.b == 0 && term.factor > 0 && term.factor <= 1024;
    const bool is_ticks = kind == Symbol::Kind::ticks && term.b == 0 && term.factor > 0 && term.factor <= 64;
    if (term.factor != 1 && !is_share && !is_ticks) is_number = false;
  }
  if (is_of_words) is_cut_ = was_cut;
  if (is_number || is_of_words) return;
  std::int64_t factor = 0;
  std::int64_t constant = 0;
  // The rest of the part, and one less while there is one.
  if (has_int_part_ && !loop_.is_entered && state.formula == State::Formula::done &&
      is_of_rest(value, state, factor, constant) && factor == 1 && state.least + constant >= 0 &&
      constant < 4096)
    return;
  is_narrowed_ = true;
}

/// Returns whether a branch chooses between versions of the loop.
bool Prover::chooses_version(const State& state, const Instruction& branch) noexcept {
  if (trusts_ || loop_.is_entered || depth_ != 0 || state.formula != State::Formula::done) return false;
  const Value difference = values_.subtract(state.flags.a, state.flags.b);
  // is_narrowed_ records, for versions, whether 4 bytes were enough.
  const Bits all = values_.is_polynomial(difference) ? classify(difference)
                                                     : classify(state.flags.a) | classify(state.flags.b);
  const auto bits = static_cast<Bits>(all & ~k_upper);
  if ((bits & k_part) == 0 || (bits & ~k_part) != 0) return false;
  const bool is_decidable = state.flags.is_comparison || !compares_unsigned(branch.id);
  return !is_decidable || !(excludes_empty(state, branch.id, true) ||
                            excludes_empty(state, branch.id, false) || is_end_of_loop(state.flags));
}

/// One lane of 8 bytes: a value of `size` bytes. 0: unknown.
Value Prover::lane(Value value, unsigned size, unsigned index) noexcept {
  if (rewrites_ == 0) return 0;
  --rewrites_;
  if (value == 0 || (index + 1) * size > 8) return 0;
  const Node& node = values_.at(value);
  if (node.kind == Node::Kind::plain) return lane(node.address, size, index);
  if (node.kind != Node::Kind::polynomial) return 0;
  std::int64_t constant = 0;
  if (values_.is_constant(value, constant)) {
    const unsigned shift = 64 - 8 * size;
    const auto moved = static_cast<std::uint64_t>(constant) >> (8 * size * index) << shift;
    return values_.constant(static_cast<std::int64_t>(moved) >> shift);
  }
  const SymbolId id = values_.only_symbol(value);
  if (id == 0) {
    // A sum in a general register: its first 4 bytes are those of the sum of first 4 bytes.
    if (size != 4 || index != 0) return 0;
    const Polynomial polynomial = node.polynomial;
    Value sum = values_.constant(static_cast<std::int32_t>(polynomial.constant));
    for (std::uint32_t i = 0; i < polynomial.count; ++i) {
      Value product = values_.constant(polynomial.terms[i].factor);
      for (const SymbolId symbol : {polynomial.terms[i].a, polynomial.terms[i].b}) {
        if (symbol == 0) continue;
        const Value part = lane(values_.of_symbol(symbol), 4, 0);
        if (part == 0) return 0;
        product = values_.multiply(product, part);
      }
      sum = values_.add(sum, product);
    }
    return sum;
  }
  const Symbol symbol = values_.symbol(id);
  const auto second = static_cast<Value>(symbol.z >> 32);
  switch (symbol.kind) {
  case Symbol::Kind::load:
    if (symbol.y < std::uint64_t{index + 1} * size) return 0;
    return values_.of(Symbol::Kind::load, symbol.bits,
                      values_.add(static_cast<Value>(symbol.x), values_.constant(index * size)), size,
                      symbol.z);
  case Symbol::Kind::result: {
    const auto first = static_cast<Value>(symbol.y);
    if (symbol.x == k_operation_zeros) return size == 4 && index == 0 ? lane(first, 4, 0) : 0;
    if (symbol.x == k_operation_spread) return size == 4 ? lane(first, 4, 0) : 0;
    if (symbol.x == k_operation_steps) {
      const Value start = size == 4 ? lane(first, 4, index) : 0;
      const Value step = size == 4 ? lane(second, 4, index) : 0;
      if (start == 0 || step == 0) return 0;
      return values_.add(start, values_.multiply(step, static_cast<Value>(symbol.z & UINT32_MAX)));
    }
    const Lane use = lane_of(without_stamp(symbol.x));
    if (use.operation == 0 || (use.size != 0 && use.size != size) || (use.is_first_only && index != 0))
      return 0;
    const Value a = lane(first, size, index);
    const Value b = lane(second, size, index);
    if (a == 0 || b == 0) return 0;
    if (use.operation == 11) return values_.add(a, b);
    if (use.operation == 12) return values_.subtract(a, b);
    const std::uint64_t code =
        k_operation_lane | (use.commutes ? 1U << 16 : 0U) | std::uint64_t{use.operation} << 8U | size;
    return values_.of(Symbol::Kind::result, symbol.bits, code, a, std::uint64_t{b} << 32);
  }
  case Symbol::Kind::argument:
  case Symbol::Kind::stack_argument:
    return index == 0 && size == 8 ? value : 0;
  case Symbol::Kind::low:
  case Symbol::Kind::cursor:
  case Symbol::Kind::ticks:
  case Symbol::Kind::length:
  case Symbol::Kind::share:
    return index == 0 && size == 4 ? value : 0;
  default:
    return 0;
  }
}

} // namespace wstree::proof
