// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of an element of any type to the word that a work-stealing queue holds, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// A thief reads a word before it is sure of getting it, so only elements that may be copied as bytes can
/// stand in the queue itself.
template <class T>
inline constexpr bool k_is_word = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t);

/// Small trivial elements: the word is the element.
template <class T, bool k_in_word = k_is_word<T>> class QueueWords {
public:
  template <class... Args> static std::uint64_t make(Args&&... args) {
    const T value(static_cast<Args&&>(args)...);
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const void*>(std::addressof(value)), sizeof value);
    return word;
  }
  static T take_own(std::uint64_t word) noexcept { return take(word); }
  static T take(std::uint64_t word) noexcept {
    alignas(T) std::byte place[sizeof(T)];
    std::memcpy(place, &word, sizeof place);
    return *std::launder(reinterpret_cast<T*>(place));
  }
};

/// All other elements: the word is the address of a box. The owner keeps the boxes that it has emptied itself
/// for the next elements; a thief frees the box that it has emptied.
template <class T> class QueueWords<T, false> {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "wstree: an element that throws when it leaves the queue would be lost");

public:
  QueueWords() = default;
  QueueWords(const QueueWords&) = delete;
  QueueWords& operator=(const QueueWords&) = delete;
  ~QueueWords() {
    while (kept_ != nullptr) delete std::exchange(kept_, kept_->next);
  }

  /// Only the owner. If it throws, nothing has changed.
  template <class... Args> std::uint64_t make(Args&&... args) {
    struct Fresh {
      QueueWords& words;
      Box* box;
      ~Fresh() {
        if (box != nullptr) words.keep(box);
      }
    } fresh{*this, box()};
    ::new (fresh.box->value()) T(static_cast<Args&&>(args)...);
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(std::exchange(fresh.box, nullptr)));
  }
  /// Takes an element out of its word. Only the owner.
  T take_own(std::uint64_t word) noexcept {
    Box* const box = box_of(word);
    T value = box->empty();
    keep(box);
    return value;
  }
  static T take(std::uint64_t word) noexcept {
    const std::unique_ptr<Box> box(box_of(word));
    return box->empty();
  }

private:
  struct Box {
    Box* next = nullptr;
    alignas(T) std::byte bytes[sizeof(T)];

    void* value() noexcept { return bytes; }
    T empty() noexcept {
      T& held = *std::launder(reinterpret_cast<T*>(bytes));
      T value(std::move(held));
      held.~T();
      return value;
    }
  };
  static constexpr std::uint32_t k_most_kept = 64;

  static Box* box_of(std::uint64_t word) noexcept {
    return reinterpret_cast<Box*>(static_cast<std::uintptr_t>(word));
  }
  Box* box() {
    if (kept_ == nullptr) return new Box;
    --count_;
    return std::exchange(kept_, kept_->next);
  }
  void keep(Box* box) noexcept {
    if (count_ == k_most_kept) {
      delete box;
      return;
    }
    ++count_;
    box->next = std::exchange(kept_, box);
  }

  Box* kept_ = nullptr;
  std::uint32_t count_ = 0;
};

} // namespace detail
} // namespace v1
} // namespace wstree
