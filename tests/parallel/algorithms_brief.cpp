// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that were brief and are dear: how many of them their caller executes alone.
#include "algorithms_support.h"

#include <functional>
#include <numeric>

namespace wstree::algorithms_test {
namespace {

/// A clock that the test sets, also as other processors have it: AArch64's counter has 25 to 54 MHz, and 1
/// GHz on newer ones.
template <std::uint64_t k_mhz> struct ClockOf {
  static inline std::uint64_t now = 0;
  static std::uint64_t ticks() noexcept { return now; }
  static std::uint64_t ticks_per_ms() noexcept { return k_mhz * 1000; }
  static std::uint64_t in(std::uint64_t ns) noexcept { return ns * k_mhz / 1000; }
};
using Clock = ClockOf<2'500>;
using Site = detail::SiteOf<Clock>;
constexpr std::uint64_t k_brief = 50, k_dear = 1'000'000;

/// A call of 100 elements that begins after `pause` ticks and takes `ticks`. Returns whether it was brief.
bool call(Site& site, std::uint64_t ticks, std::uint64_t pause = 1) {
  Clock::now += pause;
  const bool is_brief = site.is_brief(100);
  Clock::now += ticks;
  if (!is_brief) site.was_alone(100, ticks, static_cast<float>(ticks) / 100);
  return is_brief;
}
Site trusting_site() {
  Site site;
  for (int i = 0; i < 64; ++i) call(site, k_brief);
  return site;
}

TEST(Site, CallsAreBriefUntilOneTakesLong) {
  Site site;
  int learned = 0;
  while (learned < 64 && !call(site, k_brief)) ++learned;
  EXPECT_EQ(learned, 16);
  EXPECT_FALSE(site.is_brief(1'000)) << "ten times as many";
  int measured = 0;
  for (int i = 0; i < 170; ++i) measured += !call(site, k_brief);
  EXPECT_EQ(measured, 0) << "a look that is near the look before is a measurement";
  for (int i = 0; i < 170; ++i) measured += !call(site, k_brief, 1'000);
  EXPECT_EQ(measured, 10) << "one in 17";
  site.was_alone(100, 5'000, 50);
  EXPECT_FALSE(site.is_brief(100)) << "reading the clock is cheap beside that";
  site.was_alone(100, k_dear, 50);
  for (int i = 0; i < 255; ++i) EXPECT_FALSE(call(site, k_brief)) << i;
}

/// Of calls of which every period-th is dear, beginning at each point of what a site remembers.
TEST(Site, AtMostTwoDearCallsInARowAreBrief) {
  for (int period = 1; period <= 40; ++period)
    for (int before = 0; before < 34; ++before) {
      Site site = trusting_site();
      for (int i = 0; i < before; ++i) call(site, k_brief);
      int row = 0, brief = 0;
      for (int i = 1; i <= 20 * period; ++i) {
        const bool is_dear = i % period == 0;
        const bool is_brief = call(site, is_dear ? k_dear : k_brief);
        if (!is_dear) continue;
        row = is_brief ? row + 1 : 0;
        brief += is_brief;
        ASSERT_LE(row, 2) << period << ' ' << before;
      }
      // 16 times 16 calls of trust are lost by one surprise.
      EXPECT_LE(brief, period < 12 ? 2 : 4) << period << ' ' << before;
    }
}

/// A pool whose only thread is the caller, and which counts the calls that ask it.
struct CountingPool {
  struct Counter : detail::Place {
    mutable int calls = 0;
  } counter{{[](const detail::Place&) noexcept { return 4U; },
             [](const detail::Place& place, detail::Call& call) noexcept {
               ++static_cast<const Counter&>(place).calls;
               call.work_as(0);
             }}};
  const detail::Place& place() const noexcept { return counter; }
};

template <class C> class Rate : public testing::Test {
protected:
  /// A call of `n` elements that begins a microsecond after the call before it and takes `ns`.
  bool call(std::uint64_t n, std::uint64_t ns) {
    C::now += C::in(1'000);
    if (site_.is_brief(n)) {
      C::now += C::in(ns);
      return true;
    }
    C::now += C::in(ns);
    site_.was_alone(n, C::in(ns), static_cast<float>(C::in(ns)) / static_cast<float>(n));
    return false;
  }
  detail::SiteOf<C> site_;
};
using Rates = testing::Types<ClockOf<25>, ClockOf<54>, ClockOf<1'000>, ClockOf<2'500>>;
TYPED_TEST_SUITE(Rate, Rates);

TYPED_TEST(Rate, CallsThatTakeLongAreNotBrief) {
  for (int i = 0; i < 64; ++i) this->call(100, 200);
  EXPECT_TRUE(this->call(100, 200) || this->call(100, 200))
      << "one of two, as brief calls are measured now and then";
  EXPECT_TRUE(this->site_.takes_little(150)) << "0.3 us";
  EXPECT_FALSE(this->site_.takes_little(220)) << "0.44 us";
  this->site_.was_alone(100, TypeParam::in(3'500), 1);
  EXPECT_FALSE(this->site_.is_careful());
  EXPECT_EQ(this->site_.longest_step(100), 100U) << "3.5 us is short";
  this->site_.was_alone(100, TypeParam::in(5'000), 1);
  EXPECT_EQ(this->site_.longest_step(100), 7U) << "5 us is not";
  EXPECT_FALSE(this->site_.is_careful());
  this->site_.was_alone(100, TypeParam::in(42'000), 1);
  EXPECT_TRUE(this->site_.is_careful()) << "and 42 us is a surprise";
}

TYPED_TEST(Rate, CallersBeginWithHalfAMicrosecond) {
  this->site_.was_alone(100, TypeParam::in(2'000), static_cast<float>(TypeParam::in(2'000)) / 100); // 20 ns
  EXPECT_NEAR(static_cast<double>(this->site_.first_step()), 26, 2);
}

TYPED_TEST(Rate, TeamsAreCalledAfterAMicrosecondIfTheyGainFour) {
  const CountingPool pool;
  const auto two = par().threads(2).on(pool);
  const auto ends = [&](std::uint64_t elapsed_ns, std::uint64_t left_ns) {
    return detail::ends_beginning<TypeParam>(two, TypeParam::in(elapsed_ns),
                                             static_cast<float>(TypeParam::in(left_ns)));
  };
  EXPECT_FALSE(ends(900, 1'000'000));
  EXPECT_TRUE(ends(1'200, 1'000'000));
  EXPECT_TRUE(ends(1'200, 9'000)) << "half of it is gained";
  EXPECT_FALSE(ends(1'200, 7'000));
  EXPECT_TRUE(detail::is_brief_partition<TypeParam>(static_cast<float>(TypeParam::in(38'000))));
  EXPECT_FALSE(detail::is_brief_partition<TypeParam>(static_cast<float>(TypeParam::in(42'000))));
}

TYPED_TEST(Rate, BatchesAndChunksTakeTheSameTimes) {
  const core::Settings settings = core::settings_by_clock<TypeParam>();
  const auto ticks = [](double us) { return us * static_cast<double>(TypeParam::ticks_per_ms()) / 1000; };
  EXPECT_NEAR(static_cast<double>(settings.shortest_target), ticks(1), 1);
  EXPECT_NEAR(static_cast<double>(settings.longest_target), ticks(20), 1);
  EXPECT_NEAR(static_cast<double>(settings.tail_batch), ticks(0.6), 1);
  EXPECT_NEAR(static_cast<double>(settings.steal_cost), ticks(0.2), 1);
  EXPECT_NEAR(static_cast<double>(settings.near_enough), ticks(2), 1);
  EXPECT_NEAR(static_cast<double>(settings.patience), ticks(100'000), 1);
  detail::ChunkSize<TypeParam> size; // of elements of a microsecond each
  for (int i = 0; i < 20; ++i) size.took(size.next(), TypeParam::in(1'000 * size.next()));
  EXPECT_EQ(size.next(), 16U);
}

TEST(Rates, ThatOfSettingsIs2500MHz) {
  const core::Settings known, by_clock = core::settings_by_clock<ClockOf<2'500>>();
  EXPECT_EQ(known.shortest_target, by_clock.shortest_target);
  EXPECT_EQ(known.longest_target, by_clock.longest_target);
  EXPECT_EQ(known.tail_batch, by_clock.tail_batch);
  EXPECT_EQ(known.steal_cost, by_clock.steal_cost);
  EXPECT_EQ(known.near_enough, by_clock.near_enough);
  EXPECT_EQ(known.patience, by_clock.patience);
}

bool g_is_dear = false;
int work(int x) {
  if (g_is_dear)
    for (const auto since = core::StdPlatform::ticks(); core::StdPlatform::ticks() - since < 20'000;) {
    }
  return x;
}

/// Makes brief calls, and then calls of which every period-th is dear: at most two of these in a row stay
/// with their caller.
template <class Make> void expect_teams(const char* name, const CountingPool& pool, Make make) {
  for (const int period : {1, 2, 3, 4, 8, 16}) {
    for (int i = 0; i < 300; ++i) make();
    int row = 0;
    for (int i = 1; i <= 6 * period; ++i) {
      g_is_dear = i % period == 0;
      const int before = pool.counter.calls;
      make();
      if (g_is_dear) row = pool.counter.calls == before ? row + 1 : 0;
      g_is_dear = false;
      ASSERT_LE(row, 2) << name << ", period " << period;
    }
  }
}

TEST(Brief, AtMostTwoDearCallsInARowStayWithTheirCaller) {
  const CountingPool pool;
  const auto p = par().on(pool);
  const auto r = reproducible.on(pool);
  const std::vector<int> in(16, 1); // brief also where nothing is optimised
  std::vector<double> out(16);
  const auto real = [](int x) { return static_cast<double>(work(x)); };
  const auto no = [](int x) { return work(x) < 0; };
  expect_teams("for_each", pool, [&] { for_each(p, in, [](int x) { work(x); }); });
  expect_teams("reduce", pool, [&] { transform_reduce(p, in, 0, plus(), work); });
  expect_teams("reproducible", pool, [&] { transform_reduce(r, in, 0.0, plus(), real); });
  expect_teams("scan", pool, [&] { transform_inclusive_scan(p, in, out, plus(), real); });
  expect_teams("reproducible scan", pool, [&] { transform_inclusive_scan(r, in, out, plus(), real); });
  expect_teams("find", pool, [&] { static_cast<void>(find_first(p, in, no)); });
  expect_teams("filter", pool, [&] { static_cast<void>(filter(p, in, no)); });
  std::vector<int> some = in;
  const auto less = [](int a, int b) { return work(a) < b; };
  expect_teams("set_union", pool, [&] { set_union(p, in, in, out, less); });
  expect_teams("set_difference", pool, [&] { set_difference(p, in, in, out, less); });
  expect_teams("remove_if", pool, [&] { static_cast<void>(remove_if(p, some, no)); });
  expect_teams("partition", pool, [&] { static_cast<void>(partition(p, some, no)); });
  expect_teams("unique", pool, [&] { static_cast<void>(unique(p, some, less)); });
}

/// Function objects of the program are the same ones from batch to batch where they can change.
TEST(Brief, FunctionsThatChangeKeepWhatTheyKnow) {
  std::vector<int> out(100'000), expected(out.size());
  std::iota(expected.begin(), expected.end(), 0);
  generate(par().threads(1), out, [n = 0]() mutable { return n++; });
  EXPECT_EQ(out, expected);
}

} // namespace
} // namespace wstree::algorithms_test
