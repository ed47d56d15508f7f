// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that an inner loop reads, and whether a later turn may read the same place: then no way out by that
// memory ends the loop.
#include "prover.h"

namespace wstree::proof {

/// Returns the bits of memory at `address`, while a loop's turns are looked at: a location that has `step`
/// more in each turn is a symbol of the header with that for z.
Bits Prover::memory_at(Value address) const noexcept {
  const Node& node = values_.at(address);
  if (!loop_.is_turning) return k_common;
  if ((node.bits & k_turn) == 0) return k_fixed_memory;
  if ((node.bits & k_polled) != 0) return k_other_memory | k_polled;
  // Where memory said in this turn or in the one before.
  if ((node.bits & (k_link | k_other_memory)) != 0) return k_other_memory;
  std::uint64_t step = 0;
  if (node.kind == Node::Kind::polynomial)
    for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
      const Term& term = node.polynomial.terms[i];
      const Symbol& symbol = values_.symbol(term.a);
      if (term.b != 0 && ((symbol.bits | values_.symbol(term.b).bits) & k_turn) != 0)
        return k_other_memory | k_polled;
      if ((symbol.bits & k_turn) == 0) continue;
      if (symbol.kind != Symbol::Kind::header || symbol.z == 0) return k_other_memory | k_polled;
      step += static_cast<std::uint64_t>(term.factor) * symbol.z;
    }
  // An index of 4 bytes comes back by large steps.
  constexpr std::uint64_t k_most_step = std::uint64_t{1} << 24;
  const bool is_far = step > k_most_step && -step > k_most_step;
  return step != 0 && !is_far ? k_other_memory : k_other_memory | k_polled;
}

/// Returns `value` as a called function gives it to its caller: memory by which that has decided is in it.
Value Prover::asked(Value value) noexcept {
  if (loop_.asks_memory == 0) return value;
  const Bits asked = (loop_.asks_memory & k_fixed_memory) != 0
                         ? static_cast<Bits>(loop_.asks_memory & ~k_turn)
                         : loop_.asks_memory;
  return values_.plain(classify(value) | k_iteration | asked);
}

/// Returns what says that a number ends no loop if `a` and `b` meet in a turn whose decisions by memory were
/// made, and one is as in the turn before, or is set to what no turn changes.
Bits Prover::may_stay(Value a, Value b) const noexcept {
  if (loop_.is_turning != 2) return k_common;
  const Bits p = values_.at(a).bits;
  const Bits q = values_.at(b).bits;
  if (((p ^ q) & k_turn) != 0) return k_polled; // turns come back to the number
  const bool is_one =
      values_.is_symbol(a, Symbol::Kind::header) != values_.is_symbol(b, Symbol::Kind::header);
  return is_one && (p & k_turn) != 0 ? k_stays : k_common;
}

/// Returns `made`, in which `added` may be nothing, as what ends no loop whose decisions by memory were made.
Value Prover::maybe_none(Value made, Value added) noexcept {
  const Bits bits = values_.at(added).bits;
  const bool may_be = loop_.is_turning == 2 && (bits & (k_fixed_memory | k_other_memory)) == 0;
  return may_be ? values_.plain(static_cast<Bits>(classify(made) | k_stays)) : made;
}

/// Returns `made`, `a` or `b` as `condition` chooses, as two ways make it where they meet: if turns change it
/// on each of them, the memory that chooses does not stop them.
Value Prover::chosen(Value made, Value a, Value b, Value condition) noexcept {
  const Bits bits = values_.at(condition).bits;
  if (const Bits stays = may_stay(a, b); stays != 0 && (bits & (k_fixed_memory | k_other_memory)) == 0)
    return values_.plain(static_cast<Bits>(classify(made) | stays));
  if ((bits & k_polled) == 0) return made;
  const auto goes_on = [this](Value value) noexcept {
    return (values_.at(value).bits & (k_turn | k_polled)) == k_turn &&
           !values_.is_symbol(value, Symbol::Kind::header);
  };
  if (!goes_on(a) || !goes_on(b)) return made;
  return values_.plain(static_cast<Bits>(classify(made) & ~k_polled));
}

} // namespace wstree::proof
