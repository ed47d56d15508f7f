// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the whole process: the options and what follows from them, the clock, and the report at exit.
#pragma once

#include "options.h"
#include "process/request.h"
#include "recording.h"
#include "rules/rules.h"

#include "wstree/core/scheduler.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::abi {

struct Session {
  config::Options options;
  core::Settings settings;
  core::Settings without_history; // settings for loops whose rules turn the history off
  Rules* rules = nullptr;         // nullptr: there are none
  bool serves_named = false;      // perhaps also loops whose schedule the environment does not choose
  TaskSchedule named{true};       // for loops with dynamic, guided or auto; in units of their chunk
  bool balances = false;          // perhaps cuts static loops
  bool repeats = false;           // perhaps calls functions of regions again
  bool measured = false;          // members count and time loops
  bool recorded = false;          // and keep the times of iterations
  bool traced = false;            // and keep their events with the times
  bool counted = false;           // and read the processor's counters
  bool chooses_waiting = false;   // shortens how long idle threads spin
  bool watches_gaps = false;      // looks at the time between regions
  bool watches_regions = false;   // for one of these, or for rules or a trace
  loop::Pace pace;                // pace of the recordings

  /// Returns whether regions need more than usual, because of rules or a tool; and whether loops do, because
  /// of rules, because they are measured, or because a tool hears of them. relaxed: a thread that learns late
  /// of a tool calls it for later ones.
  bool attends_regions() const noexcept { return attends_regions_.load(std::memory_order_relaxed); }
  bool attends_loops() const noexcept { return attends_loops_.load(std::memory_order_relaxed); }
  bool watches_loops() const noexcept { return watches_loops_.load(std::memory_order_relaxed); }
  void attend_regions() const noexcept { attends_regions_.store(true, std::memory_order_relaxed); }
  void attend_loops() const noexcept { attends_loops_.store(true, std::memory_order_relaxed); }
  void watch_loops() const noexcept {
    watches_loops_.store(true, std::memory_order_relaxed);
    attend_loops();
  }

private:
  mutable std::atomic<bool> attends_regions_{false};
  mutable std::atomic<bool> attends_loops_{false};
  mutable std::atomic<bool> watches_loops_{false};
};

extern std::atomic<const Session*> g_session;
const Session& prepare_session() noexcept;

/// The first call reads the options, prepares the rest, and prints errors in values. Any thread.
inline const Session& session() noexcept {
  // acquire: pairs with the release in prepare_session(), so that the options are complete.
  const Session* ready = g_session.load(std::memory_order_acquire);
  return ready != nullptr ? *ready : prepare_session();
}

/// A member of a team of this size has met a loop of ours; the report names the largest team.
void note_members(std::uint32_t members) noexcept;
/// See wstree_statistics_json().
std::size_t statistics_as_json(char* buffer, std::size_t size) noexcept;
/// Writes the statistics and profiles, if the user asked for them and session() was ever used.
void report_at_exit() noexcept;

} // namespace wstree::abi
