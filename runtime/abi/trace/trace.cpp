// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/trace.h"

#include <atomic>
#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace wstree::abi {
namespace {

constinit std::atomic<loop::Track*> g_tracks{nullptr};
constinit std::atomic<std::uint32_t> g_track_count{0};
constinit std::atomic<std::uint64_t> g_without_track{0};

} // namespace

loop::Track* add_track() noexcept {
  // relaxed, all of the counts: numbers that nothing else depends on.
  if (g_track_count.fetch_add(1, std::memory_order_relaxed) >= k_most_tracks) {
    g_track_count.store(k_most_tracks, std::memory_order_relaxed);
    g_without_track.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  // Zeroed pages that nobody has touched take no memory.
  void* memory =
      mmap(nullptr, sizeof(loop::Track), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    g_without_track.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  auto* track = ::new (memory) loop::Track;
  track->next = g_tracks.load(std::memory_order_relaxed);
  // release: the track is complete before it is seen; pairs with the acquire in all_tracks(). Guard:
  // abi_trace, TracksOfManyThreads under the thread sanitizer.
  while (!g_tracks.compare_exchange_weak(track->next, track, std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
  return track;
}

const loop::Track* all_tracks() noexcept { return g_tracks.load(std::memory_order_acquire); }

std::uint64_t threads_without_track() noexcept { return g_without_track.load(std::memory_order_relaxed); }

void forget_tracks() noexcept {
  for (loop::Track* track = g_tracks.load(std::memory_order_relaxed); track != nullptr; track = track->next)
    track->clear();
  g_without_track.store(0, std::memory_order_relaxed);
}

} // namespace wstree::abi
