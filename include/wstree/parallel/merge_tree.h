// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of sorts: runs that members sort, and merges that all members share.
#pragma once

#include "wstree/parallel/call.h"
#include "wstree/parallel/inline_start.h"
#include "wstree/parallel/merge_runs.h"
#include "wstree/parallel/run_sort.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace wstree {
inline namespace v1 {
namespace detail {

enum class Stability { any, stable };

/// Sorts in one thread, without memory of the call.
template <Stability k_stability, class Iterator, class Compare>
void sort_by_standard(Iterator first, Iterator last, Compare& less) {
  const auto by_reference = [&less](const auto& a, const auto& b) -> bool { return less(a, b); };
  if constexpr (k_stability == Stability::stable)
    std::stable_sort(first, last, by_reference);
  else
    std::sort(first, last, by_reference);
}

/// Larger elements are sorted with fewer moves where their order may change.
inline constexpr std::size_t k_moved_cheaply = 32;

/// Returns whether several of a few elements are equal: std::sort moves such elements less often than merges.
template <class Elements, class Compare>
bool are_often_equal(const Elements& elements, Span span, Compare& less) {
  constexpr std::size_t k_sample = 16, k_equals = 3, k_few = 2048;
  if (span.size() < k_few) return false;
  std::size_t equals = 0;
  for (std::size_t k = 1; k < k_sample; ++k)
    for (std::size_t j = 0; j < k; ++j) {
      const auto &a = elements[span.begin + span.size() / k_sample * j],
                 &b = elements[span.begin + span.size() / k_sample * k];
      if (less(a, b) || less(b, a)) continue;
      ++equals;
      break;
    }
  return equals >= k_equals;
}

/// One merge of the tree. The member that completes its runs finds the begins of its pieces, and all others
/// that have a piece wait for that.
struct MergeNode {
  std::atomic<std::size_t> missing{0}; ///< tiles of its runs
  std::atomic<bool> is_ready{false};
};

/// Returns the levels of merges for n elements: a few runs for each member, none of which is short.
inline unsigned merge_levels(std::size_t n, std::size_t members) noexcept {
  constexpr std::size_t k_shortest_run = 256;
  unsigned levels = 1;
  while (std::size_t{1} << levels < 4 * members && n >> levels > 2 * k_shortest_run) ++levels;
  return levels;
}

/// 2^levels runs, about equally long, and the merges above them. Level 0 sorts the runs; each merge of level
/// l has 2^l pieces. A run and a piece are a tile: tile i of each level puts the same elements' places, from
/// bound(i) to bound(i + 1), in order. Tiles are handed out level by level, so a member that waits for a
/// merge waits for tiles that members are at work on. After a level the elements are in the range and in the
/// memory of the call by turns, in the range after the last one.
///   When a comparison has thrown, or the call is to stop, all other tiles are moved without comparing.
template <Stability k_stability, class Policy, class Iterator, class Compare> class MergeTree {
  using T = std::iter_value_t<Iterator>;

public:
  /// `memory`: of the caller's, for `count` elements; nullptr: the call allocates it.
  MergeTree(const Policy& policy, Iterator first, std::size_t count, unsigned levels, Compare& less,
            T* memory = nullptr)
      : policy_(policy), live_{first}, count_(count), levels_(levels), less_(less),
        room_(memory == nullptr ? count : 0, std::nothrow), raw_{memory == nullptr ? room_.raw().first
                                                                                   : memory},
        nodes_(new (std::nothrow) MergeNode[runs()]),
        splits_(new (std::nothrow) std::size_t[levels * runs()]) {
    if (!has_memory()) return;
    for (unsigned level = 1; level <= levels_; ++level)
      for (std::size_t merge = 0; merge < runs() >> level; ++merge)
        node(level, merge)
            .missing.store(std::size_t{1} << level, std::memory_order_relaxed); // not shared yet
  }

  bool has_memory() const noexcept {
    return raw_.first != nullptr && nodes_ != nullptr && splits_ != nullptr;
  }

  void execute() {
    Observed call(policy_, count_);
    // relaxed: the number alone chooses the work; the nodes order the rest.
    std::atomic<std::size_t> next{0};
    const std::size_t tiles = runs() * (levels_ + 1);
    on_members(
        call.members(static_cast<std::uint32_t>(std::min<std::size_t>(most_members(policy_), runs()))),
        control_,
        [&](std::uint32_t member, std::uint32_t members) {
          ObservedTiles observed(call, member, members);
          for (std::size_t tile; (tile = next.fetch_add(1, std::memory_order_relaxed)) < tiles;) {
            const auto level = static_cast<unsigned>(tile / runs());
            const std::size_t i = tile % runs();
            observed.run(level == levels_ ? bound(i + 1) - bound(i) : 0, [&] {
              execute(level, i, tile);
              return true;
            });
          }
        },
        policy_.place());
    control_.finish();
  }

private:
  const Policy& policy_;
  Live<Iterator> live_;
  std::size_t count_;
  unsigned levels_;
  Compare& less_;
  Room<T> room_;
  Raw<T> raw_;
  std::unique_ptr<MergeNode[]> nodes_;
  std::unique_ptr<std::size_t[]> splits_;
  Control control_;

  std::size_t runs() const noexcept { return std::size_t{1} << levels_; }
  std::size_t bound(std::size_t i) const noexcept { return begin_of_piece(count_, runs(), i); }
  bool is_raw_after(unsigned level) const noexcept { return (levels_ - level) % 2 != 0; }
  MergeNode& node(unsigned level, std::size_t merge) noexcept {
    return nodes_[runs() - (runs() >> (level - 1)) + merge];
  }
  /// Returns the number of elements of the left run before piece i of the level.
  std::size_t& split(unsigned level, std::size_t i) noexcept { return splits_[(level - 1) * runs() + i]; }

  void execute(unsigned level, std::size_t i, std::size_t tile) {
    if (level == 0) {
      sort_run({bound(i), bound(i + 1)}, tile);
    } else {
      // acquire: where the piece begins, and the runs.
      for (unsigned spins = 1; !node(level, i >> level).is_ready.load(std::memory_order_acquire); ++spins)
        pause(spins);
      if (is_raw_after(level))
        merge_piece(level, i, tile, live_, raw_);
      else
        merge_piece(level, i, tile, raw_, live_);
    }
    if (level == levels_) return policy_.advance(bound(i + 1) - bound(i));
    const std::size_t merge = i >> (level + 1);
    // release and acquire: the member that is last sees the writes of all others.
    if (node(level + 1, merge).missing.fetch_sub(1, std::memory_order_acq_rel) == 1)
      begin(level + 1, merge, tile);
  }

  void sort_run(Span span, std::size_t tile) {
    bool is_in_raw = false;
    if (control_.goes_on(policy_)) {
      control_.guard(tile, [&] {
        bool is_merged = k_stability == Stability::stable || sizeof(T) <= k_moved_cheaply;
        if constexpr (k_stability == Stability::any && !k_is_selected<T>)
          is_merged = is_merged && !are_often_equal(live_, span, less_);
        if (is_merged) {
          RunSort<T, Iterator, Compare>(live_, raw_, less_).sort(span, is_raw_after(0));
          is_in_raw = is_raw_after(0);
        } else {
          sort_by_standard<k_stability>(live_.pointer(span.begin), live_.pointer(span.end), less_);
        }
      });
    }
    if (is_raw_after(0) && !is_in_raw) relocate_all(live_, span.begin, span.end, raw_, span.begin);
  }

  /// Begins a merge, whose two runs are sorted.
  void begin(unsigned level, std::size_t merge, std::size_t tile) {
    if (is_raw_after(level))
      find_splits(level, merge, tile, live_);
    else
      find_splits(level, merge, tile, raw_);
    node(level, merge).is_ready.store(true, std::memory_order_release);
  }
  template <class From>
  void find_splits(unsigned level, std::size_t merge, std::size_t tile, const From& from) {
    const std::size_t first = merge << level, pieces = std::size_t{1} << level;
    const std::size_t a = bound(first), b = bound(first + pieces / 2), end = bound(first + pieces);
    const auto find = [&](auto&& less) {
      std::size_t of_a = split(level, first) = 0;
      for (std::size_t piece = 1; piece < pieces; ++piece) {
        const std::size_t count = bound(first + piece) - a,
                          more = bound(first + piece) - bound(first + piece - 1);
        of_a = split_of([&](std::size_t k) -> const T& { return from[a + k]; },
                        [&](std::size_t k) -> const T& { return from[b + k]; }, count,
                        std::max(of_a, count - std::min(count, end - b)), std::min(of_a + more, b - a), less);
        split(level, first + piece) = of_a;
      }
    };
    const auto as_they_are = [](const T&, const T&) { return false; };
    const bool is_compared = control_.goes_on(policy_) && control_.guard(tile, [&] {
      if (less_(from[b], from[b - 1]))
        find(less_);
      else
        find(as_they_are);
    });
    if (!is_compared) find(as_they_are);
  }

  template <class From, class To>
  void merge_piece(unsigned level, std::size_t i, std::size_t tile, const From& from, const To& to) {
    const std::size_t pieces = std::size_t{1} << level, first = i / pieces * pieces, piece = i - first;
    const std::size_t a = bound(first), b = bound(first + pieces / 2);
    const std::size_t begin = split(level, i), end = piece + 1 < pieces ? split(level, i + 1) : b - a;
    const Span of_a{a + begin, a + end};
    const Span of_b{b + (bound(i) - a) - begin, b + (bound(i + 1) - a) - end};
    if (control_.goes_on(policy_)) {
      control_.guard(tile, [&] { merge_spans<T>(from, of_a, of_b, to, bound(i), less_); });
    } else {
      const auto as_they_are = [](const T&, const T&) { return false; };
      merge_spans<T>(from, of_a, of_b, to, bound(i), as_they_are);
    }
  }
};

} // namespace detail
} // namespace v1
} // namespace wstree
