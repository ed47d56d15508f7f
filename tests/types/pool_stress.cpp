// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wstree::thread_pool for as many seconds as the argument says: tasks come at random moments, so that members
// are looking around, about to sleep, or asleep. A lost wake-up is a program that does not end.
#include "seed.h"

#include "wstree/core/rng.h"
#include "wstree/types/thread_pool.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

namespace {

using namespace wstree;
using Clock = std::chrono::steady_clock;

/// Keeps its processor busy for up to `most_us` microseconds; the time at which members sleep lies within.
void stay(core::Rng& random, std::uint32_t most_us) {
  const auto until = Clock::now() + std::chrono::nanoseconds(random.below(most_us * 1000 + 1));
  while (Clock::now() < until) core::StdPlatform::relax();
}

class Stress {
public:
  explicit Stress(std::uint64_t seed) : random_(seed) {}

  /// One pool, some hundred rounds. False: a number is wrong.
  bool run() {
    const std::uint32_t threads = 1 + random_.below(4);
    const pool_order order = random_.coin() ? pool_order::lifo : pool_order::fifo;
    pool_ = std::make_unique<thread_pool>(threads, order);
    for (int i = 0; i < 300; ++i) {
      if (random_.coin()) stay(random_, 120);
      ++rounds_;
      expected_ = 0;
      done_ = 0;
      switch (random_.below(4)) {
      case 0:
        from_outside();
        break;
      case 1:
        from_two_threads();
        break;
      case 2:
        in_groups();
        break;
      default:
        futures();
      }
      if (done_ != expected_) {
        std::printf("round %llu with %u threads: %u tasks executed, %u made\n",
                    static_cast<unsigned long long>(rounds_), threads, done_.load(), expected_);
        return false;
      }
    }
    from_outside(false);
    pool_.reset(); // executes what is queued
    return done_ == expected_;
  }
  std::uint64_t rounds() const { return rounds_; }

private:
  void from_outside(bool waits = true) {
    const std::uint32_t tasks = 1 + random_.below(4);
    for (std::uint32_t i = 0; i < tasks; ++i) {
      pool_->run([this] { ++done_; });
      ++expected_;
      if (random_.coin()) stay(random_, 60);
    }
    if (waits) pool_->wait();
  }
  void from_two_threads() {
    const std::uint32_t tasks = 1 + random_.below(3);
    {
      std::jthread other([&, random = core::Rng(random_.next())]() mutable {
        for (std::uint32_t i = 0; i < tasks; ++i) {
          stay(random, 60);
          pool_->run([this] { pool_->run([this] { ++done_; }); });
        }
      });
      from_outside();
    }
    expected_ += tasks;
    pool_->wait();
  }
  /// Members wait for tasks that others have stolen.
  void in_groups() {
    expected_ += 1 + k_in_group;
    auto future = pool_->submit([this, random = core::Rng(random_.next())]() mutable {
      task_group group(*pool_);
      for (std::uint32_t i = 0; i < k_in_group; ++i)
        group.run([this, own = core::Rng(random.next())]() mutable {
          stay(own, 50);
          ++done_;
        });
      if (random.coin()) stay(random, 60);
      group.wait();
      ++done_;
    });
    future.get();
  }
  void futures() {
    expected_ += 2;
    auto inner = pool_->submit([this, random = core::Rng(random_.next())]() mutable {
      stay(random, 80);
      ++done_;
      return 1;
    });
    if (random_.coin()) stay(random_, 80);
    auto outer = pool_->submit([&] { done_ += static_cast<std::uint32_t>(inner.get()); });
    if (random_.coin()) stay(random_, 80);
    outer.get();
  }

  static constexpr std::uint32_t k_in_group = 3;

  core::Rng random_;
  std::unique_ptr<thread_pool> pool_;
  std::atomic<std::uint32_t> done_{0};
  std::uint32_t expected_ = 0;
  std::uint64_t rounds_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  Stress stress(test::seed());
  std::fflush(stdout); // before it hangs
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  bool right = true;
  do right = stress.run();
  while (right && Clock::now() < until);
  std::printf("%llu rounds\n", static_cast<unsigned long long>(stress.rounds()));
  return right ? 0 : 1;
}
