// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about the calling thread to the OpenMP runtime of the code at `caller` (see Real).
#pragma once

#include "resolve/runtime.h"

namespace wstree::abi {

/// In which region a thread is. A process may hold several runtimes, and each has regions of its own.
struct Place {
  const void* runtime = nullptr; // identifies the runtime; nullptr: any
  int level = -1;                // omp_get_level; -1: the runtime cannot be asked
};
extern constinit Real<int()> g_get_level;
[[gnu::always_inline]] inline Place runtime_place(const void* caller) noexcept { // at every loop
  const auto get = g_get_level.find(caller);
  if (get == nullptr) [[unlikely]]
    return {};
  return {reinterpret_cast<const void*>(get), get()};
}

int runtime_threads(const void* caller) noexcept; // omp_get_num_threads; -1: the runtime cannot be asked
int runtime_thread(const void* caller) noexcept;  // omp_get_thread_num; -1: the runtime cannot be asked

/// Returns whether the runtime is LLVM's.
bool runtime_is_llvms(const void* caller) noexcept;

/// Returns whether a team that the calling thread opens may have several threads.
bool runtime_may_nest(const void* caller) noexcept;

} // namespace wstree::abi
