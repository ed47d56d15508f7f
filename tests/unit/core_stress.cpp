// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Real threads on one tree. Guards the tags N1 to N8 and W1: a plain store instead of a compare-and-swap
// hands units out twice or loses them, and a link that is published without a release is a race that the
// thread sanitizer reports.
#include "parameter_names.h"
#include "seed.h"
#include "shared_once.h"
#include "threads.h"

#include "wstree/core/tree/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <memory>
#include <vector>

namespace wstree::stress_test {
namespace {

using core::BatchMode;
using core::Settings;
using core::Strategy;
using P = core::StdPlatform;

/// One slot that a team uses again and again, with a barrier between the uses.
class SlotUser {
public:
  explicit SlotUser(std::uint32_t members) : members_(members), roots_(members), pairs_(members) {
    tree_.roots = roots_.data();
    board_ = std::make_unique<core::DoneWord<P>[]>(core::Board<P>::words(members));
    tree_.board = board_.get();
    for (std::uint32_t m = 0; m < members; ++m) {
      pairs_[m] = std::vector<core::Node<P>>(4);
      arenas_.push_back(std::make_unique<core::Arena<P>>());
      arenas_[m]->reset(pairs_[m].data(), 2); // small, so that further chunks are needed
    }
  }

  /// From now on every member believes something of its own about which others are near.
  void arrange(core::Rng& random) {
    orders_.assign(members_, std::vector<std::uint32_t>(members_));
    domains_.assign(members_, {});
    near_.assign(members_, {});
    for (std::uint32_t m = 0; m < members_; ++m) {
      for (std::uint32_t& root : orders_[m]) root = random.below(members_ + 1); // not even an order
      core::Domain around{random.below(members_), 0};
      around.end = around.begin + 1;
      near_[m].position = around.begin;
      while (around.end - around.begin + 1 < members_) {
        if (around.begin > 0 && (around.end == members_ || random.coin()))
          --around.begin;
        else
          ++around.end;
        if (random.coin()) domains_[m].push_back(around);
      }
      near_[m].member_at = random.coin() ? orders_[m].data() : nullptr;
      near_[m].domains = domains_[m].data();
      near_[m].count = static_cast<std::uint32_t>(domains_[m].size());
    }
  }

  /// From now on some members believe that they are slow.
  void slow_down(core::Rng& random) {
    paces_.assign(members_, {});
    for (core::Pace& pace : paces_) {
      pace.own = static_cast<float>(1 + random.below(10)) / 10;
      pace.faster = static_cast<float>(1 + random.below(8)) / 2;
    }
  }

  void run(const std::vector<std::uint64_t>& sizes, const Settings& settings) {
    test::SharedOnce once(*std::max_element(sizes.begin(), sizes.end()));
    std::barrier together(static_cast<std::ptrdiff_t>(members_));
    test::in_parallel(members_, [&](std::uint32_t m) {
      core::Worker<P> worker;
      std::uint64_t use = first_use_;
      for (const std::uint64_t n : sizes) {
        arenas_[m]->reset(pairs_[m].data(), 2);
        worker.enter(tree_, *arenas_[m],
                     {n, use, use, m, members_, &settings, 1, near_.empty() ? nullptr : &near_[m], nullptr, 0,
                      paces_.empty() || paces_[m].own == 1 ? nullptr : &paces_[m]});
        once.drain(worker);
        together.arrive_and_wait();
        if (m == 0) {
          once.expect_done(n);
        }
        together.arrive_and_wait();
        ++use;
      }
    });
    first_use_ += sizes.size();
  }

private:
  std::uint32_t members_;
  std::uint64_t first_use_ = 1;
  core::Tree<P> tree_;
  std::vector<core::Node<P>> roots_;
  std::unique_ptr<core::DoneWord<P>[]> board_;
  std::vector<std::vector<core::Node<P>>> pairs_;
  std::vector<std::unique_ptr<core::Arena<P>>> arenas_;
  std::vector<core::Pace> paces_;
  std::vector<core::Neighbourhood> near_;
  std::vector<std::vector<core::Domain>> domains_;
  std::vector<std::vector<std::uint32_t>> orders_;
};

/// A slow member leaves units to a faster one, which never comes, as long as the loop has taken so far, and
/// not for ever: what a unit may take is not estimated anew while it waits.
TEST(SlowMembers, TakeTheUnitsOfAMemberThatDoesNotCome) {
  for (const float own : {0.1F, 0.25F, 0.45F})
    for (const std::uint64_t n : {3U, 4U, 64U}) {
      std::vector<core::Node<P>> roots(2), pairs(16);
      core::Tree<P> tree;
      const auto board = std::make_unique<core::DoneWord<P>[]>(core::Board<P>::words(2));
      tree.roots = roots.data();
      tree.board = board.get();
      core::Arena<P> arena;
      arena.reset(pairs.data(), 8);
      core::Pace pace;
      pace.own = own;
      const Settings settings;
      core::Worker<P> worker;
      worker.enter(tree, arena, {n, 1, 1, 1, 2, &settings, 1, nullptr, nullptr, 0, &pace});
      std::uint64_t done = 0;
      for (core::Range range; worker.next(range); done += range.end - range.begin)
        for (const auto since = P::ticks(); core::elapsed(since, P::ticks()) < 5'000;) P::relax();
      EXPECT_GE(done, n - 1) << n << " iterations, a speed of " << own; // the last one ends a member's part
    }
}

/// They leave their nodes while others steal from them, and come back to what no other member takes.
TEST(SlowMembers, LoseNoIteration) {
  core::Rng random(test::seed());
  Settings settings;
  settings.shortest_target = settings.longest_target = settings.tail_batch =
      1; // each unit is worth a thought
  settings.steal_cost = 0;
  for (const std::uint32_t members : {2U, 4U, 7U}) {
    SlotUser user(members);
    for (int i = 0; i < 40; ++i) {
      user.slow_down(random);
      std::vector<std::uint64_t> sizes(4);
      for (std::uint64_t& n : sizes) n = 1 + random.below(i % 2 != 0 ? 40 : 2'000);
      user.run(sizes, settings);
    }
  }
}

class CoreStress : public testing::TestWithParam<std::tuple<Strategy, BatchMode>> {};

TEST_P(CoreStress, EveryIterationOnceUnderRealThreads) {
  core::Rng random(test::seed());
  Settings settings;
  settings.strategy = std::get<0>(GetParam());
  settings.batch = std::get<1>(GetParam());
  settings.limit = settings.batch == BatchMode::fixed ? 1 : 16;
  settings.steal_cost = 0; // fight for every unit
  for (const std::uint32_t members : {2U, 4U, 7U}) {
    SlotUser user(members);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0, count = test::scaled(300); i < count; ++i)
      sizes.push_back(1 + random.below(i % 4 == 0 ? 300 : 20));
    user.run(sizes, settings);
  }
}

/// Nearness is a hint: members may disagree about it, forget some and name others that do not exist.
TEST_P(CoreStress, EveryIterationOnceWhateverTheNeighbourhoods) {
  core::Rng random(test::seed());
  Settings settings;
  settings.strategy = std::get<0>(GetParam());
  settings.batch = std::get<1>(GetParam());
  settings.limit = settings.batch == BatchMode::fixed ? 1 : 16;
  settings.steal_cost = 0;
  for (const std::uint32_t members : {3U, 6U}) {
    SlotUser user(members);
    for (int round = 0; round < 10; ++round) {
      user.arrange(random);
      std::vector<std::uint64_t> sizes;
      for (std::uint64_t i = 0, count = test::scaled(15); i < count; ++i)
        sizes.push_back(1 + random.below(i % 4 == 0 ? 300 : 20));
      user.run(sizes, settings);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CoreStress,
                         testing::Combine(testing::Values(Strategy::predefined, Strategy::assign,
                                                          Strategy::assign_top, Strategy::random_walk,
                                                          Strategy::random_all, Strategy::find_max),
                                          testing::Values(BatchMode::timed, BatchMode::exponential,
                                                          BatchMode::fixed, BatchMode::random)),
                         test::k_parameter_name);

} // namespace
} // namespace wstree::stress_test
