// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of a predicate among the elements of a tile.
#pragma once

#include "wstree/parallel/ranges.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Keeps an element until its turn, so that its iterator is dereferenced once. A value is kept if it is small
/// and can be copied as bytes, or if the iterator makes it anew; otherwise its address is kept.
template <class In> struct Keeping {
  using Value = typename In::Value;
  using Reference = typename In::Reference;
  static constexpr bool k_is_small = std::is_trivially_copyable_v<Value> &&
                                     std::is_trivially_default_constructible_v<Value> && sizeof(Value) <= 16;
  static constexpr bool k_points = !k_is_small && std::is_lvalue_reference_v<Reference>;
  using Byte = std::conditional_t<std::is_same_v<Value, bool>, unsigned char, Value>; // no vector<bool>
  using Kept = std::conditional_t<k_points, std::add_pointer_t<std::remove_reference_t<Reference>>, Byte>;

  /// Returns the element that was kept, to be copied, or moved from.
  static decltype(auto) element(Kept& kept) noexcept {
    if constexpr (k_points)
      return (*kept);
    else if constexpr (k_is_small)
      return static_cast<const Value&&>(kept);
    else
      return std::move(kept);
  }
  /// Keeps in[i] at the end of `list` if the predicate holds. Returns the predicate's result.
  template <class Pred> static bool keep(const In& in, std::size_t i, Pred&& pred, std::vector<Kept>& list) {
    auto&& element = in[i];
    if (!pred(element)) return false;
    if constexpr (k_points)
      list.push_back(&element);
    else
      list.push_back(static_cast<Kept>(std::forward<decltype(element)>(element)));
    return true;
  }
};

/// The elements of a tile that were chosen.
template <class In> class Chosen {
  using Keep = Keeping<In>;
  using Kept = typename Keep::Kept;

public:
  std::size_t size() const noexcept { return size_; }

  template <class Pred> void choose(const In& in, std::size_t begin, std::size_t end, Pred& pred) {
    if constexpr (Keep::k_is_small) {
      // No branch depends on the predicate's result, because processors predict it badly.
      if (kept_.size() < end - begin) kept_.resize(end - begin);
      Kept* to = kept_.data();
      const In from = in; // in registers while the loop stores bytes
      const Pred ask = pred;
      for (std::size_t i = begin; i < end; ++i) {
        const typename In::Value value = from[i];
        *to = value;
        to += static_cast<bool>(ask(value));
      }
      size_ = static_cast<std::size_t>(to - kept_.data());
    } else {
      kept_.clear();
      for (std::size_t i = begin; i < end; ++i) Keep::keep(in, i, pred, kept_);
      size_ = kept_.size();
    }
  }

  template <class Out> void copy(Out to) {
    for (std::size_t k = 0; k < size_; ++k, ++to) write_to(to, Keep::element(kept_[k]));
  }
  template <class Vector> void append(Vector& to) {
    if constexpr (Keep::k_is_small)
      to.insert(to.end(), kept_.data(), kept_.data() + size_);
    else
      for (std::size_t k = 0; k < size_; ++k) to.emplace_back(Keep::element(kept_[k]));
  }

private:
  std::size_t size_ = 0;
  std::vector<Kept> kept_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
