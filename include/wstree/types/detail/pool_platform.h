// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread pool's needs of the machine beyond the core's Platform.
#pragma once

#include "wstree/core/platform.h"

#include <atomic>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WSTREE_WITHOUT_FENCES 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(WSTREE_WITHOUT_FENCES)
#define WSTREE_WITHOUT_FENCES 1
#endif

namespace wstree {
inline namespace v1 {
namespace detail {

/// Requirements on a Platform of a pool, besides those of the core:
///   fence(tag, order)      std::atomic_thread_fence
///   sleep(word, value)     returns at once unless `word` has that value; else after a wake(), or for nothing
///   wake(word, most)       wakes up to `most` of the threads that sleep at `word`
struct PoolPlatform : core::StdPlatform {
  static void fence(core::Tag, [[maybe_unused]] std::memory_order needed) noexcept {
#if defined(WSTREE_WITHOUT_FENCES)
    // Thread sanitizers do not understand fences; no data is ordered by them here.
    static constinit std::atomic<int> instead{0};
    instead.fetch_add(0, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(needed);
#endif
  }
  static void sleep(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
  }
  static void wake(std::atomic<std::uint32_t>& word, std::uint32_t most) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
  }
};
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

} // namespace detail
} // namespace v1
} // namespace wstree

#undef WSTREE_WITHOUT_FENCES
