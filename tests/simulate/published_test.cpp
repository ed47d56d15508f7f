// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedules of others in virtual time: every iteration once, and their times against measured ones, on
// the machine that these were measured on as the simulator has it.
//
// Facts: libomp 19.1.7 (release build) with clang 14, libgomp 12 with gcc 12, LB4OMP's fac2 and oneTBB 2023
// on an x86-64 server of two cores, two threads, SCHED_FIFO. Each figure is the time in relation to half the
// time of the sequential loop, a median of seven rounds of three. The workloads are those of
// tools/bench/workloads/cost_shapes.h; the kernel takes whole steps of 1.3 ns, of which short ones overlap.
// The random workloads had other random numbers.
#include "simulated.h"

#include "peers/workers.h"
#include "seed.h"

namespace wstree::test {
namespace {

using simulate::Peer;
using testing::ElementsAre;

constexpr std::size_t k_published = 12;

struct PublishedLoop {
  const char* shape;
  std::uint64_t iterations;
  double sequential_ms;
  std::array<double, k_published> ratios; ///< in the order of k_published_schedules
};

struct PublishedSchedule {
  std::string_view name;
  Schedule schedule;
  Time dispatch;
};

/// Two cores. A fetch-and-add that has to fetch its line takes 90 ns (dynamic,1 of 64 ns of work each: 80 ns
/// per chunk with two threads), one that queues for it some 40 (10 million chunks of next to nothing: 39 ns).
MachineSpec published_machine(Time dispatch) {
  MachineSpec spec;
  spec.name = "two cores";
  spec.levels.clear();
  spec.across = 84 * k_ns;
  spec.prices.rmw = 6 * k_ns;
  spec.dispatch = dispatch;
  spec.skew = 500 * k_ns;
  return spec;
}
constexpr Time k_libomp = 5 * k_ns;  // static_steal: 11 ns per chunk, of which 6 are the compare-and-swap
constexpr Time k_libgomp = 1 * k_ns; // 6.4 ns per chunk alone
constexpr Time k_lb4omp = 26 * k_ns; // fac2: 32 ns per chunk at least, it computes a power each time
constexpr Time k_tbb = 1 * k_ns;     // the pieces of a task are a loop in the program

constexpr PublishedSchedule k_published_schedules[k_published] = {
    {"static", {Peer::static_, 0}, k_libomp},
    {"dynamic,1", {Peer::dynamic, 1}, k_libomp},
    {"dynamic,64", {Peer::dynamic, 64}, k_libomp},
    {"guided", {Peer::guided, 0}, k_libomp},
    {"trapezoidal", {Peer::trapezoidal, 0}, k_libomp},
    {"static_steal,1", {Peer::static_steal, 1}, k_libomp},
    {"static_steal,64", {Peer::static_steal, 64}, k_libomp},
    {"libgomp's dynamic,1", {Peer::dynamic, 1}, k_libgomp},
    {"libgomp's dynamic,64", {Peer::dynamic, 64}, k_libgomp},
    {"libgomp's guided", {Peer::gomp_guided, 0}, k_libgomp},
    {"LB4OMP's fac2", {Model::factoring, 0}, k_lb4omp},
    {"oneTBB's auto_partitioner", {Peer::tbb_auto, 0}, k_tbb},
};

// clang-format off
constexpr PublishedLoop k_published_loops[] = {
    {"UNIFORM", 16, 10.1, {1.00, 1.00, 2.00, 1.00, 1.00, 1.02, 1.99, 1.00, 1.99, 1.00, 1.00, 1.00}},
    {"TRIANGLE", 16, 10.1, {1.51, 1.07, 2.00, 1.05, 1.25, 1.04, 2.00, 1.06, 2.01, 1.10, 1.06, 1.10}},
    {"INVTRIANGLE", 16, 10.1, {1.50, 1.00, 2.00, 1.01, 1.01, 1.05, 2.00, 1.00, 2.00, 1.50, 1.00, 1.01}},
    {"PARABOLA", 16, 10.1, {1.77, 1.10, 2.00, 1.10, 1.38, 1.10, 2.00, 1.10, 2.00, 1.10, 1.12, 1.09}},
    {"HILL", 16, 10.1, {1.01, 1.01, 2.01, 1.02, 1.01, 1.01, 2.00, 1.00, 2.01, 1.00, 1.00, 1.01}},
    {"VALLEY", 16, 10.1, {1.00, 1.10, 1.99, 1.13, 1.13, 1.00, 2.00, 1.10, 2.01, 1.01, 1.14, 1.01}},
    {"EXP", 16, 10.1, {2.00, 1.31, 1.99, 1.30, 1.85, 1.07, 2.00, 1.30, 2.01, 1.35, 1.33, 1.36}},
    {"GAUSSIAN", 16, 10.1, {1.08, 1.13, 2.00, 1.13, 1.17, 1.02, 2.00, 1.12, 2.00, 1.08, 1.14, 1.00}},
    {"STEP_S", 16, 10.1, {1.96, 1.01, 2.00, 1.94, 1.94, 1.03, 2.00, 1.00, 2.00, 1.96, 1.95, 1.03}},
    {"STEP_M", 16, 10.1, {1.01, 1.01, 2.00, 1.01, 1.00, 1.01, 2.00, 1.01, 2.01, 1.01, 1.01, 1.00}},
    {"STEP_E", 16, 10.1, {1.96, 1.01, 2.00, 1.01, 1.96, 1.01, 2.00, 1.00, 1.99, 1.01, 1.01, 1.01}},
    {"UNIFORM", 1000, 10.1, {1.00, 1.02, 1.03, 1.00, 1.01, 1.00, 1.03, 1.01, 1.01, 1.01, 1.00, 1.01}},
    {"TRIANGLE", 1000, 10.1, {1.50, 1.01, 1.02, 1.01, 1.00, 1.02, 1.09, 1.02, 1.02, 1.00, 1.01, 1.00}},
    {"INVTRIANGLE", 1000, 10.1, {1.50, 1.02, 1.00, 1.01, 1.04, 1.01, 1.08, 1.01, 1.00, 1.50, 1.01, 1.01}},
    {"PARABOLA", 1000, 10.1, {1.75, 1.01, 1.03, 1.01, 1.01, 1.01, 1.12, 1.01, 1.03, 1.00, 1.00, 1.00}},
    {"HILL", 1000, 10.1, {1.01, 1.01, 1.01, 1.01, 1.01, 1.00, 1.04, 1.01, 1.01, 1.01, 1.00, 1.00}},
    {"VALLEY", 1000, 10.1, {1.01, 1.02, 1.03, 1.01, 1.02, 1.00, 1.00, 1.02, 1.03, 1.01, 1.00, 1.00}},
    {"EXP", 1000, 10.1, {2.00, 1.02, 1.13, 1.02, 1.02, 1.01, 1.31, 1.02, 1.13, 1.02, 1.01, 1.01}},
    {"GAUSSIAN", 1000, 10.1, {1.03, 1.01, 1.02, 1.01, 1.01, 1.00, 1.00, 1.02, 1.01, 1.00, 1.00, 1.00}},
    {"RANDIF", 1000, 10.1, {1.13, 1.01, 1.02, 1.02, 1.00, 1.01, 1.14, 1.00, 1.01, 1.01, 1.00, 1.01}},
    {"STEP_S", 1000, 10.1, {1.97, 1.01, 1.01, 1.95, 1.95, 1.01, 1.01, 1.01, 1.00, 1.96, 1.95, 1.01}},
    {"STEP_M", 1000, 10.1, {1.00, 1.02, 1.01, 1.11, 1.27, 1.00, 1.10, 1.01, 1.01, 1.00, 1.00, 1.00}},
    {"STEP_E", 1000, 10.1, {1.96, 1.01, 1.02, 1.01, 1.08, 1.00, 1.15, 1.02, 1.02, 1.01, 1.00, 1.01}},
    {"UNIFORM", 100000, 6.4, {1.01, 2.51, 1.05, 1.01, 1.01, 1.22, 1.04, 2.49, 1.01, 1.00, 1.01, 1.01}},
    {"TRIANGLE", 100000, 7.3, {1.60, 2.39, 1.02, 0.99, 1.01, 1.18, 0.99, 2.51, 1.05, 0.98, 0.99, 1.01}},
    {"INVTRIANGLE", 100000, 7.3, {1.62, 2.40, 1.03, 1.01, 1.00, 1.24, 1.01, 2.49, 1.04, 1.60, 1.00, 1.01}},
    {"PARABOLA", 100000, 7.8, {1.84, 2.40, 1.01, 0.99, 1.02, 1.18, 1.00, 2.30, 1.03, 1.02, 0.98, 1.01}},
    {"HILL", 100000, 7.1, {1.01, 2.37, 1.02, 1.00, 1.01, 1.21, 1.01, 2.44, 1.03, 1.03, 1.00, 1.00}},
    {"VALLEY", 100000, 7.8, {0.99, 2.31, 1.00, 0.99, 1.06, 1.16, 1.00, 2.30, 1.03, 1.02, 0.98, 0.99}},
    {"EXP", 100000, 8.9, {1.98, 2.19, 1.02, 1.00, 1.11, 1.18, 1.00, 1.99, 1.02, 1.01, 0.99, 1.00}},
    {"GAUSSIAN", 100000, 7.3, {0.98, 2.27, 1.05, 0.98, 0.98, 1.19, 0.99, 2.29, 1.02, 1.00, 0.98, 1.00}},
    {"RANDIF", 100000, 9.6, {1.02, 1.26, 1.01, 0.99, 0.99, 1.12, 1.00, 1.17, 1.01, 1.01, 0.98, 1.00}},
    {"STEP_S", 100000, 9.2, {1.97, 2.23, 1.01, 1.96, 1.96, 1.12, 0.99, 1.92, 1.01, 1.99, 1.95, 0.98}},
    {"STEP_M", 100000, 9.2, {1.00, 2.23, 1.01, 1.12, 1.28, 1.15, 1.00, 1.91, 0.99, 1.01, 1.01, 1.00}},
    {"STEP_E", 100000, 9.2, {1.97, 2.21, 1.02, 0.99, 1.13, 1.13, 1.01, 1.91, 1.00, 1.01, 0.99, 1.01}},
};
// clang-format on

double tolerance(const PublishedLoop& loop, std::string_view schedule) {
  const std::string_view shape = loop.shape;
  // Sixteen numbers, or ten expensive iterations: that others were drawn matters.
  if ((shape == "GAUSSIAN" && loop.iterations == 16) || (shape == "RANDIF" && loop.iterations == 1'000))
    return 0.12;
  // As many transfers as iterations. What one costs when the members do not meet each time is between the two
  // prices that were measured.
  if (schedule.ends_with("dynamic,1") && loop.iterations == 100'000) return 0.15;
  // Short chains of the kernel overlap, so that with iterations of a few steps the cheap half of a slope is
  // cheaper than it should be: static and libgomp's guided, which give that half away, look worse.
  if (loop.iterations == 100'000) return 0.08;
  return 0.04;
}

TEST(Published, EachCellIsMetAndTheMedianErrorOfEachScheduleIsOnePercent) {
  for (std::size_t s = 0; s < k_published; ++s) {
    std::vector<double> errors;
    for (const auto& loop : k_published_loops) {
      const auto work = static_cast<Time>(std::llround(loop.sequential_ms * 1e3)) * 1'000 * k_ns;
      const Workload simulated = workload(loop.shape, loop.iterations, work);
      Job job = with(simulated, k_published_schedules[s].schedule, 2);
      job.machine = published_machine(k_published_schedules[s].dispatch);
      errors.push_back(std::abs(ratio(job) / loop.ratios[s] - 1));
      EXPECT_LT(errors.back(), tolerance(loop, k_published_schedules[s].name))
          << k_published_schedules[s].name << " of " << loop.shape << " with " << loop.iterations
          << " iterations: measured " << loop.ratios[s];
    }
    std::ranges::nth_element(errors, errors.begin() + errors.size() / 2);
    EXPECT_LT(errors[errors.size() / 2], 0.0125) << k_published_schedules[s].name;
  }
}

/// Ten million iterations of 0.67 ns, of which there are a tenth here: the ratio is one of prices per
/// iteration. clang's loop takes 1.39 times as long in a parallel region, whatever the schedule.
TEST(Published, IterationsOfLessThanANanosecond) {
  constexpr std::uint64_t k_iterations = 1'000'000;
  constexpr Time k_sequential = 670'000 * k_ns;
  const Workload by_clang = workload("UNIFORM", k_iterations, k_sequential * 139 / 100);
  const auto ratio_of = [&](Peer peer, std::uint64_t chunk) {
    Job job = with(by_clang, {peer, chunk}, 2);
    job.machine = published_machine(k_libomp);
    job.machine.skew = 100 * k_ns;
    return 1.39 * ratio(job, 1);
  };
  EXPECT_NEAR(ratio_of(Peer::static_, 0), 1.40, 0.02);
  EXPECT_NEAR(ratio_of(Peer::guided, 0), 1.41, 0.04);
  EXPECT_NEAR(ratio_of(Peer::dynamic, 64), 3.42, 0.35);
  EXPECT_NEAR(ratio_of(Peer::static_steal, 64), 1.78, 0.18);
  EXPECT_NEAR(ratio_of(Peer::static_steal, 1), 18.0, 1.8);
  // Measured between 39 and 117.
  EXPECT_GT(ratio_of(Peer::dynamic, 1), 39);
  EXPECT_LT(ratio_of(Peer::dynamic, 1), 260);
}

double ratio_at(std::uint32_t members, const Workload& loop, Schedule schedule) {
  Job job = with(loop, schedule, members);
  job.machine.skew = 1'000 * k_ns;
  return ratio(job);
}

TEST(AtScale, ACounterIsAllThereIsWhenTransfersTakeLongerThanChunks) {
  // Chunks of 100 ns for 64 members: one has to be handed out each 1.6 ns.
  const Workload loop = workload("UNIFORM", 100'000, 10 * k_ms);
  EXPECT_GT(ratio_at(64, loop, {Peer::dynamic, 1}), 20);
  EXPECT_LT(ratio_at(64, loop, {Peer::dynamic, 256}), 1.5);
  EXPECT_LT(ratio_at(64, loop, {Peer::static_steal, 1}), 1.6);
  EXPECT_LT(ratio_at(64, loop, {Peer::tbb_auto, 0}), 1.3);
  EXPECT_LT(ratio_at(64, loop, {Peer::cilk_for, 0}), 1.25);
  EXPECT_LT(ratio_at(64, loop, {Model::tree, 0}), 1.15);
}

TEST(AtScale, StaticStealSpreadsAnExpensiveBlockByManySmallSteals) {
  // All work is in the blocks of the first quarter of the members.
  const Workload loop = workload("STEP_S", 10'000, 100 * k_ms);
  const auto steals = [&](Schedule schedule) {
    return simulate::simulate(with(loop, schedule, 64)).front().counts.steals;
  };
  EXPECT_GT(steals({Peer::static_steal, 1}), 2 * steals({Model::tree, 0}));
  EXPECT_LT(ratio_at(64, loop, {Peer::static_steal, 1}), 1.25);
}

std::vector<Peer> peers() {
  std::vector<Peer> all;
  for (std::size_t p = 0; p < simulate::k_peer_count; ++p) all.push_back(static_cast<Peer>(p));
  return all;
}

using Chunk = std::pair<std::uint64_t, std::uint64_t>;

/// What all members are handed, by its beginning.
std::vector<Chunk> chunks(Job job) {
  std::vector<Chunk> seen;
  job.seen = [&](std::uint32_t, std::uint32_t, const core::Range& range) {
    seen.emplace_back(range.begin, range.end);
    EXPECT_EQ(range.last, range.end == job.workload->iterations());
  };
  simulate::simulate(job);
  std::sort(seen.begin(), seen.end());
  return seen;
}

std::vector<std::uint64_t> sizes(std::uint64_t iterations, Peer peer, std::uint64_t chunk,
                                 std::uint32_t members) {
  const Workload loop = workload("UNIFORM", iterations, 10 * k_ms);
  std::vector<std::uint64_t> found;
  for (const auto& [begin, end] : chunks(with(loop, {peer, chunk}, members))) found.push_back(end - begin);
  return found;
}

TEST(Peers, HaveNames) {
  for (const Peer peer : peers()) EXPECT_EQ(simulate::peer_named(simulate::name_of(peer)), peer);
  EXPECT_EQ(simulate::name_of(Peer::static_), "static");
  EXPECT_EQ(simulate::name_of(Peer::cilk_for), "cilk_for");
  EXPECT_FALSE(simulate::peer_named("wstree"));
}

TEST(Peers, HandOutEveryIterationOnce) {
  std::mt19937_64 random(seed());
  for (const Peer peer : peers())
    for (const std::uint32_t members : {1U, 2U, 3U, 7U, 24U})
      for (const std::uint64_t n : {1ULL, 2ULL, 5ULL, 23ULL, 64ULL, 100ULL, 2'000ULL}) {
        SCOPED_TRACE(testing::Message()
                     << simulate::name_of(peer) << ", " << members << " members, " << n << " iterations");
        const Workload loop = workload(random() % 2 == 0 ? "EXP" : "STEP_S", n, k_ms / (1 + random() % 100));
        Job job = with(loop, {peer, random() % 6}, members);
        job.machine.skew = random() % 20'000 * k_ns;
        job.machine.levels.front().members = static_cast<std::uint32_t>(random() % 5);
        job.seed = random() % 1'000'000;
        job.rounds = 3;
        std::vector<std::vector<int>> hits(job.rounds, std::vector<int>(n));
        std::vector<int> lasts(job.rounds);
        job.seen = [&](std::uint32_t round, std::uint32_t, const core::Range& range) {
          ASSERT_LT(range.begin, range.end);
          ASSERT_LE(range.end, n);
          for (std::uint64_t i = range.begin; i < range.end; ++i) ++hits[round][i];
          lasts[round] += range.last;
        };
        const auto rounds = simulate::simulate(job);
        for (std::uint32_t r = 0; r < job.rounds; ++r) {
          EXPECT_THAT(hits[r], testing::Each(1)) << "round " << r;
          EXPECT_EQ(lasts[r], 1) << "round " << r;
          EXPECT_EQ(rounds[r].counts.iterations, n);
        }
      }
}

TEST(Peers, GuidedGivesOneOutOfTwicePThatAreLeft) {
  // 16/4, 12/4, 9/4; 7 left is less than 2 P (c + 1) = 8.
  EXPECT_THAT(sizes(16, Peer::guided, 0, 2), ElementsAre(4U, 3U, 2U, 1U, 1U, 1U, 1U, 1U, 1U, 1U));
  // 100/4, 75/4, 57/4, 43/4, 33/4; 25 left is more than 24, 19 is not.
  EXPECT_THAT(sizes(100, Peer::guided, 5, 2), ElementsAre(25U, 18U, 14U, 10U, 8U, 6U, 5U, 5U, 5U, 4U));
  EXPECT_THAT(sizes(6, Peer::guided, 0, 2), ElementsAre(1U, 1U, 1U, 1U, 1U, 1U)) << "P (2c + 1) is 6";
}

TEST(Peers, AThousandMembersEnd) {
  const Workload loop = workload("TRIANGLE", 100'000, 100 * k_ms);
  for (const Peer peer : peers()) {
    Job job = with(loop, {peer, 0}, 1'024);
    job.machine.skew = 1'000 * k_ns;
    EXPECT_GT(ratio(job, 1), 1) << simulate::name_of(peer);
  }
}

} // namespace
} // namespace wstree::test
