// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member whose processor is taken away, before each single step that it takes in a loop: the others do all
// but the batch in its hands, as fast as they can, and none waits for it.
#include "platform.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace wstree::test {
namespace {

using core::Tag;
using simulate::SimulatedPlatform;

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
} // namespace wstree::test
