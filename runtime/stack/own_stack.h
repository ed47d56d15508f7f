// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that happens once and takes more stack than a thread of the program may have to spare.
#pragma once

#include <cstddef>

namespace wstree::stack {

/// Bytes for `work` in on_own_stack(). A look at the machine, the deepest, used 30 KB on a small one.
inline constexpr std::size_t k_own_stack = std::size_t{256} * 1024;

/// Calls work(data) as on_own_stack() does.
void call_on_own_stack(void (*work)(void*), void* data) noexcept;

/// Calls `work`, which must not throw, on a stack that is mapped for the call, and returns after it. Without
/// memory for one, `work` runs on the caller's. The calling thread stays the same, so its locks and its
/// thread-local data stay its own. Until the call returns no cancellation acts on the thread, and no handler
/// of a signal that can wait: one may need more stack, a garbage collector's would look for the thread's data
/// on the wrong one, and others jump out of `work`, or open a region that waits for work that `work` has
/// begun. Keeps errno. Takes some seventy system calls.
template <class Work> void on_own_stack(Work work) noexcept {
  call_on_own_stack([](void* data) { (*static_cast<Work*>(data))(); }, &work);
}

} // namespace wstree::stack
