// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "values.h"

#include <algorithm>

namespace wstree::proof {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t more) noexcept {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

std::int64_t wrapped_add(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_multiply(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

bool is_before(const Term& a, const Term& b) noexcept { return a.a != b.a ? a.a < b.a : a.b < b.b; }

/// Adds a term, in the order of their symbols; false: there is no room.
bool add_term(Polynomial& polynomial, Term term) noexcept {
  if (term.b != 0 && (term.a == 0 || term.b < term.a)) std::swap(term.a, term.b);
  if (term.a == 0) {
    polynomial.constant = wrapped_add(polynomial.constant, term.factor);
    return true;
  }
  if (term.factor == 0) return true;
  std::uint32_t i = 0;
  while (i < polynomial.count && is_before(polynomial.terms[i], term)) ++i;
  if (i < polynomial.count && polynomial.terms[i].a == term.a && polynomial.terms[i].b == term.b) {
    polynomial.terms[i].factor = wrapped_add(polynomial.terms[i].factor, term.factor);
    if (polynomial.terms[i].factor == 0) {
      std::copy(polynomial.terms + i + 1, polynomial.terms + polynomial.count, polynomial.terms + i);
      --polynomial.count;
    }
    return true;
  }
  if (polynomial.count == k_most_terms) return false;
  std::copy_backward(polynomial.terms + i, polynomial.terms + polynomial.count,
                     polynomial.terms + polynomial.count + 1);
  polynomial.terms[i] = term;
  ++polynomial.count;
  return true;
}

} // namespace

Values::Values(Arena& arena) noexcept : arena_(arena), nodes_(arena), symbols_(arena) {
  node_slots_ = arena.make<NodeSlot>(k_slots);
  symbol_slots_ = arena.make<std::uint32_t>(k_slots);
  static const Node k_nothing = {};
  exhausted_ =
      node_slots_ == nullptr || symbol_slots_ == nullptr || !nodes_.add(&k_nothing) || !symbols_.add({});
}

SymbolId Values::symbol_id(Symbol::Kind kind, Bits bits, std::uint64_t x, std::uint64_t y,
                           std::uint64_t z) noexcept {
  if (exhausted_) return 0;
  const std::uint64_t hash = mix(mix(mix(mix(static_cast<std::uint64_t>(kind) + 1, x), y), z), bits);
  for (std::size_t i = hash % k_slots;; i = (i + 1) % k_slots) {
    const SymbolId id = symbol_slots_[i];
    if (id != 0) {
      const Symbol& found = symbols_[id];
      if (found.kind == kind && found.bits == bits && found.x == x && found.y == y && found.z == z) return id;
      continue;
    }
    const auto made = static_cast<SymbolId>(symbols_.size());
    if (made >= k_slots / 2 || !symbols_.add({kind, bits, x, y, z})) {
      exhausted_ = true;
      return 0;
    }
    return symbol_slots_[i] = made;
  }
}

std::uint32_t Values::location(std::uint64_t x, std::uint64_t y) noexcept {
  return symbol_id(Symbol::Kind::identity, 0, x, y, 0);
}

Value Values::of(Symbol::Kind kind, Bits bits, std::uint64_t x, std::uint64_t y, std::uint64_t z) noexcept {
  Polynomial polynomial;
  polynomial.count = 1;
  polynomial.terms[0] = {1, symbol_id(kind, bits, x, y, z), 0};
  if (polynomial.terms[0].a == 0) return 0;
  return intern(polynomial);
}

Value Values::intern(const Node& node) noexcept {
  if (exhausted_) return 0;
  std::uint64_t hash = mix(mix(mix(static_cast<std::uint64_t>(node.kind) << 16 | node.bits,
                                   static_cast<std::uint64_t>(node.operation)),
                               node.location),
                           node.address);
  hash = mix(hash, std::uint64_t{node.start} << 8 | node.size);
  hash = mix(hash, static_cast<std::uint64_t>(node.polynomial.constant));
  for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
    const Term& term = node.polynomial.terms[i];
    hash = mix(mix(hash, static_cast<std::uint64_t>(term.factor)), std::uint64_t{term.a} << 32 | term.b);
  }
  const auto is_same = [&node](const Node& other) noexcept {
    if (other.kind != node.kind || other.bits != node.bits || other.operation != node.operation ||
        other.location != node.location || other.address != node.address || other.start != node.start ||
        other.size != node.size || other.polynomial.constant != node.polynomial.constant ||
        other.polynomial.count != node.polynomial.count)
      return false;
    for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
      const Term& a = node.polynomial.terms[i];
      const Term& b = other.polynomial.terms[i];
      if (a.factor != b.factor || a.a != b.a || a.b != b.b) return false;
    }
    return true;
  };
  const auto rest = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t i = hash % k_slots;; i = (i + 1) % k_slots) {
    const NodeSlot found = node_slots_[i];
    if (found.value != 0) {
      if (found.hash == rest && is_same(at(found.value))) return found.value;
      continue;
    }
    const auto made = static_cast<Value>(nodes_.size());
    const std::size_t terms = k_most_terms - node.polynomial.count;
    void* const place =
        made < k_slots / 2 ? arena_.make<std::byte>(sizeof(Node) - terms * sizeof(Term)) : nullptr;
    auto* const kept = static_cast<Node*>(place);
    if (kept == nullptr || !nodes_.add(kept)) {
      exhausted_ = true;
      return 0;
    }
    *kept = node;
    node_slots_[i] = {made, rest};
    return made;
  }
}

Bits Values::bits_of(const Polynomial& polynomial) const noexcept {
  Bits bits = 0;
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    bits |= symbols_[polynomial.terms[i].a].bits;
    if (polynomial.terms[i].b != 0) bits |= symbols_[polynomial.terms[i].b].bits;
  }
  return bits;
}

/// length * number + rest is the low end of the part, where `rest` precedes it.
void Values::find_part(Polynomial& polynomial) const noexcept {
  if (length == 0) return;
  const SymbolId a = std::min(length, thread_number);
  const SymbolId b = std::max(length, thread_number);
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term product = polynomial.terms[i];
    if (product.a != a || product.b != b) continue;
    for (std::uint32_t j = 0; j < polynomial.count; ++j) {
      const Term rest = polynomial.terms[j];
      if (rest.a != remainder_or_zero || rest.b != 0 || rest.factor != product.factor) continue;
      (void)add_term(polynomial, {-product.factor, product.a, product.b});
      (void)add_term(polynomial, {-rest.factor, rest.a, rest.b});
      (void)add_term(polynomial, {product.factor, low, 0});
      return;
    }
  }
}

Value Values::intern(const Polynomial& polynomial) noexcept {
  Node node;
  node.kind = Node::Kind::polynomial;
  node.polynomial.constant = polynomial.constant;
  node.polynomial.count = polynomial.count;
  std::copy(polynomial.terms, polynomial.terms + polynomial.count, node.polynomial.terms);
  find_part(node.polynomial);
  node.bits = bits_of(node.polynomial);
  return intern(node);
}

Value Values::of_symbol(SymbolId id) noexcept {
  Polynomial polynomial;
  polynomial.count = 1;
  polynomial.terms[0] = {1, id, 0};
  return intern(polynomial);
}

Value Values::constant(std::int64_t value) noexcept {
  Polynomial polynomial;
  polynomial.constant = value;
  return intern(polynomial);
}
Value Values::plain(Bits bits, Value made_of) noexcept {
  Node node;
  node.bits = bits;
  node.address = made_of;
  return intern(node);
}
Value Values::sum(std::uint32_t location, Operation operation, unsigned size, std::uint32_t made) noexcept {
  Node node;
  node.address = made;
  node.size = static_cast<std::uint8_t>(size);
  node.kind = Node::Kind::sum;
  node.bits = k_partial;
  node.location = location;
  node.operation = operation;
  return intern(node);
}
Value Values::merged(Operation operation, unsigned size, Value start) noexcept {
  Node node;
  node.size = static_cast<std::uint8_t>(size);
  node.start = start;
  node.kind = Node::Kind::merged;
  node.bits = k_partial;
  node.operation = operation;
  return intern(node);
}
Value Values::combined(Operation operation, unsigned size, Value address) noexcept {
  Node node;
  node.size = static_cast<std::uint8_t>(size);
  node.kind = Node::Kind::combined;
  node.bits = k_partial;
  node.operation = operation;
  node.address = address;
  return intern(node);
}

Value Values::used_in(Value value, unsigned size) noexcept {
  const Node& node = at(value);
  if (!is_partial(value)) return value;
  const unsigned bytes = node.size == k_packed ? 4 : node.size;
  return bytes == size || (bytes == 0 && size >= 4) ? value : plain(node.bits);
}

Value Values::first_lane(Value value) noexcept {
  Node node = at(value);
  if (!is_partial(value) || node.size != k_packed) return used_in(value, 4);
  node.size = 4;
  return intern(node);
}

bool Values::is_constant(Value value, std::int64_t& constant) const noexcept {
  if (!is_constant(value)) return false;
  constant = at(value).polynomial.constant;
  return true;
}

SymbolId Values::only_symbol(Value value) const noexcept {
  const Node& node = at(value);
  if (node.kind != Node::Kind::polynomial) return 0;
  const Polynomial& polynomial = node.polynomial;
  const bool is_only = polynomial.count == 1 && polynomial.constant == 0 && polynomial.terms[0].factor == 1 &&
                       polynomial.terms[0].b == 0;
  return is_only ? polynomial.terms[0].a : 0;
}

Value Values::sum_of(Value a, Value b, std::int64_t factor) noexcept {
  const Node& x = at(a);
  const Node& y = at(b);
  if (x.kind != Node::Kind::polynomial || y.kind != Node::Kind::polynomial) return plain(x.bits | y.bits);
  Polynomial made = x.polynomial;
  made.constant = wrapped_add(made.constant, wrapped_multiply(y.polynomial.constant, factor));
  for (std::uint32_t i = 0; i < y.polynomial.count; ++i) {
    Term term = y.polynomial.terms[i];
    term.factor = wrapped_multiply(term.factor, factor);
    if (!add_term(made, term)) return plain(x.bits | y.bits);
  }
  return intern(made);
}

Value Values::scale(Value a, std::int64_t factor) noexcept {
  const Node& node = at(a);
  if (node.kind != Node::Kind::polynomial) return plain(node.bits);
  Polynomial made;
  made.constant = wrapped_multiply(node.polynomial.constant, factor);
  for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
    Term term = node.polynomial.terms[i];
    term.factor = wrapped_multiply(term.factor, factor);
    (void)add_term(made, term);
  }
  return intern(made);
}

Value Values::multiply(Value a, Value b) noexcept {
  const Node& x = at(a);
  const Node& y = at(b);
  if (x.kind != Node::Kind::polynomial || y.kind != Node::Kind::polynomial) return plain(x.bits | y.bits);
  Polynomial made;
  const auto term_of = [](const Polynomial& polynomial, std::uint32_t i) noexcept {
    return i < polynomial.count ? polynomial.terms[i] : Term{polynomial.constant, 0, 0};
  };
  for (std::uint32_t i = 0; i <= x.polynomial.count; ++i)
    for (std::uint32_t j = 0; j <= y.polynomial.count; ++j) {
      const Term one = term_of(x.polynomial, i);
      const Term other = term_of(y.polynomial, j);
      Term term{wrapped_multiply(one.factor, other.factor), 0, 0};
      const SymbolId symbols[] = {one.a, one.b, other.a, other.b};
      for (const SymbolId symbol : symbols) {
        if (symbol == 0) continue;
        if (term.a == 0)
          term.a = symbol;
        else if (term.b == 0)
          term.b = symbol;
        else if (term.factor != 0)
          return plain(x.bits | y.bits);
      }
      if (!add_term(made, term)) return plain(x.bits | y.bits);
    }
  return intern(made);
}

Value Values::substitute(Value value, SymbolId symbol, Value replacement) noexcept {
  const Node& node = at(value);
  if (node.kind != Node::Kind::polynomial) return value;
  const Polynomial& polynomial = node.polynomial;
  Value made = constant(polynomial.constant);
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term term = polynomial.terms[i];
    Polynomial rest;
    Value times = 0;
    if (term.a == symbol || term.b == symbol) {
      const SymbolId other = term.a == symbol ? term.b : term.a;
      if (other == symbol) return plain(node.bits);
      if (other != 0) {
        rest.count = 1;
        rest.terms[0] = {term.factor, other, 0};
      } else
        rest.constant = term.factor;
      times = multiply(intern(rest), replacement);
    } else {
      rest.count = 1;
      rest.terms[0] = term;
      times = intern(rest);
    }
    made = add(made, times);
  }
  return made;
}

} // namespace wstree::proof
