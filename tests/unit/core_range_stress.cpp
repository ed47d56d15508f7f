// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Real threads on work-stealing ranges, in a slot that is used again and again.
#include "core_range_support.h"
#include "parameter_names.h"
#include "seed.h"
#include "shared_once.h"
#include "threads.h"

#include "wstree/core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <vector>

namespace wstree::range_stress_test {
namespace {

using core::BatchMode;
using core::Settings;
using P = core::StdPlatform;

/// One slot, and what its members believe about which of them are near.
struct Slot {
  explicit Slot(std::uint32_t members) : team(members) {}

  void run(const std::vector<std::uint64_t>& sizes, const Settings& settings) {
    const std::uint32_t members = team.members();
    test::SharedOnce once(*std::max_element(sizes.begin(), sizes.end()));
    std::barrier together(static_cast<std::ptrdiff_t>(members));
    test::in_parallel(members, [&](std::uint32_t m) {
      core::RangeWorker<P> worker;
      core::NoMemory none;
      std::uint64_t number = first;
      for (const std::uint64_t n : sizes) {
        const core::Neighbourhood* near = nears.empty() ? nullptr : &nears[m];
        worker.enter(team.loop(), none, team.entry(n, number, m, settings, 1, near));
        once.drain(worker);
        together.arrive_and_wait();
        if (m == 0) {
          once.expect_done(n);
          EXPECT_EQ(team.unclaimed(n, number, settings), 0U);
        }
        together.arrive_and_wait();
        ++number;
      }
    });
    first += sizes.size();
  }

  test::RangeTeam<P> team;
  std::uint64_t first = 1; // number of the next loop
  std::vector<core::Neighbourhood> nears;
};

std::vector<std::uint64_t> some_sizes(core::Rng& random, std::uint64_t count) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < count; ++i) sizes.push_back(1 + random.below(i % 4 == 0 ? 300 : 20));
  return sizes;
}

Settings of_mode(BatchMode mode) {
  Settings settings;
  settings.batch = mode;
  settings.limit = mode == BatchMode::fixed ? 1 : 16;
  return settings;
}

class RangeStress : public testing::TestWithParam<BatchMode> {};

TEST_P(RangeStress, EveryIterationOnceUnderRealThreads) {
  core::Rng random(test::seed());
  for (const std::uint32_t members : {2U, 4U, 7U}) {
    Slot slot(members);
    slot.run(some_sizes(random, test::scaled(60)), of_mode(GetParam()));
  }
}

/// Nearness is a hint: members may disagree about it, forget some and name others that do not exist.
TEST_P(RangeStress, EveryIterationOnceWhateverTheNeighbourhoods) {
  core::Rng random(test::seed());
  for (const std::uint32_t members : {3U, 6U}) {
    Slot slot(members);
    std::vector<std::vector<std::uint32_t>> orders(members);
    std::vector<core::Domain> domains(members);
    for (int round = 0; round < 5; ++round) {
      slot.nears.assign(members, {});
      for (std::uint32_t m = 0; m < members; ++m) {
        orders[m].resize(members);
        for (std::uint32_t& member : orders[m]) member = random.below(members + 1);
        const std::uint32_t position = random.below(members - 1);
        domains[m] = {position, position + 2};
        slot.nears[m] = {random.coin() ? orders[m].data() : nullptr, &domains[m], 1, position};
      }
      slot.run(some_sizes(random, test::scaled(8)), of_mode(GetParam()));
    }
  }
}

/// Two members and long loops of single units: the owner meets thieves all the time.
TEST_P(RangeStress, LongLoops) {
  Slot slot(2);
  slot.run(std::vector<std::uint64_t>(test::scaled(4), 20'000), of_mode(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, RangeStress,
                         testing::Values(BatchMode::timed, BatchMode::exponential, BatchMode::fixed,
                                         BatchMode::random),
                         test::k_parameter_name);

} // namespace
} // namespace wstree::range_stress_test
