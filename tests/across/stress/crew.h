// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait between regions, as those of an OpenMP runtime do: a fork and a join, and nothing else,
// orders what they do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace stress {

/// Used by one thread at a time, which is member 0.
class Crew {
public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    body_ = nullptr;
    for (auto& worker : workers_) worker->start();
  }

  /// body(m) for every m < members, each in a thread of its own.
  void run(std::uint32_t members, const std::function<void(std::uint32_t)>& body) {
    while (workers_.size() + 1 < members)
      workers_.push_back(std::make_unique<Worker>(*this, static_cast<std::uint32_t>(workers_.size() + 1)));
    body_ = &body;
    running_.store(members - 1, std::memory_order_relaxed);
    for (std::uint32_t m = 1; m < members; ++m) workers_[m - 1]->start();
    body(0);
    for (std::uint32_t left = 0; (left = running_.load(std::memory_order_acquire)) != 0;) running_.wait(left);
  }

private:
  class Worker {
  public:
    Worker(Crew& crew, std::uint32_t index) : thread_([this, &crew, index] { work(crew, index); }) {}
    void start() {
      turn_.fetch_add(1, std::memory_order_release);
      turn_.notify_one();
    }

  private:
    void work(Crew& crew, std::uint32_t index) {
      for (std::uint32_t seen = 0;; ++seen) {
        while (turn_.load(std::memory_order_acquire) == seen) turn_.wait(seen);
        if (crew.body_ == nullptr) return;
        (*crew.body_)(index);
        if (crew.running_.fetch_sub(1, std::memory_order_acq_rel) == 1) crew.running_.notify_one();
      }
    }
    std::atomic<std::uint32_t> turn_{0};
    std::jthread thread_;
  };

  const std::function<void(std::uint32_t)>* body_ = nullptr;
  std::atomic<std::uint32_t> running_{0};
  std::vector<std::unique_ptr<Worker>> workers_; // these end first
};

} // namespace stress
