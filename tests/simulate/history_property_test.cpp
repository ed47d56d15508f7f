// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever members expect of a loop, no execution takes clearly longer than it takes without a prior. First
// the cases in which that was not so, then random ones.
#include "simulated.h"

#include "seed.h"
#include "wstree/core/rng.h"

#include <bit>
#include <deque>

namespace wstree::test {
namespace {

/// One execution: `weight`-fold cost from `begin` to `end`, in thousandths of the loop.
struct Execution {
  std::uint64_t iterations = 100;
  Time each = 6 * k_ns;
  std::uint32_t begin = 0, end = 0;
  std::uint64_t weight = 1;
  std::optional<std::uint64_t> cancelled_by{};
  auto key() const { return std::tuple(iterations, each, begin, end, weight); }
  bool operator<(const Execution& other) const { return key() < other.key(); }
};

struct Sequence {
  std::uint32_t members = 2;
  std::vector<Execution> executions{};
};

std::ostream& operator<<(std::ostream& out, const Sequence& sequence) {
  out << sequence.members << " members";
  for (std::size_t i = 0; i < sequence.executions.size();) {
    const Execution& e = sequence.executions[i];
    std::size_t times = 1;
    while (i + times < sequence.executions.size() && !(e < sequence.executions[i + times]) &&
           !(sequence.executions[i + times] < e) &&
           e.cancelled_by == sequence.executions[i + times].cancelled_by)
      ++times;
    out << "; " << times << " x " << e.iterations << " of " << e.each / k_ns << " ns";
    if (e.weight != 1) out << ", " << e.weight << "-fold in [" << e.begin << ", " << e.end << ")/1000";
    if (e.cancelled_by) out << ", cancelled by " << *e.cancelled_by;
    i += times;
  }
  return out;
}

class Workloads {
public:
  const Workload& operator()(const Execution& e) {
    const auto [at, is_new] = made_.try_emplace(e, all_.size());
    if (is_new) {
      const std::uint64_t begin = e.iterations * e.begin / 1'000;
      const std::uint64_t end = std::max(e.iterations * e.end / 1'000, begin + (e.end > e.begin ? 1 : 0));
      const std::uint64_t heavy = std::min(end, e.iterations) - begin;
      const auto weight = [=](std::uint64_t i) {
        return i >= begin && i < end ? static_cast<double>(e.weight) : 1.0;
      };
      all_.emplace_back("", e.iterations, e.each * (e.iterations - heavy + heavy * e.weight), weight);
    }
    return all_[at->second];
  }

private:
  std::map<Execution, std::size_t> made_;
  std::deque<Workload> all_;
};

struct Result {
  std::vector<Time> times;
  std::vector<std::uint64_t> surprises;
  std::vector<std::uint64_t> batches;
  std::vector<std::uint64_t> most; ///< iterations that one member had, by execution
};

Result run(const Sequence& sequence, bool history, std::uint64_t seed = 1) {
  Workloads workloads;
  const auto rounds = static_cast<std::uint32_t>(sequence.executions.size());
  std::vector<std::vector<std::uint64_t>> had(rounds, std::vector<std::uint64_t>(sequence.members, 0));
  Job job = remembered([&](std::uint32_t r) -> const Workload& { return workloads(sequence.executions[r]); },
                       sequence.members, rounds, history);
  job.seed = seed;
  job.cancelled_by = [&](std::uint32_t r) { return sequence.executions[r].cancelled_by; };
  job.seen = [&](std::uint32_t r, std::uint32_t m, const core::Range& range) {
    had[r][m] += range.end - range.begin;
  };
  Result result;
  for (const Round& round : simulate::simulate(job)) {
    result.times.push_back(round.time);
    result.surprises.push_back(round.counts.surprises);
    result.batches.push_back(round.counts.batches);
  }
  for (const auto& members : had) result.most.push_back(*std::ranges::max_element(members));
  return result;
}

constexpr double k_longer = 1.25;
/// What an execution that surprises a member may take longer besides: no piece of a brief share has more.
constexpr Time k_surprise = 200 * k_us;
/// A loop of a microsecond is as long as five steals: which member comes first, and so which steals what,
/// is chance. Unexpected work in one part of the loop reaches a team in as many rounds as the team has
/// doublings. A round is a search, a steal, the first batches of a node and, once, what a part of a short
/// share takes too long: together ten steals. And which member gets one iteration more than another is
/// chance, too.
Time slack(const Execution& e, std::uint32_t members) {
  const Time steals = 10 * (1 + std::bit_width(members - 1)) * 200 * k_ns;
  return steals + e.each * (e.end > e.begin ? e.weight : 1);
}
/// Every step is `by` thousandths of the loop farther back or ahead, as far as there is room.
Sequence moved(Sequence sequence, std::int32_t by) {
  for (Execution& e : sequence.executions) {
    const auto most = static_cast<std::int32_t>(1'000 - e.end);
    const std::int32_t moves = std::clamp(by, -static_cast<std::int32_t>(e.begin), most);
    e.begin = static_cast<std::uint32_t>(static_cast<std::int32_t>(e.begin) + moves);
    e.end = static_cast<std::uint32_t>(static_cast<std::int32_t>(e.end) + moves);
  }
  return sequence;
}

/// What the executions take at most without memory. When members arrive is chance, and so is how much of a
/// step is in one batch: the sequence is run with several arrivals, and where a member may have been slower
/// with memory, with more of them, and with the steps up to a 50th of the loop elsewhere.
class Without {
public:
  explicit Without(const Sequence& sequence) : sequence_(sequence), times_(sequence.executions.size(), 0) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) take(run(sequence_, false, seed).times);
  }
  Time operator[](std::size_t execution) const { return times_[execution]; }
  /// Returns false when enough has been tried.
  bool look_closer() {
    if (tried_ == 40) return false;
    const std::int32_t by = tried_++ - 20;
    take(run(moved(sequence_, by), false, static_cast<std::uint64_t>(tried_ + 3)).times);
    return true;
  }

private:
  void take(const std::vector<Time>& times) {
    for (std::size_t r = 0; r < times.size(); ++r) times_[r] = std::max(times_[r], times[r]);
  }

  const Sequence& sequence_;
  std::vector<Time> times_;
  std::int32_t tried_ = 0;
};

/// The execution that took too long.
std::optional<std::size_t> find_wrong(const Sequence& sequence, double* by = nullptr) {
  const Result remembered = run(sequence, true);
  const std::vector<Time>& with = remembered.times;
  std::map<Execution, std::uint32_t> surprises; // of members, by executions that are alike: each once
  Without without(sequence);
  std::optional<std::size_t> wrong;
  for (std::size_t r = 0; r < with.size() && !wrong; ++r) {
    if (sequence.executions[r].cancelled_by) continue; // when that iteration comes is chance
    const bool is_surprise =
        remembered.surprises[r] != 0 && ++surprises[sequence.executions[r]] <= sequence.members;
    const Time allowed = slack(sequence.executions[r], sequence.members) + (is_surprise ? k_surprise : 0);
    const auto beyond = [&] {
      return static_cast<double>(with[r] - std::min(allowed, with[r])) / static_cast<double>(without[r]);
    };
    bool is_wrong = beyond() > k_longer;
    while (is_wrong && without.look_closer()) is_wrong = beyond() > k_longer;
    if (is_wrong) wrong = r;
    if (by != nullptr) *by = std::max(*by, beyond());
  }
  return wrong;
}

/// The same failure in fewer executions.
Sequence shrink(Sequence sequence) {
  for (std::size_t step = sequence.executions.size() / 2; step != 0; step /= 2)
    for (std::size_t at = 0; at + step <= sequence.executions.size();) {
      Sequence fewer = sequence;
      const auto from = fewer.executions.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.executions.erase(from, from + static_cast<std::ptrdiff_t>(step));
      if (!fewer.executions.empty() && find_wrong(fewer))
        sequence = fewer;
      else
        at += step;
    }
  return sequence;
}

Execution draw_heavy(core::Rng& random, Execution light) {
  static constexpr std::uint64_t k_weights[] = {10, 100, 1'000, 100'000};
  if (random.below(3) == 0) {
    light.weight = k_weights[random.below(4)];
    light.end = 1'000;
  } else {
    // How much of a narrower or steeper step one batch holds is chance without memory, too.
    light.weight = k_weights[random.below(2)];
    const std::uint32_t width = 1'000 >> (1 + random.below(3));
    light.begin = random.below(1'000 - width + 1);
    light.end = light.begin + width;
  }
  return light;
}

Sequence draw(core::Rng& random) {
  static constexpr std::uint32_t k_members[] = {2, 3, 4, 8, 16, 32, 64};
  static constexpr std::uint64_t k_iterations[] = {20, 100, 128, 500, 1'000, 4'000};
  static constexpr Time k_each[] = {1, 6, 50, 1'000, 20'000};
  Sequence drawn;
  drawn.members = k_members[random.below(7)];
  Execution usual{k_iterations[random.below(6)], k_each[random.below(5)] * k_ns};
  if (random.below(3) == 0) usual = draw_heavy(random, usual);
  const std::uint32_t stretches = 2 + random.below(5);
  for (std::uint32_t s = 0; s < stretches; ++s) {
    Execution now = usual;
    switch (random.below(6)) {
    case 0:
      now = {usual.iterations, k_each[random.below(5)] * k_ns};
      break;
    case 1:
      now.cancelled_by = random.below(static_cast<std::uint32_t>(usual.iterations));
      break;
    case 2:
      now.iterations = k_iterations[random.below(6)];
      break;
    default:
      now = draw_heavy(random, {usual.iterations, usual.each});
    }
    const std::uint32_t before = 1 + random.below(random.coin() ? 40 : 6);
    for (std::uint32_t i = 0; i < before; ++i) drawn.executions.push_back(usual);
    const std::uint32_t times = random.coin() ? 1 : 1 + random.below(12);
    for (std::uint32_t i = 0; i < times; ++i) drawn.executions.push_back(now);
    if (random.below(4) == 0) usual = now;
  }
  return drawn;
}

std::vector<Execution> times(std::uint32_t count, const Execution& execution) {
  return std::vector<Execution>(count, execution);
}
std::vector<Execution> operator+(std::vector<Execution> first, const std::vector<Execution>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void expect_harmless(const Sequence& sequence) {
  const auto wrong = find_wrong(sequence);
  if (!wrong) return;
  ADD_FAILURE() << sequence << "\nexecution " << *wrong << ": " << run(sequence, true).times[*wrong] / k_ns
                << " instead of " << run(sequence, false).times[*wrong] / k_ns << " ns";
}

TEST(HistoryProperty, ALoopThatIsNearlyEmptyAndThenHeavyIsShared) {
  for (const std::uint32_t members : {2U, 4U, 16U})
    for (const Execution& heavy :
         {Execution{128, 20'000 * k_ns}, Execution{128, 1 * k_ns, 300, 800, 20'000}}) {
      const Sequence sequence{members, times(300, {128, 1 * k_ns}) + times(1, heavy)};
      // In an uneven execution a member may have more, but that is then the work of other members.
      if (heavy.weight == 1) {
        EXPECT_LE(run(sequence, true).most.back(), 128 / members + 2) << members;
      }
      expect_harmless(sequence);
    }
}

TEST(HistoryProperty, InsideOneRegionAChangedLoopIsNotSharedByItsOldPlan) {
  const Execution first{4'000, 100 * k_ns, 0, 125, 50};
  const Execution second{4'000, 100 * k_ns, 875, 1'000, 50};
  for (const std::uint32_t members : {2U, 8U})
    expect_harmless({members, times(100, first) + times(100, second)});
}

TEST(HistoryProperty, ALoopThatWasCancelledEarlyIsSharedWhenItRuns) {
  Execution cancelled{20'000, 200 * k_ns};
  for (const std::uint64_t by : {40U, 2'000U})
    for (const std::uint32_t members : {2U, 8U}) {
      cancelled.cancelled_by = by;
      expect_harmless({members, times(100, cancelled) + times(20, {20'000, 200 * k_ns})});
    }
}

TEST(HistoryProperty, ALoopThatBecomesRandomIsSharedAsIfItWereNew) {
  core::Rng random(1);
  for (const std::uint32_t members : {2U, 4U, 16U}) {
    Sequence sequence{members, times(12, {4'000, 1'000 * k_ns, 0, 400, 10})};
    for (int i = 0; i < 60; ++i) {
      const std::uint32_t begin = random.below(600);
      sequence.executions.push_back({4'000, 1'000 * k_ns, begin, begin + 400, 10});
    }
    expect_harmless(sequence);
  }
}

/// Batches of such a root once held so much of it that the loop took 1.57 of what it takes without memory.
TEST(HistoryProperty, ABatchDoesNotGrowWithARootThatWasExpectedToBeCheap) {
  const Execution usual{4'000, 6 * k_ns, 702, 952, 10};
  expect_harmless({16, times(1, usual) + times(1, {4'000, 6 * k_ns, 363, 863, 10}) + times(10, usual) +
                           times(2, {4'000, 6 * k_ns, 325, 575, 100})});
}

/// A member whose share is cheap takes that of a member that comes late, whose iterations cost 100 times as
/// much. It once took it whole, by its own cost.
TEST(HistoryProperty, ALateMembersShareIsNotTakenByTheCostOfAnother) {
  for (const Sequence& sequence : {Sequence{4, times(60, {1'000, 1 * k_ns, 284, 534, 100})},
                                   Sequence{8, times(60, {500, 6 * k_ns, 131, 256, 100})}})
    for (const std::uint64_t arrivals : {1U, 2U}) {
      const Result with = run(sequence, true, arrivals);
      const Result without = run(sequence, false, arrivals);
      const Time worst = *std::ranges::max_element(with.times);
      EXPECT_LE(worst, *std::ranges::max_element(without.times) * 3 / 2);
    }
}

/// The ends of nodes were once cut into single iterations while a member was in debt, which took 30 % longer
/// than without memory.
TEST(HistoryProperty, AMemberInDebtIsAsFastAsWithoutMemory) {
  constexpr std::uint32_t k_before = 20, k_in_debt = 400;
  for (const std::uint32_t members : {2U, 3U}) {
    const Execution usual{100 * members, 20 * k_ns};
    const Execution heavy{100 * members, 20 * k_ns, 900 / members, 1'000 / members, 100'000};
    const Sequence sequence{members, times(k_before, usual) + times(1, heavy) + times(k_in_debt, usual)};
    const Result with = run(sequence, true), without = run(sequence, false);
    ASSERT_NE(with.surprises[k_before], 0U) << "no member was wrong";
    const auto sum_of = [](const auto& values) {
      return std::accumulate(values.begin() + k_before + 1, values.end(), std::uint64_t{0});
    };
    EXPECT_LE(100 * sum_of(with.batches), 103 * sum_of(without.batches));
    EXPECT_LE(100 * sum_of(with.times), 103 * sum_of(without.times));
  }
}

/// Expensive iterations begin behind the first unit of a share, where a member takes in one piece what it
/// believes to be four steals' work or an eighth of the share. The piece is lost; the rest is shared as well
/// as without memory.
TEST(HistoryProperty, ASurpriseBehindALightUnitCostsOnePiece) {
  constexpr Time k_piece = 4 * 200 * k_ns;
  core::Rng random(7);
  double worst = 0;
  std::uint64_t surprised = 0;
  for (std::uint64_t i = 0, count = scaled(200); i < count; ++i) {
    static constexpr std::uint32_t k_members[] = {2, 4, 16};
    static constexpr Time k_each[] = {1, 6, 20, 100, 600};
    static constexpr std::uint64_t k_weights[] = {100, 1'000, 10'000};
    const std::uint32_t members = k_members[random.below(3)];
    const std::uint64_t share = 4 + random.below(120);
    Execution heavy{share * members, k_each[random.below(5)] * k_ns};
    const Execution usual = heavy;
    const std::uint64_t root = random.below(members), from = 1 + random.below(2);
    heavy.weight = k_weights[random.below(3)];
    heavy.begin = static_cast<std::uint32_t>(1'000 * (root * share + from) / heavy.iterations + 1);
    heavy.end = static_cast<std::uint32_t>(1'000 * (root + 1) / members);
    if (heavy.end <= heavy.begin) continue;
    const Sequence sequence{members, times(20, usual) + times(1, heavy)};
    const Result with = run(sequence, true);
    Without without(sequence);
    const Time piece = std::max({k_piece, share * usual.each / 8, usual.each});
    const Time allowed = slack(heavy, members) + std::min(piece, share * usual.each) * heavy.weight;
    const auto beyond = [&] {
      return static_cast<double>(with.times.back() - std::min(with.times.back(), allowed)) /
             static_cast<double>(without[20]);
    };
    while (beyond() > 1 && without.look_closer()) continue;
    EXPECT_LE(beyond(), 1) << sequence;
    worst = std::max(worst, beyond());
    surprised += with.surprises.back() != 0 ? 1 : 0;
  }
  std::printf("%llu surprises, the worst %.3f\n", static_cast<unsigned long long>(surprised), worst);
  EXPECT_GE(surprised, scaled(40)) << "too few executions surprised a member";
}

/// `sequences` of them, at random.
void expect_random_ones_harmless(std::uint64_t sequences) {
  // Exact times, so that the same sequences give the same figures; other sequences on request.
  const std::uint64_t chosen = std::getenv("WSTREE_TEST_SEED") != nullptr ? seed() : 77;
  std::printf("seed %llu\n", static_cast<unsigned long long>(chosen));
  core::Rng random(chosen);
  double worst = 0;
  std::uint64_t executions = 0, failed = 0;
  for (std::uint64_t i = 0, count = scaled(sequences); i < count; ++i) {
    const Sequence sequence = draw(random);
    executions += sequence.executions.size();
    if (!find_wrong(sequence, &worst)) continue;
    const Sequence least = shrink(sequence);
    const std::size_t at = *find_wrong(least);
    ADD_FAILURE() << "sequence " << i << ": " << least << "\nexecution " << at << ": "
                  << run(least, true).times[at] / k_ns << " instead of " << run(least, false).times[at] / k_ns
                  << " ns";
    if (++failed == 5) break;
  }
  std::printf("%llu executions, the worst %.3f\n", static_cast<unsigned long long>(executions), worst);
}

TEST(HistoryProperty, NoExecutionTakesClearlyLongerThanWithoutMemory) { expect_random_ones_harmless(60); }
TEST(HistoryPropertyLongRun, NoExecutionTakesClearlyLongerThanWithoutMemory) {
  expect_random_ones_harmless(300);
}

} // namespace
} // namespace wstree::test
