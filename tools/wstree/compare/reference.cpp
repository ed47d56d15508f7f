// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference.h"

#include <chrono>
#include <cstdint>

namespace wstree::cli {

double countdown_seconds() {
  std::uint64_t left = 20'000'000;
  const auto begin = std::chrono::steady_clock::now();
#if defined(__x86_64__)
  asm volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(left) : : "cc");
#elif defined(__aarch64__)
  asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace wstree::cli
