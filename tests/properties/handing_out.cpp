// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is handed out: words, shapes, batches and the chunks of the rules with one counter.
#include "property.h"

#include "wstree/core/batch.h"
#include "wstree/core/self_scheduling/rules.h"
#include "wstree/core/shape.h"
#include "wstree/core/tree/word.h"

namespace wstree::test {
namespace {

using core::Range;

/// RC_ASSERT costs a microsecond even if all is well.
#define QUICKLY(condition)                                                                                   \
  if (!(condition)) RC_FAIL(#condition)

rc::Gen<std::uint64_t> iteration_counts() {
  return rc::gen::map(edgy<std::uint64_t>(), [](std::uint64_t n) {
    const std::uint64_t most = (std::uint64_t{1} << 63) - 1;
    return std::max<std::uint64_t>(n & most, 1);
  });
}
rc::Gen<std::uint32_t> counts(std::uint32_t most) {
  return rc::gen::map(edgy<std::uint32_t>(), [=](std::uint32_t n) { return n % (most + 1); });
}

TEST(Word, ReadsBackWhatWasPacked) {
  for_all("word", 10'000, [] {
    const auto phase = static_cast<core::Phase>(*rc::gen::inRange(0, 3));
    const std::uint64_t use = *edgy<std::uint64_t>();
    const std::uint32_t left = *counts(core::Word::k_max_size);
    const std::uint32_t right = *counts(std::min(core::Word::k_max_size - left, core::Word::k_max_right));
    const core::Word word(phase, use, left, right);
    RC_ASSERT(word.phase() == phase);
    RC_ASSERT(word.epoch() == (use & core::UsualMarks::Word::k_mask));
    RC_ASSERT(word.left() == left && word.right() == right);
    RC_ASSERT(core::Word::seen(word.raw(), use) == word);
    const core::Word other = core::Word::seen(
        word.raw(), use + 1 + *rc::gen::inRange<std::uint64_t>(0, core::UsualMarks::Word::k_mask));
    RC_ASSERT(other.phase() == core::Phase::available && other.left() == 0 && other.right() == 0);
    const core::Word stopped = word.stopped();
    RC_ASSERT(stopped.phase() == core::Phase::stolen && stopped.epoch() == word.epoch());
    RC_ASSERT(stopped.left() == left && stopped.right() == right);
    const std::uint32_t more = *counts(core::Word::k_max_size - left - right);
    RC_ASSERT(word.with_left(more).left() == left + more && word.with_left(more).right() == right);
    const std::uint32_t beside = std::min(more, core::Word::k_max_right - right);
    RC_ASSERT(word.with_right(beside).right() == right + beside && word.with_right(beside).left() == left);
    RC_ASSERT(word.with_right(beside).phase() == phase && word.with_left(more).epoch() == word.epoch());
  });
}

TEST(Shape, RootsCoverAllButTheLastIteration) {
  for_all("shape", 6'000, [] {
    const std::uint64_t n = *iteration_counts();
    const std::uint32_t roots = 1 + *counts(2000);
    const core::Shape shape(n, roots);
    RC_ASSERT(shape.root_begin(0) == 0U);
    RC_ASSERT(shape.root_begin(roots) == shape.units());
    std::uint64_t units = 0;
    std::uint64_t next = 0;
    for (std::uint32_t i = 0; i < roots; ++i) {
      const std::uint64_t begin = shape.root_begin(i), end = shape.root_begin(i + 1);
      QUICKLY(begin == units && begin <= end);
      QUICKLY(end - begin == shape.root_size(i) && end - begin <= core::k_max_share);
      units = end;
      if (begin == end) continue;
      const Range range = shape.range(begin, end);
      QUICKLY(range.begin == next && range.begin < range.end && !range.last);
      next = range.end;
    }
    RC_ASSERT(next == n - 1); // it is handed out apart
  });
}

TEST(Batcher, TakesSomethingAndNeverTooMuch) {
  for_all("batcher", 3'000, [] {
    core::Settings settings;
    settings.batch = static_cast<core::BatchMode>(*rc::gen::inRange(0, 4));
    settings.limit = 1 + (*edgy<std::uint64_t>() >> 2);
    const std::uint64_t smallest = 1 + *counts(core::k_max_share);
    core::Batcher batcher;
    std::uint64_t now = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 40);
    const auto shift = static_cast<unsigned>(*rc::gen::inRange(0, 37));
    const auto share = static_cast<float>(*counts(core::k_max_share));
    batcher.enter(settings, smallest, shift, share, now);
    std::uint32_t remaining = 1 + *counts(core::k_max_share - 1);
    const std::uint64_t least = std::max<std::uint64_t>(smallest >> shift, 1);
    for (int step = 0; step < 40 && remaining > 0; ++step) {
      const std::uint32_t units = batcher.size(remaining);
      RC_ASSERT(units >= 1U && units <= remaining);
      RC_ASSERT(units == remaining || units >= std::min<std::uint64_t>(least, core::k_max_share / 2));
      if (settings.batch == core::BatchMode::fixed)
        RC_ASSERT(units == remaining ||
                  units == std::clamp<std::uint64_t>(std::max(settings.limit >> shift, least), 1,
                                                     core::k_max_share / 2));
      remaining -= units;
      const std::uint64_t spent = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 30);
      now += spent;
      if (*rc::gen::arbitrary<bool>())
        batcher.finished(units, spent, now);
      else
        batcher.finished_unclocked();
      if (*rc::gen::inRange(0, 8) == 0) batcher.start_node();
    }
  });
}

/// The chunks of a rule, asked for one after the other, are 0..n-1 in pieces, the last of which says so.
template <class Rule> void covers_exactly(std::uint64_t n, std::uint32_t members, std::uint64_t chunk) {
  Rule rule;
  rule.enter(n, members, chunk);
  std::uint64_t next = 0;
  std::uint64_t value = 0;
  for (std::uint64_t asked = 0; next < n; ++asked) {
    if (asked == 5'000) return; // the loop is longer than one wants to wait for
    const Range range = rule.chunk(value);
    QUICKLY(range.begin == next && range.end > range.begin && range.end <= n);
    QUICKLY(range.last == (range.end == n));
    next = range.end;
    if constexpr (Rule::k_steps)
      ++value;
    else
      value = rule.after(value);
  }
  const Range behind = rule.chunk(value);
  RC_ASSERT(behind.begin == n && behind.end == n && !behind.last);
}

template <class Rule> class Rules : public testing::Test {};
using AllRules = testing::Types<core::FixedRule, core::GuidedRule, core::FactoringRule, core::TrapezoidRule>;
struct RuleNames {
  template <class Rule> static std::string GetName(int index) {
    return std::array{"fixed", "guided", "factoring", "trapezoid"}[static_cast<std::size_t>(index)];
  }
};
TYPED_TEST_SUITE(Rules, AllRules, RuleNames);

TYPED_TEST(Rules, ChunksCoverTheLoop) {
  for_all("rule", 600, [] {
    const std::uint32_t members = 1 + *counts((1U << 20) - 2);
    covers_exactly<TypeParam>(*iteration_counts(), members, *edgy<std::uint64_t>());
  });
}

TYPED_TEST(Rules, ChunksOfSmallLoopsCoverThem) {
  for_all("rule, small loops", 2'000, [] {
    const std::uint64_t n = 1 + *counts(3000);
    const std::uint32_t members = 1 + *counts(70);
    covers_exactly<TypeParam>(n, members, *counts(4000));
  });
}

} // namespace
} // namespace wstree::test
