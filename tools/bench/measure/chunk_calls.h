// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The calls between a compiled loop and its runtime, for the figures that are about single calls.
#pragma once
#include "omp_calls.h"
#include <cstdint>

extern "C" {
#ifdef __clang__
struct BenchIdent {
  std::int32_t reserved_1, flags, reserved_2, reserved_3;
  const char* psource;
};
void __kmpc_dispatch_init_4(BenchIdent*, std::int32_t gtid, std::int32_t kind, std::int32_t lower,
                            std::int32_t upper, std::int32_t stride, std::int32_t chunk);
std::int32_t __kmpc_dispatch_next_4(BenchIdent*, std::int32_t gtid, std::int32_t* last, std::int32_t* lower,
                                    std::int32_t* upper, std::int32_t* stride);
std::int32_t __kmpc_global_thread_num(BenchIdent*);
#else
bool GOMP_loop_maybe_nonmonotonic_runtime_start(long lower, long upper, long stride, long* from, long* to);
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long* from, long* to);
bool GOMP_loop_nonmonotonic_dynamic_start(long lower, long upper, long stride, long chunk, long* from,
                                          long* to);
bool GOMP_loop_nonmonotonic_dynamic_next(long* from, long* to);
void GOMP_loop_end_nowait(void);
#endif
}

namespace bench {

/// The schedule in the source: schedule(runtime), or schedule(dynamic) without a chunk.
enum class Said { runtime, dynamic };

/// One thread's part in a loop over 0..n-1, of int by clang and of long by gcc, that takes chunks and throws
/// them away.
template <Said said> class Chunks {
#ifdef __clang__
public:
  explicit Chunks(int n) : thread_(__kmpc_global_thread_num(&s_ident)) {
    constexpr std::int32_t k_nonmonotonic = 1 << 30;
    __kmpc_dispatch_init_4(&s_ident, thread_, (said == Said::runtime ? 37 : 35) | k_nonmonotonic, 0, n - 1, 1,
                           1);
  }
  bool next() { return __kmpc_dispatch_next_4(&s_ident, thread_, &last_, &lower_, &upper_, &stride_) != 0; }
  void leave() {}
  /// Returns the first iteration of the chunk that next() has brought.
  long first() const { return lower_; }

private:
  static inline BenchIdent s_ident{0, 2, 0, 22, ";unknown;unknown;0;0;;"};
  std::int32_t thread_, last_ = 0, lower_ = 0, upper_ = 0, stride_ = 0;
#else
public:
  /// Entering a loop takes the first chunk as well.
  explicit Chunks(int n)
      : more_(said == Said::dynamic ? GOMP_loop_nonmonotonic_dynamic_start(0, n, 1, 1, &from_, &to_)
                                    : GOMP_loop_maybe_nonmonotonic_runtime_start(0, n, 1, &from_, &to_)) {}
  bool next() {
    return more_ && (said == Said::dynamic ? GOMP_loop_nonmonotonic_dynamic_next(&from_, &to_)
                                           : GOMP_loop_maybe_nonmonotonic_runtime_next(&from_, &to_));
  }
  void leave() { GOMP_loop_end_nowait(); }
  /// Returns the first iteration of the chunk that was brought last.
  long first() const { return from_; }

private:
  long from_ = 0, to_ = 0;
  bool more_;
#endif
};

} // namespace bench
