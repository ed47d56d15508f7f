// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "places.h"

#include "seed.h"
#include "topology.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace wstree::place {
namespace {

/// The system's numbers: "0-1|4|6" is a place of two CPUs and two places of one.
std::string text_of(const Machine& machine, const Places* places) {
  if (places == nullptr) return "none";
  std::string text;
  for (std::uint32_t p = 0; p < places->count(); ++p)
    text += (p == 0 ? "" : "|") + std::string(to_list(places->mask(machine, p)).view());
  return text;
}

std::string chosen(const Machine& machine, std::uint32_t members, Spacing spacing = Spacing::close) {
  return text_of(machine, Places::by_default(machine, members, spacing).get());
}

TEST(Places, AreWholeCoresWhileEachMemberCanHaveOne) {
  const auto machine = synthetic("package:2 core:2 pu:2");
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(chosen(*machine, 1), "0-1");
  EXPECT_EQ(chosen(*machine, 2), "0-1|2-3");
  EXPECT_EQ(chosen(*machine, 4), "0-1|2-3|4-5|6-7");
  EXPECT_EQ(chosen(*machine, 5), "0|1|2|4|6");
  EXPECT_EQ(chosen(*machine, 8), "0|1|2|3|4|5|6|7");
  EXPECT_EQ(chosen(*machine, 100), "0|1|2|3|4|5|6|7");
  EXPECT_EQ(chosen(*machine, 0), "0-1");
}

TEST(Places, ThatAreSpreadTakeFromEveryDomain) {
  const auto machine = synthetic("package:2 numa:2 core:2 pu:2");
  ASSERT_NE(machine, nullptr);
  const auto spread = [&](std::uint32_t members) { return chosen(*machine, members, Spacing::spread); };
  EXPECT_EQ(spread(1), "0-1");
  EXPECT_EQ(spread(2), "0-1|8-9");
  EXPECT_EQ(spread(3), "0-1|4-5|8-9");
  EXPECT_EQ(spread(4), "0-1|4-5|8-9|12-13");
  EXPECT_EQ(spread(6), "0-1|2-3|4-5|8-9|10-11|12-13");
  EXPECT_EQ(spread(10), "0|1|2|4|6|8|9|10|12|14");
  EXPECT_EQ(spread(16), chosen(*machine, 16));
}

TEST(Places, ThatAreSpreadInARowAreApart) {
  const auto machine = synthetic("core:8 pu:1");
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(chosen(*machine, 2, Spacing::spread), "0|4");
  EXPECT_EQ(chosen(*machine, 3, Spacing::spread), "0|3|6");
}

TEST(Places, AreOnFastCoresFirst) {
  const auto machine = Hybrid{.cores = {1, 1, 2, 2, 1, 1}, .fast = 0b111100}.load();
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(chosen(*machine, 1), "2-3");
  EXPECT_EQ(chosen(*machine, 2), "2-3|4-5");
  EXPECT_EQ(chosen(*machine, 3), "0|2-3|4-5");
  EXPECT_EQ(chosen(*machine, 6), "0|1|2-3|4-5|6|7");
  EXPECT_EQ(chosen(*machine, 7), "0|1|2|3|4|6|7");
  EXPECT_EQ(chosen(*machine, 2, Spacing::spread), "2-3|4-5");
  EXPECT_EQ(chosen(*machine, 4, Spacing::spread), "0|2-3|4-5|6");
}

/// Inside each larger domain, what the next smaller ones got differs by at most one, as far as there was more
/// to get. `group` names what is equally good, `taken` the CPUs that a member got.
void expect_balance(const RandomMachine& made, const std::vector<bool>& taken,
                    const std::vector<std::uint32_t>& group) {
  std::uint32_t last_group = 0;
  for (std::uint32_t i = 0; i < taken.size(); ++i)
    if (taken[i]) last_group = std::max(last_group, group[i]);
  std::uint32_t around = std::numeric_limits<std::uint32_t>::max();
  for (const auto& part : made.parts) {
    struct Share {
      std::uint32_t members = 0;
      bool more = false; // could have been taken instead
      bool last = false; // has one that was not forced
    };
    std::map<std::uint32_t, std::map<std::uint32_t, Share>> shares; // by larger domain, by domain
    for (std::uint32_t i = 0; i < taken.size(); ++i) {
      Share& share = shares[made.row[i] / around][made.row[i] / part.cpus];
      share.members += taken[i] ? 1 : 0;
      share.more = share.more || (!taken[i] && group[i] == last_group);
      share.last = share.last || (taken[i] && group[i] == last_group);
    }
    for (const auto& [outer, inner] : shares)
      for (const auto& [a, more] : inner)
        for (const auto& [b, less] : inner)
          if (less.more && more.last) {
            ASSERT_LE(more.members, less.members + 1) << name_of(part.level) << ' ' << a << " and " << b;
          }
    around = part.cpus;
  }
}

/// Whatever the machine, the mask and the team.
TEST(Places, AreForEveryMemberOne) {
  std::mt19937_64 random(test::seed());
  for (std::uint64_t round = test::scaled(300); round > 0; --round) {
    const RandomMachine made(random);
    ASSERT_NE(made.machine, nullptr);
    const Machine& machine = *made.machine;
    const auto members = static_cast<std::uint32_t>(1 + random() % (machine.cpus() + 3));
    const Spacing spacing = random() % 2 == 0 ? Spacing::close : Spacing::spread;
    const auto places = Places::by_default(machine, members, spacing);
    ASSERT_NE(places, nullptr);
    SCOPED_TRACE(made.description + " within " + std::string(to_list(made.within).view()) + ": " +
                 std::to_string(members) + (spacing == Spacing::spread ? " spread " : " close ") +
                 text_of(machine, places.get()));

    ASSERT_EQ(places->count(), std::min(members, machine.cpus()));
    const bool whole = members <= machine.cores();
    std::vector<bool> taken(machine.cpus());
    std::uint32_t last = 0;
    for (std::uint32_t p = 0; p < places->count(); ++p) {
      const std::uint32_t first = places->cpu(p, 0);
      ASSERT_TRUE(p == 0 || first > last) << "not in the machine's order, or twice the same";
      taken[first] = true;
      std::uint32_t expected = 1;
      if (whole) {
        ASSERT_EQ(machine.cpu(first).smt, 0U);
        while (first + expected < machine.cpus() && made.share(Level::core, first, first + expected))
          ++expected;
      }
      ASSERT_EQ(places->cpus(p), expected);
      for (std::uint32_t i = 0; i < expected; ++i) ASSERT_EQ(places->cpu(p, i), first + i);
      ASSERT_TRUE(places->mask(machine, p).is_within(made.within));
      ASSERT_EQ(places->mask(machine, p).count(), expected);
      last = first + expected - 1;
    }

    std::vector<std::uint32_t> smt;
    for (std::uint32_t i = 0; i < machine.cpus(); ++i) smt.push_back(machine.cpu(i).smt);
    for (std::uint32_t i = 0; i < machine.cpus(); ++i)
      for (std::uint32_t j = 0; taken[i] && j < machine.cpus(); ++j)
        ASSERT_TRUE(taken[j] || smt[j] >= smt[i]) << i << " before " << j;
    if (spacing == Spacing::spread) expect_balance(made, taken, smt);
    if (spacing == Spacing::close) { // no gaps among equals
      for (std::uint32_t i = 0; i < machine.cpus(); ++i)
        for (std::uint32_t j = 0; taken[i] && j < i; ++j) ASSERT_TRUE(taken[j] || smt[j] > smt[i]);
    }
  }
}

} // namespace
} // namespace wstree::place
