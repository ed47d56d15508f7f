// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sum, inner_product, and reductions whose order of operations is fixed
#pragma once

#include "wstree/parallel/dyadic.h"
#include "wstree/parallel/entry.h"
#include "wstree/parallel/lanes.h"
#include "wstree/parallel/sequence.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Blocks of get(0), ..., get(count - 1) as a folder: elements are block numbers.
template <class T, class Get, class Op> struct RunFolder {
  using Value = Run<T>;
  static constexpr std::uint64_t k_unit = k_block;
  std::size_t count;
  Get& get;
  Op& op;

  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    Run<T> run;
    extend(run, begin, end);
    ::new (place) Run<T>(std::move(run));
  }
  void extend(Run<T>& run, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t block = begin; block < end; ++block) {
      const std::size_t first = block * k_block;
      run.push_block(block, fold_block<T>(first, least(count, first + k_block), get, op), op);
    }
  }
  void combine(Run<T>& left, Run<T>& right) { left.append(right, op); }
  std::uint64_t elements(std::uint64_t begin, std::uint64_t end) const noexcept {
    return least(count, end * k_block) - begin * k_block;
  }
};

/// get(0), ..., get(count - 1) by the same operations however they are shared out; nothing if count is 0.
template <class T, class Policy, class Get, class Op>
std::optional<T> fold_reproducibly(const Policy& policy, std::size_t count, Get& get, Op& op,
                                   call_site where) {
  if (count == 0) return {};
  if (count <= k_block && policy.is_plain()) return fold_block<T>(0, count, get, op);
  RunFolder<T, Get, Op> folder{count, get, op};
  Result<Run<T>> run;
  fold_tree(policy, (count + k_block - 1) / k_block, folder, run, where);
  if (!run.has_value()) return {}; // stopped, and compiled without exceptions
  return run.value().value(op);
}

/// The values are made in parallel and folded strictly from left to right.
template <class T, class Policy, class Get, class Op>
T fold_sequentially(const Policy& policy, std::size_t count, T init, Get& get, Op& op) {
  std::optional<T> sum{std::move(init)};
  in_sequence(policy, count, get, [&](std::size_t, auto&& value) {
    sum.emplace(static_cast<T>(op(std::move(*sum), std::forward<decltype(value)>(value))));
  });
  return std::move(*sum);
}

template <class Policy, class T, class Get, class Op>
T reduce_values(const Policy& policy, std::size_t count, T init, Get& get, Op& op,
                [[maybe_unused]] call_site where) {
  if constexpr (Policy::evaluation == order::sequential) {
    return fold_sequentially(policy, count, std::move(init), get, op);
  } else {
    std::optional<T> all = fold_reproducibly<T>(policy, count, get, op, where);
    return all.has_value() ? static_cast<T>(op(std::move(init), std::move(*all))) : std::move(init);
  }
}

/// Sums of numbers are always reproducible, because that is also the fastest way.
struct SumOf : Called {
  template <class Policy, class In> auto operator()(const Policy& policy, const In& in) const {
    using T = std::remove_cvref_t<decltype(in[0] + in[0])>; // an int of short ones
    return (*this)(policy, in, T{});
  }
  template <class Policy, class In, class T> T operator()(const Policy& policy, const In& in, T init) const {
    static_assert(std::is_trivially_copyable_v<T>,
                  "wstree: sum() adds numbers; use reduce() for other types");
    plus add;
    auto get = [&](std::size_t i) { return static_cast<T>(in[i]); };
    return reduce_values(policy, in.count, std::move(init), get, add, where);
  }
};

struct InnerProduct : Called {
  template <class Policy, class In, class In2, class T, class Op = plus, class F = multiplies>
  requires(destination<In2>) T operator()(const Policy& policy, const In& in, In2&& second, T init,
                                          Op op = {}, F f = {}) const {
    const auto in2 = beginning(second);
    auto get = [&](std::size_t i) { return static_cast<T>(f(in[i], *ahead(in2, i))); };
    return reduce_values(policy, in.count, std::move(init), get, op, where);
  }
};

} // namespace detail

inline constexpr detail::Entry<detail::SumOf> sum{};
inline constexpr detail::Entry<detail::InnerProduct> inner_product{};

} // namespace v1
} // namespace wstree
