// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of LLVM's OpenMP interface that this library uses and defines.
#pragma once

#include <cstdint>

extern "C" {

/// Source location and flags that compilers pass to every call.
struct ident_t {
  std::int32_t reserved_1;
  std::int32_t flags;
  std::int32_t reserved_2;
  std::int32_t reserved_3;
  const char* psource; // ";file;function;line;column;;"
};

/// An outlined region: (global thread number, number in the team, captured variables by address ...).
using kmpc_micro = void (*)(std::int32_t* gtid, std::int32_t* tid, ...);
}

namespace wstree::abi::kmpc {

// Values of the `schedule` argument of dispatch_init.
inline constexpr std::int32_t k_static_chunked = 33;
inline constexpr std::int32_t k_static = 34;
inline constexpr std::int32_t k_dynamic = 35;
inline constexpr std::int32_t k_guided = 36;
inline constexpr std::int32_t k_runtime = 37;
inline constexpr std::int32_t k_auto = 38;
inline constexpr std::int32_t k_trapezoidal = 39;
inline constexpr std::int32_t k_runtime_simd = 47;
inline constexpr std::int32_t k_distribute_chunked = 91;
inline constexpr std::int32_t k_distribute = 92;
inline constexpr std::int32_t k_ordered_distance = 32; // ordered kinds are the plain ones plus this
inline constexpr std::int32_t k_monotonic = 1 << 29;
inline constexpr std::int32_t k_nonmonotonic = 1 << 30;

// Flags of ident_t.
inline constexpr std::int32_t k_atomic_reduction = 0x10;
inline constexpr std::int32_t k_of_sections = 0x400;
inline constexpr std::int32_t k_of_distribute = 0x800;

inline const char* source_of(const ident_t* loc) noexcept { return loc != nullptr ? loc->psource : nullptr; }

inline constexpr std::int32_t kind_of(std::int32_t schedule) {
  return schedule & ~(k_monotonic | k_nonmonotonic);
}

} // namespace wstree::abi::kmpc
