// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reduction tree on threads: in order, once, and without leaving values behind.
#include "seed.h"
#include "threads.h"
#include "typed_reduction.h"
#include "usual.h"

#include "wstree/core/rng.h"

namespace wstree::reduction_test {
namespace {

using core::BatchMode;
using core::Strategy;

constexpr BatchMode k_modes[] = {BatchMode::timed, BatchMode::exponential, BatchMode::fixed,
                                 BatchMode::random};

/// Appends element after element to a value of type T. `fails_at`: that element fails.
template <class T, class Element> struct Appending {
  using Value = T;
  Element element;
  std::uint64_t fails_at = ~std::uint64_t{0};
  std::atomic<bool>* ended = nullptr;

  bool start(void* place, std::uint64_t begin, std::uint64_t end) {
    if (begin <= fails_at && fails_at < end) return fail();
    auto* const value = ::new (place) T(element(begin));
    for (++begin; begin != end; ++begin) value->append(element(begin));
    return true;
  }
  bool extend(T& value, std::uint64_t begin, std::uint64_t end) {
    if (begin <= fails_at && fails_at < end) return fail();
    for (; begin != end; ++begin) value.append(element(begin));
    return true;
  }
  bool combine(T& left, T& right, std::uint64_t) {
    left.append(std::move(right));
    return true;
  }
  bool move(void* place, T& value, std::uint64_t) {
    ::new (place) T(std::move(value));
    return true;
  }
  bool goes_on() { return !has_ended(); }
  bool has_ended() { return ended != nullptr && ended->load(); }
  bool fail() {
    ended->store(true);
    return false;
  }
};

/// x -> a x + b modulo 2^64.
struct Affine {
  std::uint64_t a, b;
  void append(const Affine& next) {
    a *= next.a;
    b = b * next.a + next.b;
  }
  bool operator==(const Affine&) const = default;
};
/// Can only be moved, and counts those that live.
struct Owning {
  static inline std::atomic<int> alive{0};
  explicit Owning(std::string with) : text(std::make_unique<std::string>(std::move(with))) { ++alive; }
  Owning(Owning&& other) noexcept : text(std::move(other.text)) { ++alive; }
  ~Owning() { --alive; }
  void append(const Owning& next) { *text += *next.text; }
  std::unique_ptr<std::string> text;
};

struct Conditions {
  Strategy strategy;
  BatchMode mode;
  std::uint32_t threads;
  std::uint64_t n, seed;
};

core::ReductionPlan plan_of(const Conditions& run) {
  core::ReductionPlan plan;
  plan.elements = run.n;
  plan.members = run.threads;
  plan.settings.strategy = run.strategy;
  plan.settings.batch = run.mode;
  plan.settings.limit = 1 + run.seed % 9;
  plan.settings.clocked = false;
  plan.settings.scan_all = run.seed % 2 == 0 ? 0 : 16; // by the board, too
  return plan;
}

using Storage = core::ReductionStorage<core::StdPlatform>;
struct Reduction : testing::Test {
  ~Reduction() override { Storage::destroy(storage_); }
  Storage* storage_ = Storage::create(8);
};

template <class Body>
void reduce(Storage& storage, const Conditions& run, Body& body, core::Maybe<typename Body::Value>& result) {
  test::TypedReduction<core::StdPlatform, Body> reduction(storage, plan_of(run));
  ASSERT_TRUE(reduction.open());
  test::in_parallel(run.threads, [&](std::uint32_t member) {
    Body own = body;
    reduction.take_part(member, own);
  });
  if (body.goes_on()) {
    ASSERT_TRUE(reduction.finish(body, result));
  }
}

TEST_F(Reduction, AffineMapsAreComposedInOrder) {
  const auto element = [](std::uint64_t i) { return Affine{2 * i + 3, i * i + 7}; };
  const std::uint64_t first = test::seed();
  for (std::uint64_t seed = first; seed != first + 4; ++seed)
    for (int strategy = 0; strategy <= static_cast<int>(Strategy::find_max); ++strategy)
      for (const BatchMode mode : k_modes)
        for (std::uint32_t threads = 1; threads <= 8; threads += 1 + static_cast<std::uint32_t>(seed % 3)) {
          const Conditions run{static_cast<Strategy>(strategy), mode, threads,
                               1 + core::Rng(seed).below(2000), seed};
          Appending<Affine, decltype(element)> body{element};
          Affine wanted = element(0);
          for (std::uint64_t i = 1; i < run.n; ++i) wanted.append(element(i));
          core::Maybe<Affine> result;
          reduce(*storage_, run, body, result);
          ASSERT_TRUE(result.has_value() && result.value() == wanted)
              << "seed " << seed << ", strategy " << strategy << ", mode " << static_cast<int>(mode) << ", "
              << threads << " threads, " << run.n << " elements";
        }
}

TEST_F(Reduction, ValuesThatCanOnlyBeMovedAreDestroyedOnce) {
  const auto element = [](std::uint64_t i) { return Owning(std::to_string(i % 10)); };
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const BatchMode mode : k_modes) {
      const Conditions run{Strategy::random_all, mode, 4, 500, seed};
      Appending<Owning, decltype(element)> body{element};
      core::Maybe<Owning> result;
      reduce(*storage_, run, body, result);
      ASSERT_TRUE(result.has_value());
      ASSERT_EQ(result.value().text->size(), 500U);
      ASSERT_EQ(Owning::alive, 1);
    }
  EXPECT_EQ(Owning::alive, 0);
}

TEST_F(Reduction, WhatAFailureLeavesBehindIsDestroyed) {
  const auto element = [](std::uint64_t i) { return Owning(std::to_string(i)); };
  for (std::uint64_t at = 0; at < 400; at += 7)
    for (const BatchMode mode : k_modes) {
      std::atomic<bool> ended{false};
      Appending<Owning, decltype(element)> body{element, at, &ended};
      core::Maybe<Owning> result;
      reduce(*storage_, {Strategy::find_max, mode, 4, 400, at + 1}, body, result);
      ASSERT_TRUE(ended);
      ASSERT_FALSE(result.has_value());
      ASSERT_EQ(Owning::alive, 0) << "element " << at;
    }
}

TEST_F(Reduction, NumbersOfUsesComeRound) {
  const auto element = [](std::uint64_t i) { return Affine{2 * i + 3, i}; };
  Appending<Affine, decltype(element)> body{element};
  // Reductions of one element between: the second root keeps what the first one left there.
  for (std::uint64_t use = 1; use < 3 * core::UsualMarks::k_every * 4; ++use) {
    const Conditions run{Strategy::find_max, BatchMode::fixed, 2, use % 4096 == 1 ? 64U : 1U, 1};
    test::TypedReduction<core::StdPlatform, decltype(body)> reduction(*storage_, plan_of(run));
    ASSERT_TRUE(reduction.open());
    reduction.take_part(0, body);
    reduction.take_part(1, body);
    core::Maybe<Affine> result;
    ASSERT_TRUE(reduction.finish(body, result));
    Affine wanted = element(0);
    for (std::uint64_t i = 1; i < run.n; ++i) wanted.append(element(i));
    ASSERT_TRUE(result.value() == wanted) << "use " << use;
  }
}

} // namespace
} // namespace wstree::reduction_test
