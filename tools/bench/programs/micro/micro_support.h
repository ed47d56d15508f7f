// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the microbenchmarks of the core share: a clock for single calls, and somebody at the other end.
#pragma once
#include "slot.h"
#include "wstree/core/tree/worker.h"
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <functional>
#include <sched.h>
#include <thread>
#include <utility>
#include <vector>

namespace bench {

using wstree::core::Model;
using wstree::core::Range;
using wstree::core::Settings;
using Platform = wstree::core::StdPlatform;
using Slot = wstree::simulate::Slot<Platform, Model::tree>;
using Worker = Slot::Worker;

/// Seconds of something as short as one call; what reading the clock takes is not counted.
class CallClock {
public:
  CallClock() {
    for (int k = 0; k < 1000; ++k) {
      const std::uint64_t start = Platform::ticks();
      empty_ = std::min(empty_, Platform::ticks() - start);
    }
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const std::uint64_t begin_ticks = Platform::ticks();
    while (Clock::now() - begin < std::chrono::milliseconds(20)) {
    }
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    seconds_per_tick_ = seconds.count() / static_cast<double>(Platform::ticks() - begin_ticks);
  }
  template <class Call> double time(const Call& call) const {
    const std::uint64_t start = Platform::ticks();
    call();
    const std::uint64_t spent = Platform::ticks() - start;
    return static_cast<double>(spent > empty_ ? spent - empty_ : 0) * seconds_per_tick_;
  }

private:
  std::uint64_t empty_ = ~std::uint64_t{0};
  double seconds_per_tick_ = 0;
};

inline const CallClock& call_clock() {
  static const CallClock clock;
  return clock;
}

/// Repeats something in another thread as long as it lives.
class Beside {
public:
  explicit Beside(const std::function<void()>& step)
      : thread_([this, step](const std::stop_token& stop) {
          step();
          // [relaxed] says that the thread runs; nothing is read because of it.
          runs_.store(true, std::memory_order_relaxed);
          while (!stop.stop_requested()) step();
        }) {
    while (!runs_.load(std::memory_order_relaxed)) std::this_thread::yield();
  }

private:
  std::atomic<bool> runs_{false};
  std::jthread thread_; // last: its end comes before that of what it uses
};

/// As long as it lives, the thread that has made it is on the first processor that it may use, and another
/// one on the last. Linux may leave both on one processor where others are as busy; then neither gets to
/// anything while the other one is at work.
class Apart {
public:
  Apart() {
    if (sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
    is_known_ = true;
    while (!CPU_ISSET(first_, &allowed_)) ++first_;
    while (!CPU_ISSET(last_, &allowed_)) --last_;
    put_on(first_);
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  ~Apart() {
    if (is_known_) sched_setaffinity(0, sizeof allowed_, &allowed_);
  }
  /// By the other thread, before it begins.
  void part() const { put_on(last_); }

private:
  void put_on(int cpu) const {
    if (!is_known_) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }

  cpu_set_t allowed_{};
  bool is_known_ = false;
  int first_ = 0, last_ = CPU_SETSIZE - 1;
};

/// A loop all of whose units are under the first of its roots: whoever has another one has to search and
/// steal.
class OneSided {
public:
  OneSided(std::uint32_t members, std::uint64_t units, const Settings& settings)
      : slot_(members), settings_(settings), units_(units) {}
  void enter(Worker& worker, std::uint64_t loop, std::uint32_t member) {
    const auto entry = Slot::entry(units_ * slot_.members(), loop, member, slot_.members(), settings_);
    worker.enter(slot_.loop(), slot_.memory(member), entry);
    if (std::exchange(loop_, loop) == loop) return;
    using namespace wstree::core;
    for (std::uint32_t root = 1; root < slot_.members(); ++root) {
      const auto done = worker.view().root(root);
      done.node->own(done.raw, WordOf<Platform>(Phase::owned, entry.use, done.size, 0));
    }
  }

private:
  Slot slot_;
  Settings settings_;
  std::uint64_t units_;
  std::uint64_t loop_ = 0;
};

/// Everything that this worker can still get. Returns the number of pieces.
inline std::uint64_t drain(Worker& worker) {
  std::uint64_t pieces = 0;
  for (Range range; worker.next(range); ++pieces) benchmark::DoNotOptimize(range);
  return pieces;
}

/// Settings in which every call hands out one iteration and no clock is read.
inline Settings single_iterations() {
  Settings settings;
  settings.batch = wstree::core::BatchMode::fixed;
  settings.limit = 1;
  settings.clocked = false;
  return settings;
}

} // namespace bench
