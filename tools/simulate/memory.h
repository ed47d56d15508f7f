// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a simulated team remembers of its loop.
#pragma once

#include "platform.h"

#include "history.h"

#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/plan.h"

#include <cstdint>
#include <utility>

namespace wstree::simulate {

/// As runtime/loop/member.h has it.
inline bool is_remembered(const core::Settings& settings) {
  return settings.history && settings.batch == core::BatchMode::timed &&
         settings.strategy == core::Strategy::find_max && settings.roots == 0;
}

/// The library's, in regions of one loop each or all in one. Finding a record, and what the planner makes of
/// it, take no virtual time: the library bounds the latter to a part of what the executions between two looks
/// take.
class Memory {
public:
  Memory(bool is_on, bool one_region) : is_on_(is_on), one_region_(one_region) {}

  /// For the member's part in this execution. Member 0, which is the planner, is the first to ask.
  core::Learned<SimulatedPlatform> learned(const core::Entry& entry) {
    if (!is_on_ || entry.iterations <= entry.members) return {};
    const loop::LoopKey key{this, 0, entry.iterations, entry.members};
    if (entry.index != 0) {
      Record* const record = history_.find(key);
      return record != nullptr ? record->learned(entry.loop) : core::Learned<SimulatedPlatform>{};
    }
    Record* const record = history_.find_or_add(key, *entry.settings);
    if (record == nullptr) return {};
    history_.opened(*record);
    Caches* const caches = std::exchange(SimulatedPlatform::caches, nullptr);
    // The others are on their way out of the loop before, and say so when they come to this one.
    if (record->wants_look())
      record->enter(entry.loop, entry.loop - 1, entry.loop + k_ring - 1);
    else
      record->enter(entry.loop);
    SimulatedPlatform::caches = caches;
    return record->learned(entry.loop);
  }
  /// After a round; the next loop has the number `next`.
  void close(std::uint64_t next) {
    if (is_on_ && !one_region_) history_.close(next);
  }

private:
  using Record = loop::LoopRecord<SimulatedPlatform>;

  static constexpr std::uint64_t k_ring = 8;

  bool is_on_;
  bool one_region_;
  loop::History<SimulatedPlatform> history_;
};

} // namespace wstree::simulate
