// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/load_time.h"

#include <gtest/gtest.h>

namespace wstree::abi {
namespace {

/// Clocks that run at one tick a nanosecond, in a thread that waits around its looks at the second one.
class LateThread {
public:
  /// It waits at the first `late` looks.
  LateThread(int late, std::uint64_t before, std::uint64_t behind)
      : late_(late), before_(before), behind_(behind) {}

  Moment look() {
    return moment_by(
        k_together, [this] { return now_ += k_cost; },
        [this](clockid_t, timespec* time) {
          const bool waits = looks_++ < late_;
          now_ += waits ? before_ : 0;
          *time = {static_cast<time_t>(now_ / k_second), static_cast<long>(now_ % k_second)};
          now_ += waits ? behind_ : 0;
        });
  }
  int looks() const { return looks_; }

  static constexpr std::uint64_t k_second = 1'000'000'000;
  static constexpr std::uint64_t k_cost = 20, k_together = 1'000;

private:
  int late_;
  std::uint64_t before_, behind_;
  std::uint64_t now_ = 5 * k_second;
  int looks_ = 0;
};

std::uint64_t apart(const Moment& moment) {
  return moment.ticks > moment.nanoseconds ? moment.ticks - moment.nanoseconds
                                           : moment.nanoseconds - moment.ticks;
}

TEST(MomentBy, OneLookIsEnoughForAThreadThatRuns) {
  LateThread thread(0, 0, 0);
  EXPECT_LE(apart(thread.look()), LateThread::k_cost);
  EXPECT_EQ(thread.looks(), 1);
}

TEST(MomentBy, AThreadThatWaitedLooksAgain) {
  LateThread thread(3, LateThread::k_second, LateThread::k_second / 10);
  EXPECT_LE(apart(thread.look()), LateThread::k_cost);
  EXPECT_EQ(thread.looks(), 4);
}

} // namespace
} // namespace wstree::abi
