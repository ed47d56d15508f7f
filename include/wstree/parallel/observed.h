// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call's data for libwstree.so, and the rules of libwstree.so for the call, if it is in the process.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"
#include "wstree/core/scheduler.h"
#include "wstree/parallel/call_record.h"
#include "wstree/parallel/policy.h"

#include <atomic>
#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

/// True once it is clear that the library will never record a call in this process.
inline constinit std::atomic<bool> g_is_unobserved{false};

/// A call from before it gets a team until all members have left. Does nothing without the library, or if
/// neither statistics nor traces nor rules are wanted.
class Observed {
public:
  Observed(const CallOptions& options, std::uint64_t elements) noexcept
      : Observed(options, options.where(), elements) {}
  Observed(const CallOptions& options, call_site where, std::uint64_t elements) noexcept {
    // relaxed: a thread that misses that it is set calls the library once more.
    if (wstree_call_begin == nullptr || g_is_unobserved.load(std::memory_order_relaxed)) return;
    record_.bytes = sizeof record_;
    record_.line = where.line;
    record_.label = options.label();
    record_.file = where.file;
    record_.elements = elements;
    if (wstree_call_begin(&record_) == 0) g_is_unobserved.store(true, std::memory_order_relaxed);
  }
  ~Observed() {
    if (!is_measured()) return;
    // relaxed: the members have been joined.
    wstree_call_part all{};
    all.elements = elements_.load(std::memory_order_relaxed);
    all.batches = batches_.load(std::memory_order_relaxed);
    all.steals = steals_.load(std::memory_order_relaxed);
    all.nodes = nodes_.load(std::memory_order_relaxed);
    all.busy = busy_.load(std::memory_order_relaxed);
    all.busy_max = busy_max_.load(std::memory_order_relaxed);
    all.began = record_.began;
    all.ended = core::StdPlatform::ticks();
    all.members = members_.load(std::memory_order_relaxed);
    wstree_call_end(&record_, &all);
  }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

  bool is_measured() const noexcept { return record_.is_measured != 0; }
  /// Returns the number of members: at most `most`, and as many as the rules allow.
  std::uint32_t members(std::uint32_t most) const noexcept {
    return record_.threads != 0 ? std::min(record_.threads, most) : most;
  }
  /// Returns the smallest batch, if that of the policy is `least`.
  std::uint64_t min_chunk(std::uint64_t least) const noexcept { return std::max(record_.min_chunk, least); }

  /// Records `counts` of a member that has left the measured call. The member came at `began`.
  void add(std::uint32_t member, std::uint32_t members, std::uint64_t began,
           const core::Counts& counts) noexcept {
    const wstree_call_part part{
        counts.iterations,          counts.batches, counts.steals, counts.nodes, counts.busy_ticks, 0, began,
        core::StdPlatform::ticks(), member,         members};
    wstree_call_leave(&record_, &part);
    // relaxed, all: sums, which the caller reads after it has joined the members.
    elements_.fetch_add(part.elements, std::memory_order_relaxed);
    batches_.fetch_add(part.batches, std::memory_order_relaxed);
    steals_.fetch_add(part.steals, std::memory_order_relaxed);
    nodes_.fetch_add(part.nodes, std::memory_order_relaxed);
    busy_.fetch_add(part.busy, std::memory_order_relaxed);
    members_.store(members, std::memory_order_relaxed);
    std::uint64_t most = busy_max_.load(std::memory_order_relaxed);
    while (most < part.busy && !busy_max_.compare_exchange_weak(most, part.busy, std::memory_order_relaxed)) {
    }
  }

private:
  wstree_call record_{};
  std::atomic<std::uint64_t> elements_{0}, batches_{0}, steals_{0}, nodes_{0}, busy_{0}, busy_max_{0};
  std::atomic<std::uint32_t> members_{0};
};

/// A member's counts in a call that is executed in tiles.
class ObservedTiles {
public:
  ObservedTiles(Observed& call, std::uint32_t member, std::uint32_t members) noexcept
      : call_(call), member_(member), members_(members),
        began_(call.is_measured() ? core::StdPlatform::ticks() : 0) {}
  ~ObservedTiles() {
    if (call_.is_measured()) call_.add(member_, members_, began_, counts_);
  }
  ObservedTiles(const ObservedTiles&) = delete;
  ObservedTiles& operator=(const ObservedTiles&) = delete;

  /// Runs `tile()`, which executes `elements` elements.
  template <class Tile> bool run(std::uint64_t elements, Tile&& tile) {
    if (!call_.is_measured()) return tile();
    counts_.iterations += elements;
    ++counts_.batches;
    const Busy busy{counts_.busy_ticks, core::StdPlatform::ticks()};
    return tile();
  }

private:
  /// A tile may throw.
  struct Busy {
    std::uint64_t& ticks;
    std::uint64_t since;
    ~Busy() { ticks += core::elapsed(since, core::StdPlatform::ticks()); }
  };

  Observed& call_;
  std::uint32_t member_, members_;
  std::uint64_t began_;
  core::Counts counts_{};
};

} // namespace detail
} // namespace v1
} // namespace wstree
