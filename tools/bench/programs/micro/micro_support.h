// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the microbenchmarks of the core share: a clock for single calls, and a thread at the other end.
#pragma once
#include "measure/processors.h"
#include "slot.h"
#include "wstree/core/tree/worker.h"
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <functional>
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

/// A thread on the last processor that the caller may use; the caller is on the first meanwhile. Without
/// that, Linux may leave both on one processor, where only one of them runs at a time.
class OppositeThread {
public:
  explicit OppositeThread(const std::function<void(const std::stop_token&)>& body)
      : thread_([this, body](const std::stop_token& stop) {
          if (!allowed_.empty()) allow({allowed_.back()});
          // [relaxed] says where the thread is; nothing is read because of it.
          is_there_.store(true, std::memory_order_relaxed);
          body(stop);
        }) {
    if (!allowed_.empty()) allow({allowed_.front()});
    while (!is_there_.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
  OppositeThread(const OppositeThread&) = delete;
  OppositeThread& operator=(const OppositeThread&) = delete;
  ~OppositeThread() { allow(allowed_); }

private:
  std::vector<int> allowed_ = allowed_processors();
  std::atomic<bool> is_there_{false};
  std::jthread thread_; // last: its end comes before that of what it uses
};

/// Repeats something in another thread as long as it lives.
class Beside {
public:
  explicit Beside(const std::function<void()>& step)
      : thread_([step](const std::stop_token& stop) {
          while (!stop.stop_requested()) step();
        }) {}

private:
  OppositeThread thread_;
};

/// A loop all of whose units are under the first of its roots: a member with another root has to search and
/// steal for work.
class OneSided {
public:
  OneSided(std::uint32_t members, std::uint64_t units, const Settings& settings)
      : slot_(members), settings_(settings), units_(units) {}
  void enter(Worker& worker, std::uint64_t loop, std::uint32_t member) {
    const auto entry = Slot::entry(units_ * slot_.members(), loop, member, slot_.members(), settings_);
    worker.enter(slot_.loop(), slot_.memory(member), entry);
    if (std::exchange(loop_, loop) == loop) return;
    using namespace wstree::core;
    const Shape shape(entry.iterations, entry.members);
    for (std::uint32_t root = 1; root < slot_.members(); ++root) {
      auto* const node = slot_.loop().root(root);
      node->own(node->inspect(), WordOf<Platform>(Phase::owned, entry.use, shape.root_size(root), 0));
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
