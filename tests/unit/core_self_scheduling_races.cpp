// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member gets ahead of another between two accesses to the counter, which real threads seldom do. Guards
// the tags C1 to C3: a plain store instead of a read-modify-write hands chunks out twice.
#include "once.h"

#include "wstree/core/self_scheduling/worker.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace wstree::self_scheduling_races_test {
namespace {

using core::Range;

/// After the next load of a counter another member acts.
struct Interrupted : core::StdPlatform {
  static inline std::function<void()> act;

  template <class T> class Atomic : public std::atomic<T> {
  public:
    using std::atomic<T>::atomic;
    T load(std::memory_order order) const noexcept {
      const T value = std::atomic<T>::load(order);
      if (act) std::exchange(act, nullptr)();
      return value;
    }
  };
};

template <class Rule> class Races : public testing::Test {
protected:
  using Worker = core::SelfSchedulingWorker<Interrupted, Rule>;

  void enter(std::uint32_t member) {
    workers_[member].enter(loop_, none_, {k_iterations, 1, 1, member, 2, &settings_, 1});
  }
  bool next(std::uint32_t member) {
    Range range;
    if (!workers_[member].next(range)) return false;
    once_.see(member, range);
    return true;
  }
  void finish() {
    while (next(0)) {
    }
    EXPECT_FALSE(next(1));
    once_.expect_done(workers_[0].counts().iterations + workers_[1].counts().iterations);
  }

private:
  static constexpr std::uint64_t k_iterations = 20;
  core::Settings settings_;
  core::NoMemory none_;
  typename Worker::Loop loop_;
  Worker workers_[2];
  test::Once once_{k_iterations, 2};
};
using Rules = testing::Types<core::FixedRule, core::GuidedRule, core::FactoringRule, core::TrapezoidRule>;
TYPED_TEST_SUITE(Races, Rules);

TYPED_TEST(Races, AMemberThatEntersLateKeepsWhatOthersHaveTaken) {
  Interrupted::act = [&] {
    this->enter(1);
    EXPECT_TRUE(this->next(1));
  };
  this->enter(0);
  this->finish();
}

TYPED_TEST(Races, AMemberThatTakesLateTakesADifferentChunk) {
  this->enter(0);
  this->enter(1);
  Interrupted::act = [&] { EXPECT_TRUE(this->next(1)); };
  EXPECT_TRUE(this->next(0)); // a rule that counts chunks does not load, and is not interrupted
  Interrupted::act = nullptr;
  this->finish();
}

} // namespace
} // namespace wstree::self_scheduling_races_test
