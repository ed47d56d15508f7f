// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a simulated team remembers of its loop.
#pragma once

#include "platform.h"

#include "history.h"

#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/plan.h"

#include <cstdint>

namespace wstree::simulate {

/// As runtime/loop/member.h has it.
inline bool is_remembered(const core::Settings& settings) {
  return settings.history && settings.batch == core::BatchMode::timed &&
         settings.strategy == core::Strategy::find_max && settings.roots == 0;
}

/// The library's, in regions of one loop each. Finding a record, and what the planner does after a region,
/// take no virtual time: the library bounds the latter to a part of what the executions between two looks
/// take.
class Memory {
public:
  explicit Memory(bool is_on) : is_on_(is_on) {}

  /// For the member's part in this execution. Member 0, which is the planner, is the first to ask.
  core::Learned<SimulatedPlatform> learned(const core::Entry& entry) {
    if (!is_on_) return {};
    const loop::LoopKey key{this, 0, entry.iterations, entry.members};
    if (entry.index != 0) {
      Record* const record = history_.find(key);
      return record != nullptr ? record->learned(entry.loop) : core::Learned<SimulatedPlatform>{};
    }
    Record* const record = history_.find_or_add(key, *entry.settings);
    if (record == nullptr) return {};
    history_.opened(*record);
    record->enter(entry.loop);
    return record->learned(entry.loop);
  }
  /// After a round; the next loop has the number `next`.
  void close(std::uint64_t next) {
    if (is_on_) history_.close(next);
  }

private:
  using Record = loop::LoopRecord<SimulatedPlatform>;

  bool is_on_;
  loop::History<SimulatedPlatform> history_;
};

} // namespace wstree::simulate
