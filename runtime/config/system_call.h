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

inline long call_kernel(long number, const long (&words)[6]) noexcept {
#if defined(__x86_64__)
  long result;
  register long fourth asm("r10") = words[3];
  register long fifth asm("r8") = words[4];
  register long sixth asm("r9") = words[5];
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(words[0]), "S"(words[1]), "d"(words[2]), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long first asm("x0") = words[0];
  register long second asm("x1") = words[1];
  register long third asm("x2") = words[2];
  register long fourth asm("x3") = words[3];
  register long fifth asm("x4") = words[4];
  register long sixth asm("x5") = words[5];
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
  return detail::call_kernel(number, words);
}

} // namespace wstree::config
