// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting texts by their beginnings: a comparison of two strings waits for memory, because each string owns
// some elsewhere. So a team sorts pairs of eight characters and a place, then each row of equal pairs by the
// characters that follow, and then moves each string once.
#pragma once

#include "wstree/parallel/fold.h"
#include "wstree/parallel/merge_tree.h"
#include "wstree/parallel/part_of.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// True if operator< of T compares characters as bytes. A class derived from a string may have another one.
template <class T> inline constexpr bool k_is_text = std::is_same_v<T, std::string_view>;
template <class Allocator>
inline constexpr bool k_is_text<std::basic_string<char, std::char_traits<char>, Allocator>> = true;
/// True if `less(a, b)` of two T is a < b.
template <class Compare, class T>
inline constexpr bool k_is_less =
    std::is_same_v<Compare, Less> || std::is_same_v<Compare, std::less<>> ||
    std::is_same_v<Compare, std::less<T>> || std::is_same_v<Compare, std::ranges::less>;

/// Eight characters, of which the first one counts most; 0 stands behind the end of a text.
struct TextKey {
  std::uint64_t beginning;
  std::size_t place;
};

template <class Iterator> class TextSort {
public:
  /// Sorts n texts from `first` on, equal ones in their order. Returns false if there is no memory: nothing
  /// has happened then.
  template <class Policy> static bool sort(const Policy& policy, Iterator first, std::size_t n) {
    const Room<T> room(n, std::nothrow);
    const Room<TextKey> keys(n, std::nothrow);
    if (!room || !keys) return false;
    const Live<Iterator> live{first};
    TextKey* const key = keys.raw().first;
    const par part = part_of(policy);
    for_each_chunk(part, std::size_t{0}, n, [key](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) key[i] = {0, i};
    });
    // The memory for the texts is that of the merges until these are done.
    static_assert(sizeof(T) >= sizeof(TextKey) && alignof(T) >= alignof(TextKey));
    auto* const memory = static_cast<TextKey*>(static_cast<void*>(room.raw().first));
    if (!TextSort(live).sort_keys(policy, {key, memory, n}, 0, 0)) return false;
    // All texts have to arrive, even after a stop: no call of the policy's token here.
    const Raw<T> raw = room.raw();
    for_each_chunk(part, std::size_t{0}, n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (end - i > k_ahead) __builtin_prefetch(std::addressof(live[key[i + k_ahead].place]));
        relocate(live, key[i].place, raw, i);
      }
    });
    for_each_chunk(part, std::size_t{0}, n,
                   [&](std::size_t begin, std::size_t end) { relocate_all(raw, begin, end, live, begin); });
    return true;
  }

private:
  using T = std::iter_value_t<Iterator>;
  static constexpr std::size_t k_sample = 32, k_ahead = 8, k_shared = 4096;
  /// Eight characters at a time: the texts that are still alike are compared as a whole.
  static constexpr unsigned k_rounds = 4;

  /// Keys, and memory for as many.
  struct Row {
    TextKey *key, *memory;
    std::size_t count;
  };
  /// The characters that the keys of a row stand for.
  struct Beginnings {
    std::size_t common;       // characters in front of them, which all texts of the row have in common
    bool are_complete = true; // all texts are as long as the first one, and have nothing else
  };

  explicit TextSort(const Live<Iterator>& live) : live_(live) {}

  /// Sorts the keys of texts that begin alike up to `depth` characters, or end before. Returns false if there
  /// is no memory.
  template <class Policy>
  bool sort_keys(const Policy& policy, const Row& all, std::size_t depth, unsigned round) const {
    TextKey* const key = all.key;
    const std::size_t count = all.count;
    if (count < k_sample || round == k_rounds) {
      std::sort(key, key + count, [this](const TextKey& a, const TextKey& b) {
        const int order = live_[a.place].compare(live_[b.place]);
        return order != 0 ? order < 0 : a.place < b.place;
      });
      return true;
    }
    const par part = part_of(policy);
    const Beginnings made = make_keys(part, key, count, depth);
    if (count < k_shared) {
      std::sort(key, key + count, [](const TextKey& a, const TextKey& b) {
        return a.beginning != b.beginning ? a.beginning < b.beginning : a.place < b.place;
      });
    } else {
      const auto less = [](const TextKey& a, const TextKey& b) { return a.beginning < b.beginning; };
      MergeTree<Stability::stable, Policy, TextKey*, decltype(less)> tree(
          policy, key, count, merge_levels(count, most_members(policy)), less, all.memory);
      if (!tree.has_memory()) return false;
      tree.execute();
    }
    if (made.are_complete) return true;
    const auto sort_row = [&](const Span& row) {
      return sort_keys(part, {key + row.begin, all.memory + row.begin, row.size()},
                       made.common + sizeof key->beginning, round + 1);
    };
    if (count < k_shared) return for_rows(key, count, sort_row);
    // Found before one is sorted, because that changes the keys.
    const Room<Span> rows(count / 2, std::nothrow);
    if (!rows) return false;
    std::size_t found = 0;
    for_rows(key, count, [&](const Span& row) { return rows.raw().put(found++, Span(row)), true; });
    std::atomic<bool> has_memory{true};
    for_each_chunk(part, std::size_t{0}, found, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (!sort_row(rows.raw()[i]))
          has_memory.store(false, std::memory_order_relaxed); // relaxed: the end of the call orders it
    });
    return has_memory.load(std::memory_order_relaxed); // likewise
  }

  /// Calls action(row) for each row of several equal keys until it returns false. Returns its last answer.
  template <class Action> static bool for_rows(const TextKey* key, std::size_t count, const Action& action) {
    for (Span row{0, 0}; row.begin < count; row.begin = row.end) {
      const std::uint64_t beginning = key[row.begin].beginning;
      while (++row.end < count && key[row.end].beginning == beginning) {
      }
      if (row.size() > 1 && !action(row)) return false;
    }
    return true;
  }

  /// Puts the beginnings of texts behind the prefix that all `count` have in common into their keys.
  Beginnings make_keys(const par& part, TextKey* key, std::size_t count, std::size_t depth) const {
    const T& first = live_[key[0].place];
    std::size_t likely = first.size();
    for (std::size_t k = 1; k < k_sample; ++k)
      likely = common_with(first, live_[key[k * (count / k_sample)].place], depth, likely);
    for (;;) {
      // relaxed, everywhere: the end of the call orders them.
      std::atomic<std::size_t> common{likely};
      std::atomic<bool> are_complete{first.size() <= likely + sizeof key->beginning};
      in_chunks(part, count, [&](std::size_t begin, std::size_t end) {
        std::size_t least_common = likely;
        bool have_size = true;
        for (std::size_t i = begin; i < end; ++i) {
          const T& text = live_[key[i].place];
          least_common = common_with(first, text, depth, least_common);
          have_size &= text.size() == first.size();
          key[i].beginning = beginning_of(text, likely);
        }
        if (!have_size) are_complete.store(false, std::memory_order_relaxed);
        std::size_t seen = common.load(std::memory_order_relaxed);
        while (least_common < seen &&
               !common.compare_exchange_weak(seen, least_common, std::memory_order_relaxed)) {
        }
      });
      const std::size_t known = std::exchange(likely, common.load(std::memory_order_relaxed));
      if (known == likely) return {known, are_complete.load(std::memory_order_relaxed)};
    }
  }

  /// Calls chunk(begin, end) for pieces of `count` elements, which a team shares if they are many.
  template <class Chunk> static void in_chunks(const par& part, std::size_t count, const Chunk& chunk) {
    if (count < k_shared)
      chunk(std::size_t{0}, count);
    else
      for_each_chunk(part, std::size_t{0}, count, chunk);
  }

  /// Returns how many of the first `most` characters both texts have in common. The first `depth` characters
  /// are equal.
  static std::size_t common_with(const T& first, const T& text, std::size_t depth,
                                 std::size_t most) noexcept {
    const char *const a = first.data(), *const b = text.data();
    const std::size_t end = std::min<std::size_t>(most, text.size());
    std::size_t i = std::min(depth, end);
    if (end == most && __builtin_memcmp(a + i, b + i, most - i) == 0) return most;
    while (i < end && a[i] == b[i]) ++i;
    return i;
  }
  /// Returns the characters behind the first `common` ones.
  static std::uint64_t beginning_of(const T& text, std::size_t common) noexcept {
    unsigned char bytes[8] = {};
    const std::size_t left = text.size() - std::min<std::size_t>(common, text.size());
    if (left >= sizeof bytes)
      __builtin_memcpy(bytes, text.data() + common, sizeof bytes);
    else
      for (std::size_t i = 0; i < left; ++i) bytes[i] = static_cast<unsigned char>(text.data()[common + i]);
    std::uint64_t beginning = 0;
    for (const unsigned char byte : bytes) beginning = beginning << 8 | byte;
    return beginning;
  }

  Live<Iterator> live_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
