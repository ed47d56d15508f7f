// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that do not depend on how the elements were cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Elements of a block. Blocks are the leaves of one binary tree over all block numbers, so that additions
/// depend on the number of elements alone.
inline constexpr std::size_t k_block = 2048;

/// The sums of consecutive blocks, as the fewest complete subtrees of that tree. Neighbouring runs are
/// appended by merging siblings, as in a binary counter: however the blocks were cut into runs, the same
/// subtrees are merged by the same operations. There is no identity: an empty run has no sums.
template <class T> class Run {
  static_assert(std::is_trivially_copyable_v<T>,
                "wstree: reproducible results need values that are trivially copyable");

public:
  Run() noexcept {}
  Run(const Run& other) noexcept { copy(other); }
  Run& operator=(const Run& other) noexcept {
    if (this != &other) copy(other);
    return *this;
  }

  bool empty() const noexcept { return count_ == 0; }

  template <class Op> void push_block(std::uint64_t block, const T& sum, Op& op) {
    if (count_ == 0) end_ = block;
    push(sum, 0, op);
  }

  /// `next` begins where this run ends.
  template <class Op> void append(const Run& next, Op& op) {
    if (count_ == 0) {
      copy(next);
      return;
    }
    for (unsigned i = 0; i < next.count_; ++i) push(next.sum(i), next.levels_[i], op);
  }

  /// All blocks together; there is at least one.
  template <class Op> T value(Op& op) const {
    T result = sum(0);
    for (unsigned i = 1; i < count_; ++i) result = static_cast<T>(op(result, sum(i)));
    return result;
  }

private:
  static constexpr unsigned k_most = 96; // of 2^48 blocks: levels rise on the left and fall on the right

  std::uint64_t end_ = 0;
  unsigned count_ = 0;
  std::uint8_t levels_[k_most];
  alignas(T) std::byte sums_[k_most * sizeof(T)];

  const T& sum(unsigned i) const noexcept {
    return *std::launder(reinterpret_cast<const T*>(sums_ + i * sizeof(T)));
  }
  void set(unsigned i, const T& value) noexcept {
    ::new (static_cast<void*>(sums_ + i * sizeof(T))) T(value);
  }

  template <class Op> void push(T value, std::uint8_t level, Op& op) {
    end_ += std::uint64_t{1} << level;
    // The last subtree is the left sibling if it is as high and both together begin where a larger
    // one begins.
    while (count_ > 0 && levels_[count_ - 1] == level && end_ % (std::uint64_t{2} << level) == 0) {
      value = static_cast<T>(op(sum(count_ - 1), value));
      --count_, ++level;
    }
    set(count_, value);
    levels_[count_++] = level;
  }

  void copy(const Run& other) noexcept {
    end_ = other.end_, count_ = other.count_;
    __builtin_memcpy(levels_, other.levels_, count_);
    __builtin_memcpy(sums_, other.sums_, count_ * sizeof(T));
  }
};

} // namespace detail
} // namespace v1
} // namespace wstree
