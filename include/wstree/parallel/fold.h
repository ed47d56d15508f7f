// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds: every ordered operation on the elements of a range is a thin layer over them.
#pragma once

#include "wstree/parallel/fold_blocks.h"
#include "wstree/parallel/fold_tree.h"
#include "wstree/parallel/folder.h"
#include "wstree/parallel/ranges.h"
#include "wstree/parallel/wrong_call.h"

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {

/// Executes `chunk(accumulator, begin, end)` -> accumulator, or `chunk(accumulator&, begin, end)`, on pieces
/// of [first, last), which are whole ranges of consecutive numbers, and `combine(left, right)` -> accumulator
/// on the results of neighbouring pieces, in their order: combine need be associative, not commutative.
/// `init` is a neutral accumulator, or a function without arguments that makes one. With `reproducible` the
/// pieces are blocks of 2,048 numbers, the last one may be shorter, and accumulators have to be trivially
/// copyable; with `sequential_order` it does not compile.
template <execution_policy Policy, std::integral Index, class Init, class Chunk, class Combine>
auto fold(const Policy& policy, Index first, std::type_identity_t<Index> last, Init init, Chunk chunk,
          Combine combine, call_site where = call_site::current()) {
  detail::check_fold<Policy>();
  auto folder = detail::make_folder(init, chunk, combine, first);
  detail::Result<typename decltype(folder)::Value> result;
  if (first < last)
    detail::fold_chunks<Policy>(
        detail::distance(first, last), folder, result,
        [&](std::uint64_t n, auto& how, auto& value) { detail::fold_tree(policy, n, how, value, where); });
  if (result.has_value()) return std::move(result.value());
  return folder.make();
}
template <std::integral Index, class Init, class Chunk, class Combine>
auto fold(Index first, std::type_identity_t<Index> last, Init init, Chunk chunk, Combine combine,
          call_site where = call_site::current()) {
  return fold(par(), first, last, std::move(init), std::move(chunk), std::move(combine), where);
}

template <execution_policy Policy, std::integral Index, detail::other_end<Index> End, class Init, class Chunk,
          class Combine>
auto fold(const Policy& policy, Index first, End last, Init init, Chunk chunk, Combine combine,
          call_site where = call_site::current()) {
  const auto ends = detail::ends_of(first, last);
  return fold(policy, ends.first, ends.last, std::move(init), std::move(chunk), std::move(combine), where);
}
template <std::integral Index, detail::other_end<Index> End, class Init, class Chunk, class Combine>
auto fold(Index first, End last, Init init, Chunk chunk, Combine combine,
          call_site where = call_site::current()) {
  return fold(par(), first, last, std::move(init), std::move(chunk), std::move(combine), where);
}

/// Calls `chunk(begin, end)` for pieces of [first, last): the compiler sees a plain loop in it.
template <execution_policy Policy, std::integral Index, class Chunk>
void for_each_chunk(const Policy& policy, Index first, std::type_identity_t<Index> last, Chunk&& chunk,
                    call_site where = call_site::current()) {
  detail::check_function<Chunk, Index, Index>();
  using Function = std::remove_reference_t<Chunk>;
  if (first < last)
    detail::run_loop<detail::EachChunk<Index, Function>>(
        policy, detail::distance(first, last), where, detail::HeldCall<Function, Index, Index>{chunk}, first);
}
template <std::integral Index, class Chunk>
void for_each_chunk(Index first, std::type_identity_t<Index> last, Chunk&& chunk,
                    call_site where = call_site::current()) {
  for_each_chunk(par(), first, last, chunk, where);
}
template <execution_policy Policy, std::integral Index, detail::other_end<Index> End, class Chunk>
void for_each_chunk(const Policy& policy, Index first, End last, Chunk&& chunk,
                    call_site where = call_site::current()) {
  const auto ends = detail::ends_of(first, last);
  for_each_chunk(policy, ends.first, ends.last, chunk, where);
}
template <std::integral Index, detail::other_end<Index> End, class Chunk>
void for_each_chunk(Index first, End last, Chunk&& chunk, call_site where = call_site::current()) {
  for_each_chunk(par(), first, last, chunk, where);
}

} // namespace v1
} // namespace wstree
