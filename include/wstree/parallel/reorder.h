// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reverse, rotate, shuffle
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/inline_start.h"
#include "wstree/parallel/part_of.h"
#include "wstree/parallel/random_numbers.h"
#include "wstree/parallel/relocation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Exchanges element i and element from + to - 1 - i for all i in [from, middle).
template <class Policy, class Iterator>
void reverse_elements(const Policy& policy, Iterator first, std::size_t from, std::size_t to,
                      call_site where) {
  const std::size_t half = (to - from) / 2;
  for_each_chunk(
      policy, std::size_t{0}, half,
      [&](std::size_t begin, std::size_t end) {
        Iterator left = ahead(first, from + begin), right = ahead(first, to - begin);
        for (std::size_t i = begin; i < end; ++i, ++left) std::iter_swap(left, --right);
        policy.advance(end - begin); // each step has two elements
      },
      where);
}

struct Reverse : Called, Finder {
  template <class Policy, class In> auto operator()(const Policy& policy, const In& in) const {
    if constexpr (check_permutable<In>()) {
      reverse_elements(policy, in.first, 0, in.count, where);
      policy.advance(in.count % 2);
    }
    return in.at(in.count);
  }
};

/// The element at `middle` becomes the first one. Returns where the one goes that was first.
struct Rotate : Called, Finder, WithMiddle {
  template <class Policy, class In, class Middle>
  auto operator()(const Policy& policy, const In& in, const Middle& middle) const {
    const auto left = static_cast<std::size_t>(middle - in.first);
    if constexpr (check_permutable<In>()) {
      constexpr std::size_t k_alone = 16 * 1024;
      if (left == 0 || left == in.count) return in.at(in.count - left);
      // Bytes are moved as vectors, but reversed one by one.
      if (in.count <= k_alone || most_members(policy) == 1 || sizeof(typename In::Value) == 1) {
        if (policy.stop_requested() && throw_cancelled()) return in.at(in.count - left);
        std::rotate(in.first, middle, in.at(in.count));
      } else {
        const auto part = part_of(policy);
        if (policy.stop_requested() && throw_cancelled()) return in.at(in.count - left);
        reverse_elements(part, in.first, 0, left, where);
        reverse_elements(part, in.first, left, in.count, where);
        reverse_elements(part, in.first, 0, in.count, where);
      }
      policy.advance(in.count);
    }
    return in.at(in.count - left);
  }
};

/// Exchanges elements of [begin, end) so that each order is as likely as any other.
template <class Iterator>
void shuffle_alone(Iterator first, std::size_t begin, std::size_t end, RandomNumbers random) {
  for (std::size_t i = end - begin; i > 1; --i)
    std::iter_swap(ahead(first, begin + i - 1),
                   ahead(first, begin + static_cast<std::size_t>(random.below(i))));
}

/// Each block of elements deals its own to `k_piles`, and each pile is shuffled: all orders are as likely
/// again. Blocks, piles and numbers depend on the seed and on the number of elements alone.
template <class Policy, class Iterator>
void shuffle_elements(const Policy& policy, Iterator first, std::size_t count, std::uint64_t seed,
                      call_site where) {
  constexpr std::size_t k_piles = 256, k_dealt = 32 * 1024, k_alone = 4 * k_dealt;
  if (policy.stop_requested() && throw_cancelled()) return;
  using T = std::iter_value_t<Iterator>;
  const auto alone = [&] { shuffle_alone(first, 0, count, RandomNumbers(seed)); };
  if constexpr (!k_moves_safely<Iterator>) {
    alone();
  } else if (count <= k_alone) {
    alone();
  } else {
    const std::size_t blocks = count / k_dealt + (count % k_dealt != 0);
    struct Piles {
      std::size_t of[k_piles];
    };
    const auto piles = std::make_unique<Piles[]>(blocks + 1);
    const Room<T> room(count);
    const Live<Iterator> live{first};
    const Raw<T> raw = room.raw();
    const par part = part_of(policy);
    const auto deal = [&](std::size_t block, auto&& to) {
      RandomNumbers random(seed ^ (block + 1) * 0xD1B54A32D192ED03U);
      for (std::size_t i = block * k_dealt; i < least(count, (block + 1) * k_dealt); ++i)
        to(i, static_cast<std::size_t>(random.next() % k_piles));
    };
    const auto for_blocks = [&](auto&& body) {
      for_each_chunk(
          part, std::size_t{0}, blocks,
          [&](std::size_t begin, std::size_t end) {
            for (std::size_t block = begin; block < end; ++block) body(block);
          },
          where);
    };
    for_blocks([&](std::size_t block) {
      deal(block, [&](std::size_t, std::size_t pile) { ++piles[block].of[pile]; });
    });
    std::size_t total = 0;
    for (std::size_t pile = 0; pile < k_piles; ++pile)
      for (std::size_t block = 0; block <= blocks; ++block) // entry `blocks`: the pile's end
        total += std::exchange(piles[block].of[pile], total);
    for_blocks([&](std::size_t block) {
      Piles places = piles[block];
      deal(block, [&](std::size_t i, std::size_t pile) { relocate(live, i, raw, places.of[pile]++); });
    });
    // All are back before the program's swap is called, which may throw.
    for_each_chunk(
        part, std::size_t{0}, count,
        [&](std::size_t begin, std::size_t end) { relocate_all(raw, begin, end, live, begin); }, where);
    for_each_chunk(
        part, std::size_t{0}, k_piles,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t pile = begin; pile < end; ++pile) {
            const std::size_t from = piles[0].of[pile], to = piles[blocks].of[pile];
            shuffle_alone(first, from, to, RandomNumbers(~seed ^ (pile + 1) * 0xD1B54A32D192ED03U));
          }
        },
        where);
  }
  policy.advance(count);
}

struct Shuffle : Called, Finder {
  template <class Policy, class In, index Seed>
  auto operator()(const Policy& policy, const In& in, Seed seed) const {
    if constexpr (check_permutable<In>())
      shuffle_elements(policy, in.first, in.count, static_cast<std::uint64_t>(seed), where);
    return in.at(in.count);
  }
};

} // namespace detail

inline constexpr detail::Entry<detail::Reverse> reverse{};
/// rotate([policy,] first, middle, last), or a range and its middle
inline constexpr detail::Entry<detail::Rotate> rotate{};
/// shuffle([policy,] elements, seed): the same order for every number of threads
inline constexpr detail::Entry<detail::Shuffle> shuffle{};

} // namespace v1
} // namespace wstree
