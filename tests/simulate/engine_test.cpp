// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator itself: every schedule hands out every iteration once in it, the same run gives the same
// result, and sharing a line costs what it says; distances, unequal cores, interruptions, fresh memory. And a
// member whose processor is taken away, before each single step that it takes in a loop: the others do all
// but the batch in its hands, as fast as they can, and none waits for it.
#include "simulated.h"

#include "caches.h"
#include "noise.h"
#include "once.h"
#include "platform.h"
#include "seed.h"

namespace wstree::test::engine_test {
namespace {

using core::Tag;
using simulate::Caches;
using simulate::ideal;
using simulate::Interruptions;
using simulate::Noise;
using simulate::Prices;
using simulate::SimulatedPlatform;
using simulate::VirtualMachine;
using testing::ElementsAre;

/// In slots that are used again, by members that come when they like, and that may have speeds to remember.
void expect_once(const Workload& loop, Job job, std::mt19937_64& random) {
  job.settings.limit = 1 + random() % 64;
  if (random() % 2 == 0) {
    for (std::uint32_t m = 0; m < job.members; ++m)
      job.machine.speeds.push_back(static_cast<std::uint32_t>(100 + random() % 900));
    job.workload_of = [&](std::uint32_t) -> const Workload& { return loop; };
  }
  job.machine.skew = random() % 2'000 * k_ns;
  job.machine.levels.front().members = static_cast<std::uint32_t>(random() % 5);
  job.seed = random() % 1'000'000;
  job.rounds = 3;
  std::vector<Once> seen(job.rounds, Once(loop.iterations(), job.members));
  job.seen = [&](std::uint32_t round, std::uint32_t member, const core::Range& range) {
    seen[round].see(member, range);
  };
  const auto rounds = simulate::simulate(job);
  for (std::uint32_t r = 0; r < job.rounds; ++r) seen[r].expect_done(rounds[r].counts.iterations);
}

TEST(Engine, EveryScheduleHandsOutEveryIterationOnce) {
  std::mt19937_64 random(seed());
  for (const Model model : k_models)
    for (unsigned way = 0; way < 24; way += model == Model::tree ? 1 : 6) // others have no strategies
      for (const std::uint32_t members : {1U, 2U, 7U, 24U})
        for (const std::uint64_t n : {1ULL, 5ULL, 64ULL, 2'000ULL}) {
          SCOPED_TRACE(testing::Message() << "model " << static_cast<int>(model) << ", way " << way << ", "
                                          << members << " members, " << n << " iterations");
          const Workload loop = workload("EXP", n, k_ms / 10);
          Job job = with(loop, {model, random() % 5}, members);
          job.settings.strategy = static_cast<core::Strategy>(way % 6);
          job.settings.batch = static_cast<core::BatchMode>(way / 6);
          expect_once(loop, job, random);
        }
}

TEST(Engine, TheSameRunGivesTheSameResult) {
  const Workload loop = workload("RANDIF", 3'000, k_ms);
  for (const Model model : k_models) {
    Job job = with(loop, {model, 0}, 16);
    job.machine.skew = 1'000 * k_ns;
    job.rounds = 3;
    const auto first = simulate::simulate(job);
    const auto second = simulate::simulate(job);
    for (std::uint32_t r = 0; r < job.rounds; ++r) {
      EXPECT_EQ(first[r].time, second[r].time) << static_cast<int>(model);
      EXPECT_EQ(first[r].counts.batches, second[r].counts.batches) << static_cast<int>(model);
      EXPECT_EQ(first[r].traffic.transfers, second[r].traffic.transfers) << static_cast<int>(model);
      EXPECT_EQ(first[r].traffic.waiting, second[r].traffic.waiting) << static_cast<int>(model);
    }
    job.seed = 2; // other arrivals
    EXPECT_NE(simulate::simulate(job)[0].time, first[0].time) << static_cast<int>(model);
  }
}

TEST(Engine, AloneALoopTakesItsWorkAndItsDispatches) {
  const Workload loop = workload("UNIFORM", 1'000, k_ms);
  const auto round = simulate::simulate(with(loop, {Model::fixed, 10}, 1)).front();
  EXPECT_EQ(round.counts.batches, 100U);
  EXPECT_EQ(round.traffic.transfers, 0U);
  // 101 calls of 18 ns with a read-modify-write of 8 ns each, and what entering takes.
  EXPECT_GE(round.time, k_ms + 100 * 26 * k_ns);
  EXPECT_LE(round.time, k_ms + 103 * 28 * k_ns);
}

TEST(Engine, ALineIsFetchedFromTheNearestAndTakenFromAll) {
  const VirtualMachine machine{8, {4}};
  Prices prices;
  prices.overlap = 1;
  const Time near = prices.transfer[0];
  const Time far = prices.transfer[1];
  Caches caches(machine, prices);
  alignas(64) const int line = 0;
  EXPECT_EQ(caches.modify(&line, 0, 0), prices.rmw) << "no member had it";
  EXPECT_EQ(caches.modify(&line, 0, 1'000'000), 1'000'000 + prices.rmw) << "still mine";
  EXPECT_EQ(caches.read(&line, 1, 2'000'000), 2'000'000 + near);
  EXPECT_EQ(caches.read(&line, 4, 3'000'000), 3'000'000 + far);
  EXPECT_EQ(caches.read(&line, 5, 4'000'000), 4'000'000 + near) << "4 has it";
  EXPECT_EQ(caches.read(&line, 5, 5'000'000), 5'000'000 + prices.hit);
  EXPECT_EQ(caches.modify(&line, 0, 6'000'000), 6'000'000 + far + prices.rmw) << "4 and 5 have it";
  EXPECT_EQ(caches.read(&line, 5, 7'000'000), 7'000'000 + far) << "0 took it away";
  EXPECT_EQ(caches.traffic().transfers, 5U);
  EXPECT_EQ(caches.traffic().waiting, 0U);
}

TEST(Engine, RequestsForABusyLineQueue) {
  const VirtualMachine machine{4, {}};
  Prices prices;
  prices.keep = 1'000'000;
  const Time half = prices.transfer[0] / 2; // the request travels while others use the line
  const Time turn = half + prices.rmw;
  Caches caches(machine, prices);
  alignas(64) const int line = 0;
  caches.modify(&line, 0, 0);
  for (std::uint32_t m = 1; m < 4; ++m)
    EXPECT_EQ(caches.modify(&line, m, 1'000'000), 1'000'000 + half + m * turn);
  EXPECT_EQ(caches.traffic().waiting, 2 * half + 3 * turn) << "a transfer and an access, and another turn";
  // A store costs its member nothing, but the others the transfer.
  EXPECT_EQ(caches.write(&line, 0, 2'000'000), 2'000'000 + prices.hit);
  EXPECT_EQ(caches.modify(&line, 1, 2'000'000), 2'000'000 + prices.transfer[0] + turn)
      << "is there and leaves";
}

TEST(Engine, ASharedCounterHandsOutOneChunkPerTransfer) {
  // Iterations that cost nothing: all members queue for the counter's line.
  const Workload loop = workload("UNIFORM", 10'000, 1);
  for (const std::uint32_t members : {4U, 16U}) {
    Job job = with(loop, {Model::fixed, 1}, members);
    job.machine.levels.clear();
    const auto round = simulate::simulate(job).front();
    const Time turn = job.machine.across / 2 + job.machine.prices.rmw;
    const auto per_chunk = static_cast<double>(round.time) / 10'000;
    EXPECT_NEAR(per_chunk, static_cast<double>(turn), 0.03 * static_cast<double>(turn)) << members;
  }
}

/// Two packages of four NUMA nodes of sixteen cores.
MachineSpec two_packages() {
  MachineSpec spec = machine();
  spec.levels = {{"numa", 16, 40 * k_ns}, {"package", 64, 90 * k_ns}};
  spec.across = 200 * k_ns;
  return spec;
}

TEST(Levels, DistanceAndPriceOfATransferFollowFromThem) {
  const MachineSpec spec = two_packages();
  const auto machine = spec.machine(128);
  EXPECT_THAT(machine.domain_sizes, ElementsAre(16U, 64U));
  Caches caches(machine, spec.prices_on(machine));
  alignas(64) const int line = 0;
  Time now = 0;
  const auto moves_to = [&](std::uint32_t member) {
    now += 1'000'000;
    const Time end = caches.modify(&line, member, now);
    return (end - now - spec.prices.rmw) / k_ns;
  };
  EXPECT_EQ(moves_to(0), 0U);
  EXPECT_EQ(moves_to(15), 40U);
  EXPECT_EQ(moves_to(16), 90U);
  EXPECT_EQ(moves_to(63), 90U);
  EXPECT_EQ(moves_to(64), 200U);
}

TEST(Levels, ATeamThatFitsIntoADomainKnowsNoFartherOne) {
  const MachineSpec spec = two_packages();
  EXPECT_THAT(spec.machine(16).domain_sizes, ElementsAre());
  EXPECT_EQ(spec.prices_on(spec.machine(16)).transfer[0], 40 * k_ns);
  EXPECT_THAT(spec.machine(60).domain_sizes, ElementsAre(16U));
  EXPECT_EQ(spec.prices_on(spec.machine(60)).transfer[0], 40 * k_ns);
  EXPECT_EQ(spec.prices_on(spec.machine(60)).transfer[1], 90 * k_ns);
}

TEST(Speeds, SlowCoresMakeTheIdealLongerAndStaticWorse) {
  const Workload loop = workload("UNIFORM", 8'000, 8 * k_ms);
  Job job = with(loop, {Model::static_, 0}, 4);
  job.machine.speeds = {1'000, 500};
  EXPECT_EQ(ideal(loop, 4, job.machine), 8 * k_ms / 3);
  const auto time = [&] { return static_cast<double>(simulate::simulate(job).front().time) / k_ms; };
  EXPECT_NEAR(time(), 4.0, 0.01) << "2 ms at half speed";
  job.schedule.kind = Model::tree;
  EXPECT_NEAR(time(), 8.0 / 3, 0.03);
  EXPECT_EQ(ideal(workload("EXP", 2, k_ms), 2, job.machine), workload("EXP", 2, k_ms).longest())
      << "on a fast core";
}

TEST(Noise, ComesAsOftenAndLastsAsLongAsItSays) {
  Interruptions noise({1'000 * k_ns, 50 * k_ns}, 2, 7);
  for (const std::uint32_t member : {0U, 1U}) {
    noise.start(member, 0);
    Time now = 0;
    Time added = 0;
    for (int i = 0; i < 100'000; ++i) {
      const Time more = noise.during(member, now, 1'000 * k_ns);
      added += more;
      now += 1'000 * k_ns + more;
    }
    // One in 1,000 ns of work, 50 ns each.
    EXPECT_NEAR(static_cast<double>(added) / 100'000 / k_ns, 50.0, 1.5);
  }
}

TEST(Memory, TheFirstAccessToAFreshPageTakesAFault) {
  const VirtualMachine one{1, {}};
  Prices prices;
  prices.fault = 700 * k_ns;
  Caches caches(one, prices);
  alignas(64) static const char memory[3 * 4096] = {};
  EXPECT_EQ(caches.read(&memory[0], 0, 0), prices.hit) << "the page was not said to be fresh";
  Caches fresh(one, prices);
  fresh.allocated(memory, sizeof memory);
  EXPECT_EQ(fresh.read(&memory[0], 0, 0), prices.fault + prices.hit);
  EXPECT_EQ(fresh.read(&memory[64], 0, 0), prices.hit) << "the same page";
  EXPECT_EQ(fresh.modify(&memory[4096], 0, 0), prices.fault + prices.rmw);
  EXPECT_EQ(fresh.write(&memory[2 * 4096 + 128], 0, 0), prices.fault + prices.hit);
}

constexpr Time k_away = 10 * k_ms; // many times what the loops take

/// One execution with a member that was suspended, or had left before it would have been.
struct Outcome {
  Round round;
  Time by_others = 0;   ///< work that they have done
  Time kept = 0;        ///< work that the member had in its hands, or was handed afterwards
  Time others_left = 0; ///< when the last of them did
  std::uint64_t iterations = 0;
};

Outcome run(Job job, std::uint32_t member, std::uint64_t step) {
  Outcome outcome;
  Time in_hands = 0;
  job.suspension = {member, step, k_away};
  job.seen = [&](std::uint32_t, std::uint32_t who, const core::Range& range) {
    const Time cost = job.workload->cost(range.begin, range.end);
    outcome.iterations += range.end - range.begin;
    if (who != member)
      outcome.by_others += cost;
    else if (SimulatedPlatform::standstill->since())
      outcome.kept += cost;
    else
      in_hands = cost;
  };
  outcome.round = simulate::simulate(job).front();
  if (!outcome.round.suspended_at) outcome.kept += in_hands;
  for (std::uint32_t m = 0; m < job.members; ++m)
    if (m != member) outcome.others_left = std::max(outcome.others_left, outcome.round.left[m]);
  return outcome;
}

struct Sweep {
  std::map<std::optional<Tag>, int> met; ///< steps in front of which the member was suspended
  Time most_kept = 0;
  double slowest = 0; ///< time until the others have left / that of their work shared evenly
};

/// Suspends `member` before every `stride`-th step. The others leave long before it comes back.
Sweep sweep(const Job& job, std::uint32_t member, std::uint64_t stride) {
  Sweep result;
  for (std::uint64_t step = 1;; step += stride) {
    const Outcome outcome = run(job, member, step);
    EXPECT_EQ(outcome.iterations, job.workload->iterations()) << "step " << step;
    if (!outcome.round.suspended) return result;
    EXPECT_LT(outcome.others_left, k_away) << "step " << step << ": a member has waited";
    ++result.met[outcome.round.suspended_at];
    result.most_kept = std::max(result.most_kept, outcome.kept);
    const Time share = outcome.by_others / (job.members - 1);
    result.slowest =
        std::max(result.slowest, static_cast<double>(outcome.others_left) / static_cast<double>(share));
  }
}

TEST(Suspension, AMemberKeepsABatchAndNothingElseWhateverItWasDoing) {
  struct Case {
    const char* shape;
    std::uint64_t iterations;
    std::uint32_t members, member;
    std::uint64_t stride;
  };
  std::map<std::optional<Tag>, int> met;
  for (const Case& it :
       {Case{"UNIFORM", 200, 2, 0, 1}, Case{"STEP_S", 200, 2, 1, 1}, Case{"STEP_S", 400, 4, 1, 1},
        Case{"EXP", 1'000, 4, 3, 1}, Case{"TRIANGLE", 20'000, 8, 2, 2}, Case{"UNIFORM", 3'000, 24, 5, 1}}) {
    SCOPED_TRACE(testing::Message() << it.shape << " on " << it.members);
    const Workload loop = workload(it.shape, it.iterations, it.members * k_ms / 2);
    const Sweep result = sweep(with(loop, {Model::tree, 0}, it.members), it.member, it.stride);
    // A batch aims at 16 microseconds at most, and its last iteration may be longer than the others.
    EXPECT_LT(result.most_kept, 16'000 * k_ns + 2 * loop.longest());
    EXPECT_LT(result.slowest, 1.06) << "the others are not idle";
    for (const auto& [what, times] : result.met) met[what] += times;
  }
  EXPECT_GT(met[std::nullopt], 100) << "in a batch, or on the way to the loop";
  for (const Tag tag :
       {Tag::own, Tag::advance, Tag::stop, Tag::adopt, Tag::inspect, Tag::take_last, Tag::mark_done})
    EXPECT_GT(met[tag], 0) << "a loop has no step with tag " << static_cast<int>(tag);
}

TEST(Suspension, ASuspendedMemberDelaysNoOtherUnderAnyModelWithoutLocks) {
  for (const Model model : k_models) {
    if (model == Model::queue_lock || model == Model::static_) continue; // a lock; a share that is fixed
    SCOPED_TRACE(static_cast<int>(model));
    const Workload loop = workload("STEP_S", 200, k_ms);
    for (const std::uint32_t member : {0U, 1U}) sweep(with(loop, {model, 0}, 2), member, 1);
    sweep(with(loop, {model, 0}, 5), 3, 1);
  }
}

} // namespace
} // namespace wstree::test::engine_test
