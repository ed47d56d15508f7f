// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One region at a time is placed, whichever thread opens it.
#include "placed_turn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <pthread.h>
#include <thread>
#include <vector>

namespace wstree::abi {
namespace {

TEST(PlacedTurn, IsOneThreads) {
  PlacedTurn turn;
  for (int region = 0; region < 3; ++region) { // free again after each region
    EXPECT_TRUE(turn.take(pthread_self()));
    EXPECT_FALSE(turn.take(pthread_self()));
    turn.give_back();
  }
  // Both have come before they meet.
  ASSERT_TRUE(turn.take(pthread_self()));
  std::thread([&] { EXPECT_FALSE(turn.take(pthread_self())); }).join();
  turn.give_back();

  std::atomic<int> holders{0}, together{0}, turns{0};
  std::vector<std::thread> openers;
  for (int opener = 0; opener < 2; ++opener)
    openers.emplace_back([&] {
      for (int region = 0; region < 200'000; ++region) {
        if (!turn.take(pthread_self())) continue;
        together += holders.fetch_add(1) != 0 ? 1 : 0;
        ++turns;
        holders.fetch_sub(1);
        turn.give_back();
      }
    });
  for (auto& opener : openers) opener.join();
  EXPECT_EQ(together, 0);
  EXPECT_GT(turns, 0);
}

} // namespace
} // namespace wstree::abi
