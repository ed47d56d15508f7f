// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every iteration once, one "last", nothing for its member afterwards: for real threads.
#pragma once

#include "wstree/core/shape.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace wstree::test {

/// For loops of up to `most` iterations, one after the other.
class SharedOnce {
public:
  explicit SharedOnce(std::uint64_t most) : hits_(most) {}

  /// All pieces that one member gets. Any thread.
  template <class Worker> void drain(Worker& worker) {
    core::Range range;
    bool retired = false;
    while (worker.next(range)) {
      late_.fetch_add(retired, std::memory_order_relaxed);
      for (auto i = range.begin; i < range.end; ++i) hits_[i].fetch_add(1, std::memory_order_relaxed);
      lasts_.fetch_add(range.last, std::memory_order_relaxed);
      retired = range.last;
    }
    late_.fetch_add(worker.next(range), std::memory_order_relaxed);
  }

  /// After a loop of `iterations`, when all members are through and wait. Begins anew. A test fails by one
  /// message at most: a lost iteration is one of millions, in thousands of loops.
  void expect_done(std::uint64_t iterations) {
    std::uint64_t wrong = 0, first = 0, hits = 0;
    for (std::uint64_t i = 0; i < iterations; ++i)
      if (const std::uint32_t seen = hits_[i].exchange(0); seen != 1 && wrong++ == 0) first = i, hits = seen;
    const int lasts = lasts_.exchange(0);
    if (testing::Test::HasFailure()) return;
    EXPECT_EQ(wrong, 0U) << "of " << iterations << " iterations; the first one is " << first << ", executed "
                         << hits << " times";
    EXPECT_EQ(lasts, 1);
    EXPECT_EQ(late_.load(), 0) << "a chunk after the last iteration, or after the end";
  }

private:
  std::vector<std::atomic<std::uint32_t>> hits_;
  std::atomic<int> lasts_{0};
  std::atomic<int> late_{0};
};

} // namespace wstree::test
