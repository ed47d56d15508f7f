// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates are floats, and the thread that computes them is the program's: it may round upwards, trap
// inexact results, or test the exceptions that its own operations have raised.
#pragma once

#include <cstdint>

namespace wstree::core {

/// While one lives, the calling thread rounds to nearest and traps nothing. Its destructor gives the thread
/// back the settings and the flags that it had. Nothing of the program may run meanwhile, but its allocator.
///
/// Compilers move no access to memory across the ends, but they may move an operation on registers: a result
/// from inside should be used inside. tests/abi/check_floats reads the machine code. (On x86-64 long double
/// has settings of its own, and no code of ours uses it.)
class DefaultFloats {
public:
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

#if defined(__x86_64__)
  [[gnu::always_inline]] DefaultFloats() noexcept {
    asm volatile("stmxcsr %0" : "=m"(saved_) : : "memory");
    asm volatile("ldmxcsr %0" : : "m"(k_default) : "memory");
  }
  [[gnu::always_inline]] ~DefaultFloats() { asm volatile("ldmxcsr %0" : : "m"(saved_) : "memory"); }

private:
  static constexpr std::uint32_t k_default = 0x1f80; // traps nothing, and no flags
  std::uint32_t saved_;
#elif defined(__aarch64__)
  [[gnu::always_inline]] DefaultFloats() noexcept {
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(settings_), "=r"(flags_) : : "memory");
    if (settings_ != 0) asm volatile("msr fpcr, xzr" : : : "memory");
  }
  [[gnu::always_inline]] ~DefaultFloats() {
    if (settings_ != 0) asm volatile("msr fpcr, %0" : : "r"(settings_) : "memory");
    asm volatile("msr fpsr, %0" : : "r"(flags_) : "memory");
  }

private:
  std::uint64_t settings_, flags_;
#endif
};

} // namespace wstree::core
