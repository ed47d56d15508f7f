// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of fold(reproducible, ...): the pieces are always the same.
#pragma once

#include "wstree/parallel/dyadic.h"
#include "wstree/parallel/folder.h"

#include <concepts>
#include <cstdint>
#include <new>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Calls the chunk function once for each block of k_block numbers. Units are blocks.
template <class Chunks> struct BlockFolder {
  using T = typename Chunks::Value;
  using Value = Run<T>;
  static constexpr std::uint64_t k_unit = k_block;

  Chunks& chunks;
  std::uint64_t count; // numbers in all blocks

  std::uint64_t units() const noexcept { return count / k_block + (count % k_block != 0 ? 1 : 0); }
  std::uint64_t elements(std::uint64_t begin, std::uint64_t end) const noexcept {
    return end_of(end) - begin * k_block;
  }

  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    Run<T> run;
    extend(run, begin, end);
    ::new (place) Run<T>(std::move(run));
  }
  void extend(Run<T>& run, std::uint64_t begin, std::uint64_t end) {
    auto op = operation();
    for (std::uint64_t block = begin; block < end; ++block)
      run.push_block(block, chunks.piece(block * k_block, end_of(block + 1)), op);
  }
  void combine(Run<T>& left, Run<T>& right) {
    auto op = operation();
    left.append(right, op);
  }
  T value(const Run<T>& run) {
    auto op = operation();
    return run.value(op);
  }

private:
  std::uint64_t end_of(std::uint64_t block) const noexcept {
    return block > count / k_block ? count : block * k_block;
  }
  auto operation() {
    return [this](const T& left, const T& right) { return T(chunks.combine_two(T(left), T(right))); };
  }
};

/// The value of `chunks`, a ChunkFolder, on n > 0 numbers as the policy wants it, in `result`.
/// `execute(units, folder, result)` executes a folder.
template <class Policy, class Chunks, class Execute>
void fold_chunks(std::uint64_t n, Chunks& chunks, Result<typename Chunks::Value>& result, Execute&& execute) {
  using Value = typename Chunks::Value;
  if constexpr (Policy::evaluation == order::reproducible) {
    BlockFolder<Chunks> blocks{chunks, n};
    Result<Run<Value>> run;
    execute(blocks.units(), blocks, run);
    if (!run.has_value()) return; // stopped, and compiled without exceptions
    ::new (result.place()) Value(blocks.value(run.value()));
    result.set();
  } else {
    execute(n, chunks, result);
  }
}

/// Checks that fold() supports the policy's options.
template <class Policy> constexpr void check_fold() {
  static_assert(Policy::evaluation != order::sequential,
                "wstree: sequential_order has no meaning for fold(), whose chunks are folded apart from each "
                "other; use reduce() or transform_reduce(), or `reproducible`");
}

} // namespace detail
} // namespace v1
} // namespace wstree
