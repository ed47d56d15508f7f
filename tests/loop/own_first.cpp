// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of which each member has the first ones of its part to itself.
#include "own_first.h"

#include "usual.h"

namespace wstree::loop {
namespace {

/// Takes all units of `items` in batches of `batch`; returns how often each item came, with those that
/// members have for themselves.
std::vector<int> taken(const OwnFirst& items, std::uint32_t members, std::uint64_t batch) {
  std::vector<int> times(items.items(), 0);
  const auto add = [&](core::Range some) {
    for (std::uint64_t i = some.begin; i != some.end; ++i) ++times[i];
  };
  for (std::uint32_t m = 0; m < members; ++m) add(items.own(m));
  for (std::uint64_t unit = 0; unit < items.shared();) {
    core::Range units{unit, std::min(unit + batch, items.shared())};
    unit = units.end;
    while (units.begin != units.end) add(items.take(units));
    EXPECT_EQ(units.begin, unit);
  }
  return times;
}

TEST(OwnFirst, EachItemComesOnce) {
  for (const std::uint32_t members : {2U, 3U, 4U, 7U, 16U})
    for (const std::uint64_t n : {16U, 17U, 31U, 64U, 100U, 1000U})
      for (const std::uint64_t own : {std::uint64_t{0}, std::uint64_t{1}, n / members / 2, n / members}) {
        if (n < members) continue;
        for (const std::uint64_t batch : {1U, 5U, 1000U})
          EXPECT_EQ(taken(OwnFirst(n, members, own), members, batch), std::vector<int>(n, 1))
              << n << " items, " << members << " members, " << own << " each, batches of " << batch;
      }
}

TEST(OwnFirst, MembersHaveTheBeginningsOfTheirStaticParts) {
  const OwnFirst items(103, 4, 5);
  for (std::uint32_t m = 0; m < 4; ++m) {
    const auto own = items.own(m);
    EXPECT_EQ(own.begin, core::equal_part(103, 4, m).begin);
    EXPECT_EQ(own.end, own.begin + 5);
  }
  EXPECT_EQ(items.shared(), 83U);
}

} // namespace
} // namespace wstree::loop
