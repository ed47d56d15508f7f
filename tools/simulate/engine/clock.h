// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual time: fibers that run one at a time, always the fiber whose time is earliest.
#pragma once

#include "fiber.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

namespace wstree::simulate {

/// The clock of the member that runs. When it goes on, others whose time has come run first.
class VirtualClock {
public:
  static inline thread_local std::uint64_t now = 0;
  static inline thread_local VirtualClock* running = nullptr;

  void start(std::uint32_t member, std::uint64_t time, std::function<void()> body) {
    if (member >= fibers_.size()) fibers_.resize(member + 1);
    fibers_[member] = std::make_unique<Fiber>(std::move(body));
    events_.push({time, member});
  }
  /// Runs the members until all have ended. Calls `acts(member)` before each turn of a member.
  void run(const std::function<void(std::uint32_t)>& acts) {
    running = this;
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now = event.time;
      member_ = event.member;
      acts(member_);
      fibers_[member_]->resume();
    }
    running = nullptr;
  }
  void pass(std::uint64_t ticks) {
    now += ticks;
    if (events_.empty() || events_.top().time >= now) return;
    events_.push({now, member_});
    fibers_[member_]->stop();
  }

private:
  struct Event {
    std::uint64_t time;
    std::uint32_t member;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : member > other.member;
    }
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::uint32_t member_ = 0;
};

} // namespace wstree::simulate
