// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of consecutive elements, with the bits of wstree::sum() wherever the elements are cut.
#pragma once

#include "wstree/parallel/dyadic.h"
#include "wstree/parallel/growing_run.h"
#include "wstree/parallel/operators.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Elements [begin, end) of `count`. Complete blocks are sums in the tree of wstree::sum(), and so is the
/// beginning of a block at the end. The values at the front of a block whose beginning another rank has are
/// kept: fewer than k_block.
template <class T> class BlockSums {
  static_assert(std::is_arithmetic_v<T>, "wstree: sum() adds numbers; use reduce() for other types");

public:
  using Element = T;

  BlockSums() = default;
  BlockSums(std::uint64_t count, std::uint64_t begin) noexcept : count_(count), begin_(begin), end_(begin) {}

  /// Appends get(end), ..., get(past - 1).
  template <class Get> void extend(std::uint64_t past, Get& get) {
    while (end_ != past) {
      const std::uint64_t first = end_ / k_block * k_block, end_of_block = std::min(first + k_block, count_);
      const std::uint64_t to = std::min(past, end_of_block);
      if (first < begin_) {
        for (; end_ != to; ++end_) front_.push_back(get(end_));
        continue;
      }
      if (end_ == first) block_.restart(end_of_block - first);
      block_.extend(end_, to, get, add_);
      end_ = to;
      if (block_.is_complete()) run_.push_block(first / k_block, block_.value(add_), add_);
    }
  }

  /// `next` begins where these elements end.
  void append(const BlockSums& next) {
    const auto get = [&](std::uint64_t i) { return next.front_[i - next.begin_]; };
    extend(next.begin_ + next.front_.size(), get);
    if (end_ == next.end_) return;
    run_.append(next.run_, add_);
    block_ = next.block_;
    end_ = next.end_;
  }

  /// Returns the sum of all `count` elements, of which there is at least one.
  T total() { return static_cast<T>(T{} + run_.value(add_)); }

  /// To and from the bytes of a Parcel.
  template <class Parcel> void pack(Parcel& parcel) const {
    parcel.put(count_), parcel.put(begin_), parcel.put(end_), parcel.put(front_);
    parcel.put(run_);
    if (has_part()) parcel.put_bytes(&block_, sizeof block_);
  }
  template <class Parcel> static BlockSums unpacked(Parcel& parcel) {
    BlockSums sums;
    sums.count_ = parcel.template get<std::uint64_t>();
    sums.begin_ = parcel.template get<std::uint64_t>();
    sums.end_ = parcel.template get<std::uint64_t>();
    sums.front_ = parcel.template get<std::vector<T>>();
    sums.run_ = parcel.template get<wstree::detail::Run<T>>();
    if (sums.has_part()) parcel.get_bytes(&sums.block_, sizeof sums.block_);
    return sums;
  }

private:
  static constexpr std::uint64_t k_block = wstree::detail::k_block;
  using Block = wstree::detail::GrowingBlock<T, plus>;
  static_assert(std::is_trivially_copyable_v<Block>);

  /// Returns whether the elements end within a block of which they have the beginning.
  bool has_part() const noexcept {
    return end_ % k_block != 0 && end_ != count_ && end_ / k_block * k_block >= begin_;
  }

  std::uint64_t count_ = 0, begin_ = 0, end_ = 0;
  std::vector<T> front_;
  wstree::detail::Run<T> run_;
  Block block_;
  [[no_unique_address]] plus add_{};
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
