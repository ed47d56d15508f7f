// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls without the C library's functions. Other libraries wrap those, and while this one is loaded
// their wrappers are not initialised yet (abi/process/lifecycle.cpp).
#pragma once

#include <concepts>
#include <cstddef>

namespace wstree::config {

namespace detail {

inline long word_of(const void* pointer) noexcept { return reinterpret_cast<long>(pointer); }
template <std::integral Number> constexpr long word_of(Number number) noexcept {
  return static_cast<long>(number);
}

// The words come as values: between the assignments to registers, a read of memory would be a call where a
// sanitizer watches it, and calls change these registers.
inline long call_kernel(long number, long a, long b, long c, long d, long e, long f) noexcept {
#if defined(__x86_64__)
  long result;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long first asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  register long fifth asm("x4") = e;
  register long sixth asm("x5") = f;
  register long called asm("x8") = number;
  asm volatile("svc #0"
               : "+r"(first)
               : "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth), "r"(called)
               : "memory");
  return first;
#endif
}

} // namespace detail

/// Returns the kernel's result: an error is its negative number. Leaves errno alone, and is no
/// cancellation point.
template <class... Arguments> long system_call(long number, Arguments... arguments) noexcept {
  static_assert(sizeof...(arguments) <= 6);
  const long words[6] = {detail::word_of(arguments)...};
  return detail::call_kernel(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

} // namespace wstree::config
