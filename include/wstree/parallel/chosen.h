// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of a predicate among the elements of a tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The elements of a tile that were chosen. What is small and can be copied as bytes is kept itself; of all
/// else only the place in the tile, and the element is read again.
template <class In> class Chosen {
  using Value = typename In::Value;
  static constexpr bool k_keeps_values = std::is_trivially_copyable_v<Value> &&
                                         std::is_trivially_default_constructible_v<Value> &&
                                         sizeof(Value) <= 16;
  using Byte = std::conditional_t<std::is_same_v<Value, bool>, unsigned char, Value>; // no vector<bool>
  using Kept = std::conditional_t<k_keeps_values, Byte, std::uint32_t>;

public:
  std::size_t size() const noexcept { return size_; }

  /// No branch depends on what pred says, which processors predict badly.
  template <class Pred> void choose(const In& in, std::size_t begin, std::size_t end, Pred& pred) {
    begin_ = begin;
    if (kept_.size() < end - begin) kept_.resize(end - begin);
    Kept* to = kept_.data();
    for (std::size_t i = begin; i < end; ++i) {
      if constexpr (k_keeps_values) {
        const Value value = in[i];
        *to = value;
        to += static_cast<bool>(pred(value));
      } else {
        *to = static_cast<std::uint32_t>(i - begin);
        to += static_cast<bool>(pred(in[i]));
      }
    }
    size_ = static_cast<std::size_t>(to - kept_.data());
  }

  template <class Out> void copy(const In& in, Out to) const {
    for (std::size_t k = 0; k < size_; ++k, ++to) {
      if constexpr (k_keeps_values)
        *to = kept_[k];
      else
        *to = in[begin_ + kept_[k]];
    }
  }
  template <class Vector> void append(const In& in, Vector& to) const {
    if constexpr (k_keeps_values) {
      to.insert(to.end(), kept_.data(), kept_.data() + size_);
    } else {
      for (std::size_t k = 0; k < size_; ++k) to.emplace_back(in[begin_ + kept_[k]]);
    }
  }

private:
  std::size_t begin_ = 0, size_ = 0;
  std::vector<Kept> kept_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
