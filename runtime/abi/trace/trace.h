// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WSTREE_TRACE: the tracks of all threads, and the file that they end in.
#pragma once

#include "options.h"
#include "track.h"

#include "wstree/core/figures.h"

#include <cstdint>

namespace wstree::abi {

/// Tracks that a process may have, of which the system gives memory only to those that threads write.
inline constexpr std::uint32_t k_most_tracks = 1024;

/// Returns a track of at least `events` events for one thread, which the process keeps. nullptr: no memory,
/// or there are k_most_tracks; the file has the number of threads without a track. Any thread.
loop::Track* add_track(std::uint64_t events) noexcept;
/// Events for which a thread gets memory at a time, a loop or two before it needs that: one call of the
/// system costs a tenth of the page faults.
inline constexpr std::uint64_t k_room = 2048;
void make_room(loop::Track& track) noexcept;
/// Returns the latest track that was added.
const loop::Track* all_tracks() noexcept;
std::uint64_t threads_without_track() noexcept;
/// Writes one line to stderr if tracks had no room for all events: the trace that was asked for
/// is incomplete.
void say_dropped() noexcept;

/// In the child of a fork, while it has one thread.
void forget_tracks() noexcept;

/// The relation of ticks and time.
struct TickClock {
  std::uint64_t ticks = 0, nanoseconds = 0; ///< at the same time; of CLOCK_MONOTONIC
  core::TickLength tick = 0;

  /// Returns the time of a tick, on a clock that all processes of a machine share. Never smaller for a larger
  /// number of ticks.
  std::uint64_t to_ns(std::uint64_t at) const noexcept {
    return at < ticks ? nanoseconds - span_ns(ticks - at) : nanoseconds + span_ns(at - ticks);
  }
  std::uint64_t span_ns(std::uint64_t span) const noexcept { return core::nanoseconds(span, tick); }
};

/// Writes the file that options.trace_path names, in the JSON of Chrome's trace events. At the end of the
/// program. A second call at the same time returns at once.
void write_trace(const config::Options& options, const TickClock& clock, const char* version) noexcept;

/// Returns the event that the victim of `steal` was busy with when it was robbed: the batch of the same
/// execution that ends nearest to the left of the stolen units. nullptr: not known. `track`: that of
/// the event.
const loop::Event* find_victim(const loop::Track* tracks, const loop::Event& steal,
                               const loop::Track*& track) noexcept;

} // namespace wstree::abi
