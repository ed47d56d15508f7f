// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "topology.h"

#include "layout.h"
#include "machine.h"
#include "process_limits.h"
#include "seed.h"

namespace wstree::place {
namespace {

using LayoutPointer = std::unique_ptr<const Layout>;
using Numbers = std::vector<std::uint32_t>;

/// Member by member.
template <class Read> Numbers each(const Layout& layout, const Read& read) {
  Numbers all;
  for (std::uint32_t i = 0; i < layout.members(); ++i) all.push_back(read(i));
  return all;
}
Numbers places_of(const Layout& layout) {
  return each(layout, [&](std::uint32_t i) { return layout.place(i); });
}
Numbers positions_of(const Layout& layout) {
  return each(layout, [&](std::uint32_t i) { return layout.neighbourhood(i).position; });
}

/// "[0,2) [0,8)"
std::string domains_of(const Layout& layout, std::uint32_t member) {
  const core::Neighbourhood view = layout.neighbourhood(member);
  std::string text;
  for (std::uint32_t d = 0; d < view.count; ++d)
    text += (d == 0 ? "[" : " [") + std::to_string(view.domains[d].begin) + ',' +
            std::to_string(view.domains[d].end) + ')';
  return text;
}

/// On the places that the user lists, or that the library chooses.
struct Team {
  MachinePointer machine;
  std::unique_ptr<const Places> places;
  LayoutPointer layout;

  Team(const char* description, const char* list, std::uint32_t members, Spacing spacing = Spacing::close)
      : machine(synthetic(description)) {
    std::string_view why;
    places =
        list != nullptr ? Places::parse(*machine, list, why) : Places::by_default(*machine, members, spacing);
    layout = Layout::make(*machine, *places, spacing, members);
  }
};

TEST(Layout, OfAFullTeamHasTheDomainsOfTheMachine) {
  const Team team("package:2 numa:2 l3:2 core:2 pu:2", nullptr, 32);
  EXPECT_EQ(domains_of(*team.layout, 0), "[0,2) [0,4) [0,8) [0,16)");
  EXPECT_EQ(domains_of(*team.layout, 21), "[20,22) [20,24) [16,24) [16,32)");
  EXPECT_EQ(team.layout->neighbourhood(21).position, 21U);
  EXPECT_EQ(team.layout->neighbourhood(21).member_at, nullptr);
  EXPECT_EQ(team.layout->cpu(21), 21U);
}

TEST(Layout, KeepsTheOrderOfTheUsersPlaces) {
  const Team team("package:2 core:2 pu:1", "{3},{0},{2},{1}", 4);
  EXPECT_EQ(places_of(*team.layout), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(positions_of(*team.layout), (Numbers{3, 0, 2, 1}));
  const core::Neighbourhood view = team.layout->neighbourhood(0);
  ASSERT_NE(view.member_at, nullptr);
  EXPECT_EQ(Numbers(view.member_at, view.member_at + 4), (Numbers{1, 3, 2, 0}));
  EXPECT_EQ(domains_of(*team.layout, 0), "[2,4)");
  EXPECT_EQ(domains_of(*team.layout, 1), "[0,2)");
}

/// OpenMP 5.2, section 10.1.3.
TEST(Layout, SpreadsOverTheUsersPlaces) {
  const auto places = [](std::uint32_t members) {
    return places_of(*Team("core:8 pu:1", "{0}:8", members, Spacing::spread).layout);
  };
  EXPECT_EQ(places(1), (Numbers{0}));
  EXPECT_EQ(places(2), (Numbers{0, 4}));
  EXPECT_EQ(places(4), (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(places(8), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(places(3).size(), 3U);
  EXPECT_EQ(places(16), (Numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}));
  const Team close("core:8 pu:1", "{0}:8", 3);
  EXPECT_EQ(places_of(*close.layout), (Numbers{0, 1, 2}));
}

/// A member that may run on both packages is near no other, even if the first of its CPUs is.
TEST(Layout, OfLargePlacesKnowsOnlyWhatHoldsAllOverThem) {
  const Team sockets("package:2 l3:2 core:2 pu:1", "sockets", 4);
  EXPECT_EQ(domains_of(*sockets.layout, 0), "[0,2)");
  EXPECT_EQ(domains_of(*sockets.layout, 3), "[2,4)");
  const Team mixed("package:2 core:4 pu:1", "{0,7},{1},{2},{4},{5}", 5);
  EXPECT_EQ(domains_of(*mixed.layout, 0), "");
  EXPECT_EQ(domains_of(*mixed.layout, 1), "[1,3)");
}

TEST(Layout, OfCpusThatTheRuntimeHasChosen) {
  const auto machine = synthetic("package:2 core:2 pu:2");
  ASSERT_NE(machine, nullptr);
  const auto layout = Layout::of_cpus(*machine, Numbers{7, 0, 0, 3, 6});
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(positions_of(*layout), (Numbers{4, 0, 1, 2, 3}));
  EXPECT_EQ(domains_of(*layout, 0), "[3,5)");
  EXPECT_EQ(domains_of(*layout, 1), "[0,2) [0,3)");
  EXPECT_EQ(domains_of(*layout, 3), "[0,3)");
  EXPECT_EQ(layout->place(3), Places::k_none);
  EXPECT_EQ(layout->cpu(3), 3U);
}

/// The views of all members against what a search through all pairs of members finds.
void expect_consistent(const RandomMachine& made, const Layout& layout) {
  const Machine& machine = *made.machine;
  const std::uint32_t members = layout.members();
  Numbers at(members, members); // position -> member
  for (std::uint32_t i = 0; i < members; ++i) {
    const core::Neighbourhood view = layout.neighbourhood(i);
    ASSERT_LT(view.position, members);
    ASSERT_EQ(at[view.position], members) << "two members at the same position";
    at[view.position] = i;
    ASSERT_EQ(view.root(view.position), i);
    ASSERT_EQ(view.domains == nullptr, view.count == 0);
  }
  const core::Neighbourhood any = layout.neighbourhood(0);
  bool identity = true;
  for (std::uint32_t p = 0; p < members; ++p) identity = identity && at[p] == p;
  ASSERT_EQ(any.member_at == nullptr, identity);
  for (std::uint32_t p = 1; p < members; ++p) ASSERT_LE(layout.cpu(at[p - 1]), layout.cpu(at[p]));

  for (std::uint32_t i = 0; i < members; ++i) {
    std::vector<core::Domain> expected;
    for (std::uint32_t l = 0; l + 1 < k_levels; ++l) {
      Numbers together;
      for (std::uint32_t p = 0; p < members; ++p)
        if (made.share(static_cast<Level>(l), layout.cpu(i), layout.cpu(at[p]))) together.push_back(p);
      if (together.size() <= 1 || together.size() == members) continue;
      const core::Domain domain{together.front(), together.back() + 1};
      ASSERT_EQ(together.size(), domain.end - domain.begin) << "not in a row";
      expected.push_back(domain);
      for (const std::uint32_t p : together)
        ASSERT_LE(nearest_shared(machine, layout.cpu(i), layout.cpu(at[p])), static_cast<Level>(l));
    }
    std::ranges::sort(expected, {}, [](const core::Domain& d) { return d.end - d.begin; });
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    const core::Neighbourhood view = layout.neighbourhood(i);
    ASSERT_EQ(std::vector<core::Domain>(view.domains, view.domains + view.count), expected) << "member " << i;
    for (std::uint32_t d = 0; d < view.count; ++d) {
      ASSERT_LE(view.domains[d].begin, view.position);
      ASSERT_GT(view.domains[d].end, view.position);
    }
  }
}

/// Whatever the machine, the mask and the team.
TEST(Layout, TellsEveryMemberWhichAreNear) {
  std::mt19937_64 random(test::seed());
  for (std::uint64_t round = test::scaled(300); round > 0; --round) {
    const RandomMachine made(random);
    ASSERT_NE(made.machine, nullptr);
    const Machine& machine = *made.machine;
    const auto members = static_cast<std::uint32_t>(1 + random() % std::min(2 * machine.cpus(), 80U));
    const Spacing spacing = random() % 2 == 0 ? Spacing::close : Spacing::spread;
    SCOPED_TRACE(made.description + " within " + std::string(to_list(made.within).view()) + ": " +
                 std::to_string(members) + (spacing == Spacing::spread ? " spread" : " close"));

    const auto places = Places::by_default(machine, members, spacing);
    ASSERT_NE(places, nullptr);
    const auto layout = Layout::make(machine, *places, spacing, members);
    ASSERT_NE(layout, nullptr);
    ASSERT_EQ(layout->members(), members);
    Numbers on(places->count());
    for (std::uint32_t i = 0; i < members; ++i) {
      ASSERT_LT(layout->place(i), places->count());
      ASSERT_EQ(layout->cpu(i), places->cpu(layout->place(i), 0));
      ASSERT_TRUE(i == 0 || layout->place(i - 1) <= layout->place(i)); // in the machine's order
      ++on[layout->place(i)];
    }
    const auto [fewest, most] = std::ranges::minmax(on);
    ASSERT_EQ(fewest, members / places->count());
    ASSERT_LE(most, fewest + 1);
    expect_consistent(made, *layout);

    Numbers anywhere(members);
    for (std::uint32_t& cpu : anywhere) cpu = static_cast<std::uint32_t>(random() % machine.cpus());
    const auto observed = Layout::of_cpus(machine, anywhere);
    ASSERT_NE(observed, nullptr);
    EXPECT_EQ(each(*observed, [&](std::uint32_t i) { return observed->cpu(i); }), anywhere);
    expect_consistent(made, *observed);
  }
}

/// Places of the user's in any order, with and without gaps.
TEST(Layout, SpreadsOverAnyListOfPlaces) {
  std::mt19937_64 random(test::seed());
  const auto machine = synthetic("package:2 core:16 pu:1");
  ASSERT_NE(machine, nullptr);
  for (std::uint64_t round = test::scaled(200); round > 0; --round) {
    std::string list;
    const auto count = static_cast<std::uint32_t>(1 + random() % 40);
    for (std::uint32_t p = 0; p < count; ++p)
      list += (p == 0 ? "{" : ",{") + std::to_string(random() % 32) + "}";
    std::string_view why;
    const auto places = Places::parse(*machine, list, why);
    ASSERT_NE(places, nullptr) << why;
    const auto members = static_cast<std::uint32_t>(1 + random() % 50);
    const auto layout = Layout::make(*machine, *places, Spacing::spread, members);
    ASSERT_NE(layout, nullptr);
    SCOPED_TRACE(list + " for " + std::to_string(members));
    EXPECT_EQ(layout->place(0), 0U);
    for (std::uint32_t i = 0; i < members; ++i) {
      ASSERT_EQ(layout->cpu(i), places->cpu(layout->place(i), 0));
      if (members > count) continue;
      const std::uint32_t next = i + 1 < members ? layout->place(i + 1) : count; // what belongs to member i
      ASSERT_GE(next - layout->place(i), count / members);
      ASSERT_LE(next - layout->place(i), (count + members - 1) / members);
    }
  }
}

/// CPU by CPU, in the machine's order.
template <class Read> Numbers of_cpus(const Machine& machine, const Read& read) {
  Numbers all;
  for (std::uint32_t i = 0; i < machine.cpus(); ++i) all.push_back(read(machine.cpu(i)));
  return all;
}
/// The system's numbers of the CPUs.
Numbers numbers(const Machine& machine) {
  return of_cpus(machine, [](const Cpu& cpu) { return cpu.os; });
}
Numbers numa_domains(const Machine& machine) {
  return of_cpus(machine, [](const Cpu& cpu) { return cpu.domain[static_cast<std::size_t>(Level::numa)]; });
}
Numbers kinds(const Machine& machine) {
  return of_cpus(machine, [](const Cpu& cpu) { return cpu.kind; });
}

/// Levels, order, numbers and distances of every machine against what its description says.
TEST(Machine, IsWhatItsDescriptionSays) {
  std::mt19937_64 random(test::seed());
  for (std::uint64_t round = test::scaled(300); round > 0; --round) {
    const RandomMachine made(random);
    SCOPED_TRACE(made.description + " within " + std::string(to_list(made.within).view()));
    ASSERT_NE(made.machine, nullptr);
    const Machine& machine = *made.machine;
    ASSERT_EQ(numbers(machine), made.os);
    EXPECT_EQ(machine.set(), made.within);

    for (std::uint32_t i = 0; i < machine.cpus(); ++i) EXPECT_EQ(machine.find(machine.cpu(i).os), i);
    for (std::uint32_t os = 0; os < 1000; ++os)
      ASSERT_EQ(machine.find(os) == machine.cpus(), !made.within.has(os)) << os;
    EXPECT_EQ(machine.find(~0U), machine.cpus());

    for (std::uint32_t l = 0; l < k_levels; ++l) {
      const auto level = static_cast<Level>(l);
      std::uint32_t rows = 0;
      for (std::uint32_t i = 0; i < machine.cpus(); ++i) {
        const std::uint32_t domain = machine.cpu(i).domain[l];
        if (!made.share(level, i, i)) {
          ASSERT_EQ(domain, Cpu::k_none);
          continue;
        }
        if (i == 0 || !made.share(level, i - 1, i)) ++rows;
        ASSERT_EQ(domain, rows - 1) << name_of(level) << " of " << i;
      }
      EXPECT_EQ(machine.domains(level), rows);
    }
    EXPECT_EQ(machine.cores(), machine.domains(Level::core));

    std::uint32_t smt = 0;
    for (std::uint32_t i = 0; i < machine.cpus(); ++i) {
      smt = i != 0 && made.share(Level::core, i - 1, i) ? smt + 1 : 0;
      EXPECT_EQ(machine.cpu(i).smt, smt);
      EXPECT_EQ(machine.cpu(i).kind, 0U);
    }

    for (int pair = 0; pair < 100; ++pair) {
      const auto a = static_cast<std::uint32_t>(random() % machine.cpus());
      const auto b = static_cast<std::uint32_t>(random() % machine.cpus());
      std::uint32_t nearest = 0;
      while (!made.share(static_cast<Level>(nearest), a, b)) ++nearest;
      ASSERT_EQ(nearest_shared(machine, a, b), static_cast<Level>(nearest));
      ASSERT_EQ(nearest_shared(machine, b, a), static_cast<Level>(nearest));
    }
  }
}

TEST(Machine, TakesSeveralMemoriesOfTheSameCpusForOne) {
  const auto machine = synthetic("package:2 [numa(memory=1GB)] [numa(memory=16GB)] core:2 pu:1");
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(numa_domains(*machine), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(machine->domains(Level::numa), 2U);
}

TEST(Machine, IgnoresMemoryWithoutCpus) {
  const Hybrid with{.cores = {2, 2}, .cpuless_nodes = 3};
  const auto machine = with.load();
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(machine->domains(Level::numa), 1U);
  EXPECT_EQ(numa_domains(*machine), Numbers(4, 0));
}

TEST(Machine, KnowsFastCoresFromSlowOnes) {
  const Hybrid hybrid{.cores = {2, 2, 1, 1, 1, 1}, .fast = 0b1111};
  const auto machine = hybrid.load();
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(numbers(*machine), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(kinds(*machine), (Numbers{1, 1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(machine->cores(), 6U);

  const CpuSet slow = set_of("4-7");
  const auto rest = hybrid.load(&slow);
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(kinds(*rest), Numbers(4, 0));
  const CpuSet fast = set_of("0-3");
  const auto best = hybrid.load(&fast);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(kinds(*best), Numbers(4, 0)); // of one kind as well
}

TEST(Machine, OfThisSystemIsWithinTheMask) {
  std::string_view why;
  const auto machine = Machine::load({}, why);
  ASSERT_NE(machine, nullptr) << why;
  EXPECT_TRUE(why.empty());
  EXPECT_EQ(machine->set(), current_mask());
  const auto own = static_cast<std::uint32_t>(::sched_getcpu());
  EXPECT_LT(machine->find(own), machine->cpus());
}

/// However hwloc is told what the system looks like, the mask counts.
TEST(Machine, OfThisSystemMayBeReplacedByTheEnvironment) {
  const CpuSet mask = current_mask();
  const std::uint32_t first = mask.next(0);
  std::string_view why;
  ::setenv("HWLOC_SYNTHETIC", ("numa:3 core:" + std::to_string(first + 7) + " pu:2").c_str(), 1);
  const auto machine = Machine::load({}, why);
  ASSERT_NE(machine, nullptr) << why;
  CpuSet expected = set_of("0-" + std::to_string(3 * (first + 7) * 2 - 1));
  expected.keep(mask);
  EXPECT_EQ(machine->set(), expected);
  EXPECT_EQ(machine->domains(Level::package), 0U);
  const CpuSet one = set_of(std::to_string(first));
  const auto alone = Machine::load({.within = &one}, why);
  ASSERT_NE(alone, nullptr) << why;
  EXPECT_EQ(alone->set(), one);
  ::setenv("HWLOC_SYNTHETIC", "pu:2(indexes=8000,8001)", 1);
  EXPECT_EQ(Machine::load({}, why) != nullptr, mask.has(8000) || mask.has(8001));
  ::unsetenv("HWLOC_SYNTHETIC");
}

TEST(Machine, LeavesTheProcessAsItWas) {
  char** const before = environ;
  errno = 77;
  const CpuSet mask = current_mask();
  std::string_view why;
  ASSERT_NE(Machine::load({}, why), nullptr) << why;
  EXPECT_EQ(environ, before);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(current_mask(), mask);
  EXPECT_EQ(std::getenv("HWLOC_PLUGINS_PATH"), nullptr);
  EXPECT_EQ(std::getenv("HWLOC_HIDE_ERRORS"), nullptr);
}

} // namespace
} // namespace wstree::place
