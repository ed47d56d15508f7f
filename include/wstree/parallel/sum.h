// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sum, inner_product, and reductions whose order of operations is fixed
// Exceptions, stops and thread-safety: README.md#what-is-promised
#pragma once

#include "wstree/parallel/dyadic.h"
#include "wstree/parallel/entry.h"
#include "wstree/parallel/growing_run.h"
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

/// Blocks of get(0), ..., get(count - 1) as a folder, from block `before` on. Units are blocks.
template <class T, class Get, class Op> struct RunFolder {
  using Value = Run<T>;
  static constexpr std::uint64_t k_unit = k_block;
  std::size_t count;
  Get& get;
  Op& op;
  std::size_t before = 0;

  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    Run<T> run;
    extend(run, begin, end);
    ::new (place) Run<T>(std::move(run));
  }
  void extend(Run<T>& run, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t block = begin + before; block < end + before; ++block) {
      const std::size_t first = block * k_block;
      run.push_block(block, fold_block<T>(first, least(count, first + k_block), get, op), op);
    }
  }
  void combine(Run<T>& left, Run<T>& right) { left.append(right, op); }
  std::uint64_t elements(std::uint64_t begin, std::uint64_t end) const noexcept {
    return least(count, (end + before) * k_block) - (begin + before) * k_block;
  }
};

/// The beginning of fold_reproducibly() where elements may be dear: by the caller. If they are, all others
/// are made one by one in parallel. Returns the number of complete blocks, whose sums are in `run`.
template <class T, class Policy, class Get, class Op>
std::size_t begin_reproducibly(const Policy& policy, std::size_t count, Get& get, Op& op, Run<T>& run) {
  GrowingRun<T, Op> so_far(count, op);
  const auto append = [&](std::size_t begin, std::size_t end) {
    so_far.extend(begin, end, get);
    policy.advance(end - begin);
    return true;
  };
  const Start start =
      start_inline(policy, count, k_sequence_worth_us, append, Alone::goes_on, 2, Looks::are_needed);
  std::size_t done = start.done;
  if (done != count && are_dear(start)) {
    const auto step = [&](std::size_t i, auto&& value) {
      const auto same = [&](std::size_t) -> decltype(auto) { return (value); };
      so_far.extend(i, i + 1, same);
    };
    finish_in_sequence(policy, start, count, get, step);
    done = count;
  } else if (done % k_block != 0 && done != count) {
    const std::size_t end = least(count, (done / k_block + 1) * k_block);
    append(done, end);
    done = end;
  }
  run = std::move(so_far.run());
  return (done + k_block - 1) / k_block;
}

/// Does what fold_reproducibly() does, in blocks that several members may share; count > 0.
template <class T, bool k_is_cheap, class Policy, class Get, class Op>
[[gnu::noinline]] std::optional<T> fold_by_blocks(const Policy& policy, std::size_t count, Get& get, Op& op,
                                                  call_site where) {
  Run<T> all;
  std::size_t done = 0;
  if constexpr (!k_is_cheap) done = begin_reproducibly(policy, count, get, op, all);
  if (const std::size_t blocks = (count + k_block - 1) / k_block; done < blocks) {
    RunFolder<T, Get, Op> folder{count, get, op, done};
    Result<Run<T>> rest;
    fold_tree(policy, blocks - done, folder, rest, where);
    if (!rest.has_value()) return {}; // stopped, and compiled without exceptions
    all.append(rest.value(), op);
  }
  if (all.empty()) return {}; // likewise
  return all.value(op);
}

/// get(0), ..., get(count - 1) by the same operations however they are shared out; nothing if count is 0.
/// `k_is_cheap`: get() only reads memory.
template <class T, bool k_is_cheap = false, class Policy, class Get, class Op>
std::optional<T> fold_reproducibly(const Policy& policy, std::size_t count, Get& get, Op& op,
                                   call_site where) {
  if (count == 0) return {};
  std::optional<T> all;
  const auto at_once = [&] { all.emplace(fold_block<T>(0, count, get, op)); };
  const auto slowly = [&] { all = fold_by_blocks<T, k_is_cheap>(policy, count, get, op, where); };
  if (count > k_block || !policy.is_plain())
    slowly();
  else if constexpr (k_is_cheap)
    at_once();
  else
    execute_block(t_sites.at(site_key<Get>(where)), count, at_once, slowly);
  return all;
}

/// Makes the values in parallel and folds them strictly from left to right.
template <class T, class Policy, class Get, class Op>
T fold_sequentially(const Policy& policy, std::size_t count, T init, Get& get, Op& op) {
  std::optional<T> sum{std::move(init)};
  in_sequence(policy, count, get, [&](std::size_t, auto&& value) {
    sum.emplace(static_cast<T>(op(std::move(*sum), std::forward<decltype(value)>(value))));
  });
  return std::move(*sum);
}

template <bool k_is_cheap = false, class Policy, class T, class Get, class Op>
T reduce_values(const Policy& policy, std::size_t count, T init, Get& get, Op& op,
                [[maybe_unused]] call_site where) {
  if constexpr (Policy::evaluation == order::sequential) {
    return fold_sequentially(policy, count, std::move(init), get, op);
  } else {
    std::optional<T> all = fold_reproducibly<T, k_is_cheap>(policy, count, get, op, where);
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
    return reduce_values<In::k_in_memory>(policy, in.count, std::move(init), get, add, where);
  }
};

struct InnerProduct : Called {
  template <class Policy, class In, class In2, class T, class Op = plus, class F = multiplies>
  requires(destination<In2>) T operator()(const Policy& policy, const In& in, In2&& second, T init,
                                          Op op = {}, F f = {}) const {
    const auto in2 = beginning(second);
    check_function<F, typename In::Reference, decltype(*in2)>();
    static_assert(combines<Op, T>(), "wstree: the operator of a reduction has to take two values and "
                                     "return one, and the initial value has to be one");
    auto get = [&](std::size_t i) { return static_cast<T>(f(in[i], *ahead(in2, i))); };
    constexpr bool k_is_cheap =
        In::k_in_memory && std::contiguous_iterator<decltype(beginning(second))> && k_is_plus_or_times<T, F>;
    return reduce_values<k_is_cheap>(policy, in.count, std::move(init), get, op, where);
  }
};

} // namespace detail

/// sum(in[, init]): returns init, or 0, plus n numbers, by the same additions for every number of threads.
inline constexpr detail::Entry<detail::SumOf> sum{};
/// inner_product(a, b, init[, op[, f]]): returns init op f(a0, b0) op f(a1, b1) ..., n of them, likewise.
inline constexpr detail::Entry<detail::InnerProduct> inner_product{};

} // namespace v1
} // namespace wstree
