// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting texts by their beginnings: what a comparison of two strings waits for is memory, because each
// string owns some elsewhere. So a team sorts pairs of eight characters and a place, then moves each string
// once, and then sorts those whose eight characters are equal, which are neighbours.
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

namespace wstree {
inline namespace v1 {
namespace detail {

/// Whether operator< of T compares characters as bytes. What is derived from a string may have another one.
template <class T> inline constexpr bool k_is_text = std::is_same_v<T, std::string_view>;
template <class Allocator>
inline constexpr bool k_is_text<std::basic_string<char, std::char_traits<char>, Allocator>> = true;
/// Whether `less(a, b)` of two T is a < b.
template <class Compare, class T>
inline constexpr bool k_is_less =
    std::is_same_v<Compare, Less> || std::is_same_v<Compare, std::less<>> ||
    std::is_same_v<Compare, std::less<T>> || std::is_same_v<Compare, std::ranges::less>;

/// Of eight characters, the first one counts most; what a text does not have is 0.
struct TextKey {
  std::uint64_t beginning;
  std::size_t place;
};

template <class Iterator> class TextSort {
public:
  /// Sorts n texts from `first` on, of which there are several; sort_rest(part, i, count) sorts `count` from
  /// i on. Returns false if that does not pay, or if there is no memory: nothing has happened then.
  template <Stability k_stability, class Policy, class SortRest>
  static bool sort(const Policy& policy, Iterator first, std::size_t n, unsigned levels,
                   SortRest&& sort_rest) {
    TextSort texts(first, n);
    if (!texts.are_told_apart()) return false;
    const Room<T> room(n, std::nothrow);
    const Room<TextKey> keys(n, std::nothrow);
    if (!room || !keys) return false;
    const par part = part_of(policy);
    TextKey* const key = keys.raw().first;
    for (bool is_first = true; texts.make_keys(part, key); is_first = false)
      if (!is_first || !texts.are_told_apart()) return false;
    const auto less = [](const TextKey& a, const TextKey& b) { return a.beginning < b.beginning; };
    MergeTree<k_stability, Policy, TextKey*, decltype(less)> tree(policy, key, n, levels, less);
    if (!tree.has_memory()) return false;
    tree.execute();
    // Without the policy's token: every text has to arrive.
    const Raw<T> raw = room.raw();
    for_each_chunk(part, std::size_t{0}, n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (end - i > k_ahead) __builtin_prefetch(std::addressof(texts.live_[key[i + k_ahead].place]));
        relocate(texts.live_, key[i].place, raw, i);
      }
    });
    for_each_chunk(part, std::size_t{0}, n, [&](std::size_t begin, std::size_t end) {
      relocate_all(raw, begin, end, texts.live_, begin);
    });
    if (texts.are_complete_) return true;
    const auto is_like_next = [&](std::size_t i) { return key[i].beginning == key[i + 1].beginning; };
    for_each_chunk(part, std::size_t{0}, n, [&](std::size_t i, std::size_t end) {
      while (i < end && i != 0 && is_like_next(i - 1)) ++i; // of the chunk before
      while (i < end) {
        const std::size_t begin = i;
        while (i + 1 < n && is_like_next(i)) ++i;
        if (++i - begin > 1) sort_rest(part, begin, i - begin);
      }
    });
    return true;
  }

private:
  using T = std::iter_value_t<Iterator>;
  static constexpr std::size_t k_sample = 32, k_ahead = 8;
  /// Of the pairs of a sample, a part that differ and whose beginnings do not.
  static constexpr std::size_t k_most_alike = 16;

  TextSort(Iterator first, std::size_t n) : live_{first}, count_(n), common_(live_[0].size()) {
    for (std::size_t k = 1; k < k_sample; ++k) common_ = common_with(sample(k), common_);
  }

  const T& sample(std::size_t k) const { return live_[k * (count_ / k_sample)]; }
  /// How many of the first `most` characters the text has in common with the first one, which has as many.
  std::size_t common_with(const T& text, std::size_t most) const noexcept {
    const char *const a = live_[0].data(), *const b = text.data();
    const std::size_t end = std::min<std::size_t>(most, text.size());
    if (end == most && __builtin_memcmp(a, b, most) == 0) return most;
    std::size_t i = 0;
    while (i < end && a[i] == b[i]) ++i;
    return i;
  }
  /// Behind the characters that texts have in common.
  std::uint64_t beginning_of(const T& text) const noexcept {
    unsigned char bytes[8] = {};
    const std::size_t left = text.size() - std::min<std::size_t>(common_, text.size());
    if (left >= sizeof bytes)
      __builtin_memcpy(bytes, text.data() + common_, sizeof bytes);
    else
      for (std::size_t i = 0; i < left; ++i) bytes[i] = static_cast<unsigned char>(text.data()[common_ + i]);
    std::uint64_t beginning = 0;
    for (const unsigned char byte : bytes) beginning = beginning << 8 | byte;
    return beginning;
  }
  /// Whether their beginnings tell apart most texts of a sample that differ.
  bool are_told_apart() const {
    std::size_t alike = 0;
    for (std::size_t k = 1; k < k_sample; ++k)
      for (std::size_t j = 0; j < k; ++j)
        alike += beginning_of(sample(j)) == beginning_of(sample(k)) && sample(j) != sample(k);
    return alike <= k_sample * (k_sample - 1) / 2 / k_most_alike;
  }
  /// Returns whether there are texts that have less in common with the first one than was known.
  bool make_keys(const par& part, TextKey* keys) {
    // relaxed, everywhere: the end of the call orders them.
    std::atomic<std::size_t> common{common_};
    const std::size_t size = live_[0].size();
    std::atomic<bool> are_complete{size <= common_ + sizeof(std::uint64_t)};
    for_each_chunk(part, std::size_t{0}, count_, [&](std::size_t begin, std::size_t end) {
      std::size_t least_common = common_;
      bool have_size = true;
      for (std::size_t i = begin; i < end; ++i) {
        least_common = common_with(live_[i], least_common);
        have_size &= live_[i].size() == size;
        keys[i] = {beginning_of(live_[i]), i};
      }
      if (!have_size) are_complete.store(false, std::memory_order_relaxed);
      std::size_t seen = common.load(std::memory_order_relaxed);
      while (least_common < seen &&
             !common.compare_exchange_weak(seen, least_common, std::memory_order_relaxed)) {
      }
    });
    are_complete_ = are_complete.load(std::memory_order_relaxed);
    return std::exchange(common_, common.load(std::memory_order_relaxed)) != common_;
  }

  Live<Iterator> live_;
  std::size_t count_;
  std::size_t common_;        // characters that all texts have in common, as far as is known
  bool are_complete_ = false; // the keys: all texts are as long as the first one, and have nothing else
};

} // namespace detail
} // namespace v1
} // namespace wstree
