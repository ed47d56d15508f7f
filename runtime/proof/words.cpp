// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "words.h"

#include "mixed.h"

#include <algorithm>
#include <utility>

namespace wstree::proof {
namespace {

constexpr std::size_t k_most_summands = 24;

std::int64_t cut(std::uint64_t value, unsigned size) noexcept {
  return size == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                   : static_cast<std::int64_t>(value);
}

std::int64_t product(std::int64_t a, std::int64_t b, unsigned size) noexcept {
  return cut(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b), size);
}

} // namespace

bool Words::commutes(std::uint32_t code) noexcept {
  switch (static_cast<WordOperation>(code)) {
  case WordOperation::bit_and:
  case WordOperation::bit_or:
  case WordOperation::bit_xor:
  case WordOperation::multiply:
  case WordOperation::multiply_wide:
  case WordOperation::add_float:
  case WordOperation::multiply_float:
  case WordOperation::least:
  case WordOperation::most:
  case WordOperation::least_unsigned:
  case WordOperation::most_unsigned:
    return true;
  default:
    return false;
  }
}

Words::Words(Arena& arena) noexcept : arena_(arena) {
  nodes_ = arena.make<WordNode>(k_most);
  slots_ = arena.make<std::uint32_t>(k_slots);
  exhausted_ = nodes_ == nullptr || slots_ == nullptr;
}

Word Words::intern(const WordNode& node) noexcept {
  if (exhausted_) return 0;
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(node.kind) << 8 | node.size, node.code);
  hash = mixed(mixed(mixed(hash, node.a), std::uint64_t{node.b} << 32 | node.c),
               static_cast<std::uint64_t>(node.constant));
  for (std::size_t i = 0; i < node.count; ++i)
    hash = mixed(mixed(hash, static_cast<std::uint64_t>(node.terms[i].factor)), node.terms[i].word);
  for (std::size_t i = hash % k_slots;; i = (i + 1) % k_slots) {
    const std::uint32_t found = slots_[i];
    if (found == 0) {
      if (count_ == k_most) break;
      WordNode& made = nodes_[count_] = node;
      if (node.count != 0) {
        auto* const terms = arena_.make<WordNode::Term>(node.count);
        if (terms == nullptr) break;
        std::copy(node.terms, node.terms + node.count, terms);
        made.terms = terms;
      }
      made.has_entry = node.kind == WordNode::Kind::entry;
      made.has_partial = node.kind == WordNode::Kind::partial;
      made.has_unknown = node.kind == WordNode::Kind::unknown;
      made.has_load = node.kind == WordNode::Kind::load;
      const auto inherit = [&](Word word) noexcept {
        made.has_entry |= nodes_[word].has_entry;
        made.has_partial |= nodes_[word].has_partial;
        made.has_unknown |= nodes_[word].has_unknown;
        made.has_load |= nodes_[word].has_load;
      };
      for (const Word word : {node.a, node.b, node.c}) inherit(word);
      for (std::size_t j = 0; j < node.count; ++j) inherit(node.terms[j].word);
      return slots_[i] = count_++;
    }
    const WordNode& other = nodes_[found];
    if (other.kind == node.kind && other.size == node.size && other.code == node.code && other.a == node.a &&
        other.b == node.b && other.c == node.c && other.constant == node.constant &&
        other.count == node.count &&
        std::equal(node.terms, node.terms + node.count, other.terms,
                   [](const WordNode::Term& x, const WordNode::Term& y) noexcept {
                     return x.factor == y.factor && x.word == y.word;
                   }))
      return found;
  }
  exhausted_ = true;
  return 0;
}

Word Words::constant(std::int64_t value, unsigned size) noexcept {
  WordNode node;
  node.kind = WordNode::Kind::sum;
  node.size = static_cast<std::uint8_t>(size);
  node.constant = cut(static_cast<std::uint64_t>(value), size);
  return intern(node);
}

Word Words::leaf(WordNode::Kind kind, std::uint32_t code, unsigned size) noexcept {
  WordNode node;
  node.kind = kind;
  node.size = static_cast<std::uint8_t>(size);
  node.code = code;
  return intern(node);
}

Word Words::load(Word address, unsigned bytes, std::uint32_t stores) noexcept {
  WordNode node;
  node.kind = WordNode::Kind::load;
  node.size = 4;
  node.code = bytes;
  node.a = address;
  node.constant = stores;
  return intern(node);
}

bool Words::is_constant(Word word, std::int64_t& value) const noexcept {
  const WordNode& node = at(word);
  value = node.constant;
  return word != 0 && node.kind == WordNode::Kind::sum && node.count == 0;
}

Word Words::sum_of(const WordNode::Term* terms, std::size_t count, std::int64_t constant,
                   unsigned size) noexcept {
  if (count == 1 && terms[0].factor == 1 && constant == 0) return terms[0].word;
  WordNode node;
  node.kind = WordNode::Kind::sum;
  node.size = static_cast<std::uint8_t>(size);
  node.constant = constant;
  node.count = static_cast<std::uint8_t>(count);
  node.terms = terms;
  return intern(node);
}

Word Words::add(Word a, Word b, std::int64_t factor) noexcept {
  const unsigned size = at(a).size;
  if (a == 0 || b == 0 || at(b).size != size) return unknown(size);
  WordNode::Term terms[k_most_summands];
  std::size_t count = 0;
  std::uint64_t constant = 0;
  bool has_room = true;
  const auto put = [&](Word word, std::int64_t times) noexcept {
    WordNode::Term* const place =
        std::lower_bound(terms, terms + count, word,
                         [](const WordNode::Term& term, Word other) noexcept { return term.word < other; });
    if (place != terms + count && place->word == word) {
      place->factor =
          cut(static_cast<std::uint64_t>(place->factor) + static_cast<std::uint64_t>(times), size);
      if (place->factor == 0) {
        std::copy(place + 1, terms + count, place);
        --count;
      }
      return;
    }
    if (times == 0) return;
    if (count == k_most_summands) {
      has_room = false;
      return;
    }
    std::copy_backward(place, terms + count, terms + count + 1);
    *place = {times, word};
    ++count;
  };
  const auto put_all = [&](Word word, std::int64_t times) noexcept {
    const WordNode& node = at(word);
    if (node.kind != WordNode::Kind::sum) return put(word, cut(static_cast<std::uint64_t>(times), size));
    constant += static_cast<std::uint64_t>(node.constant) * static_cast<std::uint64_t>(times);
    for (std::size_t i = 0; i < node.count; ++i)
      put(node.terms[i].word, product(node.terms[i].factor, times, size));
  };
  put_all(a, 1);
  put_all(b, factor);
  return has_room ? sum_of(terms, count, cut(constant, size), size) : unknown(size);
}

/// The first 4 bytes of a word of 8, or (index 1) the others.
Word Words::half(Word word, unsigned index) noexcept {
  const WordNode node = at(word);
  switch (node.kind) {
  case WordNode::Kind::pair:
    return index == 0 ? node.a : node.b;
  case WordNode::Kind::sum: {
    if (node.count == 0) return constant(index == 0 ? node.constant : node.constant >> 32, 4);
    if (index != 0) break;
    // Modulo 2^32 the sum of the first halves.
    Word sum = constant(node.constant, 4);
    for (std::size_t i = 0; i < node.count; ++i)
      sum = add(sum, half(node.terms[i].word, 0), node.terms[i].factor);
    return sum;
  }
  case WordNode::Kind::operation:
    if (is_operation(word, WordOperation::zero_extend)) return index == 0 ? node.a : constant(0, 4);
    if (is_operation(word, WordOperation::sign_extend) && index == 0) return node.a;
    break;
  default:
    break;
  }
  WordNode made;
  made.kind = WordNode::Kind::half;
  made.size = 4;
  made.a = word;
  made.code = index;
  return intern(made);
}

Word Words::pair(Word low, Word high) noexcept {
  std::int64_t first = 0;
  std::int64_t second = 0;
  if (is_constant(high, second)) {
    if (is_constant(low, first))
      return constant(static_cast<std::int64_t>(static_cast<std::uint64_t>(second) << 32 |
                                                static_cast<std::uint32_t>(first)),
                      8);
    if (second == 0) return zero_extended(low);
  }
  const WordNode& other = at(high);
  if (other.kind == WordNode::Kind::half && other.code == 1 && half(other.a, 0) == low) return at(high).a;
  WordNode made;
  made.kind = WordNode::Kind::pair;
  made.size = 8;
  made.a = low;
  made.b = high;
  return intern(made);
}

Word Words::zero_extended(Word word) noexcept {
  std::int64_t value = 0;
  if (is_constant(word, value)) return constant(static_cast<std::uint32_t>(value), 8);
  return operation(WordOperation::zero_extend, 8, word);
}

Word Words::sign_extended(Word word) noexcept {
  std::int64_t value = 0;
  if (is_constant(word, value)) return constant(value, 8);
  return operation(WordOperation::sign_extend, 8, word);
}

Word Words::operation(std::uint32_t code, unsigned size, Word a, Word b, Word c,
                      std::int64_t constant) noexcept {
  if (commutes(code) && b < a) std::swap(a, b);
  WordNode node;
  node.kind = WordNode::Kind::operation;
  node.size = static_cast<std::uint8_t>(size);
  node.code = code;
  node.a = a;
  node.b = b;
  node.c = c;
  node.constant = constant;
  return intern(node);
}

} // namespace wstree::proof
