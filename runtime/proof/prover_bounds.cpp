// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ends of loops: that the loop over the part executes each iteration of it once.
#include "location.h"
#include "registers.h"
#include "walk.h"

#include <cstring>
#include <initializer_list>

namespace wstree::proof {

/// Returns whether a side of a comparison by less or greater does not wrap in any part: the constant that is
/// added to a bound of the part, or to its iteration, is one that the loop may start with. (A start that is
/// not known is the program's.)
bool Prover::stays_in_order(Value value, bool has_sign) const noexcept {
  const Node& node = values_.at(value);
  if (node.kind != Node::Kind::polynomial || (node.bits & k_part) == 0) return true;
  bool has_length = false;
  bool is_less = false;
  bool is_multiple = dividend_size_ == 8;
  for (std::uint32_t i = 0; i < node.polynomial.count; ++i) {
    const Term& term = node.polynomial.terms[i];
    const Bits bits = values_.symbol(term.a).bits | (term.b != 0 ? values_.symbol(term.b).bits : k_common);
    if ((bits & k_part) == 0) return true;
    has_length |= term.a == values_.length && term.factor > 0;
    is_less |= term.factor < 0;
    is_multiple |= term.factor != 1;
  }
  const std::int64_t constant = node.polynomial.constant;
  if (!has_sign && !is_less && constant < (has_length ? -1 : 0)) return false;
  if (!values_.is_polynomial(dividend_)) return false;
  // The loop's iterations and its start are less than the end that they are made of.
  const Polynomial& iterations = values_.at(dividend_).polynomial;
  const std::int64_t inclusive = is_multiple ? 4096 : 2;
  if (is_less) return has_sign || (iterations.count == 0 && iterations.constant <= constant + 1);
  return constant <= inclusive ||
         constant + iterations.constant <= (iterations.count == 0 ? INT32_MAX : inclusive);
}

/// Returns the question by which a test decides about `left`, the iterations of the part that have not begun
/// when this one does, it included: 1: whether this one begins, 2: whether another one follows, 0: none of
/// both. `may_be_negative`: there may be fewer than none.
std::uint8_t Prover::exact_end(unsigned condition, unsigned exit, const Flags& flags, Value left,
                               bool may_be_negative) noexcept {
  const Value difference = values_.subtract(flags.a, flags.b);
  const Node& node = values_.at(difference);
  if (node.kind != Node::Kind::polynomial) return 0;
  if (const bool has_sign = !compares_unsigned(condition);
      !trusts_ && !goes_by_result(condition) &&
      (!stays_in_order(flags.a, has_sign) || !stays_in_order(flags.b, has_sign)))
    return 0;
  std::int64_t factor = 0;
  SymbolId other = 0;
  for (std::uint32_t j = 0; j < node.polynomial.count; ++j) {
    const Term& term = node.polynomial.terms[j];
    if (term.a != loop_.ticks && term.b != loop_.ticks) continue;
    factor = -term.factor;
    other = term.a == loop_.ticks ? term.b : term.a;
  }
  // An unknown stride times a number of iterations may be zero, as may 4 bytes of a long number.
  constexpr std::int64_t k_most_factor = std::int64_t{1} << 20;
  if (!trusts_ &&
      (other != 0 || flags.size < dividend_size_ || factor < -k_most_factor || factor > k_most_factor ||
       (flags.size < 8 && !has_int_part_ && factor != 1 && factor != -1)))
    return 0;
  // A number that is known to start below zero is another one in 8 bytes.
  const auto is_below = [this](Value value) noexcept {
    return values_.is_polynomial(value) && (values_.at(value).bits & k_part) != 0 &&
           values_.at(value).polynomial.constant < 0 && !is_place(value);
  };
  if (!trusts_ && is_cut_ && flags.size == 8 && dividend_size_ == 4 &&
      (is_below(flags.a) || is_below(flags.b)))
    return 0;
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
      if (may_be_negative && at == 0 && (!leaves(-1, sign) || !leaves(-2, sign))) continue;
      if (leaves(at, sign) && !leaves(at + 1, sign) && !leaves(at + 2, sign) && !leaves(at + 3, sign))
        return static_cast<std::uint8_t>(at + 1);
    }
  return 0;
}

/// How many iterations a loop of clang's executes at a time that ends by a share of the length; its ticks
/// count in that unit. It leaves out none of the share: the program may have made a loop without its first
/// iterations, or without its last ones, of which this one is a version. 0: unknown.
std::int64_t Prover::width_by(Value difference, const State& entry) noexcept {
  if (!values_.is_polynomial(difference)) return 0;
  const Polynomial polynomial = values_.at(difference).polynomial;
  std::int64_t step = 0;
  Share share;
  Value rest = values_.constant(polynomial.constant);
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Term& term = polynomial.terms[i];
    Polynomial alone;
    alone.count = 1;
    alone.terms[0] = term;
    Share found;
    if (term.a == loop_.ticks && term.b == 0)
      step = term.factor;
    else if (share.factor == 0 && share_of_length(values_.intern(alone), entry, found)) {
      share = found;
      rest = values_.add(rest, values_.constant(found.constant));
    } else
      rest = values_.add(rest, values_.intern(alone));
  }
  if (step == 0 || share.factor == 0 || share.unit * step % share.factor != 0) return 0;
  const std::int64_t width = -(share.unit * step / share.factor);
  if (width < 1 || width > 1024 || (share.unit % width != 0 && share.unit != 1)) return 0;
  // Before the first turn some iterations may have been executed, and a test may stand behind the step.
  const Value before =
      share.is_of_left ? values_.constant(0) : values_.subtract(entry.cursor, values_.of_symbol(values_.low));
  std::int64_t constant = 0;
  if (share.is_rest ? width != share.unit : before != values_.constant(0) && step % width != 0) return 0;
  if (!share.is_rest) rest = values_.subtract(rest, values_.scale(before, step / width));
  return values_.is_constant(rest, constant) && (constant == 0 || constant == step) ? width : 0;
}

/// Returns the number of iterations that a loop of gcc's executes at a time if it ends by the rest divided by
/// a power of two; `turns`: that quotient. 1: unknown.
std::int64_t Prover::turns_by(unsigned condition, unsigned exit, const Flags& flags, const State& entry,
                              std::uint8_t& behind, Value& turns) noexcept {
  const Value difference = values_.subtract(flags.a, flags.b);
  if (!values_.is_polynomial(difference)) return 1;
  const Polynomial polynomial = values_.at(difference).polynomial;
  const Value ticks = values_.of_symbol(loop_.ticks);
  for (std::uint32_t i = 0; i < polynomial.count; ++i) {
    const Symbol share = values_.symbol(polynomial.terms[i].a);
    if (share.kind != Symbol::Kind::share || polynomial.terms[i].b != 0 ||
        static_cast<Value>(share.x) != rest_of(entry))
      continue;
    turns = values_.of_symbol(polynomial.terms[i].a);
    behind = exact_end(condition, exit, flags, values_.subtract(turns, ticks), !is_natural(entry));
    if (behind != 0) return std::int64_t{1} << share.y;
  }
  return 1;
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
      behind[block] = exact_end(last.id, exit, flags, left, !is_natural(entry));
    std::int64_t width = 1;
    if (behind[block] == 0 && entry.version != 0 && entry.version != k_several_versions)
      width = turns_by(last.id, exit, flags, entry, behind[block], turns_);
    if (behind[block] == 0 && trusts_ && (width = width_by(difference, entry)) != 0) behind[block] = 3;
    if (behind[block] == 0) return refuse("has a loop whose end the proof does not understand", last.address);
    if (behind[block] == 2 && !trusts_ && (entry.version == 0 ? !entry.is_nonempty : entry.least < width))
      return refuse("executes an iteration without a look whether there is one", last.address);
    if (found != 0 && width != found) return refuse("has a loop with several ends", last.address);
    found = width;
    walk.is_bound[block] = true;
  }
  if (found != 0 && loop_.width != found) {
    loop_.width = found;
    if (!trusts_) loop_.cursor = values_.add(entry.cursor, values_.scale(ticks, found));
  }
  return true;
}

/// Each way around the loop meets one test, on the right side of which are all effects and sums.
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
    has_effect |= walk.has_effect[block] || walk.has_sum[block];
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
          if (behind[test] == 2) has_later_effect |= walk.has_effect[block] || walk.has_sum[block];
          for (const std::uint32_t follower : walk.function.blocks[block].next)
            if (follower != k_none && walk.is_member(follower) && follower != walk.members[0]) add(follower);
        }
      }
  }
  return !has_later_effect || refuse("does something in its loop after it looks whether it is over", place);
}

/// Returns whether `value` is factor * (length / unit) + constant, rounded down, or the remainder of
/// (length / unit) by some number (`is_rest`), and writes these into `share`. `is_of_left`: `length` stands
/// for the iterations left when the loop began.
bool Prover::share_of_length(Value value, const State& entry, Share& share) noexcept {
  share = {};
  if (value == rest_of(entry)) {
    share.factor = 1;
    share.is_of_left = true;
    return true;
  }
  const Node& node = values_.at(value);
  if (node.kind != Node::Kind::polynomial || node.polynomial.count != 1 || node.polynomial.terms[0].b != 0)
    return false;
  const Term term = node.polynomial.terms[0];
  const std::int64_t constant = node.polynomial.constant;
  if (term.a == values_.length)
    share.factor = 1;
  else {
    const Symbol symbol = values_.symbol(term.a);
    std::int64_t number = 0;
    if (symbol.kind != Symbol::Kind::result ||
        !values_.is_constant(static_cast<Value>(symbol.z >> 32), number) ||
        !share_of_length(static_cast<Value>(symbol.y), entry, share) || share.is_rest)
      return false;
    const bool is_shift = symbol.x == X86_INS_SHR || symbol.x == X86_INS_SAR;
    if (!is_shift && symbol.x != static_cast<std::uint64_t>(Operation::bit_and) << 20) return false;
    if (is_shift && (number < 0 || number > 10)) return false;
    const std::int64_t by = is_shift ? std::int64_t{1} << number : number < 0 ? -number : number + 1;
    if (by < 1 || by > 1024 || (by & (by - 1)) != 0 || share.factor < 1 || share.constant % by != 0)
      return false;
    // By more than a unit's worth: of larger units.
    const std::int64_t more = share.factor < by ? by / share.factor : 1;
    if (share.factor * more % by != 0 || share.unit * more > 1024 || (more != 1 && share.constant != 0))
      return false;
    if (!is_shift && number >= 0) {
      if (share.factor != 1 || share.constant != 0) return false;
      share.is_rest = true;
    } else {
      share.unit *= more;
      share.factor *= more;
      if (is_shift) {
        share.factor /= by;
        share.constant /= by;
      }
    }
  }
  share.factor *= term.factor;
  share.constant = share.constant * term.factor + constant;
  return true;
}

} // namespace wstree::proof
