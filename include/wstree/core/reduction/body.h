// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of a reduction's elements and values. The workers of the tree do not know their types:
// they are compiled once for all reductions of a translation unit, and call the functions of the type once
// per batch.
#pragma once

#include "wstree/core/reduction/value.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace wstree::core {

/// None throws: false means that it has failed, and that the reduction is to end. Members call them at a
/// time.
///
///   start(place, begin, end)   makes the value of [begin, end) at `place`
///   extend(value, begin, end)  continues `value` by the elements behind it
///   combine(left, right, at)   continues `left` by the value of what follows it; `at`: where `right` begins
///   move(place, value, at)     moves a value
///   goes_on()                  whether the batch that was taken may start; false ends the reduction
///   has_ended()                whether the reduction has ended early
template <class B>
concept ReductionBody = requires(B& body, void* place, typename B::Value& value, std::uint64_t n) {
  { body.start(place, n, n) } -> std::same_as<bool>;
  { body.extend(value, n, n) } -> std::same_as<bool>;
  { body.combine(value, value, n) } -> std::same_as<bool>;
  { body.move(place, value, n) } -> std::same_as<bool>;
  { body.goes_on() } -> std::same_as<bool>;
  { body.has_ended() } -> std::same_as<bool>;
};

/// Room for the values that a member has at a time.
struct MemberValues {
  ValueSlot left;  ///< value of the owned node: of the batches from its left end,
  ValueSlot right; ///< and from its right one
  ValueSlot batch; ///< value of the batch that the member executes
};

/// The functions of one type of body, and the size of its values. start() and extend() return false, and do
/// nothing, if goes_on() returns false.
struct BodyCalls {
  std::size_t bytes; ///< 0: nothing has to be combined
  std::size_t alignment;
  bool (*start)(void* body, void* place, std::uint64_t begin, std::uint64_t end) noexcept;
  bool (*extend)(void* body, void* value, std::uint64_t begin, std::uint64_t end) noexcept;
  bool (*has_ended)(void* body) noexcept;
  bool (*combine)(void* body, void* left, void* right, std::uint64_t at) noexcept;
  bool (*move)(void* body, void* place, void* value, std::uint64_t at) noexcept;
  void (*destroy)(void* value) noexcept; ///< nullptr: nothing has to be done
  /// Calls `then(what, values)` with room for values, which are none before; destroys the values that are
  /// still there then.
  void (*hold)(void (*then)(void* what, const MemberValues& values) noexcept, void* what) noexcept;
};

/// A body of any type.
struct ErasedBody {
  void* body;
  const BodyCalls* calls;

  bool has_values() const noexcept { return calls->bytes != 0; }
  bool start(ValueSlot to, std::uint64_t begin, std::uint64_t end) const noexcept {
    return *to.has_value = calls->start(body, to.place, begin, end);
  }
  bool extend(ValueSlot value, std::uint64_t begin, std::uint64_t end) const noexcept {
    return calls->extend(body, value.place, begin, end);
  }
  bool combine(void* left, void* right, std::uint64_t at) const noexcept {
    return calls->combine(body, left, right, at);
  }
  bool move(void* place, void* value, std::uint64_t at) const noexcept {
    return calls->move(body, place, value, at);
  }
  bool has_ended() const noexcept { return calls->has_ended(body); }
  void destroy(void* value) const noexcept {
    if (calls->destroy != nullptr) calls->destroy(value);
  }
  void reset(ValueSlot slot) const noexcept {
    if (!*slot.has_value) return;
    *slot.has_value = false;
    destroy(slot.place);
  }
};

template <class T>
void hold_values(void (*then)(void* what, const MemberValues& values) noexcept, void* what) noexcept {
  Maybe<T> left, right, batch;
  then(what, {left.slot(), right.slot(), batch.slot()});
}

/// Returns the body that `void* body` points to, or B, a view of a B::State.
template <class B> decltype(auto) body_at(void* body) noexcept {
  if constexpr (requires { typename B::State; })
    return B{*static_cast<typename B::State*>(body)};
  else
    return (*static_cast<B*>(body));
}

template <ReductionBody B, class T = typename B::Value> constexpr BodyCalls body_calls() noexcept {
  BodyCalls calls{};
  calls.start = [](void* body, void* place, std::uint64_t begin, std::uint64_t end) noexcept -> bool {
    auto&& own = body_at<B>(body);
    return own.goes_on() && own.start(place, begin, end);
  };
  calls.extend = [](void* body, void* value, std::uint64_t begin, std::uint64_t end) noexcept -> bool {
    auto&& own = body_at<B>(body);
    return own.goes_on() && own.extend(*static_cast<T*>(value), begin, end);
  };
  calls.has_ended = [](void* body) noexcept -> bool { return body_at<B>(body).has_ended(); };
  calls.alignment = alignof(T);
  calls.hold = &hold_values<T>;
  if constexpr (!std::is_empty_v<T>) {
    calls.bytes = sizeof(T);
    calls.combine = [](void* body, void* left, void* right, std::uint64_t at) noexcept -> bool {
      return body_at<B>(body).combine(*static_cast<T*>(left), *static_cast<T*>(right), at);
    };
    calls.move = [](void* body, void* place, void* value, std::uint64_t at) noexcept -> bool {
      return body_at<B>(body).move(place, *static_cast<T*>(value), at);
    };
    if constexpr (!std::is_trivially_destructible_v<T>)
      calls.destroy = [](void* value) noexcept { static_cast<T*>(value)->~T(); };
  }
  return calls;
}
template <ReductionBody B> inline constexpr BodyCalls k_body_calls = body_calls<B>();

} // namespace wstree::core
