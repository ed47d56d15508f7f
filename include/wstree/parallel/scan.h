// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inclusive_scan, exclusive_scan, transform_inclusive_scan, transform_exclusive_scan
// Exceptions, stops and thread-safety: README.md#what-is-promised
#pragma once

#include "wstree/core/platform.h"
#include "wstree/parallel/entry.h"
#include "wstree/parallel/growing_run.h"
#include "wstree/parallel/relocation.h"
#include "wstree/parallel/scan_sums.h"
#include "wstree/parallel/scan_tiles.h"
#include "wstree/parallel/sequence.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Shortest rest of a scan for which a team is called: it gains half of it at best, and a region costs one
/// to two microseconds.
inline constexpr double k_scan_worth_us = 12;
/// A tile's input and output, several of which have to fit the second-level cache.
inline constexpr std::size_t k_scan_tile_bytes = 256 * 1024;
inline constexpr double k_first_tile_us = 8;

/// An element that takes longer is worth keeping: writing and reading it takes less.
inline constexpr double k_kept_us = 0.002;

inline bool are_worth_keeping(double ticks, std::size_t elements) noexcept {
  return ticks > k_kept_us * Clock::ticks_per_us() * static_cast<double>(elements);
}

/// The units behind the first `before`, whose sum is `prefix`.
template <class Policy, class Sums>
void scan(const Policy& policy, Sums sums, std::size_t value_bytes,
          std::optional<typename Sums::Sum> prefix = {}, std::size_t before = 0) {
  using Sum = typename Sums::Sum;
  const std::size_t units = sums.units() - before;
  const auto piece = [&](std::size_t begin, std::size_t end) {
    begin += before, end += before;
    prefix.emplace(begin == 0 ? sums.start(end) : sums.write(std::move(*prefix), begin, end));
    policy.advance(sums.elements(begin, end));
    return true;
  };
  const Start start = start_inline(policy, units, k_scan_worth_us, piece, Alone::goes_on, Sums::k_at_once);
  if (start.done == units) return;

  if constexpr (requires { sums.loop.keeps; })
    sums.loop.keeps = are_worth_keeping(start.ticks_per_element, Sums::k_unit);
  const std::size_t rest = units - start.done;
  std::size_t longest = k_scan_tile_bytes / value_bytes / Sums::k_unit;
  longest = longest > 0 ? longest : 1;
  const std::size_t first =
      least(start.elements_in(k_first_tile_us), rest / (8 * most_members(policy)), longest);
  const Tiling tiling = tiling_of(policy, rest, first, longest, Sums::k_unit);
  std::vector<TileSums<Sum>> tiles(tiling.tiles());
  Verdict verdict;
  using Member = ScanMember<Policy, Sums>;
  const typename Member::Shared shared{policy, sums, *prefix, before + start.done, tiles.data(), verdict};
  run_tiles(policy, tiling, verdict, members_in_turn(start, Sums::k_unit), [&] { return Member{shared}; });
  verdict.finish();
}

/// A block's values, as elements of a scan.
template <class V> class KeptBlock {
public:
  using Value = V;
  static constexpr bool k_in_memory = true;

  explicit KeptBlock(std::size_t most) : room_(most), values_(room_.raw().first) {}
  KeptBlock(const KeptBlock&) = delete;
  KeptBlock& operator=(const KeptBlock&) = delete;
  ~KeptBlock() { clear(); }

  const V& operator[](std::size_t i) const { return values_[i - first_]; }

  /// Empties the block, whose first element has the number `first` from now on.
  void restart(std::size_t first) noexcept {
    clear();
    first_ = first;
  }
  template <class Made> void push_back(Made&& value) {
    ::new (static_cast<void*>(values_ + size_)) V(std::forward<Made>(value));
    ++size_;
  }
  /// Appends get(begin), ..., get(end - 1).
  template <class Get> void append(std::size_t begin, std::size_t end, const Get& get) {
    if constexpr (std::is_trivially_destructible_v<V>) {
      V* to = values_ + size_; // one store for each element
      for (std::size_t i = begin; i < end; ++i, ++to) ::new (static_cast<void*>(to)) V(get(i));
      size_ += end - begin;
    } else {
      for (std::size_t i = begin; i < end; ++i) push_back(get(i));
    }
  }

private:
  void clear() noexcept {
    if constexpr (!std::is_trivially_destructible_v<V>)
      for (std::size_t i = 0; i < size_; ++i) values_[i].~V();
    size_ = 0;
  }

  Room<V> room_;
  V* values_;
  std::size_t first_ = 0, size_ = 0;
};

/// Scans by blocks. If the elements of the first block are dear, all further values are made one by one, in
/// parallel beforehand.
template <bool k_inclusive, class T, class Policy, class Loop, class Op>
void scan_reproducibly(const Policy& policy, std::size_t count, const Loop& loop, Op& op, const T* init,
                       std::optional<T>& total) {
  using Block = KeptBlock<std::remove_cvref_t<decltype(loop(0))>>;
  Block block(least(count, k_block));
  Identity same;
  using BlockLoop = ScanLoop<T, Block, decltype(loop.out), Identity, k_inclusive>;
  const BlockLoop block_loop{block, loop.out, same};
  const ReproducibleSums<T, BlockLoop, Op> blocks{block_loop, count, op, init, total};
  Run<T> run;
  const auto end_block = [&](std::size_t end) {
    if (end % k_block == 0 || end == count)
      run = blocks.write(std::move(run), (end - 1) / k_block, (end - 1) / k_block + 1);
  };
  const auto step = [&](std::size_t i, auto&& value) {
    if (i % k_block == 0) block.restart(i);
    block.push_back(std::forward<decltype(value)>(value));
    end_block(i + 1);
  };
  const auto piece = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      if (i % k_block == 0) block.restart(i);
      const std::size_t to = least(end, (i / k_block + 1) * k_block);
      block.append(i, to, loop);
      i = to;
      end_block(to);
    }
    policy.advance(end - begin);
    return true;
  };
  const std::uint64_t before = Clock::ticks();
  // Elements that are not dear in the first block are best left to blocks.
  const Start start = start_inline(policy, least(count, k_block), k_scan_worth_us, piece, Alone::goes_on, 2,
                                   Looks::are_needed);
  if (start.done == count) return;
  if (are_dear(start)) return finish_in_sequence(policy, start, count, loop, step);
  const std::size_t end = least(count, (start.done + k_block - 1) / k_block * k_block);
  piece(start.done, end);
  if (end == count) return;
  ReproducibleSums<T, Loop, Op> sums{loop, count, op, init, total};
  sums.loop.keeps = are_worth_keeping(static_cast<double>(core::elapsed(before, Clock::ticks())), end);
  scan(policy, sums, sizeof(T), std::move(run), end / k_block);
}

/// Strictly from left to right. Only the transformation is computed in parallel: elements in memory are best
/// added up by one thread.
template <bool k_inclusive, class Policy, class Loop, class Op, class T>
void scan_sequentially(const Policy& policy, std::size_t count, const Loop& loop, Op& op,
                       std::optional<T>& sum) {
  const auto step = [&](std::size_t i, auto&& value) {
    [[maybe_unused]] std::optional<T> before;
    if constexpr (!k_inclusive) before = sum; // the input may be the output
    if (sum.has_value())
      sum.emplace(static_cast<T>(op(std::move(*sum), std::forward<decltype(value)>(value))));
    else
      sum.emplace(std::forward<decltype(value)>(value));
    if constexpr (k_inclusive)
      write_to(ahead(loop.out, i), *sum);
    else
      write_to(ahead(loop.out, i), std::move(*before));
  };
  const bool is_alone = Loop::k_reads_memory;
  in_sequence(is_alone ? policy.threads(1) : policy, count, loop, step);
}

template <bool k_inclusive, class T, class Policy, class In, class Out, class Op, class F>
T scan_elements(const Policy& policy, const In& in, Out out, Op& op, F& f, const T* init) {
  static_assert(
      std::random_access_iterator<Out>,
      "wstree: behind the elements stands where the sums go, an iterator or a range that has random access");
  static_assert(combines<Op, T>(), "wstree: the operator of a scan has to take two sums and return one");
  static_assert(std::is_copy_constructible_v<T>,
                "wstree: a scan writes each sum and goes on with it, so the sums have to be copyable");
  using Loop = ScanLoop<T, In, Out, F, k_inclusive>;
  const Loop loop{in, out, f};
  std::optional<T> total;
  if constexpr (Policy::evaluation == order::reproducible) {
    const auto at_once = [&] {
      scan(policy, ReproducibleSums<T, Loop, Op>{loop, in.count, op, init, total}, sizeof(T));
    };
    const auto slowly = [&] { scan_reproducibly<k_inclusive>(policy, in.count, loop, op, init, total); };
    if constexpr (Loop::k_reads_memory)
      at_once();
    else if (in.count > k_brief_blocks * k_block || !policy.is_plain())
      slowly();
    else
      execute_block(t_sites.at(site_key<Loop>(policy.where())), in.count, at_once, slowly);
  } else if constexpr (Policy::evaluation == order::sequential) {
    if (init != nullptr) total.emplace(*init);
    scan_sequentially<k_inclusive>(policy, in.count, loop, op, total);
  } else
    scan(policy, ValueSums<T, Loop, Op>{loop, in.count, op, init, total}, sizeof(T));
#if !defined(__cpp_exceptions)
  if (!total.has_value()) return init != nullptr ? *init : T(invoke(f, in[0])); // the call was stopped
#endif
  return std::move(*total);
}

/// Returns the value of a scan that has neither elements nor an initial value.
template <class T> T nothing_to_scan() {
  if constexpr (std::is_default_constructible_v<T>)
    return T{};
  else
    static_assert(k_never<T>, "wstree: give an initial value, or sums that can be made from nothing");
}

struct InclusiveScan {
  template <class Policy, class In, class Out, class Op = plus>
  auto operator()(const Policy& policy, const In& in, Out&& out, Op op = {}) const {
    using T = typename In::Value;
    Identity same;
    if (in.count == 0) return nothing_to_scan<T>();
    return scan_elements<true, T>(policy, in, target(out), op, same, static_cast<const T*>(nullptr));
  }
  template <class Policy, class In, class Out, class Op, class T>
  T operator()(const Policy& policy, const In& in, Out&& out, Op op, T init) const {
    Identity same;
    if (in.count == 0) return init;
    return scan_elements<true, T>(policy, in, target(out), op, same, &init);
  }
};

struct ExclusiveScan {
  template <class Policy, class In, class Out, class T, class Op = plus>
  T operator()(const Policy& policy, const In& in, Out&& out, T init, Op op = {}) const {
    Identity same;
    if (in.count == 0) return init;
    return scan_elements<false, T>(policy, in, target(out), op, same, &init);
  }
};

struct TransformInclusiveScan {
  template <class Policy, class In, class Out, class Op, class F>
  auto operator()(const Policy& policy, const In& in, Out&& out, Op op, F f) const {
    using T = std::remove_cvref_t<decltype(invoke(f, in[0]))>;
    if (in.count == 0) return nothing_to_scan<T>();
    return scan_elements<true, T>(policy, in, target(out), op, f, static_cast<const T*>(nullptr));
  }
  template <class Policy, class In, class Out, class Op, class F, class T>
  T operator()(const Policy& policy, const In& in, Out&& out, Op op, F f, T init) const {
    if (in.count == 0) return init;
    return scan_elements<true, T>(policy, in, target(out), op, f, &init);
  }
};

struct TransformExclusiveScan {
  template <class Policy, class In, class Out, class T, class Op, class F>
  T operator()(const Policy& policy, const In& in, Out&& out, T init, Op op, F f) const {
    if (in.count == 0) return init;
    return scan_elements<false, T>(policy, in, target(out), op, f, &init);
  }
};

} // namespace detail

/// inclusive_scan(in, out[, op[, init]]): writes the sum of elements 0 to i to place i, and returns the
/// total. op is associative, operands keep their order; up to 2 n calls of op. The output may be the input.
inline constexpr detail::Entry<detail::InclusiveScan> inclusive_scan{};
/// exclusive_scan(in, out, init[, op]): likewise, but place i gets init and elements 0 to i-1.
inline constexpr detail::Entry<detail::ExclusiveScan> exclusive_scan{};
/// transform_inclusive_scan(in, out, op, f[, init]): an inclusive_scan of f(element); up to 2 n calls of op
/// and of f.
inline constexpr detail::Entry<detail::TransformInclusiveScan> transform_inclusive_scan{};
/// transform_exclusive_scan(in, out, init, op, f): an exclusive_scan of f(element); up to 2 n calls of op
/// and of f.
inline constexpr detail::Entry<detail::TransformExclusiveScan> transform_exclusive_scan{};

} // namespace v1
} // namespace wstree
