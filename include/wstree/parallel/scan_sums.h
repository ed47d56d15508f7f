// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of a scan, and the sum of a piece of it.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/parallel/dyadic.h"
#include "wstree/parallel/lanes.h"

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// An operation on numbers that takes several cycles, of which processors begin one or more in each.
template <class T, class Op>
inline constexpr bool k_has_latency = std::is_floating_point_v<T>&& k_commutes<T, Op>;

/// Elements of a scan that are known to take less time than it takes to read the clock.
template <class T, class In, class F, class Op>
inline constexpr std::size_t k_scanned_at_once =
    k_commutes<T, Op>&& std::is_same_v<F, Identity>&& In::k_in_memory ? 256 : 2;

/// Element i of the input after the transformation, and where result i goes.
template <class T, class In, class Out, class F, bool k_inclusive> struct ScanLoop {
  const In& in;
  Out out;
  F& f;
  bool keeps = false; ///< the elements, if k_can_keep
  using Element = std::remove_cvref_t<decltype(invoke(std::declval<F&>(), std::declval<const In&>()[0]))>;
  static constexpr bool k_reads_memory = In::k_in_memory && std::is_same_v<F, Identity>;
  /// True if computed elements can be kept in the places of their results until the results are known.
  static constexpr bool k_can_keep = !k_reads_memory &&
                                     std::is_same_v<std::iter_reference_t<Out>, Element&> &&
                                     std::is_trivially_copyable_v<Element>;
  template <class Op> static constexpr std::size_t k_at_once = k_scanned_at_once<T, In, F, Op>;

  decltype(auto) operator()(std::size_t i) const { return invoke(f, in[i]); }

  /// Computes the elements of [begin, end) if they are kept.
  void keep([[maybe_unused]] std::size_t begin, [[maybe_unused]] std::size_t end) const {
    if constexpr (k_can_keep) {
      if (!keeps) return;
      Out to = ahead(out, begin);
      for (std::size_t i = begin; i != end; ++i, ++to) *to = (*this)(i);
    }
  }
  /// Calls use(get), whose get(i) returns element i behind keep(): none is computed twice if they are kept.
  template <class Use> auto with_kept(const Use& use) const {
    if constexpr (k_can_keep)
      if (keeps) return use([this](std::size_t i) -> Element { return *ahead(out, i); });
    return use(*this);
  }

  /// Writes the results if nothing stands before; only for inclusive scans.
  template <class Get, class Op>
  T write_first(const Get& get, std::size_t begin, std::size_t end, Op& op) const {
    T sum = get(begin);
    write_to(ahead(out, begin), sum);
    return write(get, std::move(sum), begin + 1, end, op);
  }

  /// Writes the results of get(begin), ..., get(end - 1) behind a sum of `sum`; returns the sum of all.
  template <class Get, class Op>
  T write(const Get& get, T sum, std::size_t begin, std::size_t end, Op& op) const {
    Out to = ahead(out, begin);
    std::size_t i = begin;
    if constexpr (k_has_latency<T, Op>) {
      for (const std::size_t fours = end - (end - begin) % 4; i != fours; i += 4, to += 4)
        sum = write_four(get, sum, i, to, op);
    }
    for (; i != end; ++i, ++to) {
      if constexpr (k_inclusive) {
        sum = static_cast<T>(op(std::move(sum), get(i)));
        write_to(to, sum);
      } else {
        T before = sum; // the input may be the output
        sum = static_cast<T>(op(std::move(sum), get(i)));
        write_to(to, std::move(before));
      }
    }
    return sum;
  }

private:
  /// Writes four sums: the four elements are summed up first, and then added to `before`, so that one
  /// addition waits for another, not four.
  template <class Get, class Op>
  T write_four(const Get& get, T before, std::size_t i, const Out& to, Op& op) const {
    const T a = get(i), b = get(i + 1), c = get(i + 2), d = get(i + 3);
    const T ab = op(a, b), abc = op(ab, c), abcd = op(ab, op(c, d));
    const T sums[] = {before, op(before, a), op(before, ab), op(before, abc), op(before, abcd)};
    for (std::size_t k = 0; k < 4; ++k) write_to(ahead(to, k), sums[k_inclusive ? k + 1 : k]);
    return sums[4];
  }
};

/// Sums are values, and their bits depend on the cut where the operator is not exactly associative.
template <class T, class Loop, class Op> struct ValueSums {
  using Sum = T;
  static constexpr std::size_t k_unit = 1, k_at_once = Loop::template k_at_once<Op>;
  Loop loop;
  std::size_t count;
  Op& op;
  const T* init;
  std::optional<T>& total;

  std::size_t units() const noexcept { return count; }
  static std::size_t elements(std::size_t begin, std::size_t end) noexcept { return end - begin; }
  T sum(std::size_t begin, std::size_t end) const {
    loop.keep(begin, end);
    return loop.with_kept([&](const auto& get) { return fold_block<T>(begin, end, get, op); });
  }
  T join(T left, const T& right) const { return static_cast<T>(op(std::move(left), right)); }

  /// Writes the first results of all; nothing stands before them.
  T start(std::size_t end) const {
    return init != nullptr ? write(*init, 0, end) : note(loop.write_first(loop, 0, end, op), end);
  }
  T write(T before, std::size_t begin, std::size_t end) const {
    return note(loop.write(loop, std::move(before), begin, end, op), end);
  }
  /// Writes the results after sum() of the elements.
  T write_summed(T before, std::size_t begin, std::size_t end) const {
    return loop.with_kept(
        [&](const auto& get) { return note(loop.write(get, std::move(before), begin, end, op), end); });
  }

private:
  T note(T&& sum, std::size_t end) const {
    if (end == count) total.emplace(sum);
    return std::move(sum);
  }
};

/// Units are blocks, and the results of a block follow the canonical sum of those before it.
template <class T, class Loop, class Op> struct ReproducibleSums {
  using Sum = Run<T>;
  static constexpr std::size_t k_unit = k_block, k_at_once = 2;
  Loop loop;
  std::size_t count;
  Op& op;
  const T* init;
  std::optional<T>& total;

  std::size_t units() const noexcept { return (count + k_block - 1) / k_block; }
  std::size_t elements(std::size_t begin, std::size_t end) const noexcept {
    return end_of(end - 1) - begin * k_block;
  }
  Sum sum(std::size_t begin, std::size_t end) const {
    Sum result;
    for (std::size_t block = begin; block < end; ++block) keep(block), add(result, block);
    return result;
  }
  Sum join(Sum left, const Sum& right) const {
    left.append(right, op);
    return left;
  }
  Sum start(std::size_t end) const { return write(Sum{}, 0, end); }
  Sum write(Sum sum, std::size_t begin, std::size_t end) const {
    for (std::size_t block = begin; block < end; ++block)
      keep(block), sum = write_summed(std::move(sum), block, block + 1);
    return sum;
  }
  Sum write_summed(Sum sum, std::size_t begin, std::size_t end) const {
    for (std::size_t block = begin; block < end; ++block) {
      const std::size_t first = block * k_block, last = end_of(block);
      if (sum.empty() && init == nullptr) {
        add(sum, block); // before writing, because the input may be the output
        note(loop.with_kept([&](const auto& get) { return loop.write_first(get, first, last, op); }), block);
      } else {
        const T before = sum.empty()       ? *init
                         : init != nullptr ? static_cast<T>(op(*init, sum.value(op)))
                                           : sum.value(op);
        add(sum, block);
        note(loop.with_kept([&](const auto& get) { return loop.write(get, before, first, last, op); }),
             block);
      }
    }
    return sum;
  }

private:
  std::size_t end_of(std::size_t block) const noexcept { return std::min((block + 1) * k_block, count); }
  void keep(std::size_t block) const { loop.keep(block * k_block, end_of(block)); }
  void add(Sum& sum, std::size_t block) const {
    const std::size_t first = block * k_block, end = end_of(block);
    const T value = loop.with_kept([&](const auto& get) { return fold_block<T>(first, end, get, op); });
    sum.push_block(block, value, op);
  }
  void note(const T& sum, std::size_t block) const {
    if (block + 1 == units()) total.emplace(sum);
  }
};

} // namespace detail
} // namespace v1
} // namespace wstree
