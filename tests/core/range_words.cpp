// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random interleavings of single memory accesses, and a record of all words that a cell ever held: a word
// that came back after it was replaced would let a thief with an old one take what it should not (R-I3).
#include "fiber.h"
#include "once.h"
#include "range_support.h"
#include "seed.h"
#include "usual.h"

#include "wstree/core/rng.h"

namespace wstree {
namespace {

using core::BatchMode;
using core::Range;
using core::Settings;
using core::StealWord;
using core::Tag;

/// Members as fibers; before each access another one may go on.
class Interleaver {
public:
  static inline Interleaver* running = nullptr;

  explicit Interleaver(core::Rng& random) : random_(&random), longest_run_(1 + random.below(16)) {}
  void add(std::function<void()> body) { fibers_.push_back(std::make_unique<test::Fiber>(std::move(body))); }
  void run() {
    running = this;
    while (!fibers_.empty()) {
      at_ = random_->below(static_cast<std::uint32_t>(fibers_.size()));
      left_ = random_->below(longest_run_);
      fibers_[at_]->resume();
      if (fibers_[at_]->ended()) fibers_.erase(fibers_.begin() + at_);
    }
    running = nullptr;
  }
  void access() {
    if (left_-- == 0) pause();
  }
  void pause() { fibers_[at_]->stop(); }

private:
  core::Rng* random_;
  std::uint32_t longest_run_; // accesses
  std::vector<std::unique_ptr<test::Fiber>> fibers_;
  std::uint32_t at_ = 0;
  std::uint32_t left_ = 0;
};

/// What every cell has held in the present loop.
struct Record {
  static inline std::map<const void*, std::set<std::uint64_t>> replaced;
  static inline std::uint64_t recurrences = 0;
  static inline std::uint64_t frozen = 0; ///< R-I2 was needed
  static void replace(const void* cell, std::uint64_t before, std::uint64_t now) {
    if (before == now) return;
    auto& words = replaced[cell];
    if (!StealWord(before).empty()) words.insert(before);
    recurrences += words.count(now);
  }
};

struct RecordingPlatform : core::StdPlatform {
  static inline Tag tag{}; ///< of the access that follows
  static std::memory_order order(Tag which, std::memory_order needed) noexcept {
    tag = which;
    return needed;
  }
  static void relax() noexcept { Interleaver::running->pause(); }
  static void yield() noexcept { Interleaver::running->pause(); }

  template <class T> class Atomic {
  public:
    Atomic() = default;
    explicit(false) Atomic(T value) : value_(value) {}
    T load(std::memory_order) const noexcept {
      step();
      return value_;
    }
    void store(T value, std::memory_order) noexcept {
      const Tag which = tag;
      step();
      if (which == Tag::open_range || which == Tag::close_range) Record::replace(this, value_, value);
      Record::frozen += which == Tag::close_range;
      value_ = value;
    }
    bool compare_exchange_strong(T& expected, T wanted, std::memory_order, std::memory_order) noexcept {
      const Tag which = tag;
      step();
      if (value_ != expected) {
        expected = value_;
        return false;
      }
      if (which == Tag::contend || which == Tag::keep_quarter || which == Tag::steal_range)
        Record::replace(this, value_, wanted);
      value_ = wanted;
      return true;
    }

  private:
    static void step() {
      if (Interleaver::running != nullptr) Interleaver::running->access();
    }
    T value_{};
  };
};

#if defined(WSTREE_FIBER_TSAN)
// A thread sanitizer keeps something of every fiber about every other one: 2,500 loops would take 12 GB.
constexpr std::uint64_t k_loops = 250;
#else
constexpr std::uint64_t k_loops = 2500;
#endif

void expect_each_word_once(BatchMode mode) {
  core::Rng random(test::seed());
  Settings settings;
  settings.batch = mode;
  settings.clocked = false;
  Record::recurrences = Record::frozen = 0;
  const std::uint64_t loops = test::scaled(k_loops);
  for (const std::uint32_t members : {2U, 3U, 5U}) {
    test::RangeTeam<RecordingPlatform> team(members);
    for (std::uint64_t number = 1; number <= loops; ++number) {
      const std::uint64_t n = 1 + random.below(number % 4 == 0 ? 120 : 4 * members + 4);
      settings.limit = 1 + random.below(settings.batch == BatchMode::fixed ? 6 : 64);
      Record::replaced.clear();
      test::Once once(n, members);
      Interleaver interleaver(random);
      for (std::uint32_t m = 0; m < members; ++m)
        interleaver.add([&, m] {
          team.enter(m, team.entry(n, number, m, settings));
          Range range;
          while (team.worker(m).next(range)) once.see(m, range);
        });
      interleaver.run();
      std::uint64_t counted = 0;
      for (std::uint32_t m = 0; m < members; ++m) counted += team.worker(m).counts().iterations;
      once.expect_done(counted);
      ASSERT_EQ(team.unclaimed(n, number, settings), 0U);
      ASSERT_EQ(Record::recurrences, 0U) << "loop " << number << " of " << n << " iterations, " << members;
      ASSERT_FALSE(testing::Test::HasFailure()) << "loop " << number;
    }
  }
  if (loops >= 2500) { // fewer need not meet it
    EXPECT_GT(Record::frozen, 0U) << "the case of R-I2 has to be among the interleavings";
  }
}

TEST(RangeWords, NeverRecurAndEveryIterationRunsOnce) {
  for (const BatchMode mode : {BatchMode::fixed, BatchMode::exponential, BatchMode::timed}) {
    SCOPED_TRACE(static_cast<int>(mode));
    expect_each_word_once(mode);
  }
}

} // namespace
} // namespace wstree
