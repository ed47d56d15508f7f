// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prover.h"
#include "registers.h"

#include <bit>
#include <initializer_list>

namespace wstree::proof {

/// Returns whether `polynomial` does not depend on the begin of the part or of a part of it, but
/// for `cursor`.
bool Prover::goes_with(const Polynomial& polynomial, Value cursor) const noexcept {
  const SymbolId begin = values_.only_symbol(cursor);
  for (std::uint32_t i = 0; i < polynomial.count; ++i)
    for (const SymbolId symbol : {polynomial.terms[i].a, polynomial.terms[i].b}) {
      if (symbol == 0 || symbol == begin) continue;
      const Symbol::Kind kind = values_.symbol(symbol).kind;
      if (kind == Symbol::Kind::low || kind == Symbol::Kind::cursor) return false;
    }
  return true;
}

/// Returns whether `polynomial` is a function of the iteration that is executed, in a program that does not
/// see the bounds of its part: its ticks count on from the loop's begin.
bool Prover::is_of_iteration(const Polynomial& polynomial) const noexcept {
  const SymbolId begin = values_.only_symbol(loop_.cursor);
  if (!goes_with(polynomial, loop_.cursor)) return false;
  const auto factor_of = [&polynomial](SymbolId symbol, SymbolId other) noexcept {
    for (std::uint32_t i = 0; i < polynomial.count; ++i) {
      const Term& term = polynomial.terms[i];
      if ((term.a == symbol && term.b == other) || (term.b == symbol && term.a == other)) return term.factor;
    }
    return std::int64_t{0};
  };
  if (begin == 0) return false;
  const auto is_part = [this](SymbolId id) noexcept {
    return id != 0 && (values_.symbol(id).bits & k_part) != 0;
  };
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term& term = polynomial.terms[i];
    if (!is_part(term.a) && !is_part(term.b)) continue;
    // Neither alone: a counter of the program's may also take the ticks away.
    const SymbolId symbol = is_part(term.a) ? term.a : term.b;
    const SymbolId other = is_part(term.a) ? term.b : term.a;
    if (is_part(other) || (symbol != begin && symbol != loop_.ticks)) return false;
    if (factor_of(begin, other) * loop_.width != factor_of(loop_.ticks, other)) return false;
  }
  return true;
}

/// Returns whether `polynomial` is a function of the iteration that is executed: it depends on the part and
/// on the ticks as the cursor does.
bool Prover::is_of_cursor(const Polynomial& polynomial) const noexcept {
  if (trusts_) return is_of_iteration(polynomial);
  const Node& node = values_.at(loop_.cursor);
  if (node.kind != Node::Kind::polynomial) return false;
  const Polynomial& cursor = node.polynomial;
  const auto is_part = [this](SymbolId id) noexcept {
    return id != 0 && (values_.symbol(id).bits & k_part) != 0;
  };
  const Term* pivot = nullptr;
  for (std::uint32_t i = 0; i < cursor.count; ++i)
    if (is_part(cursor.terms[i].a) && cursor.terms[i].b == 0) pivot = cursor.terms + i;
  if (pivot == nullptr) return false;
  const auto factor_of = [&polynomial](SymbolId symbol, SymbolId other) noexcept {
    for (std::uint32_t i = 0; i < polynomial.count; ++i) {
      const Term& term = polynomial.terms[i];
      if ((term.a == symbol && term.b == other) || (term.b == symbol && term.a == other)) return term.factor;
    }
    return std::int64_t{0};
  };
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term& term = polynomial.terms[i];
    if (!is_part(term.a) && !is_part(term.b)) continue;
    if (is_part(term.a) && is_part(term.b)) return false;
    const SymbolId symbol = is_part(term.a) ? term.a : term.b;
    const SymbolId other = is_part(term.a) ? term.b : term.a;
    bool is_in_cursor = false;
    for (std::uint32_t j = 0; j < cursor.count; ++j) {
      if (!is_part(cursor.terms[j].a)) continue;
      is_in_cursor |= cursor.terms[j].a == symbol;
      if (factor_of(cursor.terms[j].a, other) * pivot->factor !=
          factor_of(pivot->a, other) * cursor.terms[j].factor)
        return false;
    }
    if (!is_in_cursor) return false;
  }
  return true;
}

Bits Prover::classify(Value value) const noexcept {
  const Node& node = values_.at(value);
  if (node.kind != Node::Kind::polynomial || (node.bits & (k_part | k_number)) == 0) return node.bits;
  // Outside of the loops of clang's they are its own counts and ends.
  const bool is_cut = is_cut_ && (!trusts_ || loop_.is_entered) && !is_whole(node.polynomial, false);
  const Bits bits = is_cut ? node.bits | k_upper : node.bits;
  if ((bits & k_part) == 0 || !loop_.is_entered || loop_.is_guessed || !is_of_cursor(node.polynomial))
    return bits;
  return static_cast<Bits>((bits & ~k_part) | k_iteration);
}

Value Prover::result(std::uint64_t operation, Value a, Value b, Value c) noexcept {
  Bits bits = classify(a);
  if (b != 0) bits |= classify(b);
  if (c != 0) bits |= classify(c);
  bits &= static_cast<Bits>(~k_stays); // it is another number
  if (!is_wide_) bits &= static_cast<Bits>(~k_upper);
  if ((bits & k_upper) != 0 && !keeps_first_word(operation)) bits |= k_carried;
  if (loop_.is_entered) {
    if (!loop_.is_version) return values_.plain(bits | k_iteration);
    const auto made_of = [this](Value value) noexcept {
      return values_.is_polynomial(value)                  ? value
             : values_.at(value).kind == Node::Kind::plain ? values_.at(value).address
                                                           : 0;
    };
    const Value x = made_of(a);
    const Value y = made_of(b);
    const Value z = made_of(c);
    if (x == 0 || (b != 0 && y == 0) || (c != 0 && z == 0)) return values_.plain(bits | k_iteration);
    const bool are_polynomials = b != 0 && c == 0;
    Value made = 0;
    if (are_polynomials && operation == static_cast<std::uint64_t>(Operation::add) << 20)
      made = values_.add(x, y);
    else if (are_polynomials && operation == X86_INS_SUB)
      made = values_.subtract(x, y);
    else if (are_polynomials && operation == static_cast<std::uint64_t>(Operation::multiply) << 20)
      made = values_.multiply(x, y);
    if (made == 0)
      made = values_.of(Symbol::Kind::result, k_iteration, operation, x, std::uint64_t{y} << 32 | z);
    return values_.plain(bits | k_iteration, values_.is_polynomial(made) ? made : 0);
  }
  if ((bits & ~(k_part | k_number)) != 0) return values_.plain(bits);
  // The value of an unknown operand is another one at each place.
  const bool is_exact = values_.is_polynomial(a) && (b == 0 || values_.is_polynomial(b)) &&
                        (c == 0 || values_.is_polynomial(c));
  if (!is_exact && stamp_ == 0) return values_.plain(bits);
  // Equal results are those of one instruction: others may differ by a size or a control.
  std::uint64_t place = is_exact ? 0 : stamp_;
  if (is_exact && bits == k_common && operation != k_operation_spread) place = site_;
  if (place > k_most_stamp) return values_.plain(bits);
  return values_.of(Symbol::Kind::result, bits, operation | place << k_stamp_shift, a,
                    std::uint64_t{b} << 32 | c);
}

/// Returns whether `value` is the identity of `operation`, in each of the lanes of `size` bytes.
bool Prover::is_identity(Operation operation, unsigned size, Value value) const noexcept {
  std::int64_t constant = 0;
  if (!values_.is_constant(value, constant)) return false;
  // A number of 4 bytes stands alone, with a sign or without, or in both lanes.
  const auto is_word = [&](std::int32_t word, std::int64_t wide) noexcept {
    if (size == 8) return constant == wide;
    if (size == 0 || static_cast<std::int32_t>(constant) != word) return false;
    const auto rest = static_cast<std::int32_t>(constant >> 32);
    return rest == word || (size == 4 && (rest == 0 || rest == -1));
  };
  switch (operation) {
  case Operation::add:
  case Operation::bit_or:
  case Operation::bit_xor:
  case Operation::most_unsigned:
    return constant == 0;
  case Operation::add_float:
    return constant == 0 || is_word(INT32_MIN, INT64_MIN);
  case Operation::multiply:
    return constant == 1 && size != k_packed;
  case Operation::multiply_float:
    return is_word(std::bit_cast<std::int32_t>(1.0F), std::bit_cast<std::int64_t>(1.0));
  case Operation::bit_and:
  case Operation::least_unsigned:
    return is_word(-1, -1);
  case Operation::least:
    return is_word(INT32_MAX, INT64_MAX);
  case Operation::most:
    return is_word(INT32_MIN, INT64_MIN);
  default: // a minimum of floats keeps a NaN
    return false;
  }
}

/// Returns whether each part may put in the value that a location starts with: `start`, or 0 for
/// the identity.
bool Prover::starts_with(Operation operation, unsigned size, Value value, Value& start) const noexcept {
  start = 0;
  if (is_identity(operation, size, value)) return true;
  if (operation == Operation::none || operation == Operation::add || operation == Operation::add_float ||
      operation == Operation::multiply || operation == Operation::multiply_float ||
      operation == Operation::bit_xor || !values_.is_polynomial(value) || values_.at(value).bits != k_common)
    return false;
  start = value;
  std::int64_t constant = 0;
  if (size != k_packed) return true;
  return values_.is_constant(value, constant)
             ? static_cast<std::int32_t>(constant) == static_cast<std::int32_t>(constant >> 32)
             : values_.is_symbol(value, Symbol::Kind::result) &&
                   values_.symbol(values_.only_symbol(value)).x == k_operation_spread;
}

/// Returns whether the part is known to have no fewer iterations than zero.
bool Prover::is_natural(const State& state) const noexcept {
  return trusts_ || is_unsigned_ || state.is_nonempty;
}

/// Returns whether the sum of `value` over parts is its value for their union, in numbers of `size` bytes.
/// The value may have been made in 4 bytes; then only a number of iterations is also correct in 8. A quotient
/// below zero is rounded up.
bool Prover::is_additive(Value value, unsigned size, bool is_natural) const noexcept {
  if (!is_natural || ((is_cut_ || is_length_cut_) && size != 4)) return false;
  const Node& node = values_.at(value);
  if (node.kind != Node::Kind::polynomial || node.polynomial.constant != 0 || node.polynomial.count == 0 ||
      values_.length == 0)
    return false;
  for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
    const Term& term = node.polynomial.terms[i];
    if (term.a != values_.length && term.b != values_.length) return false;
    const SymbolId other = term.a == values_.length ? term.b : term.a;
    if (other != 0 && values_.symbol(other).bits != k_common) return false;
    if (size != 4 && (other != 0 || term.factor != 1)) return false;
  }
  return true;
}

/// The result of an operation that may put a value into a partial result; 0: it is none of that kind.
Value Prover::combine(Operation operation, unsigned size, Value a, Value b, bool is_ordered) noexcept {
  const Node& x = values_.at(a);
  const Node& y = values_.at(b);
  if (operation == Operation::none) return 0;
  const auto header_of = [this](const Node& node) noexcept -> SymbolId {
    if (node.kind != Node::Kind::polynomial || node.polynomial.count != 1 || node.polynomial.constant != 0)
      return 0;
    const Term& term = node.polynomial.terms[0];
    if (term.factor != 1 || term.b != 0 || values_.symbol(term.a).kind != Symbol::Kind::header) return 0;
    return term.a;
  };
  if (x.kind == Node::Kind::sum || (y.kind == Node::Kind::sum && !is_ordered)) {
    const Node& sum = x.kind == Node::Kind::sum ? x : y;
    const Value other = x.kind == Node::Kind::sum ? b : a;
    if (sum.operation != Operation::none && sum.operation != operation) return 0;
    const Bits allowed = size == 4 ? k_iteration | k_upper : k_iteration;
    if (!loop_.is_guessed && (classify(other) & ~allowed) != 0) return 0;
    // The lanes behind the first one are not followed where an operation has left them out.
    if (sum.size != 0 && sum.size != size && (sum.size != k_packed || size != 4)) return 0;
    loop_.has_sum = true;
    return values_.sum(sum.location, operation, size, values_.location(at_, context_));
  }
  if (loop_.is_guessed) {
    const bool is_polynomial =
        x.kind == Node::Kind::polynomial && y.kind == Node::Kind::polynomial && operation == Operation::add;
    if (const SymbolId header = header_of(x); header != 0 && !is_polynomial)
      return values_.sum(static_cast<std::uint32_t>(values_.symbol(header).y), operation, size);
    if (const SymbolId header = header_of(y); header != 0 && !is_polynomial && !is_ordered)
      return values_.sum(static_cast<std::uint32_t>(values_.symbol(header).y), operation, size);
  }
  const auto fits = [size](const Node& node) noexcept {
    return node.size == 0 || node.size == size || (node.size == k_packed && size == 4);
  };
  const auto is_merged = [&](const Node& node, Value value) noexcept {
    if (node.kind == Node::Kind::merged) return node.operation == operation && fits(node);
    return operation == Operation::add && is_additive(value, size, is_natural_);
  };
  const bool x_merged = is_merged(x, a);
  const bool y_merged = is_merged(y, b);
  if (!x_merged && !y_merged) return 0;
  if (x_merged && y_merged) {
    if (x.kind == Node::Kind::polynomial && y.kind == Node::Kind::polynomial) return 0;
    if (x.start != 0 && y.start != 0 && x.start != y.start) return 0;
    return values_.merged(operation, size, x.start != 0 ? x.start : y.start);
  }
  const Value other = x_merged ? b : a;
  const Value merged = x_merged ? a : b;
  if (values_.at(merged).kind == Node::Kind::merged && is_identity(operation, size, other)) return merged;
  if (values_.is_symbol(other, Symbol::Kind::load) && values_.at(other).bits == k_common &&
      values_.symbol(values_.only_symbol(other)).y == (size == k_packed ? 8 : size) &&
      !(is_ordered && x_merged))
    return values_.combined(operation, size,
                            static_cast<Value>(values_.symbol(values_.only_symbol(other)).x));
  return 0;
}

Value Prover::apply(Operation operation, unsigned size, Value a, Value b) noexcept {
  if (const Value combined = combine(operation, size, a, b, false); combined != 0) return combined;
  if (operation == Operation::add && values_.is_polynomial(a) && values_.is_polynomial(b)) {
    const Value sum = values_.add(a, b);
    if (values_.is_polynomial(sum)) return sum;
  }
  if (operation == Operation::multiply && values_.is_polynomial(a) && values_.is_polynomial(b)) {
    const Value product = values_.multiply(a, b);
    if (values_.is_polynomial(product)) return product;
  }
  return result(static_cast<std::uint64_t>(operation) << 20, a, b);
}

} // namespace wstree::proof
