// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches: those that a function may take, and the facts behind them.
#include "prover.h"
#include "walk.h"

#include <algorithm>
#include <initializer_list>

namespace wstree::proof {
namespace {

int sign_of(std::int64_t value) noexcept { return value < 0 ? -1 : value > 0 ? 1 : 0; }

} // namespace

bool holds_for(unsigned instruction, int sign, bool& is_known) noexcept {
  is_known = true;
  switch (instruction) {
#define WSTREE_CONDITION(name)                                                                               \
  case X86_INS_J##name:                                                                                      \
  case X86_INS_CMOV##name:                                                                                   \
  case X86_INS_SET##name
    WSTREE_CONDITION(E) : return sign == 0;
    WSTREE_CONDITION(NE) : return sign != 0;
    WSTREE_CONDITION(L) : WSTREE_CONDITION(B) : WSTREE_CONDITION(S) : return sign < 0;
    WSTREE_CONDITION(GE) : WSTREE_CONDITION(AE) : WSTREE_CONDITION(NS) : return sign >= 0;
    WSTREE_CONDITION(LE) : WSTREE_CONDITION(BE) : return sign <= 0;
    WSTREE_CONDITION(G) : WSTREE_CONDITION(A) : return sign > 0;
#undef WSTREE_CONDITION
  default:
    is_known = false;
    return false;
  }
}

bool compares_unsigned(unsigned instruction) noexcept {
  switch (instruction) {
#define WSTREE_CONDITION(name)                                                                               \
  case X86_INS_J##name:                                                                                      \
  case X86_INS_CMOV##name:                                                                                   \
  case X86_INS_SET##name
    WSTREE_CONDITION(B) : WSTREE_CONDITION(AE) : WSTREE_CONDITION(BE) : WSTREE_CONDITION(A) : return true;
#undef WSTREE_CONDITION
  default:
    return false;
  }
}

bool goes_by_result(unsigned instruction) noexcept {
  switch (instruction) {
#define WSTREE_CONDITION(name)                                                                               \
  case X86_INS_J##name:                                                                                      \
  case X86_INS_CMOV##name:                                                                                   \
  case X86_INS_SET##name
    WSTREE_CONDITION(E)
        : WSTREE_CONDITION(NE)
        : WSTREE_CONDITION(S)
        : WSTREE_CONDITION(NS) : WSTREE_CONDITION(P) : WSTREE_CONDITION(NP) : return true;
#undef WSTREE_CONDITION
  default:
    return false;
  }
}

bool goes_by_carry(unsigned instruction) noexcept {
  switch (instruction) {
#define WSTREE_CONDITION(name)                                                                               \
  case X86_INS_J##name:                                                                                      \
  case X86_INS_CMOV##name:                                                                                   \
  case X86_INS_SET##name
    WSTREE_CONDITION(B) : WSTREE_CONDITION(AE) : case X86_INS_ADC : case X86_INS_SBB : return true;
#undef WSTREE_CONDITION
  default:
    return false;
  }
}

/// Returns the side of gcc's correction that begins behind a branch on thread number and remainder.
State::Formula Prover::formula_edge(const State& state, unsigned condition, bool is_taken) const noexcept {
  const bool is_direct = values_.is_symbol(state.flags.a, Symbol::Kind::thread_number) &&
                         values_.is_symbol(state.flags.b, Symbol::Kind::remainder);
  const bool is_reverse = values_.is_symbol(state.flags.b, Symbol::Kind::thread_number) &&
                          values_.is_symbol(state.flags.a, Symbol::Kind::remainder);
  if (!is_direct && !is_reverse) return State::Formula::open;
  // A remainder of numbers with a sign may be below zero.
  if (!state.flags.is_comparison || state.flags.size != dividend_size_ ||
      (compares_unsigned(condition) && !is_unsigned_))
    return State::Formula::open;
  bool goes[3];
  for (int sign = -1; sign <= 1; ++sign) {
    bool is_known = false;
    goes[sign + 1] = holds_for(condition, is_direct ? sign : -sign, is_known) == is_taken;
    if (!is_known) return State::Formula::open;
  }
  if (goes[0] && !goes[1] && !goes[2]) return State::Formula::less;
  if (!goes[0] && goes[1] && goes[2]) return State::Formula::not_less;
  return State::Formula::open;
}

/// Returns the bounds of the part: those of the formula, or where the thread has no iteration more than
/// others, and the compiler has a copy of the test for that way, quotient and remainder.
Prover::Bounds Prover::bounds_in(const State& state) noexcept {
  if (state.formula != State::Formula::not_less)
    return {values_.of_symbol(values_.low), values_.of_symbol(values_.length)};
  const Value number = values_.of_symbol(values_.thread_number);
  return {values_.add(values_.multiply(quotient_, number), remainder_), quotient_};
}

/// Returns whether the flags are those of a test whether the part of gcc's formula is empty, in one of the
/// forms that nothing can make wrap.
bool Prover::is_test_for_empty(const State& state, unsigned condition) noexcept {
  const Flags& flags = state.flags;
  if (flags.size != dividend_size_ || (is_cut_ && flags.size == 8)) return false;
  const bool is_equality = goes_by_result(condition) && condition != X86_INS_JS && condition != X86_INS_JNS;
  const auto [low, length] = bounds_in(state);
  const Value end = values_.add(low, length);
  const bool are_bounds =
      flags.is_comparison && ((flags.a == low && flags.b == end) || (flags.a == end && flags.b == low));
  const bool is_length = flags.a == length && values_.is_constant(flags.b);
  if (!are_bounds && !is_length) return false;
  // A length below zero is not zero.
  if (is_equality) return is_unsigned_;
  if (compares_unsigned(condition)) return flags.is_comparison && is_unsigned_;
  return !is_unsigned_ && (flags.is_comparison || flags.overflow == 0);
}

/// Returns whether only parts with iterations take an edge.
bool Prover::excludes_empty(const State& state, unsigned condition, bool is_taken) noexcept {
  if (values_.length == 0 || (!trusts_ && !is_test_for_empty(state, condition))) return false;
  const SymbolId length = values_.only_symbol(bounds_in(state).length);
  const Value difference = values_.subtract(state.flags.a, state.flags.b);
  const Node& node = values_.at(difference);
  if (node.kind != Node::Kind::polynomial || node.polynomial.count != 1) return false;
  const Term& term = node.polynomial.terms[0];
  if (term.a != length && term.b != length) return false;
  const bool is_scaled = term.b != 0;
  // It is a test for that only if parts of one iteration and of any more take it, too.
  bool is_known = false;
  const std::int64_t for_one = node.polynomial.constant + term.factor;
  const std::int64_t for_two = for_one + term.factor;
  for (const int sign : {sign_of(for_one), sign_of(for_two), sign_of(term.factor)})
    if (holds_for(condition, sign, is_known) != is_taken || !is_known) return false;
  // A length of zero; below zero it is if the loop's is.
  if (holds_for(condition, sign_of(node.polynomial.constant), is_known) == is_taken || !is_known)
    return false;
  if (condition == X86_INS_JE || condition == X86_INS_JNE || is_scaled) return true;
  return holds_for(condition, sign_of(node.polynomial.constant - term.factor), is_known) != is_taken;
}

/// Whether a comparison says equal for the part with the loop's last iteration alone.
bool Prover::is_end_of_loop(const Flags& flags) noexcept {
  // Fewer bytes, or multiples, may be equal where these are not.
  if (values_.length == 0 || flags.size < dividend_size_) return false;
  const Value difference = values_.subtract(flags.a, flags.b);
  const Value end = values_.add(last_of_part(), values_.constant(1));
  const Value expected = values_.subtract(end, dividend_);
  return difference == expected || difference == values_.scale(expected, -1);
}

/// Returns whether clang decides by `difference` on the minimum of the part's end and the loop's.
bool Prover::is_clangs_minimum(Value difference) noexcept {
  if (!is_clang_ || dividend_ == 0) return false;
  const Value raw = values_.subtract(values_.of(Symbol::Kind::raw_end, k_part), dividend_);
  return difference == raw || difference == values_.scale(raw, -1);
}

/// Adds the facts behind an edge; leaves the state unreached if the edge is never taken.
bool Prover::take_edge(State& state, const Instruction& branch, bool is_taken) noexcept {
  if (compares_unsigned(branch.id) && !state.flags.is_comparison) return true;
  const Value difference = values_.subtract(state.flags.a, state.flags.b);
  std::int64_t constant = 0;
  bool is_known = false;
  // The difference of other values does not show how they were extended.
  if (values_.is_constant(state.flags.a) && values_.is_constant(state.flags.b) &&
      values_.is_constant(difference, constant) && !loop_.is_guessed) {
    const std::int64_t most = state.flags.size >= 4 || state.flags.size == 0 ? INT32_MAX : INT8_MAX;
    std::int64_t first = 0;
    std::int64_t second = 0;
    const bool is_small = constant >= -most && constant <= most;
    const bool are_small = values_.is_constant(state.flags.a, first) &&
                           values_.is_constant(state.flags.b, second) && first <= most && second <= most &&
                           first >= (compares_unsigned(branch.id) ? 0 : -most) &&
                           second >= (compares_unsigned(branch.id) ? 0 : -most);
    const bool is_exact = goes_by_result(branch.id)
                              ? is_small
                              : are_small && (state.flags.is_comparison || state.flags.overflow == 0);
    if (!is_exact) return true;
    if (holds_for(branch.id, sign_of(constant), is_known) != is_taken && is_known) state.is_reached = false;
    return true;
  }
  if (state.formula == State::Formula::open) {
    const State::Formula side = formula_edge(state, branch.id, is_taken);
    if (side != State::Formula::open) {
      const Value remainder =
          values_.is_symbol(state.flags.a, Symbol::Kind::remainder) ? state.flags.a : state.flags.b;
      const Symbol of = values_.symbol(values_.only_symbol(remainder));
      if (dividend_ != 0 && dividend_ != of.x)
        return refuse("divides its work in several ways", branch.address);
      dividend_ = static_cast<Value>(of.x);
      remainder_ = remainder;
      quotient_ = values_.of(Symbol::Kind::quotient, k_number, of.x, of.y, of.z);
      values_.low = values_.only_symbol(values_.of(Symbol::Kind::low, k_part));
      values_.length = values_.only_symbol(values_.of(Symbol::Kind::length, k_part));
      values_.remainder_or_zero = values_.only_symbol(values_.of(Symbol::Kind::remainder_or_zero, k_number));
      state.formula = side;
      // A thread whose number is below the remainder has an iteration more than the quotient.
      state.is_nonempty = side == State::Formula::less;
      return true;
    }
  }
  if (state.formula == State::Formula::not_less) {
    if (excludes_empty(state, branch.id, is_taken)) state.is_nonempty = true;
    if (!excludes_empty(state, branch.id, !is_taken)) return true;
    state.is_empty = true;
    state.most = 0;
    state.formula = State::Formula::done;
    state.cursor = values_.of_symbol(values_.low);
    return true;
  }
  if (state.formula != State::Formula::done) return true;
  if (chooses_version(state, branch) && state.version == 0) state.version = branch.address;
  if (!trusts_) {
    std::int64_t least = 0;
    std::int64_t most = 0;
    if (narrow(state, branch.id, is_taken, least, most)) {
      state.least = least;
      state.most = most;
      if (least > most) {
        state.is_reached = false;
        return true;
      }
    }
  }
  if (excludes_empty(state, branch.id, is_taken)) state.is_nonempty = true;
  if (excludes_empty(state, branch.id, !is_taken)) state.is_empty = true;
  if (!trusts_ && values_.only_symbol(state.cursor) == values_.low) {
    if (state.is_nonempty && state.least == 0) state.least = 1;
    if (state.is_empty) state.most = 0;
  }
  const bool for_zero = holds_for(branch.id, 0, is_known) == is_taken && is_known;
  const bool for_more = holds_for(branch.id, 1, is_known) == is_taken && is_known;
  const bool for_less = holds_for(branch.id, -1, is_known) == is_taken && is_known;
  if (is_clang_ ? values_.is_symbol(difference, Symbol::Kind::is_last) && !for_zero && for_more
                : for_zero && !for_more && !for_less && is_end_of_loop(state.flags))
    state.is_last_part = true;
  return true;
}

/// Checks that the function may decide by `branch`.
bool Prover::check_branch(const State& state, const Instruction& branch) noexcept {
  decides_ = false;
  if (loop_.is_silent) return true;
  const Value difference = values_.subtract(state.flags.a, state.flags.b);
  const Bits bits = condition_bits(state, branch.id);
  const Bits allowed = loop_.is_entered ? k_iteration : k_common;
  if ((bits & ~allowed) == 0)
    return loop_.is_entered || !state.was_locked || values_.is_constant(difference) ||
           refuse("decides under a lock or behind it by what other calls may have merged", branch.address);
  const bool is_decidable = state.flags.is_comparison || !compares_unsigned(branch.id);
  if (!is_ending_ && chooses_version(state, branch) && (state.version != 0 || state.bulk == 0)) return true;
  if (!is_ending_ && !loop_.is_entered && is_decidable) {
    if (is_clangs_minimum(difference)) return true;
    if (trusts_ && is_clang_ && values_.is_symbol(difference, Symbol::Kind::is_last) &&
        state.formula == State::Formula::done)
      return true;
    if (trusts_ && !state.is_locked && (bits & ~k_part) == 0) return decides_ = true;
    if (formula_edge(state, branch.id, true) != State::Formula::open && state.formula == State::Formula::open)
      return true;
    const bool is_done = state.formula == State::Formula::done;
    if (is_done || state.formula == State::Formula::not_less) {
      if (excludes_empty(state, branch.id, true) || excludes_empty(state, branch.id, false)) return true;
      if (is_done && !is_clang_ && goes_by_result(branch.id) && is_end_of_loop(state.flags))
        return decides_ = true;
    }
  }
  if ((bits & k_upper) != 0)
    return refuse("decides by 8 bytes of a number that may have lost some", branch.address);
  if ((bits & k_number) != 0) return refuse("compares its thread's number", branch.address);
  if ((bits & k_carried) != 0) return refuse("decides by a value of earlier iterations", branch.address);
  if ((bits & k_partial) != 0) return refuse("decides by a partial result", branch.address);
  if ((bits & k_part) != 0)
    return refuse("decides by where its part begins, such as by i * i that is carried on", branch.address);
  return refuse("decides by a value of its loop behind it", branch.address);
}

/// Looks where `from` leads without passing `without`, on ways that return. `gets_there`: it leads to
/// `without`. Returns whether it also returns without that.
bool Prover::returns_without(const Walk& walk, std::uint32_t from, std::uint32_t without,
                             bool& gets_there) noexcept {
  const std::size_t mark = passing_.mark();
  const auto count = static_cast<std::uint32_t>(walk.function.blocks.size());
  auto* const open = passing_.make<std::uint32_t>(count + 2);
  auto* const seen = passing_.make<bool>(count);
  gets_there = false;
  if (open == nullptr || seen == nullptr) return !refuse("is too long", walk.function.entry());
  std::size_t waiting = 0;
  bool returns = false;
  open[waiting++] = from;
  while (waiting != 0) {
    const Block& block = walk.function.blocks[open[--waiting]];
    returns |= block.returns;
    for (const std::uint32_t next : block.next) {
      if (next == k_none || seen[next] || !walk.function.blocks[next].reaches_return) continue;
      gets_there |= next == without;
      seen[next] = true;
      if (next != without) open[waiting++] = next;
    }
  }
  passing_.release(mark);
  return returns;
}

/// Checks that no merge depends on a decision by the part: behind the decision all paths have it, or none.
bool Prover::check_decisions(const Walk& walk) noexcept {
  const auto count = static_cast<std::uint32_t>(walk.function.blocks.size());
  for (std::uint32_t merge = 0; merge < count; ++merge)
    for (std::uint32_t decision = 0; decision < count; ++decision) {
      if (!walk.has_merge[merge] || !walk.decides[decision]) continue;
      bool gets_there = false;
      if (returns_without(walk, decision, merge, gets_there) && gets_there)
        return refuse("decides by the bounds of its part whether it merges", walk.last(decision).address);
    }
  return !refusal_;
}

/// Checks that a loop of clang's over several iterations at a time has one over one at a time, behind it or
/// before, which executes the iterations that it leaves out. A counter of the program's is lost there, while
/// several iterations together may not show it.
bool Prover::check_rests(const Walk& walk) noexcept {
  const auto count = static_cast<std::uint32_t>(walk.function.blocks.size());
  const auto leads = [&](std::uint32_t from, std::uint32_t to) noexcept {
    bool gets_there = false;
    (void)returns_without(walk, from, to, gets_there);
    return gets_there;
  };
  for (std::uint32_t wide = 0; wide < count; ++wide) {
    if ((walk.loops[wide] & Walk::k_is_wide) == 0) continue;
    auto left = static_cast<std::uint8_t>(walk.loops[wide] & (Walk::k_has_effect | Walk::k_has_sum));
    for (std::uint32_t rest = 0; rest < count && left != 0; ++rest)
      if ((walk.loops[rest] & Walk::k_is_wide) == 0 && (walk.loops[rest] & left) != 0 &&
          (leads(wide, rest) || leads(rest, wide)))
        left &= static_cast<std::uint8_t>(~walk.loops[rest]);
    if (left != 0)
      return refuse("does what a loop of several iterations at a time leaves out in no loop",
                    walk.last(wide).address);
  }
  return !refusal_;
}

} // namespace wstree::proof
