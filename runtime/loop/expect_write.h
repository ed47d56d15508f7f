// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace wstree::loop {

/// The line at `address` will be written soon, and others may have it: to begin fetching it now hides what
/// that takes. No effect otherwise.
inline void expect_write(const void* address) noexcept {
#if defined(__x86_64__)
  // The builtin makes a prefetch for reading of it, unless it is told that the processor has this one. Those
  // that have not do nothing.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

} // namespace wstree::loop
