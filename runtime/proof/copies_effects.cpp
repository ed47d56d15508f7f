// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effects of the iterations of a turn: stores, and values that are put into sums.
#include "copies.h"

#include "registers.h"
#include "values.h"

#include <algorithm>

namespace wstree::proof {
namespace {

constexpr std::uint32_t k_float_sum = static_cast<std::uint32_t>(WordOperation::add_float);
constexpr std::uint32_t k_most_words = 60000; // words that are compared for one loop
constexpr std::size_t k_most_kinds = 64;
constexpr std::size_t k_most_pieces = 512;

} // namespace

/// Returns some bytes of a lane of 4; 0: unknown.
Word Copies::piece_of(Word lane, unsigned offset, unsigned bytes) noexcept {
  const WordNode node = words_.at(lane);
  if (bytes == 4) return lane;
  std::int64_t value = 0;
  const std::int64_t mask = (std::int64_t{1} << 8 * bytes) - 1;
  if (words_.is_constant(lane, value)) return words_.constant(value >> 8 * offset & mask, 4);
  if (node.kind == WordNode::Kind::load && node.code == 4)
    return words_.load(words_.add(node.a, words_.constant(offset, 8)), bytes,
                       static_cast<std::uint32_t>(node.constant));
  if (words_.is_operation(lane, WordOperation::bit_and) || words_.is_operation(lane, WordOperation::bit_or) ||
      words_.is_operation(lane, WordOperation::bit_xor) ||
      words_.is_operation(lane, WordOperation::and_not)) {
    const Word a = piece_of(node.a, offset, bytes);
    const Word b = piece_of(node.b, offset, bytes);
    return a == 0 || b == 0 ? 0 : words_.operation(node.code, 4, a, b);
  }
  return 0;
}

bool Copies::Lanes::add(std::int64_t lane) noexcept {
  const auto place = static_cast<std::uint64_t>(lane + k_most_times);
  std::uint64_t& word = taken[place / 64];
  const std::uint64_t bit = std::uint64_t{1} << place % 64;
  if ((word & bit) != 0) return false;
  word |= bit;
  ++count;
  least = std::min(least, lane);
  most = std::max(most, lane);
  return true;
}

/// Finds which effect of which iteration a piece is, by its address.
bool Copies::find_kind(Piece& piece, bool is_shared) noexcept {
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    Kind& kind = kinds_[k];
    const Piece& first = pieces_[kind.first];
    if (first.bytes != piece.bytes || first.code != piece.code) continue;
    if (is_shared && kind.lanes.count == times_) continue;
    const bool is_fixed = is_shared && !words_.at(piece.value).has_entry;
    const std::int64_t end = kind.lanes.least + times_;
    for (std::int64_t lane = kind.lanes.most - times_ + 1; lane < end; ++lane) {
      if (is_fixed && lane != kind.lanes.most + 1) continue;
      if (!is_same(first.address, piece.address, lane)) continue;
      if (is_shared && !is_same(first.value, piece.value, lane)) continue;
      if (!kind.lanes.add(lane)) {
        if (is_shared) continue;
        return false;
      }
      piece.kind = k;
      piece.lane = lane;
      return true;
    }
  }
  piece.kind = static_cast<std::uint32_t>(kinds_.size());
  Kind made{static_cast<std::uint32_t>(pieces_.size()), {}};
  (void)made.lanes.add(0);
  return kinds_.size() < k_most_kinds && kinds_.add(made);
}

/// Cuts the stores into pieces of one iteration each.
bool Copies::find_pieces() noexcept {
  for (std::uint32_t i = 0; i < stores_.size(); ++i) {
    const TurnStore store = stores_[i];
    const WordNode node = words_.at(store.address);
    // All iterations may put something into one place by an atomic operation.
    const bool is_shared = store.code != 0 && !node.has_entry;
    if ((!node.has_entry && !is_shared) || node.has_unknown || node.has_partial) return false;
    const std::int64_t distance = stride_of(store.address);
    const std::int64_t stride = distance < 0 ? -distance : distance;
    const std::uint32_t bytes =
        stride != 0 && stride < store.bytes ? static_cast<std::uint32_t>(stride) : std::min(store.bytes, 8U);
    if (store.bytes % bytes != 0 || (bytes & (bytes - 1)) != 0) return false;
    for (std::uint32_t at = 0; at < store.bytes; at += bytes) {
      const Word* const lanes = store.lanes + at / 4;
      Piece piece{};
      piece.address = words_.add(store.address, words_.constant(at, 8));
      piece.bytes = bytes;
      piece.code = store.code;
      piece.store = i;
      piece.value = bytes == 8             ? words_.pair(lanes[0], lanes[1])
                    : store.bytes == bytes ? lanes[0]
                                           : piece_of(lanes[0], at % 4, bytes);
      if (piece.value == 0 || pieces_.size() == k_most_pieces || !find_kind(piece, is_shared) ||
          !pieces_.add(piece))
        return false;
    }
  }
  return std::all_of(kinds_.begin(), kinds_.end(),
                     [this](const Kind& kind) noexcept { return kind.lanes.are_all(times_); });
}

/// Finds the iteration of each piece of a store by its address, and compares the values.
bool Copies::compare_stores() noexcept {
  compares_loads_ = false;
  if (!find_pieces()) return false;
  const auto times = static_cast<std::size_t>(times_);
  store_of_ = arena_.make<std::uint32_t>(kinds_.size() * times + 1);
  if (store_of_ == nullptr) return false;
  const auto place_of = [&](const Piece& piece) noexcept {
    return static_cast<std::size_t>(piece.lane - kinds_[piece.kind].lanes.least);
  };
  for (const Piece& piece : pieces_) store_of_[piece.kind * times + place_of(piece)] = piece.store;
  compares_loads_ = true;
  for (const Piece& piece : pieces_) {
    const Kind& kind = kinds_[piece.kind];
    const Piece& first = pieces_[kind.first];
    from_lane_ = -kind.lanes.least;
    if (!is_same(first.address, piece.address, piece.lane) || !is_same(first.value, piece.value, piece.lane))
      return false;
    // In the order of the first iteration.
    for (std::size_t other = 0; other < kinds_.size(); ++other) {
      const std::uint32_t its = store_of_[other * times + place_of(piece)];
      const bool was_before = store_of_[piece.kind * times] < store_of_[other * times];
      if (piece.store != its && (piece.store < its) != was_before) return false;
    }
  }
  return true;
}

/// Notes a value that is put into a sum.
bool Copies::put_in(std::uint32_t sum, Word word, std::int64_t factor, std::uint32_t code,
                    bool is_negative) noexcept {
  const WordNode& node = words_.at(word);
  return !node.has_partial && !node.has_unknown && parts_.size() < 512 &&
         parts_.add({sum, factor, word, code, is_negative, 0});
}

/// Takes a sum apart: `leaf` must be in it once, and all else is put in.
bool Copies::flatten(Word word, Word leaf, std::uint32_t& code, std::uint32_t sum, bool is_negative,
                     bool& is_found) noexcept {
  if (word == leaf) {
    const bool is_first = !is_found && !is_negative;
    is_found = true;
    return is_first;
  }
  const WordNode node = words_.at(word);
  if (node.kind == WordNode::Kind::operation) {
    const bool is_fused = node.code == X86_INS_VFMADD231PD || node.code == X86_INS_VFMADD231PS;
    const bool is_difference = node.code == static_cast<std::uint32_t>(WordOperation::subtract_float);
    const std::uint32_t kind = is_fused || is_difference ? k_float_sum : node.code;
    switch (static_cast<WordOperation>(kind)) {
    case WordOperation::add_float:
    case WordOperation::multiply_float:
    case WordOperation::bit_and:
    case WordOperation::bit_or:
    case WordOperation::bit_xor:
    case WordOperation::multiply:
    case WordOperation::least:
    case WordOperation::most:
    case WordOperation::least_unsigned:
    case WordOperation::most_unsigned:
      if (code == 0 && node.has_partial) code = kind;
      if (code == kind)
        return flatten(node.a, leaf, code, sum, is_negative, is_found) &&
               flatten(node.b, leaf, code, sum, is_negative != is_difference, is_found);
      break;
    default:
      break;
    }
  }
  return put_in(sum, word, 1, code, is_negative);
}

bool Copies::find_sum(Word leaf, Word end) noexcept {
  if (leaf == end || !words_.at(end).has_partial || sum_count_ == k_most_sums) return false;
  const std::uint32_t number = sum_count_;
  const std::size_t parts = parts_.size();
  Sum sum{leaf, end, 0, number, 0};
  bool is_found = false;
  bool holds = false;
  const WordNode node = words_.at(end);
  if (node.kind == WordNode::Kind::sum) {
    holds = true;
    sum.constant = node.constant;
    for (std::size_t i = 0; i < node.count && holds; ++i) {
      if (node.terms[i].word == leaf && node.terms[i].factor == 1)
        is_found = true;
      else
        holds = put_in(number, node.terms[i].word, node.terms[i].factor, 0, false);
    }
  } else
    holds = flatten(end, leaf, sum.code, number, false, is_found);
  if (!holds || !is_found) {
    while (parts_.size() > parts) parts_.pop();
    return false;
  }
  sums_[sum_count_++] = sum;
  return true;
}

/// Finds the class of a value: values that are one function of the iteration.
bool Copies::classify(std::uint32_t number) noexcept {
  Part& part = parts_[number];
  const std::uint8_t size = words_.at(part.word).size;
  const bool is_fixed = !words_.at(part.word).has_entry;
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    Class& found = classes_[i];
    const Part& first = parts_[found.first];
    if (first.code != part.code || first.factor != part.factor || first.is_negative != part.is_negative ||
        words_.at(first.word).size != size || found.lanes.count == times_ ||
        sums_[first.sum].code != sums_[part.sum].code)
      continue;
    const std::int64_t end = found.lanes.least + times_;
    for (std::int64_t lane = found.lanes.most - times_ + 1; lane < end; ++lane) {
      if (is_fixed && lane != found.lanes.most + 1) continue;
      if (!is_same(first.word, part.word, lane) || !found.lanes.add(lane)) continue;
      if (found.sum != part.sum) {
        // The sums have the iterations together.
        found.sum = k_several;
        const std::uint32_t from = sums_[part.sum].component;
        const std::uint32_t to = sums_[first.sum].component;
        for (std::uint32_t j = 0; j < sum_count_; ++j)
          if (sums_[j].component == from) sums_[j].component = to;
      }
      part.lane = lane;
      class_of_[number] = i;
      return true;
    }
  }
  class_of_[number] = static_cast<std::uint32_t>(classes_.size());
  Class made{number, part.sum, {}};
  (void)made.lanes.add(0);
  return classes_.add(made);
}

/// Compares the values that are put into the sums of a turn: each is put in for each of its iterations once.
bool Copies::compare_sums() noexcept {
  for (unsigned i = 0; i < k_units; ++i) {
    if (!words_.at(entries_[i]).has_partial) continue;
    const Word leaf = words_.leaf(WordNode::Kind::partial, i, 8);
    if (entries_[i] == leaf && find_sum(leaf, ends_[i])) continue;
    for (unsigned j = 0; j < 2; ++j) {
      const Word half = words_.half(leaf, j);
      if (words_.half(entries_[i], j) == half) (void)find_sum(half, words_.half(ends_[i], j));
    }
  }
  class_of_ = arena_.make<std::uint32_t>(parts_.size() + 1);
  if (class_of_ == nullptr) return false;
  compares_loads_ = false;
  for (std::uint32_t i = 0; i < parts_.size(); ++i)
    if (!classify(i)) return false;
  for (const Class& found : classes_)
    if (!found.lanes.are_all(times_)) return false;
  compares_loads_ = true;
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    const Class& found = classes_[class_of_[i]];
    from_lane_ = -found.lanes.least;
    if (!is_same(parts_[found.first].word, parts_[i].word, parts_[i].lane)) return false;
  }
  // Constants: as much for each iteration.
  for (std::uint32_t i = 0; i < sum_count_; ++i) {
    std::int64_t all = 0;
    std::uint32_t members = 0;
    for (std::uint32_t j = 0; j < sum_count_; ++j) {
      if (sums_[j].component != sums_[i].component) continue;
      all += sums_[j].constant;
      ++members;
    }
    if (sums_[i].constant * members != all || all % times_ != 0) return false;
  }
  return true;
}

bool Copies::are_alike(const Function& function, std::uint32_t block, std::int64_t times) noexcept {
  if (times > k_most_times) return false;
  times_ = times;
  budget_ = k_most_words;
  find_starts(function, block);
  return find_entries(function, block) && compare_stores() && compare_sums() && !words_.is_exhausted();
}

const Copies::Sum* Copies::sum_of(Word leaf) const noexcept {
  for (std::uint32_t i = 0; i < sum_count_; ++i)
    if (sums_[i].leaf == leaf) return sums_ + i;
  return nullptr;
}

Copies::Share Copies::share_of(unsigned unit, unsigned lanes) noexcept {
  const Word leaf = words_.leaf(WordNode::Kind::partial, unit, 8);
  Share share = Share::whole;
  const auto look = [&](Word word) noexcept {
    const Sum* const sum = sum_of(word);
    if (sum == nullptr) {
      share = Share::none;
      return;
    }
    for (std::uint32_t i = 0; i < sum_count_; ++i)
      if (sums_ + i != sum && sums_[i].component == sum->component && share == Share::whole)
        share = Share::some;
  };
  if (lanes == 0) look(leaf);
  for (unsigned j = 0; j < 2; ++j)
    if ((lanes >> j & 1U) != 0) look(words_.half(leaf, j));
  return share;
}

std::uint32_t Copies::execute_behind(const Function& function, std::uint32_t block,
                                     const std::uint16_t* members) noexcept {
  const Block& shape = function.blocks[block];
  const auto run = [&](std::uint32_t end) noexcept {
    stores_.clear();
    Turn turn(words_, process_, stores_);
    turn.forget();
    for (unsigned i = 0; i < k_units; ++i)
      if (members[i] != 0) turn.set_unit(i, words_.leaf(WordNode::Kind::partial, members[i] - 1U, 8));
    for (std::uint32_t i = shape.first; i < end; ++i)
      if (!turn.step(function.instructions[i]) || stores_.size() != 0) return i;
    for (unsigned i = 0; i < k_units; ++i) ends_[i] = turn.unit(i);
    return end;
  };
  return run(run(shape.end));
}

/// Looks for partial results in a sum of them, each of which must be there once.
bool Copies::gather(Word word, std::uint32_t code, std::uint32_t& component, std::uint64_t& seen) noexcept {
  const WordNode node = words_.at(word);
  if (!node.has_partial) return true;
  if (const Sum* const sum = sum_of(word)) {
    const std::uint64_t bit = std::uint64_t{1} << (sum - sums_);
    if (sum->code != code || (component != k_several && sum->component != component) || (seen & bit) != 0)
      return false;
    component = sum->component;
    seen |= bit;
    return true;
  }
  if (node.kind == WordNode::Kind::sum && code == 0) {
    for (std::size_t i = 0; i < node.count; ++i)
      if (words_.at(node.terms[i].word).has_partial &&
          (node.terms[i].factor != 1 || !gather(node.terms[i].word, code, component, seen)))
        return false;
    return true;
  }
  return node.kind == WordNode::Kind::operation && node.code == code &&
         gather(node.a, code, component, seen) && gather(node.b, code, component, seen);
}

/// `member`: the unit whose sum it would be by itself.
Copies::Share Copies::share_behind(unsigned unit, unsigned lanes, unsigned member) noexcept {
  Share share = Share::whole;
  const auto look = [&](Word word, Word leaf) noexcept {
    const WordNode node = words_.at(word);
    const Sum* const sum = sum_of(word);
    const std::uint32_t code = sum != nullptr ? sum->code : node.kind == WordNode::Kind::sum ? 0 : node.code;
    std::uint32_t component = k_several;
    std::uint64_t seen = 0;
    if (!gather(word, code, component, seen) || seen == 0) {
      share = Share::none;
      return;
    }
    std::uint64_t all = 0;
    for (std::uint32_t i = 0; i < sum_count_; ++i)
      if (sums_[i].component == component) all |= std::uint64_t{1} << i;
    if (seen == all) return;
    const Sum* const own = sum_of(leaf);
    const bool is_own = own != nullptr && seen == std::uint64_t{1} << (own - sums_);
    if (!is_own)
      share = Share::none;
    else if (share == Share::whole)
      share = Share::some;
  };
  const Word leaf = words_.leaf(WordNode::Kind::partial, member, 8);
  if (lanes == 0) look(ends_[unit], leaf);
  for (unsigned j = 0; j < 2; ++j)
    if ((lanes >> j & 1U) != 0) look(words_.half(ends_[unit], j), words_.half(leaf, j));
  return share;
}

} // namespace wstree::proof
