// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop entries of LLVM's OpenMP runtime, as a compiler calls them, selected by the type of the loop
// variable. Programs that call them directly can use bounds and strides which compilers normalise away.
#pragma once

#include <cstdint>

namespace kmpc {

struct Ident {
  std::int32_t reserved_1 = 0;
  std::int32_t flags = 2; ///< what clang passes to loop entries: "made by a kmpc compiler", nothing else
  std::int32_t reserved_2 = 0;
  std::int32_t reserved_3 = 22;
  const char* source = ";unknown;unknown;0;0;;";
};

constexpr std::int32_t k_runtime = 37;
constexpr std::int32_t k_runtime_simd = 47;
constexpr std::int32_t k_monotonic = 1 << 29;
constexpr std::int32_t k_nonmonotonic = 1 << 30;
constexpr std::int32_t k_usual_kind = k_runtime | k_nonmonotonic;
constexpr std::int32_t k_kinds[] = {k_runtime | k_nonmonotonic, k_runtime, k_runtime_simd,
                                    k_runtime_simd | k_nonmonotonic};
constexpr std::int32_t k_dynamic = 35 | k_nonmonotonic;
constexpr std::int32_t k_guided = 36 | k_nonmonotonic;
constexpr std::int32_t k_dynamic_before_5 = 35; ///< of compilers before OpenMP 5.0, which keeps its order
constexpr int k_room_for_the_end = 0;           ///< bounds are inclusive

extern "C" {
std::int32_t __kmpc_global_thread_num(Ident*);
// A runtime before 19 has no deinit; compilers from 19 on call it at the end of each loop.
__attribute__((weak)) void __kmpc_dispatch_deinit(Ident*, std::int32_t);

#define KMPC_LOOP_ENTRIES(suffix, T, ST)                                                                     \
  void __kmpc_dispatch_init_##suffix(Ident*, std::int32_t, std::int32_t, T, T, ST, ST);                      \
  int __kmpc_dispatch_next_##suffix(Ident*, std::int32_t, std::int32_t*, T*, T*, ST*);                       \
  void __kmpc_dispatch_fini_##suffix(Ident*, std::int32_t);
KMPC_LOOP_ENTRIES(4, std::int32_t, std::int32_t)
KMPC_LOOP_ENTRIES(4u, std::uint32_t, std::int32_t)
KMPC_LOOP_ENTRIES(8, std::int64_t, std::int64_t)
KMPC_LOOP_ENTRIES(8u, std::uint64_t, std::int64_t)
#undef KMPC_LOOP_ENTRIES
}

template <class T> struct Entries;

#define KMPC_ENTRIES(suffix, T, ST)                                                                          \
  template <> struct Entries<T> {                                                                            \
    using Stride = ST;                                                                                       \
    static constexpr auto init = __kmpc_dispatch_init_##suffix;                                              \
    static constexpr auto next = __kmpc_dispatch_next_##suffix;                                              \
    static constexpr auto fini = __kmpc_dispatch_fini_##suffix;                                              \
  };
KMPC_ENTRIES(4, std::int32_t, std::int32_t)
KMPC_ENTRIES(4u, std::uint32_t, std::int32_t)
KMPC_ENTRIES(8, std::int64_t, std::int64_t)
KMPC_ENTRIES(8u, std::uint64_t, std::int64_t)
#undef KMPC_ENTRIES

} // namespace kmpc
