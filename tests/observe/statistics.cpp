// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures of loops: sums, shares and counters of executions; places in the table and their order; gaps
// between regions.
#include "support.h"

#include "loop_counters.h"
#include "loop_site.h"
#include "report.h"
#include "site_table.h"
#include "statistics.h"
#include "waiting.h"

namespace wstree::observe::statistics_test {
namespace {

constexpr int k_threads = 4;

const void* address(std::uintptr_t number) { return reinterpret_cast<const void*>(number); }

/// Lets all threads begin at the same time.
template <class Body> void in_threads(Body body) {
  std::atomic<int> waiting{k_threads};
  std::vector<std::thread> threads;
  for (int i = 0; i < k_threads; ++i)
    threads.emplace_back([&, i] {
      waiting.fetch_sub(1);
      while (waiting.load() != 0) std::this_thread::yield();
      body(i);
    });
  for (auto& thread : threads) thread.join();
}

std::unique_ptr<SiteTable> new_table() { return std::make_unique<SiteTable>(); }

TEST(LoopSite, SumsUpExecutions) {
  LoopSite site;
  site.add({4, {100, 10, 3, 7, 4000, 4, 1, 2}, 1500, 1600});
  site.add({2, {50, 5, 1, 2, 1001, 2, 0, 1}, 600, 700});
  const LoopFigures figures = site.figures();
  EXPECT_EQ(figures.calls, 2u);
  EXPECT_EQ(figures.total.iterations, 150u);
  EXPECT_EQ(figures.total.batches, 15u);
  EXPECT_EQ(figures.total.steals, 4u);
  EXPECT_EQ(figures.total.nodes, 9u);
  EXPECT_EQ(figures.total.busy_ticks, 5001u);
  EXPECT_EQ(figures.total.known, 6u);
  EXPECT_EQ(figures.total.surprises, 1u);
  EXPECT_EQ(figures.total.forgotten, 3u);
  EXPECT_EQ(figures.wall_ticks, 2300u);
  EXPECT_EQ(figures.busy_max_ticks, 2100u);
  EXPECT_EQ(figures.busy_mean_ticks, 1000u + 501u); // 500.5 rounds up
  EXPECT_EQ(figures.imbalance(1'501), 2'100U);
}

TEST(LoopSite, TakesImbalanceAsTheBusiestOverTheMean) {
  const std::pair<core::Execution, std::uint64_t> cases[] = {
      {{4, {0, 0, 0, 0, 4000}, 1000, 0}, 10}, // even
      {{4, {0, 0, 0, 0, 4000}, 4000, 0}, 40}, // one member did it all
      {{1, {0, 0, 0, 0, 77}, 77, 0}, 10},
      {{0, {0, 0, 0, 0, 77}, 77, 0}, 10}, // an empty team counts as one member
      {{8, {0, 0, 0, 0, 0}, 0, 0}, 10},   // nothing was timed
      {{2, {0, 0, 0, 0, ~std::uint64_t{0}}, std::uint64_t{1} << 63, 0}, 10},
  };
  for (const auto& [execution, imbalance] : cases) {
    LoopSite site;
    site.add(execution);
    EXPECT_EQ(site.figures().imbalance(10), imbalance)
        << execution.members << ' ' << execution.busy_max_ticks;
  }
}

TEST(SiteTable, TellsPlacesApart) {
  const auto table = new_table();
  const char first[] = ";a.c;f;1;1;;";
  const char second[] = ";a.c;f;2;1;;";
  std::set<const LoopSite*> sites;
  for (const std::uintptr_t number : {0x1000u, 0x1001u, 0x1002u, 0x2000u})
    for (const char* psource : {static_cast<const char*>(nullptr), first, second})
      sites.insert(&table->find(address(number), psource, "wstree"));
  EXPECT_EQ(sites.size(), 12u);
  const LoopSite& other = table->find(address(0x1001), second, "other");
  EXPECT_EQ(sites.count(&other), 0u) << "a loop that is run under another schedule is told apart";
  EXPECT_EQ(other.where(), "a.c:2 (f)");
  EXPECT_EQ(other.schedule(), "other");
}

TEST(SiteTable, SharesOneSiteWhenFull) {
  const auto table = new_table();
  static const char psource[] = ";full.c;f;1;1;;";
  std::set<LoopSite*> sites;
  for (std::uintptr_t i = 1; i <= k_max_sites; ++i)
    sites.insert(&table->find(address(i * 16), psource, "wstree"));
  EXPECT_EQ(sites.size(), k_max_sites);
  LoopSite& other = table->find(address(0x7000001), psource, "wstree");
  EXPECT_EQ(sites.count(&other), 0u);
  EXPECT_EQ(other.where(), "(other loops)");
  EXPECT_EQ(&table->find(address(0x7000002), nullptr, "wstree"), &other);
  EXPECT_EQ(sites.count(&table->find(address(16), psource, "wstree")), 1u) << "known places are still found";
  std::uint32_t visited = 0;
  table->for_each([&](const LoopSite&, const void*) { ++visited; });
  EXPECT_EQ(visited, k_max_sites + 1);
}

TEST(SiteTable, SameKeyFromManyThreadsIsOneSite) {
  constexpr std::uintptr_t k_places = 500;
  static const char k_sources[2][16] = {";a.c;f;1;1;;", ";b.c;f;2;1;;"};
  for (int round = 0; round < 4; ++round) {
    const auto table = new_table();
    std::vector<LoopSite*> found[k_threads];
    in_threads([&](int thread) {
      for (std::uintptr_t i = 0; i < k_places; ++i)
        // Half of the threads begin with one text of a place and half with the other one.
        for (const int source : {thread % 2, 1 - thread % 2})
          found[thread].push_back(&table->find(address(64 + i), k_sources[source], "wstree"));
    });
    std::uint32_t used = 0;
    table->for_each([&](const LoopSite&, const void* place) { used += place != nullptr ? 1 : 0; });
    EXPECT_EQ(used, 2 * k_places);
    for (int thread = 1; thread < k_threads; ++thread)
      for (std::size_t i = 0; i < 2 * k_places; ++i)
        ASSERT_EQ(found[thread][i], found[0][thread % 2 == 0 ? i : i ^ 1u]) << thread << ' ' << i;
  }
}

TEST(SiteTable, NameIsCompleteWhenSeen) {
  const auto table = new_table();
  constexpr std::uintptr_t k_places = 2000;
  std::atomic<int> bad{0};
  in_threads([&](int) {
    for (std::uintptr_t i = 0; i < k_places; ++i) {
      const LoopSite& site = table->find(address(64 + i), ";whole.c;name;12;1;;", "wstree,8");
      const std::string_view where = site.where();
      if (!where.empty() && (where != "whole.c:12 (name)" || site.schedule() != "wstree,8")) bad.fetch_add(1);
    }
  });
  EXPECT_EQ(bad.load(), 0);
  table->for_each([](const LoopSite& site, const void* place) {
    if (place != nullptr) {
      EXPECT_EQ(site.where(), "whole.c:12 (name)");
    }
  });
}

TEST(Statistics, CountsAndForgetsExecutions) {
  forget_executions();
  EXPECT_EQ(executions_recorded(), 0u);
  LoopSite* const site = find_site(address(0x5000), ";count.c;f;1;1;;", "wstree");
  EXPECT_EQ(find_site(address(0x5000), nullptr, "wstree") == site, false);
  record(*site, {2, {10, 1, 0, 1, 10}, 5, 5});
  record(*site, {2, {10, 1, 0, 1, 10}, 5, 5});
  record(*find_site(address(0x5010), ";count.c;f;2;1;;", "wstree"), {2, {10, 1, 0, 1, 10}, 5, 5});
  EXPECT_EQ(executions_recorded(), 3u);
  EXPECT_EQ(site->figures().total.iterations, 20u);
  forget_executions();
  EXPECT_EQ(executions_recorded(), 0u);
  const LoopFigures none = site->figures();
  EXPECT_EQ(none.calls + none.total.iterations + none.total.batches + none.total.steals + none.total.nodes +
                none.total.busy_ticks + none.wall_ticks + none.busy_max_ticks + none.busy_mean_ticks,
            0u);
  EXPECT_EQ(site->where(), "count.c:1 (f)");
}

TEST(Statistics, ForgettingFreesANameThatNoThreadWillFinish) {
  LoopSite* shared = nullptr; // nameless as long as the table of the process is not full
  site_table().for_each([&](LoopSite& site, const void* place) {
    if (place == nullptr) shared = &site;
  });
  ASSERT_NE(shared, nullptr);
  ASSERT_TRUE(shared->begin_name());
  forget_executions();
  EXPECT_TRUE(shared->is_nameless());
}

TEST(LoopSiteFigures, LateMembersMakeNoLoopUneven) {
  LoopSite site;
  // Two members; the second comes 40 ticks after the first, which has done more in the meantime.
  core::Execution execution{2, {}, 70, 70};
  execution.total.busy_ticks = 70 + 30;
  execution.late_ticks = 40;
  execution.most_uneven_ticks = 0;
  site.add(execution);
  EXPECT_EQ(site.figures().uneven_ticks, 0U);
  EXPECT_EQ(site.figures().late_mean_ticks, 20U);
  EXPECT_EQ(site.figures().imbalance(10), 10U);
  // Equal parts stay even, although they end at different times.
  execution.busy_max_ticks = 50;
  execution.most_uneven_ticks = 20;
  site.add(execution);
  EXPECT_EQ(site.figures().uneven_ticks, 0U);
  // A limit that is not reached changes nothing.
  execution.busy_max_ticks = 80;
  execution.most_uneven_ticks = 40;
  site.add(execution);
  EXPECT_EQ(site.figures().uneven_ticks, 30U);
}

TEST(LoopSiteFigures, SumUpHowLongTheMeanMemberHadNoProcessor) {
  LoopSite site;
  core::Execution execution{2, {}, 70, 70};
  execution.preempted_ticks = 40;
  site.add(execution);
  execution.preempted_ticks = 0;
  execution.is_of_new_length = true;
  site.add(execution);
  EXPECT_EQ(site.figures().preempted_mean_ticks, 20U);
  EXPECT_EQ(site.figures().new_lengths, 1U);
  site.clear_figures();
  EXPECT_EQ(site.figures().preempted_mean_ticks + site.figures().new_lengths, 0U);
}

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
  const auto order = [&] {
    std::vector<std::uintptr_t> all;
    for (const auto& row : *sorted) all.push_back(reinterpret_cast<std::uintptr_t>(row.address));
    return all;
  };
  EXPECT_THAT(order(), testing::ElementsAre(0x200, 0x100, 0x300, 0x400));
  sorted->sort(*table);
  EXPECT_THAT(order(), testing::ElementsAre(0x300, 0x100, 0x200, 0x400));
}

TEST(IsTooShort, LooksAtOneExecutionAndAtAll) {
  LoopFigures figures;
  figures.wall_ticks = 1'000'000'000; // a thread woke up late
  for (const auto& [calls, shortest_ns] :
       {std::pair(1, k_short_loop_ns), {1000, 1000 * k_short_execution_ns}}) {
    figures.calls = static_cast<std::uint64_t>(calls);
    figures.busy_max_ticks = shortest_ns - 1;
    EXPECT_TRUE(is_too_short(figures, core::tick_of(1, 1))) << calls;
    figures.busy_max_ticks = shortest_ns;
    EXPECT_FALSE(is_too_short(figures, core::tick_of(1, 1))) << calls;
    EXPECT_TRUE(is_too_short(figures, 0)) << "without a clock nothing can be told";
  }
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
  constexpr std::uint64_t k_parts = 1000;
  LoopCounters counters;
  in_threads([&](int i) {
    // Half of them beyond the last member with a number of its own.
    for (std::uint64_t n = 0; n < k_parts; ++n)
      counters.add(i % 2 == 0 ? 0 : LoopCounters::k_members + static_cast<std::uint32_t>(i), part(1, 2, 3));
  });
  EXPECT_EQ(counters.total().all_parts, k_threads * k_parts);
  EXPECT_EQ(counters.of(0)[Counter::instructions], k_threads * k_parts);
  EXPECT_EQ(counters.of(LoopCounters::k_members - 1)[Counter::cycles], k_threads / 2 * k_parts);
}

TEST(Waiting, IsSummedUpAndWorthALineFromATwentiethOn) {
  forget_gaps();
  note_gap(5, 3);
  note_gap(7, 4);
  note_cpu();
  EXPECT_EQ(wait_figures().gaps_ns, 12U);
  EXPECT_EQ(wait_figures().gaps_cpu_ns, 7U);
  EXPECT_GT(wait_figures().cpu_ns, 0U);
  forget_gaps();
  EXPECT_EQ(wait_figures().gaps_ns, 0U);
  EXPECT_FALSE(is_worth_saving({0, 5, 100}));
  EXPECT_TRUE(is_worth_saving({0, 6, 100}));
  EXPECT_FALSE(is_worth_saving({0, 0, 0}));
}

} // namespace
} // namespace wstree::observe::statistics_test
