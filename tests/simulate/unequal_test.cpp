// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cores of two or three kinds, and cores whose speed changes: how far the tree is from the best, from what it
// takes on the fast cores alone, and from others that know of kinds; what a wrong idea of a speed costs. And
// loops of few long iterations, beside list scheduling: one iteration at a time for a member that is free.
#include "machines.h"
#include "simulated.h"

#include "greedy.h"
#include "wstree/core/rng.h"

namespace wstree::test::unequal_test {
namespace {

using simulate::ideal;
using simulate::Peer;

constexpr std::uint32_t k_rounds = 9;

/// One loop again and again, at one code location, on all cores of a machine.
struct Case {
  MachineSpec machine;
  std::uint32_t members = 0;
  Workload loop;

  std::vector<Round> rounds(Schedule schedule, std::uint32_t count = k_rounds,
                            const std::function<double(std::uint32_t)>& error = {}) const {
    return simulate::simulate(job(schedule, count, error));
  }
  Job job(Schedule schedule, std::uint32_t count, const std::function<double(std::uint32_t)>& error) const {
    Job job;
    job.workload = &loop;
    job.schedule = schedule;
    job.members = members;
    job.machine = machine;
    job.rounds = count;
    job.workload_of = [this](std::uint32_t) -> const Workload& { return loop; };
    job.speed_error = error;
    return job;
  }
  double ratio(Schedule schedule) const {
    return static_cast<double>(simulate::median(rounds(schedule)).time) /
           static_cast<double>(ideal(loop, members, machine));
  }
  /// The same with all costs known.
  double known() const {
    return static_cast<double>(simulate::longest_first(loop, members, machine)) /
           static_cast<double>(ideal(loop, members, machine));
  }
};

std::vector<Case> cases(std::uint64_t iterations) {
  std::vector<Case> all;
  for (const auto& known : simulate::unequal_machines())
    for (const auto shape : simulate::shape_names())
      all.push_back(
          {*simulate::machine_named(known.name), known.cores, workload(shape, iterations, 10 * k_ms)});
  return all;
}

std::string name_of(const Case& of) { return of.machine.name + ' ' + of.loop.name(); }
void print(const char* what, const Figures& figures) {
  std::printf("%-32s mean %.3f, worst %.3f: %s\n", what, figures.mean(), figures.worst, figures.at.c_str());
}

constexpr Schedule k_tree{Model::tree, 0};

TEST(Unequal, FewLongIterations) {
  Figures tree, known, tbb, aid;
  for (const Case& each : cases(64)) {
    tree.add(each.ratio(k_tree), name_of(each));
    known.add(each.known(), name_of(each));
    tbb.add(each.ratio({Peer::tbb_auto, 0}), name_of(each));
    aid.add(each.ratio({Peer::aid_dynamic, 0}), name_of(each));
  }
  print("64 iterations, wstree", tree);
  print("  costs known", known);
  print("  tbb_auto", tbb);
  print("  aid_dynamic", aid);
  EXPECT_LT(tree.mean(), 1.24);
  EXPECT_LT(tree.worst, 1.8);
  EXPECT_LT(tree.mean(), 0.95 * std::min(tbb.mean(), aid.mean()));
}

TEST(Unequal, AThousandIterations) {
  Figures tree, beside_known, fast_only;
  for (const Case& each : cases(1'000)) {
    const double ratio = each.ratio(k_tree);
    if (each.loop.name() == "RANDIF") continue; // some iterations are as long as the whole ideal
    tree.add(ratio, name_of(each));
    beside_known.add(ratio / each.known(), name_of(each));
    Case fast = each;
    std::erase_if(fast.machine.speeds, [](std::uint32_t speed) { return speed < 750; });
    fast.members = static_cast<std::uint32_t>(fast.machine.speeds.size());
    const double alone = static_cast<double>(simulate::median(fast.rounds(k_tree)).time);
    fast_only.add(ratio * static_cast<double>(ideal(each.loop, each.members, each.machine)) / alone,
                  name_of(each));
  }
  print("1,000 iterations, wstree", tree);
  print("  by costs known", beside_known);
  print("  by fast cores only", fast_only);
  EXPECT_LT(tree.mean(), 1.035);
  EXPECT_LT(tree.worst, 1.16);
  EXPECT_LT(fast_only.worst, 1.01);
}

/// Equal cores, of which every other one takes itself for slow.
TEST(Unequal, AWrongIdeaOfASpeedCostsLessThanTwoIterations) {
  for (const std::uint64_t iterations : {64ULL, 1'000ULL}) {
    Figures price;
    double units = 0;
    for (const auto shape : simulate::shape_names())
      for (const double error : {0.3, 0.6}) {
        const Case each{MachineSpec{}, 8, workload(shape, iterations, 10 * k_ms)};
        const auto right = each.rounds(k_tree);
        const auto wrong =
            each.rounds(k_tree, k_rounds, [=](std::uint32_t m) { return m % 2 != 0 ? error : 1.0; });
        for (std::uint32_t r = 2; r < k_rounds; ++r) {
          price.add(static_cast<double>(wrong[r].time) / static_cast<double>(right[r].time), name_of(each));
          units = std::max(units, (static_cast<double>(wrong[r].time) - static_cast<double>(right[r].time)) /
                                      static_cast<double>(each.loop.longest()));
        }
      }
    print(iterations == 64 ? "wrong speeds, 64 iterations" : "wrong speeds, 1,000 iterations", price);
    std::printf("  in longest iterations: %.2f\n", units);
    EXPECT_LT(units, 2) << iterations;
    EXPECT_LT(price.mean(), iterations == 64 ? 1.25 : 1.02) << iterations;
  }
}

/// Seven of eight equal cores take themselves for ten times as slow as the first.
TEST(Unequal, ABadlyWrongIdeaOfFewIterationsCostsLessThanTwoOfThem) {
  for (const std::uint64_t iterations : {9U, 16U, 24U, 64U, 100U}) {
    const Case each{MachineSpec{}, 8, workload("UNIFORM", iterations, iterations * k_ms / 5)};
    const auto right = each.rounds(k_tree);
    const auto wrong = each.rounds(k_tree, k_rounds, [](std::uint32_t m) { return m != 0 ? 0.1 : 1.0; });
    EXPECT_LT(wrong.back().time, right.back().time + 2 * each.loop.longest()) << iterations;
  }
}

/// The fast member comes when the others have done the loop: those must not wait for it.
TEST(Unequal, AFastMemberThatIsNotThereCostsLessThanTwoIterations) {
  for (const std::uint32_t members : {2U, 8U})
    for (const std::uint32_t speed : {667U, 500U, 333U})
      for (const std::uint64_t iterations : {4U, 16U, 100U, 400U, 512U, 520U}) {
        Case each{MachineSpec{}, members, workload("UNIFORM", iterations, iterations * k_ms / 5)};
        each.machine.speeds.assign(members, speed);
        each.machine.speeds[0] = 1'000;
        const auto last_of_the_slow = [&](bool they_know) {
          Job job = each.job(k_tree, k_rounds,
                             [=](std::uint32_t m) { return m == 0 || they_know ? 1.0 : 1'000.0 / speed; });
          job.preemption = {k_rounds - 1, 0, 0, 500 * k_ms};
          const std::vector<Time> left = simulate::simulate(job).back().left;
          return *std::max_element(left.begin() + 1, left.end());
        };
        EXPECT_LT(last_of_the_slow(true), last_of_the_slow(false) + 2 * k_ms / 5 * 1'000 / speed)
            << members << " members of " << speed << ", " << iterations << " iterations";
      }
}

TEST(Unequal, SpeedsThatChange) {
  Figures all;
  const auto check = [&](const char* what, MachineSpec machine, const char* shape, Schedule schedule,
                         std::uint32_t changes_in) {
    const Case each{std::move(machine), 8, workload(shape, 1'000, 10 * k_ms)};
    const auto rounds = each.rounds(schedule, 20);
    double worst = 0;
    for (std::uint32_t r = changes_in + 5; r < rounds.size(); ++r)
      worst = std::max(worst, static_cast<double>(rounds[r].time) / static_cast<double>(rounds[r].ideal));
    EXPECT_LT(worst, 1.10) << what << ' ' << shape;
    all.add(worst, name_of(each));
  };
  for (const auto shape : {"UNIFORM", "TRIANGLE", "HILL", "STEP_E"}) {
    MachineSpec heat; // after 8 ms, some 6 executions, three of eight cores have 0.4 of their speed
    heat.changes = {{8 * k_ms, 0, 0, 400, 3, false}};
    check("heat", heat, shape, k_tree, 6);
    MachineSpec bursts; // of 1 ms, every 4 ms
    bursts.changes = {{3 * k_ms, k_ms, 4 * k_ms, 500, 2, true}};
    check("bursts", bursts, shape, k_tree, 0);
    MachineSpec short_bursts; // of 100 us, every 300 us
    short_bursts.changes = {{k_ms / 5, k_ms / 10, 3 * k_ms / 10, 500, 2, true}};
    check("short bursts", short_bursts, shape, k_tree, 0);
    MachineSpec siblings;
    siblings.smt = 600;
    check("siblings", siblings, shape, k_tree, 0);
    MachineSpec memory; // slow cores are not slow
    memory.speeds = {1'000, 1'000, 1'000, 1'000, 400, 400, 400, 400};
    memory.memory = {1'000, 4};
    check("memory", memory, shape, k_tree, 0);
  }
  print("speeds that change, wstree", all);
}

/// The same for WSTREE_LOOPS=static, which knows no speeds but what its parts took.
TEST(Unequal, StaticLoopsFollowSpeedsThatChange) {
  MachineSpec heat;
  heat.changes = {{8 * k_ms, 0, 0, 400, 3, false}};
  for (const auto& [machine, name] :
       {std::pair{heat, "heat"}, {*simulate::machine_named("6P+8E"), "6P+8E"}}) {
    const std::uint32_t members = machine.speeds.empty() ? 8 : 14;
    const Case each{machine, members, workload("UNIFORM", 100'000, 10 * k_ms)};
    const auto rounds = each.rounds({Peer::static_balanced, 0}, 20);
    std::printf("static loops, %s:", name);
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const double value = static_cast<double>(rounds[r].time) / static_cast<double>(rounds[r].ideal);
      std::printf(" %.2f", value);
      const std::size_t settled = machine.speeds.empty() ? 12 : 5;
      if (r >= settled) {
        EXPECT_LT(value, 1.10) << name << ", execution " << r;
      }
    }
    std::printf("\n");
  }
}

using Weights = std::vector<double>;
/// What the iterations cost in execution `round`; `before`: what they cost in the one before it.
using Next = std::function<Weights(core::Rng& random, Weights before, std::uint32_t round)>;

constexpr std::uint32_t k_executions = 50;

double part(core::Rng& random) { return random.below(1'000) / 1'000.0; }

/// Time / ideal of each execution.
std::vector<double> ratios(const Job& job) {
  std::vector<double> all;
  const auto rounds = simulate::simulate(job);
  for (std::uint32_t r = 0; r < job.rounds; ++r)
    all.push_back(static_cast<double>(rounds[r].time) /
                  static_cast<double>(job.workload_of(r).ideal(job.members)));
  return all;
}

/// Time / time of list scheduling of loops of 12 to 64 iterations of 60 us, with what is known of their place
/// and without.
Figures beside_lists(std::uint32_t members, const Next& next) {
  Figures all;
  for (const std::uint32_t iterations : {12U, 16U, 24U, 36U, 48U, 64U}) {
    core::Rng random(iterations);
    std::vector<Workload> loops;
    Weights weights(iterations, 1);
    for (std::uint32_t r = 0; r < k_executions; ++r) {
      weights = next(random, weights, r);
      loops.emplace_back("", iterations, iterations * 60 * k_us, [&](std::uint64_t i) { return weights[i]; });
    }
    Job job = remembered([&](std::uint32_t r) -> const Workload& { return loops[r]; }, members, k_executions,
                         false);
    const auto without = ratios(job);
    job.schedule = {Model::fixed, 1};
    const auto lists = ratios(job);
    job.schedule = {Model::tree, 0};
    job.settings.history = true;
    const auto with = ratios(job);
    for (const auto& tree : {without, with})
      for (std::uint32_t r = 0; r < k_executions; ++r) all.add(tree[r] / lists[r]);
  }
  return all;
}

Weights equal(core::Rng&, Weights before, std::uint32_t) { return before; }
Weights nearly_equal(core::Rng& random, Weights before, std::uint32_t) {
  for (double& weight : before) weight = 1 + part(random) / 20;
  return before;
}
template <int most> Weights anything(core::Rng& random, Weights before, std::uint32_t) {
  for (double& weight : before) weight = 1 + (most - 1) * part(random);
  return before;
}
Weights changing(core::Rng& random, Weights before, std::uint32_t round) {
  if (round == 0) return anything<5>(random, before, round);
  for (double& weight : before) weight = std::clamp(weight * (0.9 + part(random) / 5), 0.5, 6.0);
  return before;
}

TEST(FewLongIterations, OfEqualCostsTakeWhatListsTake) {
  for (const std::uint32_t members : {2U, 3U, 4U, 8U}) {
    EXPECT_LT(beside_lists(members, equal).worst, 1.025) << members;
    EXPECT_LT(beside_lists(members, nearly_equal).mean(), 1.01) << members;
  }
}

/// A member that starts iteration n-1, which seems long by chance, leaves the others the rest for nothing.
TEST(FewLongIterations, OfRandomCostsTakeAboutWhatListsTake) {
  for (const std::uint32_t members : {2U, 3U, 4U, 8U}) {
    const Figures random = beside_lists(members, anything<5>);
    EXPECT_LT(random.mean(), 1.015) << members;
    EXPECT_LT(random.worst, members == 2 ? 1.25 : 1.42) << members;
    EXPECT_LT(beside_lists(members, anything<2>).mean(), 1.0125) << members;
    EXPECT_LT(beside_lists(members, changing).mean(), members == 2 ? 1.04 : 1.005) << members;
  }
}

/// Time on two members / time of the best list, which knows all costs.
double beside_best(const Workload& loop) {
  const auto best = static_cast<double>(simulate::longest_first(loop, 2, {}));
  return ratio(with(loop, {Model::tree, 0}, 2)) * static_cast<double>(loop.ideal(2)) / best;
}

/// A thief with cheap iterations does not start iteration n-1 as long as the owner of others has ended none.
TEST(FewLongIterations, BehindAFirstLongOneWaitForNoMember) {
  for (const auto& [milliseconds, bound] : {std::pair{Weights{100, 100, 3, 3}, 1.05},
                                            {Weights{80, 80, 10, 10, 10, 10, 10, 10}, 1.2},
                                            {Weights{60, 60, 60, 60, 5, 5, 5, 5, 5, 5}, 1.1}}) {
    const double sum = std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0);
    const Weights& costs = milliseconds;
    EXPECT_LT(beside_best({"", costs.size(), static_cast<Time>(sum * static_cast<double>(k_ms)),
                           [&](std::uint64_t i) { return costs[i]; }}),
              bound);
  }
}

TEST(FewLongIterations, OfAllShapesAreSharedByTwo) {
  Figures all;
  for (const std::string_view shape : simulate::shape_names())
    for (std::uint64_t n = 3; n <= 20; ++n) all.add(beside_best(workload(shape, n, n * k_ms)));
  EXPECT_LT(all.mean(), 1.06);
  EXPECT_LT(all.worst, 1.45);
}

} // namespace
} // namespace wstree::test::unequal_test
