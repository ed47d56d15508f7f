// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_counters.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace wstree::observe::counters_test {
namespace {

CounterValues part(std::uint64_t cycles, std::uint64_t instructions, std::uint64_t misses) {
  return {{cycles, instructions, misses, 2, 0}, {1, 1, 1, 1, 0}, 1};
}

template <class Write> std::string written(Write write, const LoopCounters& counters) {
  std::string text(4096, '\0');
  ReportWriter out(text.data(), text.size());
  write(out, counters);
  out.flush();
  text.resize(out.written());
  return text;
}

TEST(LoopCounters, AreSumsOfMembersAndRatiosOfTheLoop) {
  LoopCounters counters;
  EXPECT_EQ(written(json_counters, counters) + written(text_counters, counters), "");
  counters.add(0, part(1000, 1500, 3));
  counters.add(0, part(1000, 1500, 3));
  counters.add(2, part(2000, 3000, 0));
  EXPECT_EQ(written(json_counters, counters),
            ", \"counters\": {\"parts\": 3, \"cycles\": 4000, \"instructions\": 6000, \"cache_misses\": 6, "
            "\"page_faults\": 6}, \"member_counters\": ["
            "{\"member\": 0, \"parts\": 2, \"cycles\": 2000, \"instructions\": 3000, \"cache_misses\": 6, "
            "\"page_faults\": 4}, "
            "{\"member\": 2, \"parts\": 1, \"cycles\": 2000, \"instructions\": 3000, \"cache_misses\": 0, "
            "\"page_faults\": 2}]");
  EXPECT_EQ(written(text_counters, counters),
            "    1.50 instructions per cycle, 1.00 cache misses per 1,000 instructions, 6 page faults\n");
  counters.clear();
  EXPECT_EQ(counters.total().all_parts, 0u);
}

TEST(LoopCounters, WhatOnePartLacksTheSumLacks) {
  LoopCounters counters;
  counters.add(0, part(1000, 1500, 3));
  CounterValues without = part(0, 10, 1);
  without.parts[0] = 0;
  counters.add(1, without);
  const CounterValues total = counters.total();
  EXPECT_FALSE(total.has(Counter::cycles));
  EXPECT_TRUE(total.has(Counter::instructions));
  EXPECT_FALSE(total.has(Counter::context_switches));
  EXPECT_EQ(written(text_counters, counters),
            "    2.65 cache misses per 1,000 instructions, 4 page faults\n");
}

TEST(LoopCounters, LoseNothingFromManyThreads) {
  constexpr std::uint32_t k_threads = 4;
  constexpr std::uint64_t k_parts = 1000;
  LoopCounters counters;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < k_threads; ++i)
    threads.emplace_back([&, i] {
      // Half of them beyond the last member with a number of its own.
      for (std::uint64_t n = 0; n < k_parts; ++n)
        counters.add(i % 2 == 0 ? 0 : LoopCounters::k_members + i, part(1, 2, 3));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counters.total().all_parts, k_threads * k_parts);
  EXPECT_EQ(counters.of(0)[Counter::instructions], k_threads * k_parts);
  EXPECT_EQ(counters.of(LoopCounters::k_members - 1)[Counter::cycles], k_threads / 2 * k_parts);
}

} // namespace
} // namespace wstree::observe::counters_test
