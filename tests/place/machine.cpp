// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.h"

#include "process_limits.h"
#include "seed.h"
#include "topology.h"

#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace wstree::place {
namespace {

/// The system's numbers of the CPUs, in the machine's order.
std::vector<std::uint32_t> numbers(const Machine& machine) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < machine.cpus(); ++i) all.push_back(machine.cpu(i).os);
  return all;
}

std::vector<std::uint32_t> domains(const Machine& machine, Level level) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < machine.cpus(); ++i)
    all.push_back(machine.cpu(i).domain[static_cast<std::size_t>(level)]);
  return all;
}

std::vector<std::uint32_t> kinds(const Machine& machine) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < machine.cpus(); ++i) all.push_back(machine.cpu(i).kind);
  return all;
}

using Numbers = std::vector<std::uint32_t>;
constexpr std::uint32_t k_none = Cpu::k_none;

/// Sets a variable for as long as it lives.
class Variable {
public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_.empty() ? ::unsetenv(name_) : ::setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  const char* name_;
  std::string before_;
};

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
          ASSERT_EQ(domain, k_none);
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
  EXPECT_EQ(domains(*machine, Level::numa), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(machine->domains(Level::numa), 2U);
}

TEST(Machine, IgnoresMemoryWithoutCpus) {
  const Hybrid with{.cores = {2, 2}, .cpuless_nodes = 3};
  const auto machine = with.load();
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(machine->domains(Level::numa), 1U);
  EXPECT_EQ(domains(*machine, Level::numa), Numbers(4, 0));
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
  {
    const Variable description("HWLOC_SYNTHETIC", "numa:3 core:" + std::to_string(first + 7) + " pu:2");
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
  }
  const Variable elsewhere("HWLOC_SYNTHETIC", "pu:2(indexes=8000,8001)");
  EXPECT_EQ(Machine::load({}, why) != nullptr, mask.has(8000) || mask.has(8001));
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
