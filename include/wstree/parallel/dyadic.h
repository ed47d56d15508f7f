// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that do not depend on how the elements were cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Elements of a block. Blocks are the leaves of one binary tree over all block numbers, so that additions
/// depend on the number of elements alone.
inline constexpr std::size_t k_block = 2048;

/// A few values within the list itself, with a part of std::vector's interface.
template <class T, unsigned k_most> class InlineList {
public:
  InlineList() noexcept {}
  InlineList(const InlineList& other) noexcept { copy(other); }
  InlineList& operator=(const InlineList& other) noexcept {
    if (this != &other) copy(other);
    return *this;
  }

  bool empty() const noexcept { return size_ == 0; }
  unsigned size() const noexcept { return size_; }
  const T& operator[](unsigned i) const noexcept {
    return *std::launder(reinterpret_cast<const T*>(values_ + i * sizeof(T)));
  }
  const T& back() const noexcept { return (*this)[size_ - 1]; }
  void push_back(const T& value) noexcept {
    ::new (static_cast<void*>(values_ + size_ * sizeof(T))) T(value);
    ++size_;
  }
  void pop_back() noexcept { --size_; }

private:
  unsigned size_ = 0;
  alignas(T) std::byte values_[k_most * sizeof(T)];

  void copy(const InlineList& other) noexcept {
    size_ = other.size_;
    __builtin_memcpy(values_, other.values_, size_ * sizeof(T));
  }
};

/// The sums of consecutive blocks, as the fewest complete subtrees of that tree. Neighbouring runs are
/// appended by merging siblings, as in a binary counter: however the blocks were cut into runs, the same
/// subtrees are merged by the same operations. There is no identity: an empty run has no sums.
template <class T> class Run {
  static_assert(std::is_trivially_copyable_v<T>,
                "wstree: reproducible results need values that are trivially copyable");

public:
  bool empty() const noexcept { return sums_.empty(); }

  template <class Op> void push_block(std::uint64_t block, const T& sum, Op& op) {
    if (empty()) end_ = block;
    push(sum, 0, op);
  }

  /// `next` begins where this run ends.
  template <class Op> void append(const Run& next, Op& op) {
    if (empty()) {
      *this = next;
      return;
    }
    for (unsigned i = 0; i < next.sums_.size(); ++i) push(next.sums_[i], next.levels_[i], op);
  }

  /// Returns the value of all blocks together; there is at least one.
  template <class Op> T value(Op& op) const {
    T result = sums_[0];
    for (unsigned i = 1; i < sums_.size(); ++i) result = static_cast<T>(op(result, sums_[i]));
    return result;
  }

  /// To and from the bytes of a parcel.
  template <class Parcel> void pack(Parcel& parcel) const {
    parcel.put(end_), parcel.put(sums_.size());
    for (unsigned i = 0; i < sums_.size(); ++i) parcel.put(levels_[i]), parcel.put(sums_[i]);
  }
  template <class Parcel> static Run unpacked(Parcel& parcel) {
    Run run;
    run.end_ = parcel.template get<std::uint64_t>();
    for (auto left = parcel.template get<decltype(run.sums_.size())>(); left != 0; --left) {
      run.levels_.push_back(parcel.template get<std::uint8_t>());
      run.sums_.push_back(parcel.template get<T>());
    }
    return run;
  }

private:
  static constexpr unsigned k_most = 96; // levels of 2^48 blocks: levels rise on the left and fall on
                                         // the right
  /// Members have several runs on their stacks, so that larger values are kept elsewhere.
  static constexpr std::size_t k_small = 64;

  std::uint64_t end_ = 0;
  InlineList<std::uint8_t, k_most> levels_;
  std::conditional_t<sizeof(T) <= k_small, InlineList<T, k_most>, std::vector<T>> sums_;

  template <class Op> void push(T value, std::uint8_t level, Op& op) {
    end_ += std::uint64_t{1} << level;
    // The last subtree is the left sibling if it is as high and both together begin where a larger
    // one begins.
    while (!empty() && levels_.back() == level && end_ % (std::uint64_t{2} << level) == 0) {
      value = static_cast<T>(op(sums_.back(), value));
      sums_.pop_back(), levels_.pop_back(), ++level;
    }
    sums_.push_back(value), levels_.push_back(level);
  }
};

} // namespace detail
} // namespace v1
} // namespace wstree
