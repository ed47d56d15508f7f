// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that are folded piece by piece, by the operations of whole blocks.
#pragma once

#include "wstree/parallel/dyadic.h"
#include "wstree/parallel/inline_start.h"
#include "wstree/parallel/lanes.h"
#include "wstree/parallel/site.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The beginning of a block of `size` elements. Its value is that of fold_block().
template <class T, class Op> class GrowingBlock {
public:
  void restart(std::size_t size) {
    size_ = size, count_ = 0;
    left_.reset();
  }
  bool is_complete() const noexcept { return count_ == size_; }

  /// Appends get(begin), ..., get(end - 1).
  template <class Get> void extend(std::size_t begin, std::size_t end, Get& get, Op& op) {
    if constexpr (k_commutes<T, Op>) {
      if (has_lanes()) return extend_lanes(begin, end, get, op);
    }
    for (std::size_t i = begin; i < end; ++i, ++count_) {
      if (left_.has_value())
        left_.emplace(static_cast<T>(op(std::move(*left_), get(i))));
      else
        left_.emplace(get(i));
    }
  }
  T value(Op& op) const {
    if constexpr (k_commutes<T, Op>) {
      if (has_lanes()) return lanes_.value(op);
    }
    return *left_;
  }

private:
  struct None {};
  struct Lanes {
    T lane[k_lanes<T>];
    T value(Op& op) const {
      Lanes sums = *this;
      for (std::size_t half = k_lanes<T> / 2; half > 0; half /= 2)
        for (std::size_t l = 0; l < half; ++l)
          sums.lane[l] = static_cast<T>(op(sums.lane[l], sums.lane[l + half]));
      return sums.lane[0];
    }
  };

  std::size_t size_ = 0, count_ = 0;
  std::optional<T> left_;
  std::conditional_t<k_commutes<T, Op>, Lanes, None> lanes_{};

  bool has_lanes() const noexcept { return size_ >= 2 * k_lanes<T>; }

  template <class Get> void extend_lanes(std::size_t i, std::size_t end, Get& get, Op& op) {
    constexpr std::size_t k = k_lanes<T>;
    Lanes sums = lanes_; // in registers
    const auto one = [&] {
      T& lane = sums.lane[count_ % k];
      lane = count_ < k ? static_cast<T>(get(i)) : static_cast<T>(op(lane, get(i)));
      ++i, ++count_;
    };
    while (i < end && (count_ < k || count_ % k != 0)) one();
    for (; end - i >= k; i += k, count_ += k) {
      WSTREE_UNROLL
      for (std::size_t l = 0; l < k; ++l) sums.lane[l] = static_cast<T>(op(sums.lane[l], get(i + l)));
    }
    while (i < end) one();
    lanes_ = sums;
  }
};

/// The beginning of `count` elements.
template <class T, class Op> class GrowingRun {
public:
  GrowingRun(std::size_t count, Op& op) : count_(count), op_(op) {}

  /// Appends get(begin), ..., get(end - 1), which stand behind those before.
  template <class Get> void extend(std::size_t begin, std::size_t end, Get& get) {
    while (begin != end) {
      const std::size_t first = begin / k_block * k_block, past = least(first + k_block, count_);
      if (begin == first) block_.restart(past - first);
      const std::size_t to = least(end, past);
      block_.extend(begin, to, get, op_);
      if (block_.is_complete()) run_.push_block(first / k_block, block_.value(op_), op_);
      begin = to;
    }
  }
  /// Returns the run of the complete blocks.
  Run<T>& run() noexcept { return run_; }

private:
  std::size_t count_;
  Op& op_;
  Run<T> run_;
  GrowingBlock<T, Op> block_;
};

/// An element that takes longer is better made apart from its neighbours than with its whole block.
inline constexpr double k_dear_us = 0.03;

inline bool are_dear(const Start& start) noexcept {
  return start.ticks_per_element > k_dear_us * Clock::ticks_per_us();
}

/// Blocks of the longest call that execute_block() can take: cheap elements of so many are done before a team
/// would have met.
inline constexpr std::size_t k_brief_blocks = 4;

/// A call of `count` elements: calls at_once(), which does not look at the clock, where such calls have gone
/// well in a row, and slowly() elsewhere.
template <class AtOnce, class Slowly>
void execute_block(Site& site, std::size_t count, AtOnce&& at_once, Slowly&& slowly) {
  if (site.is_brief(count)) return at_once();
  const std::uint64_t since = Clock::ticks();
  if (site.longest_step(count) == count)
    at_once();
  else
    slowly();
  const std::uint64_t ticks = core::elapsed(since, Clock::ticks());
  site.was_alone(count, ticks, static_cast<float>(ticks) / static_cast<float>(count));
}

} // namespace detail
} // namespace v1
} // namespace wstree
