// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that go to and fro between a program's range and memory of a call. Nothing here throws.
#pragma once

#include "wstree/parallel/ranges.h"

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// True if elements can be moved to and fro without an exception, so that none is ever lost on its way.
template <class Iterator>
inline constexpr bool k_moves_safely = std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>&&
    std::is_nothrow_move_constructible_v<std::iter_value_t<Iterator>>&& std::is_nothrow_move_assignable_v<
        std::iter_value_t<Iterator>>&& std::is_nothrow_destructible_v<std::iter_value_t<Iterator>>;

/// Checks that a call can change the order of the elements of In; a compiler error otherwise.
template <class In> constexpr bool check_permutable() {
  using Iterator = std::remove_cvref_t<decltype(In::first)>;
  check_target<Iterator>();
  if constexpr (std::random_access_iterator<Iterator>) {
    constexpr bool k_is_assignable =
        std::is_assignable_v<std::iter_reference_t<Iterator>, std::iter_value_t<Iterator>>;
    static_assert(k_is_assignable,
                  "wstree: this call changes the order of its elements, which are const or cannot be moved");
    return k_is_assignable && !has_packed_bools<Iterator>();
  }
  return false;
}

/// A range of the program, whose elements live always; some have been moved from.
template <class Iterator> struct Live {
  Iterator first;

  const std::iter_value_t<Iterator>& operator[](std::size_t i) const { return *ahead(first, i); }
  std::iter_value_t<Iterator>&& leaving(std::size_t i) const { return std::move(*ahead(first, i)); }
  void has_left(std::size_t) const noexcept {}
  void put(std::size_t i, std::iter_value_t<Iterator>&& value) const { *ahead(first, i) = std::move(value); }
  auto pointer(std::size_t i) const { return ahead(first, i); }
};

/// Memory of the call: an element lives from put() to has_left().
template <class T> struct Raw {
  T* first;

  const T& operator[](std::size_t i) const noexcept { return first[i]; }
  T&& leaving(std::size_t i) const noexcept { return std::move(first[i]); }
  void has_left(std::size_t i) const noexcept { first[i].~T(); }
  void put(std::size_t i, T&& value) const noexcept {
    ::new (static_cast<void*>(first + i)) T(std::move(value));
  }
  T* pointer(std::size_t i) const noexcept { return first + i; }
};

template <class From, class To>
void relocate(const From& from, std::size_t i, const To& to, std::size_t k) noexcept {
  to.put(k, from.leaving(i));
  from.has_left(i);
}
template <class From, class To>
void relocate_all(const From& from, std::size_t i, std::size_t end, const To& to, std::size_t k) noexcept {
  for (; i < end; ++i, ++k) relocate(from, i, to, k);
}

/// Memory for n elements, of which none lives; operator bool: whether there is that much.
template <class T> class Room {
public:
  explicit Room(std::size_t n) {
    if constexpr (k_is_usual)
      first_ = static_cast<T*>(::operator new(n * sizeof(T)));
    else
      first_ = static_cast<T*>(::operator new(n * sizeof(T), k_alignment));
  }
  Room(std::size_t n, std::nothrow_t) noexcept {
    if constexpr (k_is_usual)
      first_ = static_cast<T*>(::operator new(n * sizeof(T), std::nothrow));
    else
      first_ = static_cast<T*>(::operator new(n * sizeof(T), k_alignment, std::nothrow));
  }
  ~Room() {
    if constexpr (k_is_usual)
      ::operator delete(first_);
    else
      ::operator delete(first_, k_alignment);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  explicit operator bool() const noexcept { return first_ != nullptr; }
  Raw<T> raw() const noexcept { return {first_}; }

private:
  // Aligned memory takes twice as long.
  static constexpr bool k_is_usual = alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  static constexpr std::align_val_t k_alignment{alignof(T)};
  T* first_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
