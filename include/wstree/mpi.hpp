// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that the ranks of an MPI communicator share: each rank executes its first range, and then units left
// to others.
//
//     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
//     wstree::mpi::for_each(MPI_COMM_WORLD, n, [&](std::uint64_t i) { ... });
//     double s = wstree::mpi::sum(wstree::mpi::on(comm).label("energy"), n, [&](std::uint64_t i) { return
//     e(i); });
//
// All ranks of the communicator make the same call. Each element is executed once, by a thread of the OpenMP
// team of one rank. wstree/mpi/README.md has the guarantees, and the requirements on MPI.
//
// Source: work-stealing ranges (wstree/core/range/README.md), over MPI-3's one-sided operations.
#pragma once

#include "wstree/mpi/bodies.h"
#include "wstree/mpi/errors.h"
#include "wstree/mpi/policy.h"
#include "wstree/mpi/run.h"
#include "wstree/parallel/sum.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace mpi {

/// Calls `function(i)` for 0 <= i < n, each once on one of the ranks.
template <ranks Ranks, class Function>
void for_each(const Ranks& policy, std::uint64_t n, Function&& function,
              call_site where = call_site::current()) {
  detail::EachBody<std::remove_reference_t<Function>> body{function};
  detail::run(detail::as_policy(policy), {detail::Kind::each, n}, body, where);
}

/// Calls `function(begin, end)` for pieces of [0, n).
template <ranks Ranks, class Function>
void for_each_chunk(const Ranks& policy, std::uint64_t n, Function&& function,
                    call_site where = call_site::current()) {
  detail::ChunkBody<std::remove_reference_t<Function>> body{function};
  detail::run(detail::as_policy(policy), {detail::Kind::chunks, n}, body, where);
}

/// As wstree::fold() on [0, n): `chunk(accumulator, begin, end)` -> accumulator, or `chunk(accumulator&,
/// begin, end)`, and `combine(left, right)`, associative, not commutative. All ranks, or the root, get the
/// same value. Accumulators are trivially copyable, or std::vector or std::string of such.
template <ranks Ranks, class Init, class Chunk, class Combine>
auto fold(const Ranks& policy, std::uint64_t n, Init init, Chunk chunk, Combine combine,
          call_site where = call_site::current()) {
  auto folder = wstree::detail::make_folder(init, chunk, combine, std::uint64_t{0});
  detail::FoldBody<decltype(folder)> body{folder};
  auto outcome = detail::run(detail::as_policy(policy), {detail::Kind::fold, n}, body, where);
  return outcome.value.has_value() ? std::move(*outcome.value) : folder.make();
}

/// `init op get(0) op ... op get(n - 1)`; op is associative, not commutative, and `init` the same on all
/// ranks. Ranks other than the root return `init`.
template <ranks Ranks, class T, class Op, class Get>
T reduce(const Ranks& policy, std::uint64_t n, T init, Op op, Get get,
         call_site where = call_site::current()) {
  detail::ReduceBody<T, Op, Get> body{op, get, init};
  auto outcome = detail::run(detail::as_policy(policy), {detail::Kind::reduce, n}, body, where);
  return outcome.value.has_value() ? std::move(*outcome.value) : std::move(init);
}

/// Returns get(0) + ... + get(n - 1), with the bits of wstree::sum() on these values, for any ranks and
/// threads. Ranks send each other sums of blocks of 2,048 values, and the values of blocks that they share.
template <ranks Ranks, class Get>
auto sum(const Ranks& policy, std::uint64_t n, Get get, call_site where = call_site::current()) {
  using Element = std::remove_cvref_t<std::invoke_result_t<Get&, std::uint64_t>>;
  using T = std::remove_cvref_t<decltype(std::declval<Element>() + std::declval<Element>())>;
  detail::SumBody<T, Get> body{n, get};
  const detail::Call call{.kind = detail::Kind::sum, .elements = n, .block = wstree::detail::k_block};
  auto outcome = detail::run(detail::as_policy(policy), call, body, where);
  return outcome.value.has_value() ? outcome.value->total() : T{};
}

/// Returns the first i of [0, n) for which `predicate(i)`; n if there is none. On all ranks. Elements are
/// tested in waves, each four times as long as the wave before; some behind the hit are tested, too.
template <ranks Ranks, class Predicate>
std::uint64_t find_first(const Ranks& policy, std::uint64_t n, Predicate predicate,
                         call_site where = call_site::current()) {
  constexpr std::uint64_t k_first_wave = 4096;
  std::uint64_t begin = 0, wave = k_first_wave;
  do {
    const std::uint64_t elements = std::min(n - begin, wave);
    detail::FindBody<Predicate> body{predicate, begin};
    const detail::Call call{.kind = detail::Kind::find,
                            .elements = elements,
                            .before = begin,
                            .behind = n - begin - elements,
                            .is_ordered = true};
    const auto outcome = detail::run(detail::as_policy(policy), call, body, where);
    if (outcome.hit != detail::Events::k_none) return begin + outcome.hit;
    begin += elements;
    wave *= 4;
  } while (begin < n);
  return n;
}

} // namespace mpi
} // namespace v1
} // namespace wstree
