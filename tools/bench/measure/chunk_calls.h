// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The calls between a compiled loop and its runtime, for the figures that are about single calls.
#pragma once
#include "omp_calls.h"
#include <cstdint>
#include <type_traits>

extern "C" {
#ifdef __clang__
struct BenchIdent {
  std::int32_t reserved_1, flags, reserved_2, reserved_3;
  const char* psource;
};
void __kmpc_dispatch_init_4(BenchIdent*, std::int32_t gtid, std::int32_t kind, std::int32_t lower,
                            std::int32_t upper, std::int32_t stride, std::int32_t chunk);
void __kmpc_dispatch_init_4u(BenchIdent*, std::int32_t gtid, std::int32_t kind, std::uint32_t lower,
                             std::uint32_t upper, std::int32_t stride, std::int32_t chunk);
void __kmpc_dispatch_init_8(BenchIdent*, std::int32_t gtid, std::int32_t kind, std::int64_t lower,
                            std::int64_t upper, std::int64_t stride, std::int64_t chunk);
void __kmpc_dispatch_init_8u(BenchIdent*, std::int32_t gtid, std::int32_t kind, std::uint64_t lower,
                             std::uint64_t upper, std::int64_t stride, std::int64_t chunk);
std::int32_t __kmpc_dispatch_next_4(BenchIdent*, std::int32_t gtid, std::int32_t* last, std::int32_t* lower,
                                    std::int32_t* upper, std::int32_t* stride);
std::int32_t __kmpc_dispatch_next_4u(BenchIdent*, std::int32_t gtid, std::int32_t* last, std::uint32_t* lower,
                                     std::uint32_t* upper, std::int32_t* stride);
std::int32_t __kmpc_dispatch_next_8(BenchIdent*, std::int32_t gtid, std::int32_t* last, std::int64_t* lower,
                                    std::int64_t* upper, std::int64_t* stride);
std::int32_t __kmpc_dispatch_next_8u(BenchIdent*, std::int32_t gtid, std::int32_t* last, std::uint64_t* lower,
                                     std::uint64_t* upper, std::int64_t* stride);
std::int32_t __kmpc_global_thread_num(BenchIdent*);
#else
bool GOMP_loop_maybe_nonmonotonic_runtime_start(long lower, long upper, long stride, long* from, long* to);
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long* from, long* to);
bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, unsigned long long lower,
                                                    unsigned long long upper, unsigned long long stride,
                                                    unsigned long long* from, unsigned long long* to);
bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(unsigned long long* from, unsigned long long* to);
bool GOMP_loop_nonmonotonic_dynamic_start(long lower, long upper, long stride, long chunk, long* from,
                                          long* to);
bool GOMP_loop_nonmonotonic_dynamic_next(long* from, long* to);
void GOMP_loop_end_nowait(void);
#endif
}

namespace bench {

/// What the source says of the schedule: schedule(runtime), or schedule(dynamic) without a chunk.
enum class Said { runtime, dynamic };

/// One thread's part in a loop over 0..n-1 that takes chunks and throws them away. The interfaces have one
/// pair of calls for each type of the loop's variable; gcc has long and unsigned long long, and literal
/// clauses are measured with the first type alone.
#ifdef __clang__
template <Said said, class Index = std::int32_t> class Chunks {
public:
  explicit Chunks(int n) : thread_(__kmpc_global_thread_num(&s_ident)) {
    constexpr std::int32_t k_nonmonotonic = 1 << 30;
    constexpr std::int32_t k_kind = (said == Said::runtime ? 37 : 35) | k_nonmonotonic;
    const Index upper = static_cast<Index>(n - 1);
    if constexpr (std::is_same_v<Index, std::int32_t>)
      __kmpc_dispatch_init_4(&s_ident, thread_, k_kind, 0, upper, 1, 1);
    else if constexpr (std::is_same_v<Index, std::uint32_t>)
      __kmpc_dispatch_init_4u(&s_ident, thread_, k_kind, 0, upper, 1, 1);
    else if constexpr (std::is_same_v<Index, std::int64_t>)
      __kmpc_dispatch_init_8(&s_ident, thread_, k_kind, 0, upper, 1, 1);
    else
      __kmpc_dispatch_init_8u(&s_ident, thread_, k_kind, 0, upper, 1, 1);
  }
  bool next() {
    if constexpr (std::is_same_v<Index, std::int32_t>)
      return __kmpc_dispatch_next_4(&s_ident, thread_, &last_, &lower_, &upper_, &stride_) != 0;
    else if constexpr (std::is_same_v<Index, std::uint32_t>)
      return __kmpc_dispatch_next_4u(&s_ident, thread_, &last_, &lower_, &upper_, &stride_) != 0;
    else if constexpr (std::is_same_v<Index, std::int64_t>)
      return __kmpc_dispatch_next_8(&s_ident, thread_, &last_, &lower_, &upper_, &stride_) != 0;
    else
      return __kmpc_dispatch_next_8u(&s_ident, thread_, &last_, &lower_, &upper_, &stride_) != 0;
  }
  void leave() {}
  /// Of the chunk that next() has brought.
  Index first() const { return lower_; }

private:
  static inline BenchIdent s_ident{0, 2, 0, 22, ";unknown;unknown;0;0;;"};
  std::int32_t thread_, last_ = 0;
  Index lower_ = 0, upper_ = 0;
  std::make_signed_t<Index> stride_ = 0;
};
#else
template <Said said, class Index = long> class Chunks {
public:
  /// Entering a loop takes the first chunk as well.
  explicit Chunks(int n) {
    if constexpr (said == Said::dynamic)
      more_ = GOMP_loop_nonmonotonic_dynamic_start(0, n, 1, 1, &from_, &to_);
    else if constexpr (std::is_same_v<Index, long>)
      more_ = GOMP_loop_maybe_nonmonotonic_runtime_start(0, n, 1, &from_, &to_);
    else
      more_ = GOMP_loop_ull_maybe_nonmonotonic_runtime_start(true, 0, static_cast<Index>(n), 1, &from_, &to_);
  }
  bool next() {
    if (!more_) return false;
    if constexpr (said == Said::dynamic)
      return GOMP_loop_nonmonotonic_dynamic_next(&from_, &to_);
    else if constexpr (std::is_same_v<Index, long>)
      return GOMP_loop_maybe_nonmonotonic_runtime_next(&from_, &to_);
    else
      return GOMP_loop_ull_maybe_nonmonotonic_runtime_next(&from_, &to_);
  }
  void leave() { GOMP_loop_end_nowait(); }
  /// Of the chunk that was brought last.
  Index first() const { return from_; }

private:
  bool more_ = false;
  Index from_ = 0, to_ = 0;
};
#endif

} // namespace bench
