// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's events for WSTREE_TRACE, with their times, in memory that does not grow.
#pragma once

#include "wstree/core/shape.h"
#include "wstree/core/tuning.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::loop {

/// Times are ticks.
struct Event {
  enum class Kind : std::uint32_t {
    region, ///< on the track of the thread that forks it
    loop,   ///< the thread's part in one execution
    batch,  ///< units [first, past), in `count` batches that touch
    search, ///< for work in the nodes of others, in vain
    steal   ///< a successful search; `first` is the first unit that was found
  };
  std::uint64_t begin, end;
  std::uint64_t first, past; ///< in a `loop`: ticks without a processor, and the units of all members
  std::uint64_t execution;   ///< number of the execution, equal for all members of the team
  const void* site;          ///< an observe::LoopSite; nullptr of a region
  Kind kind;
  std::uint32_t member;
  std::uint32_t members;
  std::uint32_t count;
};

/// The number of an execution: the team, whose loops have numbers that grow, in the upper bits. Teams do not
/// share memory, and have fewer than 2^20 loops at a time.
inline constexpr unsigned k_execution_bits = 20;
inline std::uint64_t execution_of(const void* team, std::uint64_t loop) noexcept {
  return (reinterpret_cast<std::uintptr_t>(team) << k_execution_bits) + loop;
}
/// Returns a number that is equal for loops of one team that follow each other, but for one in 2^20.
inline std::uint64_t team_of(std::uint64_t execution) noexcept { return execution >> k_execution_bits; }

/// The latest events of one thread. This thread writes; the thread that ends the process reads.
class Track {
public:
  /// `events`: memory for `capacity` of them, a power of two, which outlives the track.
  Track(Event* events, std::uint64_t capacity) noexcept : events_(events), mask_(capacity - 1) {}

  Track* next = nullptr; ///< in the list of all tracks
  int thread = 0;        ///< as the system calls it; 0: not known

  /// Events that the thread has memory for without asking the system in between.
  std::uint64_t ready = 0;

  void add(const Event& event) noexcept {
    const std::uint64_t count = count_.load(std::memory_order_relaxed); // written by this thread alone
    events_[count & mask_] = event;
    // release: the event is complete before it is counted; pairs with the acquire in total(). Guard:
    // abi_trace, TracksOfManyThreads under the thread sanitizer.
    count_.store(count + 1, std::memory_order_release);
  }

  Event* memory() const noexcept { return events_; }
  std::uint64_t capacity() const noexcept { return mask_ + 1; }
  /// Returns the events since the last clear(); the latest capacity() of them are kept, and one less can be
  /// read while the thread may write on: it replaces the oldest.
  std::uint64_t total() const noexcept { return count_.load(std::memory_order_acquire); }
  std::uint64_t oldest(std::uint64_t total) const noexcept { return total < capacity() ? 0 : total - mask_; }
  const Event& at(std::uint64_t number) const noexcept { return events_[number & mask_]; }
  /// While there is one thread.
  void clear() noexcept {
    count_.store(0, std::memory_order_relaxed);
    thread = 0;
  }

private:
  std::atomic<std::uint64_t> count_{0};
  Event* events_;
  std::uint64_t mask_;
};

/// The batches of one member in one loop, put together where they touch and are short: an event for each
/// would cost more than many of the batches. Private to its member.
class TracedBatches {
public:
  /// `like`: the fields that all events of the loop have in common; batches that touch are one as long as
  /// they take less than `shortest`.
  TracedBatches(Track& track, const Event& like, std::uint64_t shortest) noexcept
      : track_(&track), event_(like), units_(like.past), shortest_(shortest) {
    event_.count = 0;
  }

  /// The member got `iterations` more, in `batches` that touch the present one, from its left to its right.
  void go_on(std::uint64_t iterations, std::uint64_t batches) noexcept {
    event_.past += iterations;
    event_.count += static_cast<std::uint32_t>(batches);
  }
  /// The member has been busy until `now`.
  void stop(std::uint64_t now) noexcept { event_.end = now; }
  /// The member got `batch` at `now`, right after stop(now).
  void start(const core::Range& batch, std::uint64_t now) noexcept {
    if (event_.count != 0 && event_.past == batch.begin && event_.end - event_.begin < shortest_)
      return go_on(batch.end - batch.begin, 1);
    flush();
    event_.kind = Event::Kind::batch;
    event_.begin = event_.end = now;
    event_.first = batch.begin;
    event_.past = batch.end;
    event_.count = 1;
  }
  /// The member looked for work between stop() and `now`; nothing was found if `batch` is nullptr.
  void searched(const core::Range* batch, std::uint64_t now) noexcept {
    const std::uint64_t since = event_.end;
    flush();
    event_.kind = batch != nullptr ? Event::Kind::steal : Event::Kind::search;
    event_.begin = since;
    event_.end = now;
    event_.first = batch != nullptr ? batch->begin : 0;
    event_.past = batch != nullptr ? batch->end : 0;
    event_.count = 1;
    flush();
  }
  void flush() noexcept {
    if (event_.count != 0) track_->add(event_);
    event_.count = 0;
  }
  Track& track() const noexcept { return *track_; }
  const Event& event() const noexcept { return event_; }
  std::uint64_t units() const noexcept { return units_; }

private:
  Track* track_;
  Event event_;         // an event that is not on the track yet; none if its count is 0
  std::uint64_t units_; // units of the loop
  std::uint64_t shortest_;
};

} // namespace wstree::loop
