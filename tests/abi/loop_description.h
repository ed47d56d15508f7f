// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops as data, in 128-bit arithmetic, and the ABI that this compiler's programs use for them.
#pragma once

#include "check.h"

#include <limits>
#include <string>

#ifdef __clang__
#include "kmpc_abi.h"
namespace abi = kmpc;
#else
#include "gomp_abi.h"
namespace abi = gomp;
#endif

namespace oracle {

__extension__ typedef __int128 Wide;

inline std::string text(Wide value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  for (; value != 0; value /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + (value < 0 ? -(value % 10) : value % 10)));
  return negative ? "-" + digits : digits;
}

enum class Type { i32, u32, i64, u64 };
constexpr Type k_types[] = {Type::i32, Type::u32, Type::i64, Type::u64};

template <class T> struct Tag { using Value = T; };

/// Calls body(Tag<T>{}) with the loop variable's type.
template <class Body> auto with_type(Type type, Body&& body) {
  switch (type) {
  case Type::i32:
    return body(Tag<std::int32_t>{});
  case Type::u32:
    return body(Tag<std::uint32_t>{});
  case Type::i64:
    return body(Tag<std::int64_t>{});
  default:
    return body(Tag<std::uint64_t>{});
  }
}

/// The limits of the values that a loop variable of this type can have in a loop that this ABI can express.
inline Wide lowest(Type type) {
  return with_type(type, [](auto tag) {
    using T = typename decltype(tag)::Value;
    return Wide{std::numeric_limits<T>::min()} + (sizeof(T) == 8 ? abi::k_room_for_the_end : 0);
  });
}
inline Wide highest(Type type) {
  return with_type(type, [](auto tag) {
    using T = typename decltype(tag)::Value;
    return Wide{std::numeric_limits<T>::max()} - (sizeof(T) == 8 ? abi::k_room_for_the_end : 0);
  });
}
/// Limits of the signed type that carries strides and chunks of loops of this type.
inline Wide lowest_stride(Type type) {
  return type == Type::i32 || type == Type::u32 ? std::numeric_limits<std::int32_t>::min()
                                                : std::numeric_limits<std::int64_t>::min();
}
inline Wide highest_stride(Type type) { return -lowest_stride(type) - 1; }

struct Loop {
  Type type = Type::i32;
  Wide lower = 0; ///< where the loop starts
  Wide upper = 0; ///< inclusive limit
  Wide stride = 1;
  Wide chunk = 1;
  std::int32_t schedule = abi::k_usual_kind;
};

inline Wide trips(const Loop& loop) {
  const Wide span = loop.stride > 0 ? loop.upper - loop.lower : loop.lower - loop.upper;
  return span < 0 ? 0 : span / (loop.stride > 0 ? loop.stride : -loop.stride) + 1;
}

/// A team of 0 is not mentioned.
inline std::string describe(const Loop& loop, int team = 0) {
  static const char* const names[] = {"i32", "u32", "i64", "u64"};
  return std::string(names[static_cast<int>(loop.type)]) + " lb=" + text(loop.lower) +
         " ub=" + text(loop.upper) + " st=" + text(loop.stride) + " chunk=" + text(loop.chunk) +
         " kind=" + text(loop.schedule) + " trips=" + text(trips(loop)) +
         (team == 0 ? "" : " team=" + std::to_string(team));
}

} // namespace oracle
