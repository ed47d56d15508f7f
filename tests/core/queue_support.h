// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams of queue workers in the order of a virtual clock, one call at a time.
#pragma once

#include "once.h"

#include "wstree/core/queue/worker.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <vector>

namespace wstree::test {

/// A clock that the test sets, and memory that can run out and is counted.
struct QueuePlatform : core::StdPlatform {
  static inline std::uint64_t now = 0;
  static inline bool poor = false;
  static inline std::uint64_t allocations = 0;
  static std::uint64_t ticks() noexcept { return now; }
  static void* allocate(std::size_t bytes) noexcept {
    if (poor) return nullptr;
    ++allocations;
    return core::StdPlatform::allocate(bytes);
  }
};

/// Queues that have to grow in the smallest of loops.
template <class P> using TinyLockFreeQueue = core::ChaseLevQueue<P, 2>;
template <class P> using TinyLockedQueue = core::DuffyQueue<P, 2>;

/// A slot, used by one loop after the other.
template <class P, template <class> class Queue> class QueueTeam {
public:
  using Worker = core::QueueWorker<P, Queue>;
  using Cost = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;
  using Seen = std::function<void(std::uint32_t, const core::Range&)>;

  explicit QueueTeam(std::uint32_t members, std::uint64_t smallest = 1)
      : members_(members), smallest_(smallest),
        cells_(std::make_unique<core::QueueCell<P, Queue>[]>(members)) {
    loop_.cells = {cells_.get(), sizeof(core::QueueCell<P, Queue>)};
  }

  /// The entry of `member` into the present loop; begin() starts the next one.
  core::Entry entry(std::uint32_t member) const {
    return {iterations_, number_, number_, member, members_, &settings_, smallest_, nullptr};
  }
  void begin(std::uint64_t iterations, const core::Settings& settings) {
    ++number_;
    iterations_ = iterations;
    settings_ = settings;
    workers_.assign(members_, Worker{});
  }
  Worker& enter(std::uint32_t member) {
    core::NoMemory none;
    workers_[member].enter(loop_, none, entry(member));
    return workers_[member];
  }
  std::uint64_t unclaimed() { return Worker::unclaimed(loop_, entry(0)); }
  core::QueueLoop<P, Queue>& loop() { return loop_; }

  /// Runs one loop; returns what all have counted. Only the first `arriving` members come at all.
  core::Counts run(std::uint64_t iterations, const core::Settings& settings, const Cost& cost,
                   const std::function<std::uint64_t(std::uint32_t)>& arrival, const Seen& seen,
                   std::uint32_t arriving = ~0U) {
    begin(iterations, settings);
    using Event = std::pair<std::uint64_t, std::uint32_t>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    std::vector<bool> entered(members_, false);
    for (std::uint32_t m = 0; m < std::min(members_, arriving); ++m) events.push({arrival(m), m});
    while (!events.empty()) {
      const auto [time, member] = events.top();
      events.pop();
      QueuePlatform::now = 1'000'000 + time;
      if (!entered[member]) enter(member);
      entered[member] = true;
      core::Range range;
      if (!workers_[member].next(range)) {
        EXPECT_FALSE(workers_[member].next(range)) << "false has to stay false";
        continue;
      }
      seen(member, range);
      events.push({time + 70 + cost(range.begin, range.end), member});
    }
    core::Counts total;
    for (const Worker& worker : workers_) {
      total.iterations += worker.counts().iterations;
      total.batches += worker.counts().batches;
      total.steals += worker.counts().steals;
    }
    return total;
  }

private:
  std::uint32_t members_;
  std::uint64_t smallest_;
  std::uint64_t number_ = 0;
  std::uint64_t iterations_ = 1;
  core::Settings settings_;
  std::unique_ptr<core::QueueCell<P, Queue>[]> cells_;
  core::QueueLoop<P, Queue> loop_;
  std::vector<Worker> workers_;
};

/// For loops that are too long to count iterations one by one.
class Cover {
public:
  void see(const core::Range& range) {
    ASSERT_LT(range.begin, range.end);
    EXPECT_TRUE(pieces_.emplace(range.begin, range.end).second);
  }
  void expect_all(std::uint64_t iterations) const {
    std::uint64_t next = 0;
    for (const auto& [begin, end] : pieces_) {
      ASSERT_EQ(begin, next);
      next = end;
    }
    EXPECT_EQ(next, iterations);
  }

private:
  std::map<std::uint64_t, std::uint64_t> pieces_;
};

} // namespace wstree::test
