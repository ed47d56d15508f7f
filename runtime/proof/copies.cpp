// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry of a turn, and the comparison of words of two iterations.
#include "copies.h"

#include "registers.h"

#include <algorithm>

namespace wstree::proof {
namespace {

constexpr std::uint32_t k_most_before = 8;
constexpr int k_most_depth = 40;
constexpr std::uint32_t k_early = 1U << 16; // epoch of loads in front of the loop

} // namespace

/// Executes the blocks that always stand in front of the loop.
void Copies::find_starts(const Function& function, std::uint32_t block) noexcept {
  std::uint32_t chain[k_most_before] = {};
  std::uint32_t count = 0;
  for (std::uint32_t at = block; count < k_most_before;) {
    std::uint32_t before = k_none;
    bool is_only = true;
    for (std::uint32_t edge = function.blocks[at].from; edge != k_none; edge = function.next_from[edge]) {
      const std::uint32_t from = edge / 2;
      if (from == block || function.blocks[from].order == k_none) continue;
      is_only &= before == k_none || before == from;
      before = from;
    }
    if (before == k_none || !is_only || function.blocks[before].is_cyclic || at == function.order[0]) break;
    chain[count++] = at = before;
  }
  Turn turn(words_, process_, stores_);
  turn.begin(k_early);
  turn.forget();
  while (count != 0) {
    const Block& shape = function.blocks[chain[--count]];
    for (std::uint32_t i = shape.first; i < shape.end; ++i) {
      const bool is_known = turn.step(function.instructions[i]);
      if (is_known && stores_.size() <= Turn::k_most_stores / 2) continue;
      turn.forget();
      stores_.clear();
    }
  }
  for (unsigned i = 0; i < k_units; ++i) starts_[i] = turn.unit(i);
}

/// Executes a turn that begins with `entries`.
bool Copies::run(const Function& function, std::uint32_t block, const Word* entries, Word* ends) noexcept {
  stores_.clear();
  Turn turn(words_, process_, stores_);
  for (unsigned i = 0; i < k_units; ++i) turn.set_unit(i, entries[i]);
  const Block& shape = function.blocks[block];
  for (std::uint32_t i = shape.first; i < shape.end; ++i)
    if (!turn.step(function.instructions[i])) return false;
  if (!turn.is_frame_apart()) return false;
  writes_frame_ = turn.writes_frame();
  reads_frame_ = turn.reads_frame();
  for (unsigned i = 0; i < k_units; ++i) ends[i] = turn.unit(i);
  return !words_.is_exhausted();
}

/// Returns a word at the begin of a turn that gets `step` more in each: in terms of a former one with the
/// same step that it is a constant apart from.
Word Copies::entry_of(Word leaf, Word step, Word start) noexcept {
  for (std::size_t i = 0; i < step_count_; ++i) {
    std::int64_t apart = 0;
    const Step& other = steps_[i];
    if (other.step != step || words_.at(other.leaf).size != words_.at(leaf).size) continue;
    if (words_.is_constant(words_.add(start, starts_of_[i], -1), apart))
      return words_.add(other.leaf, words_.constant(apart, words_.at(leaf).size));
  }
  starts_of_[step_count_] = start;
  steps_[step_count_++] = {leaf, step};
  return leaf;
}

/// Finds the registers' units at the begin of a turn: those that stay, those that get a constant step, and
/// others, which may be partial results.
bool Copies::find_entries(const Function& function, std::uint32_t block) noexcept {
  const auto is_fixed = [this](Word word) noexcept {
    const WordNode& node = words_.at(word);
    return !node.has_entry && !node.has_unknown && !node.has_partial;
  };
  Word leaves[k_units] = {};
  for (unsigned i = 0; i < k_units; ++i) leaves[i] = words_.leaf(WordNode::Kind::entry, i, 8);
  // Units that stay, at first if all others may change; then what those make of them.
  std::copy(leaves, leaves + k_units, entries_);
  if (!run(function, block, entries_, ends_)) return false;
  for (unsigned i = 0; i < k_units; ++i)
    if (ends_[i] == leaves[i]) entries_[i] = starts_[i];
  if (!run(function, block, entries_, ends_)) return false;
  for (unsigned i = 0; i < k_units; ++i) {
    const Word leaf = leaves[i];
    if (entries_[i] != leaf) continue;
    if (const Word step = words_.add(ends_[i], leaf, -1); is_fixed(step)) {
      entries_[i] = entry_of(leaf, step, starts_[i]);
      continue;
    }
    const Word partial = words_.leaf(WordNode::Kind::partial, i, 8);
    Word halves[2] = {};
    for (unsigned j = 0; j < 2; ++j) {
      const Word end = words_.half(ends_[i], j);
      const Word start = words_.half(starts_[i], j);
      const Word step = words_.add(end, words_.half(leaf, j), -1);
      halves[j] = end == start && is_fixed(end) ? end
                  : is_fixed(step)              ? entry_of(words_.half(leaf, j), step, start)
                                                : words_.half(partial, j);
    }
    entries_[i] = words_.pair(halves[0], halves[1]);
  }
  return run(function, block, entries_, ends_);
}

bool Copies::is_moved(Word leaf, Word& step) const noexcept {
  for (std::size_t i = 0; i < step_count_; ++i)
    if (steps_[i].leaf == leaf) {
      step = steps_[i].step;
      return true;
    }
  return false;
}

/// Which effects an iteration has had before the first `stores` stores of a turn, a bit each.
std::uint64_t Copies::stores_before(std::int64_t stores, std::int64_t lane) const noexcept {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.store < stores && piece.lane - kinds_[piece.kind].lanes.least == lane)
      mask |= std::uint64_t{1} << (piece.kind & 63);
  }
  return mask;
}

/// Returns whether a sum of terms is b's, `apart` iterations earlier.
bool Copies::is_same_sum(const WordNode& a, const WordNode& b, std::int64_t apart) noexcept {
  const unsigned size = a.size;
  Word rest = words_.constant(b.constant, size);
  Word moved = words_.constant(a.constant, size);
  std::uint32_t taken = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    const WordNode::Term term = a.terms[i];
    Word step = 0;
    const WordNode& node = words_.at(term.word);
    const bool is_half = node.kind == WordNode::Kind::half && node.code == 0;
    if (is_moved(term.word, step) || (is_half && is_moved(node.a, step))) {
      if (is_half && words_.at(step).size == 8) step = words_.half(step, 0);
      // The step of an iteration.
      const WordNode whole = words_.at(step);
      Word each = 0;
      std::int64_t constant = 0;
      if (words_.is_constant(step, constant)) {
        if (constant % times_ != 0) return false;
        each = words_.constant(constant / times_, size);
      } else if (whole.kind == WordNode::Kind::sum) {
        each = words_.constant(whole.constant / times_, size);
        if (whole.constant % times_ != 0) return false;
        for (std::size_t j = 0; j < whole.count; ++j) {
          if (whole.terms[j].factor % times_ != 0) return false;
          each = words_.add(each, whole.terms[j].word, whole.terms[j].factor / times_);
        }
      } else
        return false;
      moved = words_.add(moved, term.word, term.factor);
      moved = words_.add(moved, words_.scale(each, term.factor), apart);
      continue;
    }
    if (!node.has_entry && !node.has_load) {
      moved = words_.add(moved, term.word, term.factor);
      continue;
    }
    // A word that is made of some that move, or of memory.
    bool is_found = false;
    for (std::size_t j = 0; j < b.count && !is_found; ++j)
      if ((taken >> j & 1U) == 0 && b.terms[j].factor == term.factor && !is_sum_of_moved(b.terms[j].word) &&
          is_same_node(term.word, b.terms[j].word, apart)) {
        taken |= 1U << j;
        is_found = true;
      }
    if (!is_found) return false;
  }
  for (std::size_t j = 0; j < b.count; ++j)
    if ((taken >> j & 1U) == 0) rest = words_.add(rest, b.terms[j].word, b.terms[j].factor);
  return moved == rest;
}

/// Returns whether `b` is the word that `a` is, `apart` iterations later.
bool Copies::is_same(Word a, Word b, std::int64_t apart) noexcept {
  if (budget_ == 0 || depth_ == k_most_depth || a == 0 || b == 0) return false;
  --budget_;
  const WordNode x = words_.at(a);
  const WordNode y = words_.at(b);
  if (x.has_unknown || y.has_unknown || x.has_partial || y.has_partial || x.size != y.size) return false;
  if (!x.has_entry && !x.has_load) return a == b;
  WordNode::Term one{1, a};
  WordNode::Term other{1, b};
  const auto as_sum = [](const WordNode& node, const WordNode::Term& term) noexcept {
    if (node.kind == WordNode::Kind::sum) return node;
    WordNode sum;
    sum.kind = WordNode::Kind::sum;
    sum.size = node.size;
    sum.count = 1;
    sum.terms = &term;
    return sum;
  };
  ++depth_;
  const bool is = is_sum_of_moved(a) || is_sum_of_moved(b)
                      ? is_same_sum(as_sum(x, one), as_sum(y, other), apart)
                      : is_same_node(a, b, apart);
  --depth_;
  return is;
}

/// Returns whether a word is a sum, or moves from turn to turn by itself.
bool Copies::is_sum_of_moved(Word word) const noexcept {
  const WordNode& node = words_.at(word);
  Word step = 0;
  return node.kind == WordNode::Kind::sum || is_moved(word, step) ||
         (node.kind == WordNode::Kind::half && node.code == 0 && is_moved(node.a, step));
}

/// is_same() of words that are no sums.
bool Copies::is_same_node(Word a, Word b, std::int64_t apart) noexcept {
  const WordNode x = words_.at(a);
  const WordNode y = words_.at(b);
  if (x.kind != y.kind || x.code != y.code) return false;
  const auto are = [&](Word p, Word q) noexcept { return (p == 0 && q == 0) || is_same(p, q, apart); };
  switch (x.kind) {
  case WordNode::Kind::start:
  case WordNode::Kind::entry:
    return a == b && !x.has_entry;
  case WordNode::Kind::load: {
    const bool is_early = x.constant >= k_early || y.constant >= k_early;
    if (compares_loads_ &&
        (is_early ? x.constant != y.constant
                  : stores_before(x.constant, from_lane_) != stores_before(y.constant, from_lane_ + apart)))
      return false;
    return is_same(x.a, y.a, apart);
  }
  case WordNode::Kind::half:
  case WordNode::Kind::pair:
    return are(x.a, y.a) && are(x.b, y.b);
  case WordNode::Kind::operation:
    if (x.constant != y.constant) return false;
    if (are(x.a, y.a) && are(x.b, y.b) && are(x.c, y.c)) return true;
    return Words::commutes(x.code) && are(x.a, y.b) && are(x.b, y.a);
  default:
    return false;
  }
}

/// The distance in bytes of the places of two consecutive iterations; 0: it is not constant.
std::int64_t Copies::stride_of(Word address) noexcept {
  const WordNode node = words_.at(address);
  WordNode::Term one{1, address};
  const WordNode::Term* const terms = node.kind == WordNode::Kind::sum ? node.terms : &one;
  const std::size_t count = node.kind == WordNode::Kind::sum ? node.count : 1;
  std::int64_t stride = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Word step = 0;
    std::int64_t constant = 0;
    if (!words_.at(terms[i].word).has_entry) continue;
    if (!is_moved(terms[i].word, step) || !words_.is_constant(step, constant) || constant % times_ != 0)
      return 0;
    stride += constant / times_ * terms[i].factor;
  }
  return stride;
}

} // namespace wstree::proof
