// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taskloops: tasks which come late or never come lose no iteration; which brief ones the runtime has.
#include "task_loop.h"
#include "task_choice.h"
#include "usual.h"

#include "wstree/core/platform.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

namespace wstree::loop {
namespace {

using Loop = TaskLoop<core::StdPlatform, int>;

struct Seen {
  explicit Seen(std::uint64_t n) : counts(n) {}
  std::vector<std::atomic<int>> counts;
  std::atomic<int> lasts{0};

  void see(std::uint64_t first, std::uint64_t past, bool last) {
    lasts += last;
    EXPECT_EQ(last, past == counts.size());
    for (; first != past; ++first) ++counts[first];
  }
  /// True: that was the last task.
  bool take(Loop& loop, std::uint32_t part, core::Prior* prior = nullptr) {
    const auto body = [&](std::uint64_t first, std::uint64_t past, bool last) { see(first, past, last); };
    loop.take_part(*loop.part(part), prior, body, [] { return false; });
    return loop.leave();
  }
  void expect_all_once() const {
    for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], 1) << i;
    EXPECT_EQ(lasts, 1);
  }
};

/// Whatever a loop takes, it should be over soon.
constexpr core::Settings k_brief_loops{.shortest_target = std::uint64_t{1} << 30};

Loop* make(std::uint64_t n, std::uint32_t parts, const core::Settings& settings, std::uint64_t smallest = 1) {
  return Loop::create(0, n, parts, settings, smallest);
}

TEST(TaskLoop, OneTaskAfterTheOther) {
  const core::Settings settings;
  for (std::uint32_t parts = 1; parts <= 40; parts += 3) {
    for (std::uint64_t n : {1U, 2U, 3U, 50U, 1000U}) {
      Seen seen(n);
      Loop* loop = make(n, parts, settings, n / 9 + 1);
      for (std::uint32_t i = parts; i-- > 0;) EXPECT_EQ(seen.take(*loop, i), i == 0);
      seen.expect_all_once();
      Loop::destroy(loop);
    }
  }
}

TEST(TaskLoop, ATaskInsideAnIterationOfAnother) {
  core::Prior prior; // of the thread: all tasks use it
  std::uint64_t known = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    Seen seen(300);
    Loop* loop = make(300, 3, k_brief_loops);
    std::uint64_t batches = 0; // before the thread waits in one, first or later
    loop->take_part(
        *loop->part(0), &prior,
        [&](std::uint64_t first, std::uint64_t past, bool last) {
          if (batches++ == round % 3)
            for (std::uint32_t i = 1; i < 3; ++i) seen.take(*loop, i, &prior);
          seen.see(first, past, last);
        },
        [] { return false; });
    for (std::uint32_t i = 1; batches <= round % 3 && i < 3; ++i) seen.take(*loop, i);
    EXPECT_TRUE(loop->leave());
    known += loop->execution().total.known;
    seen.expect_all_once();
    Loop::destroy(loop);
  }
  EXPECT_GT(known, 0U);
}

TEST(TaskLoop, ATaskThatKnowsThePlaceTakesItsShareInFewPieces) {
  core::Prior prior;
  core::Execution all;
  for (int round = 0; round < 60 && all.total.known == 0; ++round) {
    Seen seen(1000);
    Loop* loop = make(1000, 2, k_brief_loops);
    seen.take(*loop, 0, &prior);
    seen.take(*loop, 1);
    seen.expect_all_once();
    all = loop->execution();
    Loop::destroy(loop);
  }
  EXPECT_EQ(all.total.known, 1U);
  EXPECT_EQ(all.total.iterations, 1000U);
}

TEST(TaskLoop, ManyThreadsAndTheLastOneEnds) {
  core::Settings settings;
  core::Prior priors[4];
  for (int round = 0; round < 300; ++round) {
    settings.batch = round % 2 == 0 ? core::BatchMode::timed : core::BatchMode::fixed;
    settings.limit = 1;
    const std::uint64_t n = 1 + static_cast<std::uint64_t>(round) * 7 % 900;
    Seen seen(n);
    Loop* loop = make(n, 4, settings);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        if (!seen.take(*loop, i, &priors[i])) return;
        EXPECT_EQ(loop->execution().total.iterations, n);
        Loop::destroy(loop); // while the others may still be on their way out
      });
    }
    for (std::thread& thread : threads) thread.join();
    seen.expect_all_once();
  }
}

using core::tuning::k_task_gap;
using core::tuning::k_task_looks;
using Way = TaskChoice::Way;

constexpr std::uint64_t k_n = 100;
const core::Settings k_settings;

/// Executes a loop of `n` that takes so many ticks on each way, `times` times. Returns how often the runtime
/// was to execute it.
int execute(TaskChoice& choice, int times, std::uint64_t tree, std::uint64_t runtime, std::uint64_t n = k_n) {
  int own = 0;
  for (int i = 0; i < times; ++i) {
    const Way way = choice.choose(n, k_settings);
    own += way == Way::runtime;
    choice.learn(way, n, way == Way::tree ? tree : runtime);
  }
  return own;
}

TEST(TaskChoice, TriesBothWaysAndTakesTheFasterOne) {
  TaskChoice even, uneven;
  EXPECT_EQ(execute(even, k_task_looks, 12'000, 10'000), 0);
  EXPECT_EQ(execute(even, k_task_looks, 12'000, 10'000), k_task_looks);
  EXPECT_EQ(execute(even, k_task_gap, 12'000, 10'000), k_task_gap - 1); // the tree is tried again
  EXPECT_EQ(execute(uneven, 2 * k_task_looks, 12'000, 15'000), k_task_looks);
  EXPECT_EQ(execute(uneven, k_task_gap, 12'000, 15'000), 1);
}

TEST(TaskChoice, LongLoopsAreForTheTree) {
  const std::uint64_t longest = core::tuning::k_task_brief * k_settings.shortest_target;
  TaskChoice brief, longer;
  EXPECT_GT(execute(brief, 100, longest - k_n, longest / 2), 0);
  EXPECT_EQ(execute(longer, 100, longest + k_n, longest / 2), 0);
  // Of one code location, loops with few iterations are brief, and those with many are not.
  EXPECT_GT(execute(longer, 100, longest / 2, longest / 4, k_n / 2), 0);
  TaskChoice huge;
  EXPECT_EQ(execute(huge, 100, 1, 1, std::uint64_t{1} << 62), 0);
}

TEST(TaskChoice, FollowsALoopThatChanges) {
  TaskChoice choice;
  execute(choice, 100, 12'000, 10'000);
  EXPECT_LE(execute(choice, 20, 12'000, 30'000), 10); // it has become uneven
  EXPECT_LE(execute(choice, 10, 12'000, 30'000), 1);
  EXPECT_GT(execute(choice, 20 * k_task_gap, 12'000, 10'000), k_task_gap); // and even again
  // Long all of a sudden: one execution may be a disturbance.
  EXPECT_LE(execute(choice, 10, 10'000'000, 10'000'000), 3);
}

TEST(TaskChoice, OneDisturbedExecutionChangesNothing) {
  TaskChoice choice;
  execute(choice, 100, 12'000, 10'000);
  for (int i = 0; i < 20; ++i) {
    choice.learn(Way::runtime, k_n, 100'000'000);
    choice.learn(Way::runtime, k_n, 10'000);
  }
  EXPECT_GE(execute(choice, 20, 12'000, 10'000), 19);
}

} // namespace
} // namespace wstree::loop
