// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 4 bytes that are used as numbers of 8. A polynomial does not record how it was extended, so in a
// program that computes its part itself, 8 bytes of a value made in 4 may count as addresses only.
#include "prover.h"
#include "registers.h"

#include <algorithm>
#include <initializer_list>

namespace wstree::proof {

bool keeps_first_word(std::uint64_t operation) noexcept {
  const auto is_of = [operation](Operation of) noexcept {
    return operation == static_cast<std::uint64_t>(of) << 20;
  };
  if (is_of(Operation::add) || is_of(Operation::multiply) || is_of(Operation::bit_and) ||
      is_of(Operation::bit_or) || is_of(Operation::bit_xor))
    return true;
  switch (operation) {
#define BOTH(name)                                                                                           \
  case X86_INS_##name:                                                                                       \
  case X86_INS_V##name:
#define WORDS(name) BOTH(name##PS)
#define BITS(name) BOTH(name##PS) BOTH(name##PD) BOTH(P##name)
    WORDS(ADD)
    WORDS(SUB)
    WORDS(MUL)
    WORDS(DIV)
    WORDS(MIN)
    WORDS(MAX)
    BITS(AND)
    BITS(ANDN)
    BITS(OR)
    BITS(XOR)
#undef BITS
#undef WORDS
#undef BOTH
  case k_operation_address:
  case X86_INS_SUB:
  case X86_INS_SHL:
  case X86_INS_SAL:
  case X86_INS_NEG:
  case X86_INS_NOT:
    return true;
  default:
    return false;
  }
}

/// Notes that 4 bytes of a number of the part were used that may not be all of it. Then 8 bytes of such
/// numbers may count as addresses only, as they go by how the part was cut: two pieces may wrap where one
/// does not.
void Prover::note_cut(Value value, const State& state) noexcept {
  if (is_cut_ || loop_.is_guessed) return;
  const Node& node = values_.at(value);
  if (node.kind != Node::Kind::polynomial || (node.bits & (k_part | k_number)) == 0 ||
      is_whole(node.polynomial, state.is_nonempty || state.least > 0))
    return;
  if (trusts_ && is_of_length(node.polynomial)) {
    is_length_cut_ |= dividend_size_ == 8;
    return;
  }
  if (trusts_ && loop_.is_entered && is_of_iteration(node.polynomial)) return;
  const bool is_inside = loop_.is_entered && !is_place(value) && (classify(value) & k_part) == 0;
  (is_inside ? is_cut_inside_ : is_cut_) = true;
}

/// Returns whether clang made a polynomial, as an end or a count: the program does not see the length.
bool Prover::is_of_length(const Polynomial& polynomial) const noexcept {
  for (std::uint32_t i = 0; i < polynomial.count; ++i)
    for (const SymbolId id : {polynomial.terms[i].a, polynomial.terms[i].b}) {
      const Symbol& symbol = values_.symbol(id);
      const bool is_made = symbol.kind == Symbol::Kind::raw_end || symbol.kind == Symbol::Kind::result;
      if (id != 0 && (id == values_.length || (is_made && (symbol.bits & k_part) != 0))) return true;
    }
  return false;
}

/// Returns whether a location's value at the loop's header may be one that iterations cut.
bool Prover::may_be_cut(Value value, const State& state) const noexcept {
  const Node& node = values_.at(value);
  return is_cut_inside_ && node.kind == Node::Kind::polynomial && (node.bits & (k_part | k_number)) != 0 &&
         !is_place(value) && !is_whole(node.polynomial, state.is_nonempty || state.least > 0);
}

/// Returns whether a number of the part fits into 4 bytes, with a sign as well as without: a bound or an
/// iteration. `is_nonempty`: there are iterations.
bool Prover::is_whole(const Polynomial& polynomial, bool is_nonempty) const noexcept {
  bool has_length = false;
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term& term = polynomial.terms[i];
    has_length |= term.a == values_.length && term.b == 0 && term.factor == 1;
  }
  // One less than the end while there are iterations.
  const bool is_begun = has_length && (loop_.is_entered || is_nonempty);
  if (has_signs_ || polynomial.constant < (is_begun ? -1 : 0) || polynomial.constant > 1) return false;
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term& term = polynomial.terms[i];
    const bool is_of_number = term.a == values_.thread_number || term.b == values_.thread_number;
    std::int64_t most = 1;
    for (const SymbolId id : {term.a, term.b}) {
      if (id == 0) continue;
      switch (values_.symbol(id).kind) {
      case Symbol::Kind::thread_number:
      case Symbol::Kind::thread_count:
        break;
      case Symbol::Kind::share:
        most = 1024;
        [[fallthrough]];
      case Symbol::Kind::ticks:
        most = std::max(most, std::int64_t{64});
        [[fallthrough]];
      case Symbol::Kind::low:
      case Symbol::Kind::length:
      case Symbol::Kind::cursor:
      case Symbol::Kind::quotient:
      case Symbol::Kind::remainder:
      case Symbol::Kind::remainder_or_zero:
        if (dividend_size_ == 4) break;
        [[fallthrough]];
      default:
        return false;
      }
    }
    if (term.b != 0 && !is_of_number) return false;
    const bool is_taken_away = has_length && term.a == loop_.ticks && term.factor == -1;
    if (!is_taken_away && (term.factor < 1 || term.factor > (term.b == 0 ? most : 1))) return false;
  }
  return true;
}

/// Returns whether `value` is an address in a part of an array.
bool Prover::is_place(Value value) const noexcept {
  const Node& node = values_.at(value);
  if (node.kind != Node::Kind::polynomial || (node.bits & k_part) == 0) return false;
  for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
    const Term& term = node.polynomial.terms[i];
    const Symbol& symbol = values_.symbol(term.a);
    if (term.b == 0 && term.factor == 1 &&
        (symbol.kind == Symbol::Kind::argument || (symbol.kind == Symbol::Kind::load && symbol.y == 8)))
      return true;
  }
  return false;
}

/// `made` of `a` and `b`, but for a number that seems to be whole again, or none of the part, though they may
/// have been extended in two ways.
Value Prover::not_cancelled(Value made, Value a, Value b) noexcept {
  if (!is_cut_ || !is_wide_ || !values_.is_polynomial(made)) return made;
  if (trusts_ && !loop_.is_entered && is_of_length(values_.at(made).polynomial)) return made;
  // Outside of the loops of clang's, too, where classify() admits them.
  const auto is_cut = [this](Value value) noexcept {
    const Node& node = values_.at(value);
    const bool is_number = node.kind == Node::Kind::polynomial && (node.bits & (k_part | k_number)) != 0;
    if (!is_number || !trusts_ || loop_.is_entered) return (classify(value) & k_upper) != 0;
    return !is_of_length(node.polynomial) && !is_whole(node.polynomial, false);
  };
  if ((!is_cut(a) && (b == 0 || !is_cut(b))) || is_cut(made)) return made;
  return values_.plain(static_cast<Bits>(values_.at(made).bits | k_upper | k_carried));
}

/// `value` as a use of its first 4 bytes sees it.
Value Prover::first_word(Value value) noexcept {
  const Node& node = values_.at(value);
  if (node.kind != Node::Kind::plain || (node.bits & k_upper) == 0) return value;
  return values_.plain(static_cast<Bits>(node.bits & ~k_upper), node.address);
}

/// `value` with its constant as `size` bytes hold it.
Value Prover::cut_constant(Value value, unsigned size, bool has_sign) noexcept {
  // A number that is no constant stands for its first 4 bytes only.
  if (size == 0 || size >= 8 || !values_.is_polynomial(value)) return value;
  if (!(size == 4 && has_sign) && !values_.is_constant(value)) return value;
  const std::int64_t constant = values_.at(value).polynomial.constant;
  const unsigned shift = 64 - 8 * size;
  const auto top = static_cast<std::uint64_t>(constant) << shift;
  const std::int64_t cut =
      has_sign ? static_cast<std::int64_t>(top) >> shift : static_cast<std::int64_t>(top >> shift);
  if (cut == constant) return value;
  return values_.add(value, values_.subtract(values_.constant(cut), values_.constant(constant)));
}

/// 8 bytes that the iteration makes of the first 4 of `value`, a number of the iteration as those are.
Value Prover::extended(Value value) noexcept {
  if (!loop_.is_entered || loop_.is_guessed || !values_.is_polynomial(value) ||
      (classify(value) & k_upper) == 0)
    return value;
  return values_.plain(static_cast<Bits>((classify(value) & ~k_upper) | k_iteration));
}

/// Returns whether `value`, which all calls share, may be another number in 8 bytes with a sign than without.
bool Prover::has_two_widths(Value value) const noexcept {
  return values_.is_polynomial(value) && !values_.is_constant(value) && values_.at(value).bits == k_common &&
         !is_exact(value);
}

/// Returns the 8 bytes of which the first 4 are those of `value`, and the others zero.
Value Prover::with_zeros(Value value) noexcept {
  if (!has_two_widths(value) || without_zeros(value) != value) return value;
  return values_.of(Symbol::Kind::result, k_common, k_operation_zeros, value);
}

/// Returns the 8 bytes of which the first 4 are those of `value`, and the others its sign: an operation on 8
/// bytes may have another result than one on 4.
Value Prover::with_signs(Value value) noexcept {
  if (!has_two_widths(value) || values_.only_symbol(value) != 0) return value;
  return values_.of(Symbol::Kind::result, k_common, k_operation_signs, value);
}

/// Returns the 4 bytes that with_zeros() has extended to `value`; `value` if it has not.
Value Prover::without_zeros(Value value) const noexcept {
  const SymbolId id = values_.only_symbol(value);
  const bool has_zeros =
      id != 0 && values_.symbol(id).kind == Symbol::Kind::result && values_.symbol(id).x == k_operation_zeros;
  return has_zeros ? static_cast<Value>(values_.symbol(id).y) : value;
}

/// Returns the first 4 bytes of `value`, a number of 8: it need not be one of 4 that was extended.
Value Prover::first_four(Value value) noexcept {
  if (!values_.is_polynomial(value) || values_.is_constant(value) || values_.at(value).bits != k_common)
    return value;
  if (const Value word = without_zeros(value); word != value) return word;
  if (values_.is_symbol(value, Symbol::Kind::result))
    if (const Symbol& symbol = values_.symbol(values_.only_symbol(value)); symbol.x == k_operation_signs)
      return static_cast<Value>(symbol.y);
  const Polynomial& polynomial = values_.at(value).polynomial;
  bool is_of_words = true;
  for (std::uint32_t i = 0; i < polynomial.count; ++i)
    for (const SymbolId id : {polynomial.terms[i].a, polynomial.terms[i].b}) {
      const Symbol& symbol = values_.symbol(id);
      is_of_words &=
          id == 0 || (symbol.kind == Symbol::Kind::load && symbol.y <= 4) ||
          (symbol.kind == Symbol::Kind::result &&
           (symbol.x == k_operation_zeros || symbol.x == k_operation_first || symbol.x == k_operation_signs));
    }
  return is_of_words ? value : values_.of(Symbol::Kind::result, k_common, k_operation_first, value);
}

/// Returns `size` bytes of a general register.
Value Prover::word_in(const State& state, unsigned reg, unsigned size) noexcept {
  const Value value = state.general[reg];
  if (size < 8) return (state.words >> reg & 1) != 0 ? without_zeros(value) : first_four(value);
  return (state.words >> reg & 1) != 0 ? with_zeros(value) : value;
}

/// Returns 8 bytes of a vector register: what was loaded as 4 has zeros above it there.
Value Prover::whole_lane(Value value) noexcept {
  const SymbolId id = values_.only_symbol(value);
  const bool is_short = id != 0 && values_.symbol(id).kind == Symbol::Kind::load && values_.symbol(id).y == 4;
  const Bits bits = values_.at(value).bits;
  return is_short ? values_.plain(loop_.is_entered ? bits | k_iteration : bits) : value;
}

/// Returns the rest of a vector register, where its second half gets zeros.
Value Prover::without_upper(Value high) noexcept {
  const SymbolId id = values_.only_symbol(high);
  if (!values_.is_polynomial(high) || values_.is_constant(high) || values_.at(high).bits != k_common ||
      (id != 0 && values_.symbol(id).kind == Symbol::Kind::load && values_.symbol(id).y == 8))
    return high;
  return values_.plain(loop_.is_entered ? k_iteration : k_common);
}

/// Makes the zeros above a number of 4 bytes part of the register's value: other paths may have a sign there.
void Prover::widen(State& state, unsigned reg) noexcept {
  if (!has_two_widths(state.general[reg])) return;
  state.general[reg] = word_in(state, reg, 8);
  state.words = static_cast<std::uint16_t>(state.words & ~(1U << reg));
}

/// Returns the 8 bytes of which the first 4 are `word`'s, and the others those of `old`.
Value Prover::with_upper(Value word, Value old) noexcept {
  const Bits bits = classify(word);
  if ((classify(old) & ~(bits | k_iteration)) == 0) return word;
  return values_.plain(static_cast<Bits>(bits | k_upper));
}

/// Notes that a number of the part without a sign got one.
void Prover::note_sign(Value value) noexcept {
  if (trusts_ || !is_unsigned_ || loop_.is_guessed || (values_.at(value).bits & (k_part | k_number)) == 0)
    return;
  (loop_.is_entered ? is_cut_inside_ : is_cut_) = has_signs_ = true;
}

} // namespace wstree::proof
