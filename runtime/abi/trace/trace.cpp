// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/trace.h"

#include "fixed_text.h"
#include "message.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace wstree::abi {
namespace {

constinit std::atomic<loop::Track*> g_tracks{nullptr};
constinit std::atomic<std::uint32_t> g_track_count{0};
constinit std::atomic<std::uint64_t> g_without_track{0};

} // namespace

loop::Track* add_track(std::uint64_t events) noexcept {
  // relaxed, all of the counts: numbers that nothing else depends on.
  if (g_track_count.fetch_add(1, std::memory_order_relaxed) >= k_most_tracks) {
    g_track_count.store(k_most_tracks, std::memory_order_relaxed);
    g_without_track.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  // Untouched zeroed pages take no memory. The track stands behind its events, whose lines then begin where
  // those of the processor do.
  const std::uint64_t capacity = std::bit_ceil(events);
  const std::size_t of_events = capacity * sizeof(loop::Event);
  void* memory = mmap(nullptr, of_events + sizeof(loop::Track), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    g_without_track.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  auto* track = ::new (static_cast<std::byte*>(memory) + of_events)
      loop::Track(static_cast<loop::Event*>(memory), capacity);
  track->next = g_tracks.load(std::memory_order_relaxed);
  // release: the track is complete before it is seen; pairs with the acquire in all_tracks(). Guard:
  // abi_trace, TracksOfManyThreads under the thread sanitizer.
  while (!g_tracks.compare_exchange_weak(track->next, track, std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
  return track;
}

void make_room(loop::Track& track) noexcept {
  const std::uint64_t first = track.ready;
  track.ready = std::min(first + k_room, track.capacity());
#ifdef MADV_POPULATE_WRITE
  const int error = errno;
  // Older systems lack this advice, and provide each page when it is written.
  madvise(track.memory() + first, (track.ready - first) * sizeof(loop::Event), MADV_POPULATE_WRITE);
  errno = error;
#endif
}

const loop::Track* all_tracks() noexcept { return g_tracks.load(std::memory_order_acquire); }

std::uint64_t threads_without_track() noexcept { return g_without_track.load(std::memory_order_relaxed); }

void forget_tracks() noexcept {
  for (loop::Track* track = g_tracks.load(std::memory_order_relaxed); track != nullptr; track = track->next)
    track->clear();
  g_without_track.store(0, std::memory_order_relaxed);
}

void say_dropped() noexcept {
  std::uint64_t dropped = 0;
  std::uint64_t most = 0;
  for (const loop::Track* track = all_tracks(); track != nullptr; track = track->next) {
    dropped += track->oldest(track->total());
    most = std::max(most, track->total());
  }
  if (dropped == 0) return;
  config::FixedText<160> line("wstree: WSTREE_TRACE has the latest events only: ");
  line.append_number(dropped).append(" older ones were dropped; WSTREE_TRACE_EVENTS=");
  line.append_number(std::bit_ceil(most)).append(" would have kept all");
  observe::say(line.view());
}

} // namespace wstree::abi
