// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team of workers in virtual time: the production templates, one call at a time, in the order of a virtual
// clock. Exact and repeatable, so that tests can put tight bounds on what a policy achieves. No interleaving
// inside a call.
#pragma once

#include "../../tools/simulate/engine/slot.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace wstree::test {

/// Clock of the worker that is being called, in ticks of 0.4 ns.
/// The one that the worker reads may be coarser.
struct VirtualPlatform : core::StdPlatform {
  static inline std::uint64_t now = 0;
  static std::uint64_t ticks() noexcept { return now; }
  static void relax() noexcept { now += 20; }
  static inline bool poor = false; ///< no memory beyond what the arenas start with
  static void* allocate(std::size_t bytes) noexcept {
    return poor ? nullptr : core::StdPlatform::allocate(bytes);
  }
};

struct VirtualRun {
  std::uint64_t makespan = 0; ///< ticks
  core::Counts total;
  std::uint64_t most_nodes = 0;
  std::uint64_t spent = 0; ///< between being handed a batch and coming back, of all members
};

/// Runs loops of one team; slots are reused as in the real ring, so that stale state is met.
class VirtualTeam {
public:
  using P = VirtualPlatform;
  explicit VirtualTeam(std::uint32_t members, std::uint64_t smallest = 1, std::uint32_t pairs = 8)
      : slot_(members, pairs), smallest_(smallest) {}

  /// `cost(i)` ticks per iteration; `arrival(m)` ticks until member m enters; `dispatch` and `steal` ticks
  /// are charged per call and per steal. `seen(member, range)` is told of every range.
  VirtualRun run(std::uint64_t iterations, const core::Settings& settings,
                 const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& cost,
                 const std::function<std::uint64_t(std::uint32_t)>& arrival = {}, std::uint64_t dispatch = 70,
                 std::uint64_t steal = 500,
                 const std::function<void(std::uint32_t, const core::Range&)>& seen = {}) {
    ++use_;
    const std::uint32_t members = slot_.members();
    std::vector<core::Worker<P>> workers(members);
    struct Event {
      std::uint64_t time;
      std::uint32_t member;
      bool operator>(const Event& other) const {
        return time != other.time ? time > other.time : member > other.member;
      }
    };
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    std::vector<bool> entered(members, false);
    for (std::uint32_t m = 0; m < members; ++m) events.push({arrival ? arrival(m) : 0, m});
    VirtualRun result;
    while (!events.empty()) {
      const Event event = events.top();
      events.pop();
      auto& worker = workers[event.member];
      P::now = event.time;
      if (!entered[event.member]) {
        entered[event.member] = true;
        if (core::is_refresh_due<P>(use_)) slot_.refresh(use_);
        worker.enter(slot_.loop(), slot_.memory(event.member),
                     slot_.entry(iterations, use_, event.member, members, settings, smallest_));
      }
      const std::uint64_t steals = worker.counts().steals;
      core::Range range;
      if (!worker.next(range)) {
        result.makespan = std::max(result.makespan, event.time);
        continue;
      }
      if (seen) seen(event.member, range);
      const std::uint64_t overhead = dispatch + (worker.counts().steals - steals) * steal;
      result.spent += overhead + cost(range.begin, range.end);
      events.push({event.time + overhead + cost(range.begin, range.end), event.member});
    }
    for (auto& worker : workers) {
      result.total.iterations += worker.counts().iterations;
      result.total.batches += worker.counts().batches;
      result.total.steals += worker.counts().steals;
      result.total.nodes += worker.counts().nodes;
      result.total.busy_ticks += worker.counts().busy_ticks;
    }
    return result;
  }

private:
  simulate::SlotOf<P, core::Worker<P>> slot_;
  std::uint64_t smallest_;
  std::uint64_t use_ = 0;
};

} // namespace wstree::test
