// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_set.h"

#include "seed.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>

namespace wstree::place {
namespace {

std::string list(std::initializer_list<std::uint32_t> cpus) {
  CpuSet set;
  for (const std::uint32_t cpu : cpus) set.add(cpu);
  return std::string(to_list(set).view());
}

TEST(CpuSet, IsWrittenAsTheKernelDoes) {
  EXPECT_EQ(list({}), "");
  EXPECT_EQ(list({0}), "0");
  EXPECT_EQ(list({0, 1}), "0-1");
  EXPECT_EQ(list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(list({63, 64, 66, 8190, 8191}), "63-64,66,8190-8191");
}

TEST(CpuSet, IsReadAsTheKernelWritesIt) {
  const auto read = [](std::string_view text) {
    const auto set = parse_cpu_list(text);
    return set ? std::string(to_list(*set).view()) : std::string("not understood");
  };
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("\n"), "");
  EXPECT_EQ(read("0-3,8\n"), "0-3,8");
  EXPECT_EQ(read("5,1,2"), "1-2,5");
  EXPECT_EQ(read("0-3,2-5"), "0-5");
  EXPECT_EQ(read("8191"), "8191");
  for (const char* wrong : {"8192", "0-8192", "3-1", "-1", "1-", ",", "1,", ",1", "1,,2", "1 2", "a", "1a",
                            "+1", "0x1", "99999999999999999999"})
    EXPECT_EQ(read(wrong), "not understood") << wrong;
}

/// All operations against std::set.
TEST(CpuSet, IsASet) {
  std::mt19937_64 random(test::seed());
  for (std::uint64_t round = test::scaled(200); round > 0; --round) {
    CpuSet sets[2];
    std::set<std::uint32_t> models[2];
    const std::uint32_t range = round % 2 == 0 ? 130 : CpuSet::k_cpus;
    for (int step = 0; step < 60; ++step) {
      const std::uint32_t cpu = static_cast<std::uint32_t>(random() % range);
      const auto which = static_cast<std::size_t>(random() % 2);
      if (random() % 4 != 0) {
        sets[which].add(cpu);
        models[which].insert(cpu);
      } else {
        sets[which].remove(cpu);
        models[which].erase(cpu);
      }
      ASSERT_EQ(sets[which].has(cpu), models[which].contains(cpu));
    }
    std::set<std::uint32_t> both, either = models[0];
    for (const std::uint32_t cpu : models[1])
      if (!either.insert(cpu).second) both.insert(cpu);
    CpuSet kept = sets[0], joined = sets[0];
    kept.keep(sets[1]);
    joined.add(sets[1]);
    const auto equal = [](const CpuSet& set, const std::set<std::uint32_t>& model) {
      auto next = model.begin();
      for (std::uint32_t cpu = set.next(0); cpu < CpuSet::k_cpus; cpu = set.next(cpu + 1), ++next)
        if (next == model.end() || *next != cpu) return false;
      return next == model.end() && set.count() == model.size() && set.empty() == model.empty();
    };
    EXPECT_TRUE(equal(sets[0], models[0]));
    EXPECT_TRUE(equal(kept, both));
    EXPECT_TRUE(equal(joined, either));
    EXPECT_EQ(sets[0].overlaps(sets[1]), !both.empty());
    EXPECT_EQ(sets[0].is_within(sets[1]), both.size() == models[0].size());
    EXPECT_TRUE(kept.is_within(sets[0]));
    const auto text = to_list(joined);
    if (!text.view().ends_with("...")) {
      EXPECT_EQ(parse_cpu_list(text.view()), joined);
    }
  }
}

} // namespace
} // namespace wstree::place
