// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The masks that taskset, numactl and mpirun give to a process, before it starts and while it runs: never is
// a thread outside of them.
#include "placed.h"

#include "seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using namespace wstree::test;

constexpr std::size_t k_most_masks = 15;

/// All non-empty subsets of the machine's CPUs, or some of them where they are too many.
std::vector<Cpus> masks(std::mt19937_64& random) {
  const Cpus all = own_cpus();
  std::vector<Cpus> result;
  if (all.size() < 4) {
    for (unsigned bits = 1; bits < 1U << all.size(); ++bits) {
      Cpus mask;
      unsigned at = 0;
      for (const int cpu : all)
        if ((bits >> at++ & 1U) != 0) mask.insert(cpu);
      result.push_back(mask);
    }
    return result;
  }
  while (result.size() < k_most_masks) {
    const std::uint64_t one_in = 1 + random() % 4;
    Cpus mask;
    for (const int cpu : all)
      if (random() % one_in == 0) mask.insert(cpu);
    if (!mask.empty()) result.push_back(mask);
  }
  return result;
}

/// Compiler and WSTREE_BIND.
class Masked : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
  static std::string compiler() { return std::get<0>(GetParam()); }
  static std::string bind() { return std::get<1>(GetParam()); }
  static Report run_below(const std::vector<std::string>& launcher, const std::vector<std::string>& steps) {
    return report_of(placement_below(launcher, compiler(), bind(), steps));
  }
  static bool pins_at_once() { return bind() == "close" || bind() == "spread"; }
};

INSTANTIATE_TEST_SUITE_P(Placement, Masked,
                         testing::Combine(testing::Values("", "_gcc"), testing::Values("close", "auto")),
                         [](const auto& each) {
                           return std::string(std::get<1>(each.param)) +
                                  (*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(Masked, NoThreadIsEverOutside) {
  std::mt19937_64 random(seed());
  for (const Cpus& mask : masks(random)) {
    const auto cpus = static_cast<unsigned>(mask.size());
    const int cores = static_cast<int>(cores_of(mask).size());
    std::vector<std::string> steps = {team(cores, 2)};
    for (int i = 0; i < 5; ++i) {
      const int members = static_cast<int>(1 + random() % std::min(2 * cpus + 2, 48U));
      steps.push_back(team(members, 1));
      steps.push_back("quiet=" + std::to_string(members) + "x5");
    }
    if (bind() == "auto") steps.push_back(k_until_decided);
    steps.push_back(team(cores, 2));
    const Report report = run_below({"/usr/bin/taskset", "-c", text_of(mask)}, steps);
    SCOPED_TRACE("mask " + text_of(mask));
    expect_inside(report, mask);
    expect_free_openers(report);
    if (bind() == "none") expect_unpinned(report);
    if (pins_at_once() && cores > 1)
      for (const int region : {0, 1, 7, 8}) expect_on_own_cores(report, region, mask);
  }
}

/// How many regions the program has that does these steps.
int regions_of(const Report& report) {
  return static_cast<int>(std::count_if(report.placed.begin(), report.placed.end(),
                                        [](const Placed& each) { return each.members == 0; }));
}

/// Runs `before`, then another process gives all threads `mask`, then come the regions of `after`.
void expect_respected(Program (*program)(const std::vector<std::string>&), const Cpus& mask,
                      std::vector<std::string> before, const std::vector<std::string>& after) {
  SCOPED_TRACE("mask " + text_of(mask));
  const int regions = regions_of(report_of(program(before)));
  before.push_back("outside=" + text_of(mask));
  before.insert(before.end(), after.begin(), after.end());
  const Report report = report_of(program(before));
  expect_inside(report, own_cpus());
  int seen = 0;
  for (const Placed& each : report.placed) {
    if (each.region < regions) continue;
    ++seen;
    EXPECT_TRUE(inside(each.mask, mask)) << report.text();
    if (each.members > 0) {
      EXPECT_TRUE(mask.contains(each.cpu)) << report.text();
    }
    if (!each.is_worker()) {
      EXPECT_EQ(each.mask, mask) << report.text();
    }
  }
  EXPECT_GT(seen, 0);
  for (const Cpus& each : report.threads) EXPECT_TRUE(inside(each, mask)) << report.text();
}

TEST_P(Masked, AMaskThatChangesIsRespectedByLargerAndSmallerTeams) {
  // No thread is new after the change: libomp itself gives new ones the first mask of the process.
  const int cores = static_cast<int>(cores_of(own_cpus()).size());
  std::mt19937_64 random(seed());
  std::vector<std::string> before = {team(cores + 1, 1), team(cores, 1)};
  if (bind() == "auto") before.insert(before.end(), {k_until_decided, team(cores, 1)});
  const auto program = [](const std::vector<std::string>& steps) {
    return placement(compiler(), bind(), steps);
  };
  for (const Cpus& mask : masks(random))
    expect_respected(program, mask, before,
                     {team(cores, 2), team(cores + 1, 2), team(2, 1), "quiet=2x20", team(cores, 2)});
}

} // namespace
