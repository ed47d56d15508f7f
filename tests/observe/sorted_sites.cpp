// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report.h"

namespace wstree::observe::sorted_sites_test {
namespace {

const void* address(std::uintptr_t number) { return reinterpret_cast<const void*>(number); }

TEST(SortedSites, PutsFirstWhatAnEvenLoopWouldSave) {
  const auto table = std::make_unique<SiteTable>();
  const auto sorted = std::make_unique<SortedSites>();
  static const char psource[] = ";saved.c;f;1;1;;";
  // Ticks are microseconds. Two members each; the work is that of the busiest and half as much.
  const auto add = [&](std::uintptr_t number, std::uint64_t calls, std::uint64_t busiest, std::uint64_t both,
                       std::uint64_t wall) {
    for (std::uint64_t i = 0; i < calls; ++i)
      table->find(address(number), psource, "wstree").add({2, {1, 1, 0, 1, both}, busiest, wall});
  };
  add(0x100, 1, 9000, 17000, 9000); // long, and nearly even
  add(0x200, 1, 5000, 6000, 5000);  // half as long, and uneven
  add(0x300, 1000, 15, 15, 15);     // one member does all of it: nothing else could be faster
  add(0x400, 1, 900, 900, 900);     // uneven, but there is nothing to gain
  sorted->sort(*table, SiteOrder::by_uneven_time, core::tick_of(1000, 1));
  std::vector<std::uintptr_t> order;
  for (const auto& row : *sorted) order.push_back(reinterpret_cast<std::uintptr_t>(row.address));
  EXPECT_THAT(order, testing::ElementsAre(0x200, 0x100, 0x300, 0x400));
  sorted->sort(*table);
  order.clear();
  for (const auto& row : *sorted) order.push_back(reinterpret_cast<std::uintptr_t>(row.address));
  EXPECT_THAT(order, testing::ElementsAre(0x300, 0x100, 0x200, 0x400));
}

TEST(IsTooShort, LooksAtOneExecutionAndAtAll) {
  const auto figures = [](std::uint64_t calls, std::uint64_t busiest_ns) {
    LoopFigures result;
    result.calls = calls;
    result.busy_max_ticks = busiest_ns;
    result.wall_ticks = 1'000'000'000; // a thread woke up late
    return result;
  };
  EXPECT_TRUE(is_too_short(figures(1, k_short_loop_ns - 1), core::tick_of(1, 1)));
  EXPECT_FALSE(is_too_short(figures(1, k_short_loop_ns), core::tick_of(1, 1)));
  EXPECT_TRUE(is_too_short(figures(1000, 1000 * k_short_execution_ns - 1), core::tick_of(1, 1)));
  EXPECT_FALSE(is_too_short(figures(1000, 1000 * k_short_execution_ns), core::tick_of(1, 1)));
  EXPECT_TRUE(is_too_short(figures(1, k_short_loop_ns), 0)) << "without a clock nothing can be told";
}

TEST(SortedSites, LeavesOutWhatWasNotExecuted) {
  const auto table = std::make_unique<SiteTable>();
  const auto sorted = std::make_unique<SortedSites>();
  static const char psource[] = ";sort.c;f;1;1;;";
  for (const std::uintptr_t wall : {30u, 10u, 20u}) {
    table->find(address(0x1000 + wall), psource, "wstree").add({1, {}, 0, wall});
    table->find(address(0x9000 + wall), psource, "wstree");
  }
  sorted->sort(*table);
  std::vector<std::uint64_t> walls;
  for (const auto& row : *sorted) walls.push_back(row.wall_ticks);
  EXPECT_THAT(walls, testing::ElementsAre(30, 20, 10));
}

} // namespace
} // namespace wstree::observe::sorted_sites_test
