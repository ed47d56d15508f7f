// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges and sorts of the standard library's parallel algorithms. Ranges are cut where their merged halves
// begin before any element is moved, so that members merge tiles of one size and none looks at elements
// of another one's tile.
#pragma once

#include "wstree/parallel/relocation.h"
#include "wstree/parallel/sort.h"
#include "wstree/parallel/standard/engine.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Fewer elements are merged and sorted by the caller.
inline constexpr std::ptrdiff_t k_merged_alone = 2'000, k_sorted_alone = 500;
inline constexpr std::ptrdiff_t k_tiles_of_member = 16, k_least_merged = 1'000;

/// Part of two ranges that is to be merged to `out`; the second one may be empty.
template <class X, class Y, class Out> struct MergeTile {
  X x, x_end;
  Y y, y_end;
  Out out;
};

/// Appends tiles that merge two ranges.
template <class X, class Y, class Out, class Compare>
void cut_merge(std::vector<MergeTile<X, Y, Out>>& tiles, X x, X x_end, Y y, Y y_end, Out out, Compare& comp,
               std::ptrdiff_t longest) {
  const std::ptrdiff_t size_x = x_end - x, size_y = y_end - y, size = size_x + size_y;
  const std::ptrdiff_t pieces = (size + longest - 1) / longest;
  std::ptrdiff_t from_x = 0, from = 0;
  for (std::ptrdiff_t piece = 1; piece <= pieces; ++piece) {
    const std::ptrdiff_t to = piece == pieces ? size : piece * longest;
    // No tile ends before it begins, also where the ranges are in no order because `comp` is none.
    const std::ptrdiff_t least = std::max(from_x, to - size_y), most = std::min(from_x + (to - from), size_x);
    const auto to_x = static_cast<std::ptrdiff_t>(
        split_of([&](std::size_t i) -> decltype(auto) { return *ahead(x, i); },
                 [&](std::size_t i) -> decltype(auto) { return *ahead(y, i); }, static_cast<std::size_t>(to),
                 static_cast<std::size_t>(least), static_cast<std::size_t>(most), comp));
    tiles.push_back({x + from_x, x + to_x, y + (from - from_x), y + (to - to_x), out + from});
    from = to, from_x = to_x;
  }
}
inline std::ptrdiff_t longest_tile(std::ptrdiff_t elements, std::uint32_t members) noexcept {
  return std::max(elements / (k_tiles_of_member * static_cast<std::ptrdiff_t>(members)) + 1, k_least_merged);
}

template <class X, class Y, class Out, class Compare, class Leaf>
void merge_pieces(X x, X x_end, Y y, Y y_end, Out out, Compare comp, const Leaf& leaf) {
  const std::ptrdiff_t size = (x_end - x) + (y_end - y);
  const par policy = standard_policy();
  const bool is_shared = !k_shares_words<Out> && size > k_merged_alone;
  const std::uint32_t members = is_shared ? most_members(policy) : 1;
  if (members == 1) return static_cast<void>(leaf(x, x_end, y, y_end, out, comp));
  std::vector<MergeTile<X, Y, Out>> tiles;
  cut_merge(tiles, x, x_end, y, y_end, out, comp, longest_tile(size, members));
  in_tiles(policy, tiles.size(), [&](std::uint64_t i, std::uint32_t) {
    const auto& tile = tiles[i];
    leaf(tile.x, tile.x_end, tile.y, tile.y_end, tile.out, comp);
    return true;
  });
}

/// A run of elements, of which those before `sorted` are the least ones, in order.
struct SortRun {
  std::ptrdiff_t begin, sorted, end;
};

/// Merges each two neighbouring runs to the same places of `out`; `Raw`: where no elements are yet. `tiles`
/// has room for all, because elements are on their way where memory might end.
template <bool Raw, class In, class Out, class Compare>
void merge_runs(const par& policy, In in, Out out, std::vector<SortRun>& runs, std::ptrdiff_t wanted,
                Compare& comp, std::ptrdiff_t longest, std::vector<MergeTile<In, In, Out>>& tiles) {
  tiles.clear();
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    const SortRun x = runs[i], y = runs[i + 1];
    const std::ptrdiff_t sorted = (x.sorted - x.begin) + (y.sorted - y.begin);
    const auto cut = [&](std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t other,
                         std::ptrdiff_t other_end, std::ptrdiff_t to) {
      cut_merge(tiles, in + begin, in + end, in + other, in + other_end, out + to, comp, longest);
    };
    cut(x.begin, x.sorted, y.begin, y.sorted, x.begin);
    cut(x.sorted, x.end, y.end, y.end, x.begin + sorted);
    cut(y.sorted, y.end, y.end, y.end, x.begin + sorted + (x.end - x.sorted));
    runs[i / 2] = {x.begin, x.begin + std::min(sorted, wanted), y.end};
  }
  in_tiles(policy, tiles.size(), [&](std::uint64_t number, std::uint32_t) {
    MergeTile<In, In, Out> tile = tiles[number];
    const auto put = [&](In& from) {
      if constexpr (Raw)
        ::new (static_cast<void*>(std::addressof(*tile.out)))
            std::remove_reference_t<decltype(*tile.out)>(std::move(*from));
      else
        *tile.out = std::move(*from);
      ++tile.out, ++from;
    };
    while (tile.x != tile.x_end && tile.y != tile.y_end) put(comp(*tile.y, *tile.x) ? tile.y : tile.x);
    while (tile.x != tile.x_end) put(tile.x);
    while (tile.y != tile.y_end) put(tile.y);
    return true;
  });
  runs.resize(runs.size() / 2);
}

/// Sorts by `leaf(i, j, comp)`, which sorts a piece, and by merges. Stable if `leaf` is. `wanted`: number of
/// elements at the front that have to be in order; 0: all.
template <class It, class Compare, class Leaf>
void sort_pieces(It first, It last, Compare comp, const Leaf& leaf, std::ptrdiff_t wanted) {
  using T = typename std::iterator_traits<It>::value_type;
  const std::ptrdiff_t size = last - first;
  const par policy = standard_policy();
  const bool is_shared = !k_shares_words<It> && size > k_sorted_alone;
  const std::uint32_t members = is_shared ? most_members(policy) : 1;
  if (members == 1) return static_cast<void>(leaf(first, last, comp));
  // The library's own sort is faster, and sorts everything; a leaf may do something else first.
  if constexpr (k_moves_safely<It>)
    if (wanted == 0)
      return sort_elements<Stability::stable>(policy, first, static_cast<std::size_t>(size), comp);
  if (wanted == 0) wanted = size;
  // An even number of rounds leaves the elements where they belong.
  std::ptrdiff_t leaves = 4;
  while (leaves < static_cast<std::ptrdiff_t>(members)) leaves *= 4;
  leaves = size < leaves * k_sorted_alone ? 4 : leaves;
  const Room<T> room(static_cast<std::size_t>(size));
  T* const buffer = room.raw().first;
  std::vector<SortRun> runs;
  for (std::ptrdiff_t i = 0; i < leaves; ++i) {
    const std::ptrdiff_t begin = size / leaves * i, end = i + 1 == leaves ? size : size / leaves * (i + 1);
    runs.push_back({begin, std::min(end, begin + wanted), end});
  }
  in_tiles(policy, runs.size(), [&](std::uint64_t i, std::uint32_t) {
    leaf(first + runs[i].begin, first + runs[i].end, comp);
    return true;
  });
  const std::ptrdiff_t longest = longest_tile(size, members);
  const auto most = static_cast<std::size_t>(size / longest + 2 * leaves);
  std::vector<MergeTile<It, It, T*>> there;
  std::vector<MergeTile<T*, T*, It>> back;
  there.reserve(most), back.reserve(most);
  for (bool raw = true; runs.size() > 1; raw = false) {
    if (raw)
      merge_runs<true>(policy, first, buffer, runs, wanted, comp, longest, there);
    else
      merge_runs<false>(policy, first, buffer, runs, wanted, comp, longest, there);
    merge_runs<false>(policy, buffer, first, runs, wanted, comp, longest, back);
  }
  std::destroy(buffer, buffer + size);
}

} // namespace detail
} // namespace v1
} // namespace wstree
