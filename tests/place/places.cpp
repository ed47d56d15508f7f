// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of a team: those of the library, and those of OMP_PLACES.
#include "topology.h"

#include "places.h"
#include "seed.h"

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

/// The places that the library chooses for teams of so many members.
void expect_chosen(const Machine& machine, Spacing spacing,
                   const std::vector<std::pair<std::uint32_t, const char*>>& rows) {
  for (const auto& [members, expected] : rows)
    EXPECT_EQ(text_of(machine, Places::by_default(machine, members, spacing).get()), expected) << members;
}

TEST(Places, AreWholeCoresWhileEachMemberCanHaveOne) {
  expect_chosen(*synthetic("package:2 core:2 pu:2"), Spacing::close,
                {{0, "0-1"},
                 {1, "0-1"},
                 {2, "0-1|2-3"},
                 {4, "0-1|2-3|4-5|6-7"},
                 {5, "0|1|2|4|6"},
                 {8, "0|1|2|3|4|5|6|7"},
                 {100, "0|1|2|3|4|5|6|7"}});
}

TEST(Places, ThatAreSpreadTakeFromEveryDomain) {
  expect_chosen(*synthetic("package:2 numa:2 core:2 pu:2"), Spacing::spread,
                {{1, "0-1"},
                 {2, "0-1|8-9"},
                 {3, "0-1|4-5|8-9"},
                 {4, "0-1|4-5|8-9|12-13"},
                 {6, "0-1|2-3|4-5|8-9|10-11|12-13"},
                 {10, "0|1|2|4|6|8|9|10|12|14"},
                 {16, "0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15"}});
  expect_chosen(*synthetic("core:8 pu:1"), Spacing::spread, {{2, "0|4"}, {3, "0|3|6"}});
}

TEST(Places, AreOnFastCoresFirst) {
  const auto machine = Hybrid{.cores = {1, 1, 2, 2, 1, 1}, .fast = 0b111100}.load();
  ASSERT_NE(machine, nullptr);
  expect_chosen(*machine, Spacing::close,
                {{1, "2-3"}, {2, "2-3|4-5"}, {3, "0|2-3|4-5"}, {6, "0|1|2-3|4-5|6|7"}, {7, "0|1|2|3|4|6|7"}});
  expect_chosen(*machine, Spacing::spread, {{2, "2-3|4-5"}, {4, "0|2-3|4-5|6"}});
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

class OmpPlaces : public testing::Test {
protected:
  void SetUp() override { ASSERT_NE(machine_, nullptr); }

  /// "0-1|4" for {0,1},{4}; or why there are none.
  std::string parse(std::string_view text) const {
    std::string_view why;
    const auto places = Places::parse(*machine_, text, why);
    EXPECT_EQ(places == nullptr, !why.empty());
    if (places == nullptr) return std::string(why);
    return text_of(*machine_, places.get());
  }

  void use(const std::string& description, const char* within = nullptr) {
    const CpuSet set = within != nullptr ? set_of(within) : CpuSet{};
    machine_ = synthetic(description, within != nullptr ? &set : nullptr);
    ASSERT_NE(machine_, nullptr);
  }

  static constexpr const char* k_wrong = "the list of places is not understood";
  static constexpr const char* k_empty = "none of the places has a CPU that may be used";
  MachinePointer machine_ = synthetic("package:2 numa:2 l3:2 l2:1 core:2 pu:2"); // 32 CPUs
};

TEST_F(OmpPlaces, ByName) {
  use("package:2 numa:2 l3:1 core:2 pu:2");
  EXPECT_EQ(parse("threads"), "0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15");
  EXPECT_EQ(parse("cores"), "0-1|2-3|4-5|6-7|8-9|10-11|12-13|14-15");
  EXPECT_EQ(parse("ll_caches"), "0-3|4-7|8-11|12-15");
  EXPECT_EQ(parse("l3_caches"), "0-3|4-7|8-11|12-15");
  EXPECT_EQ(parse("l2_caches"), parse("cores")); // no two cores share one, as far as is known
  EXPECT_EQ(parse("numa_domains"), "0-3|4-7|8-11|12-15");
  EXPECT_EQ(parse("sockets"), "0-7|8-15");
}

TEST_F(OmpPlaces, ByNameAndCount) {
  EXPECT_EQ(parse("threads(3)"), "0|1|2");
  EXPECT_EQ(parse("cores(2)"), "0-1|2-3");
  EXPECT_EQ(parse("sockets(100)"), "0-15|16-31");
  EXPECT_EQ(parse("sockets(99999999999999999999999)"), "0-15|16-31");
  EXPECT_EQ(parse(" SOCKETS ( 1 ) "), "0-15");
  EXPECT_EQ(parse("Cores\t(1)\n"), "0-1");
  for (const char* wrong : {"cores(0)", "cores()", "cores(-1)", "cores(2", "cores 2", "cores(2)x",
                            "cores(2),cores", "core", "coress", "cores,{0}", "cores(a)"})
    EXPECT_EQ(parse(wrong), k_wrong) << wrong;
}

TEST_F(OmpPlaces, ByNameWithinTheMask) {
  use("package:3 core:2 pu:2", "1,2,3,9");
  EXPECT_EQ(parse("threads"), "1|2|3|9");
  EXPECT_EQ(parse("cores"), "1|2-3|9");
  EXPECT_EQ(parse("sockets"), "1-3|9");
  EXPECT_EQ(parse("sockets(1)"), "1-3");
}

TEST_F(OmpPlaces, InNumbers) {
  EXPECT_EQ(parse("{0,1,2,3},{4,5,6,7}"), "0-3|4-7");
  EXPECT_EQ(parse("{0:4},{4:4}"), "0-3|4-7");
  EXPECT_EQ(parse("{0:4}:2:4"), "0-3|4-7");
  EXPECT_EQ(parse("{0:4:2}"), "0,2,4,6");
  EXPECT_EQ(parse("{6:4:-2}"), "0,2,4,6");
  EXPECT_EQ(parse("{0:2:16}:3:2"), "0,16|2,18|4,20");
  EXPECT_EQ(parse("{28:4}:3:-4"), "28-31|24-27|20-23");
  EXPECT_EQ(parse("{0}:4"), "0|1|2|3");
  EXPECT_EQ(parse("{9},{3},{7}"), "9|3|7");
  EXPECT_EQ(parse("{7,3,3,7}"), "3,7");
  EXPECT_EQ(parse("{3},{3}"), "3|3");
  EXPECT_EQ(parse("5"), "5");
  EXPECT_EQ(parse("5:3:2,0"), "5|7|9|0");
  EXPECT_EQ(parse("{0:2,8:2}"), "0-1,8-9");
  EXPECT_EQ(parse(" { 0 : 2 : 1 , 8 } : 2 : + 4 , 30 "), "0-1,8|4-5,12|30");
}

TEST_F(OmpPlaces, WithExclusions) {
  EXPECT_EQ(parse("{0:8,!3}"), "0-2,4-7");
  EXPECT_EQ(parse("{!3,0:8}"), "0-2,4-7");
  EXPECT_EQ(parse("{0:8,!3,!5}"), "0-2,4,6-7");
  EXPECT_EQ(parse("{0:4}:4:4,!{4:4}"), "0-3|8-11|12-15");
  EXPECT_EQ(parse("!{4:4},{0:4}:4:4"), "0-3|8-11|12-15");
  EXPECT_EQ(parse("{0:4},!{0:3}"), "0-3");
  EXPECT_EQ(parse("0:4,!2"), "0|1|3");
  EXPECT_EQ(parse("{0,!0}"), k_empty);
  EXPECT_EQ(parse("{0},!{0}"), k_empty);
  EXPECT_EQ(parse("!{0}"), k_empty);
}

TEST_F(OmpPlaces, LeaveOutWhatMayNotBeUsed) {
  EXPECT_EQ(parse("{30:8}"), "30-31");
  EXPECT_EQ(parse("{30}:8"), "30|31");
  EXPECT_EQ(parse("{40},{1}"), "1");
  EXPECT_EQ(parse("{40}"), k_empty);
  EXPECT_EQ(parse("{2}:9:-1"), "2|1|0");
  use("core:8 pu:1", "2,5");
  EXPECT_EQ(parse("{0:4},{4:4}"), "2|5");
  EXPECT_EQ(parse("{0}:8"), "2|5");
  EXPECT_EQ(parse("{0,1},{5}"), "5");
}

TEST_F(OmpPlaces, ThatAreNone) {
  for (const char* wrong :
       {"",          " ",      ",",        "{",       "}",        "{}",     "{0",     "0}",      "{0}}",
        "{0},",      ",{0}",   "{0},,{1}", "{0}{1}",  "{0,}",     "{,0}",   "{-1}",   "-1",      "{0:}",
        "{0:0}",     "{0:-1}", "{0:2:}",   "{0:2:0}", "{0}:",     "{0}:0",  "{0}:2:", "{0}:2:0", "{0}:-2",
        "{0}:2:1:1", "!",      "{!}",      "!!{0}",   "!{0}:2",   "{!0:2}", "{{0}}",  "{a}",     "{0;1}",
        "0x1",       "{0} x",  "1.5",      "(0)",     "threads_", "{0}:+2"})
    EXPECT_EQ(parse(wrong), k_wrong) << wrong;
}

/// Random lists, written with intervals, against the places they stand for.
TEST_F(OmpPlaces, MeanWhatTheyWereMadeFrom) {
  std::mt19937_64 random(test::seed());
  const auto below = [&](std::uint32_t n) { return static_cast<int>(random() % n); };
  for (std::uint64_t round = test::scaled(300); round > 0; --round) {
    const RandomMachine made(random);
    ASSERT_NE(made.machine, nullptr);
    std::string text;
    std::string expected;
    for (int entry = below(4); entry >= 0; --entry) {
      std::vector<int> cpus;
      std::string place;
      for (int part = below(3); part >= 0; --part) {
        const int first = below(80), length = 1 + below(4),
                  stride = below(2) == 0 ? 1 + below(9) : -1 - below(9);
        place += (place.empty() ? "" : ",") + std::to_string(first) + ':' + std::to_string(length) + ':' +
                 std::to_string(stride);
        for (int i = 0; i < length; ++i) {
          if (first + i * stride < 0) break;
          cpus.push_back(first + i * stride);
        }
      }
      const int count = 1 + below(4), step = below(2) == 0 ? 1 + below(20) : -1 - below(20);
      text += (text.empty() ? "{" : ",{") + place + "}:" + std::to_string(count) + ':' + std::to_string(step);
      for (int i = 0; i < count; ++i) {
        CpuSet set;
        for (const int cpu : cpus)
          if (cpu + i * step >= 0) set.add(static_cast<std::uint32_t>(cpu + i * step));
        set.keep(made.within);
        if (!set.empty()) expected += (expected.empty() ? "" : "|") + std::string(to_list(set).view());
      }
    }
    std::string_view why;
    const auto places = Places::parse(*made.machine, text, why);
    for (std::uint32_t p = 0; places != nullptr && p < places->count(); ++p)
      for (std::uint32_t i = 1; i < places->cpus(p); ++i) ASSERT_LT(places->cpu(p, i - 1), places->cpu(p, i));
    EXPECT_EQ(text_of(*made.machine, places.get()), expected.empty() ? "none" : expected) << text;
    EXPECT_EQ(why.empty(), !expected.empty());
  }
}

} // namespace
} // namespace wstree::place
