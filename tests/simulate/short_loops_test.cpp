// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmark's patterns of short loops (`wstree bench --parts short`) on machines that are not at hand:
// sequences of executions of 1 to 50 microseconds, hardly one of which is like the last.
#include "simulated.h"

#include "wstree/core/rng.h"

namespace wstree::test {
namespace {

struct Pattern {
  std::string name;
  std::vector<Workload> executions;
};

/// Executions in which members have `share` of work each, of 16 iterations for each of them or nearly so.
std::vector<Pattern> patterns(std::uint32_t members, Time share, std::uint32_t rounds) {
  const std::uint64_t usual = std::uint64_t{16} * members;
  const Time cost = std::max<Time>(1, share / 16);
  core::Rng random(1);
  const auto even = [&](std::uint64_t iterations) {
    return Workload("even", iterations, iterations * cost, [](std::uint64_t) { return 1.0; });
  };
  Pattern wavefront{"wavefront", {}}, groups{"groups", {}}, frontier{"frontier", {}}, rows{"rows", {}},
      steps{"steps", {}};
  for (std::uint64_t r = 0; r < rounds; ++r) {
    wavefront.executions.push_back(even(usual + r - rounds / 2));
    // 20 loops for each of 11 groups; a loop is known by its number of iterations here.
    groups.executions.push_back(even(usual / 2 + usual * (r / 20 % 11) / 10 + r % 20));
    const std::uint64_t width = members + random.next() % (2 * usual);
    const std::uint64_t seed = random.next();
    frontier.executions.emplace_back("frontier", width, width * cost, [=](std::uint64_t i) {
      core::Rng vertex(seed + i);
      const double u = static_cast<double>(vertex.next() >> 11) * 0x1p-53;
      return 1 + 24 * u * u * u;
    });
    const std::uint64_t left = usual * 2 * (rounds - r) / rounds + 1;
    rows.executions.emplace_back("rows", left, left * cost,
                                 [=](std::uint64_t i) { return i < usual / 8 ? 6.0 : 1.0; });
    steps.executions.push_back(even(usual));
  }
  return {wavefront, groups, frontier, rows, steps};
}

/// Of all executions together, in microseconds.
double time_of(const Pattern& pattern, const Schedule& schedule, std::uint32_t members, bool history) {
  Job job = with(pattern.executions.front(), schedule, members);
  job.machine = {};
  job.rounds = static_cast<std::uint32_t>(pattern.executions.size());
  job.settings.history = history;
  job.workload_of = [&](std::uint32_t round) -> const Workload& { return pattern.executions[round]; };
  double sum = 0;
  for (const Round& round : simulate::simulate(job)) sum += static_cast<double>(round.time);
  return sum / static_cast<double>(1'000 * k_ns);
}

/// Geometric mean of the tree's time / that of the best of libomp's schedules, which is printed beside it.
double tree_to_best(std::uint32_t members, const std::vector<Time>& shares, std::uint32_t rounds) {
  using simulate::Peer;
  const Schedule peers[] = {{Peer::static_, 0},
                            {Peer::guided, 1},
                            {Peer::dynamic, 1},
                            {Peer::dynamic, 64},
                            {Peer::static_steal, 1}};
  Figures figures;
  for (const Time share : shares)
    for (const Pattern& pattern : patterns(members, share, rounds)) {
      const double tree = time_of(pattern, {Model::tree, 0}, members, true);
      const double unknown = time_of(pattern, {Model::tree, 0}, members, false);
      double best = 0;
      std::string name;
      for (const Schedule& peer : peers) {
        const double time = time_of(pattern, peer, members, false);
        if (best != 0 && time >= best) continue;
        best = time;
        name = std::string(name_of(std::get<Peer>(peer.kind))) + "," + std::to_string(peer.chunk);
      }
      std::printf("P=%u %3d us %-10s tree / best %.3f, without a prior %.3f (%s)\n", members,
                  static_cast<int>(share / (1'000 * k_ns)), pattern.name.c_str(), tree / best, unknown / best,
                  name.c_str());
      std::fflush(stdout);
      figures.add(tree / best);
    }
  std::printf("P=%u geometric mean %.3f\n", members, figures.mean());
  return figures.mean();
}

constexpr Time k_1_us = 1'000 * k_ns, k_5_us = 5 * k_1_us, k_50_us = 50 * k_1_us;

TEST(ShortLoops, TheTreeIsNotFarFromTheBestOnEightMembers) {
  EXPECT_LT(tree_to_best(8, {k_1_us, k_5_us, k_50_us}, 220), 1.16);
}

TEST(ShortLoops, NorOnSixtyFour) { EXPECT_LT(tree_to_best(64, {k_5_us, k_50_us}, 60), 0.90); }

/// The last tenth of the loop takes ninety times as long as the rest: the end of a share is cut by what the
/// location has cost, and finely where nothing is known of it.
TEST(ShortLoops, ShareThatEndsWithDearIterationsIsNotTakenInOneBatch) {
  const Workload loop("dear end", 200, 30 * k_1_us, [](std::uint64_t i) { return i < 180 ? 1.0 : 91.0; });
  const Pattern pattern{"dear end", std::vector<Workload>(60, loop)};
  const double tree = time_of(pattern, {Model::tree, 0}, 2, true);
  EXPECT_LT(tree, 1.15 * time_of(pattern, {simulate::Peer::guided, 1}, 2, false));
}

TEST(ShortLoopsLongRun, NorOn256) { EXPECT_LT(tree_to_best(256, {k_5_us, k_50_us}, 40), 0.55); }

TEST(ShortLoopsLongRun, NorOn1024) { EXPECT_LT(tree_to_best(1024, {k_5_us}, 12), 0.15); }

} // namespace
} // namespace wstree::test
