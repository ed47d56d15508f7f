// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_BIND=auto, the default: when it pins, and all that keeps it from that. The masks that taskset,
// numactl and mpirun give to a process, before it starts and while it runs: never is a thread outside of
// them. And no system calls from region to region.
#include "placed.h"

#include "seed.h"

#include <cctype>

namespace {

using namespace wstree::test;
using testing::IsEmpty;

class Auto : public testing::TestWithParam<const char*> {
protected:
  /// The test's parameter is the compiler.
  [[nodiscard]] Program program(std::vector<std::string> steps) const {
    return placement(GetParam(), "auto", std::move(steps));
  }
  /// Steps of a program that would be pinned.
  [[nodiscard]] std::vector<std::string> long_enough(int members) const {
    return {team(members, 2), k_until_decided, team(members, 3)};
  }
  void skip_where_nothing_can_be_pinned() const {
    if (cores_ < 2) GTEST_SKIP() << "one core: auto never pins here";
    if (has_too_small_a_quota(cores_)) GTEST_SKIP() << "a control group grants less than a CPU per core here";
  }
  const Cpus all_ = own_cpus();
  const int cores_ = static_cast<int>(cores_of(all_).size());
};

INSTANTIATE_TEST_SUITE_P(Placement, Auto, testing::Values("", "_gcc"),
                         [](const auto& each) { return *each.param == 0 ? "libomp" : "libgomp"; });

TEST_P(Auto, PinsAProgramThatIsAloneOnItsCores) {
  skip_where_nothing_can_be_pinned();
  if (IsSkipped()) return;
  const Report report = report_of(program(long_enough(cores_)));
  expect_inside(report, all_);
  EXPECT_THAT(report.outcome.err, IsEmpty());
  for (const Placed& each : report.in(0, 4))
    if (each.is_worker()) {
      EXPECT_NE(each.mask, all_) << report.text();
    }
  expect_on_own_cores(report, 4, all_);
  expect_steady(report, 0, 3);
  expect_free_openers(report);
}

TEST_P(Auto, WaitsUntilTheProgramHasRunForAWhile) {
  const Report report = report_of(program({team(cores_, 400)}));
  expect_inside(report, all_);
  // The wait begins behind the first region, however long a busy machine has held that up.
  long first = std::numeric_limits<long>::max();
  for (const Placed& each : report.placed)
    if (each.members != 0) first = std::min(first, each.ms);
  int early = 0;
  for (const Placed& each : report.placed) {
    if (each.members == 0 || each.ms >= std::max(k_patience_ms, first + 1)) continue;
    ++early;
    EXPECT_EQ(each.mask, all_) << report.text();
  }
  EXPECT_GT(early, 0) << report.text();
}

// --- the user has decided

struct UsersWord {
  const char* variable;
  const char* value; ///< CPUS stands for a list of all CPUs
};

class AutoBesideTheUser : public testing::TestWithParam<std::tuple<const char*, UsersWord>> {};

INSTANTIATE_TEST_SUITE_P(Placement, AutoBesideTheUser, // in turn on the runtimes
                         testing::Values(std::tuple{"", UsersWord{"OMP_PROC_BIND", "false"}},
                                         std::tuple{"_gcc", UsersWord{"OMP_PROC_BIND", "close"}},
                                         std::tuple{"", UsersWord{"OMP_PLACES", "cores"}},
                                         std::tuple{"_gcc", UsersWord{"OMP_PLACES", "threads"}},
                                         std::tuple{"", UsersWord{"KMP_AFFINITY", "disabled"}},
                                         std::tuple{"", UsersWord{"KMP_AFFINITY", "compact"}},
                                         std::tuple{"_gcc", UsersWord{"GOMP_CPU_AFFINITY", "CPUS"}}),
                         [](const auto& each) {
                           const UsersWord& word = std::get<1>(each.param);
                           return std::string(word.variable) + "_" + word.value +
                                  (*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(AutoBesideTheUser, ChangesNothing) {
  const auto& [compiler, word] = GetParam();
  const Cpus all = own_cpus();
  const int cores = static_cast<int>(cores_of(all).size());
  const std::string value = std::string(word.value) == "CPUS" ? text_of(all) : word.value;
  const std::string before = team(cores, 2), behind = team(cores, 3);
  const Report native = report_of(native_placement(compiler, {before, behind}).set(word.variable, value));
  const Report report =
      report_of(placement(compiler, "auto", {before, k_until_decided, behind}).set(word.variable, value));
  expect_inside(report, all);
  EXPECT_EQ(report.outcome.err, native.outcome.err);
  ASSERT_EQ(report.placed.size(), native.placed.size()) << report.text();
  for (std::size_t i = 0; i < native.placed.size(); ++i)
    EXPECT_EQ(report.placed[i].mask, native.placed[i].mask) << native.text() << report.text();
}

// --- constellations in which auto gives up

TEST_P(Auto, EndsWithTheFirstInnerTeam) {
  const Report report = report_of(program(
      {team(cores_, 1), k_until_decided, team(cores_, 1), "nested=2x2", team(cores_, 2), "nested=2x2"}));
  expect_inside(report, all_);
  for (const Placed& each : report.placed) {
    if (each.level == 2 && each.is_worker()) {
      EXPECT_EQ(each.mask, all_) << report.text();
    }
    if (each.region == 4) {
      EXPECT_EQ(each.mask, all_) << report.text();
    }
  }
  expect_free_openers(report);
}

TEST_P(Auto, DoesNothingInAForkedChild) {
  expect_unpinned(report_of(program({"child", team(cores_, 2), k_until_decided, team(cores_, 3)})));
}

constexpr std::size_t k_most_masks = 15;

/// All non-empty subsets of the machine's CPUs, or some of them where they are too many.
std::vector<Cpus> masks(std::mt19937_64& random) {
  const Cpus all = own_cpus();
  std::vector<Cpus> result;
  if (all.size() < 4) {
    for (unsigned bits = 1; bits < 1U << all.size(); ++bits) {
      Cpus mask;
      unsigned at = 0;
      for (const int cpu : all)
        if ((bits >> at++ & 1U) != 0) mask.insert(cpu);
      result.push_back(mask);
    }
    return result;
  }
  while (result.size() < k_most_masks) {
    const std::uint64_t one_in = 1 + random() % 4;
    Cpus mask;
    for (const int cpu : all)
      if (random() % one_in == 0) mask.insert(cpu);
    if (!mask.empty()) result.push_back(mask);
  }
  return result;
}

/// Compiler and WSTREE_BIND.
class Masked : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
  static std::string compiler() { return std::get<0>(GetParam()); }
  static std::string bind() { return std::get<1>(GetParam()); }
  static Report run_below(const std::vector<std::string>& launcher, const std::vector<std::string>& steps) {
    return report_of(placement_below(launcher, compiler(), bind(), steps));
  }
  static bool pins_at_once() { return bind() == "close" || bind() == "spread"; }
};

INSTANTIATE_TEST_SUITE_P(Placement, Masked,
                         testing::Combine(testing::Values("", "_gcc"), testing::Values("close", "auto")),
                         [](const auto& each) {
                           return std::string(std::get<1>(each.param)) +
                                  (*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(Masked, NoThreadIsEverOutside) {
  std::mt19937_64 random(seed());
  for (const Cpus& mask : masks(random)) {
    const auto cpus = static_cast<unsigned>(mask.size());
    const int cores = static_cast<int>(cores_of(mask).size());
    std::vector<std::string> steps = {team(cores, 2)};
    for (int i = 0; i < 5; ++i) {
      const int members = static_cast<int>(1 + random() % std::min(2 * cpus + 2, 48U));
      steps.push_back(team(members, 1));
      steps.push_back("quiet=" + std::to_string(members) + "x5");
    }
    if (bind() == "auto") steps.push_back(k_until_decided);
    steps.push_back(team(cores, 2));
    const Report report = run_below({"/usr/bin/taskset", "-c", text_of(mask)}, steps);
    SCOPED_TRACE("mask " + text_of(mask));
    expect_inside(report, mask);
    expect_free_openers(report);
    if (bind() == "none") expect_unpinned(report);
    if (pins_at_once() && cores > 1)
      for (const int region : {0, 1, 7, 8}) expect_on_own_cores(report, region, mask);
  }
}

/// How many regions the program has that does these steps.
int regions_of(const Report& report) {
  return static_cast<int>(std::count_if(report.placed.begin(), report.placed.end(),
                                        [](const Placed& each) { return each.members == 0; }));
}

/// Runs `before`, then another process gives all threads `mask`, then come the regions of `after`.
void expect_respected(Program (*program)(const std::vector<std::string>&), const Cpus& mask,
                      std::vector<std::string> before, const std::vector<std::string>& after) {
  SCOPED_TRACE("mask " + text_of(mask));
  const int regions = regions_of(report_of(program(before)));
  before.push_back("outside=" + text_of(mask));
  before.insert(before.end(), after.begin(), after.end());
  const Report report = report_of(program(before));
  expect_inside(report, own_cpus());
  int seen = 0;
  for (const Placed& each : report.placed) {
    if (each.region < regions) continue;
    ++seen;
    EXPECT_TRUE(inside(each.mask, mask)) << report.text();
    if (each.members > 0) {
      EXPECT_TRUE(mask.contains(each.cpu)) << report.text();
    }
    if (!each.is_worker()) {
      EXPECT_EQ(each.mask, mask) << report.text();
    }
  }
  EXPECT_GT(seen, 0);
  for (const Cpus& each : report.threads) EXPECT_TRUE(inside(each, mask)) << report.text();
}

TEST_P(Masked, AMaskThatChangesIsRespectedByLargerAndSmallerTeams) {
  // No thread is new after the change: libomp itself gives new ones the first mask of the process.
  const int cores = static_cast<int>(cores_of(own_cpus()).size());
  std::mt19937_64 random(seed());
  std::vector<std::string> before = {team(cores + 1, 1), team(cores, 1)};
  if (bind() == "auto") before.insert(before.end(), {k_until_decided, team(cores, 1)});
  const auto program = [](const std::vector<std::string>& steps) {
    return placement(compiler(), bind(), steps);
  };
  for (const Cpus& mask : masks(random))
    expect_respected(program, mask, before,
                     {team(cores, 2), team(cores + 1, 2), team(2, 1), "quiet=2x20", team(cores, 2)});
}

using Counts = std::map<std::string, int>;

struct CallCounts {
  Counts opener, others; ///< by name
};

/// Counts the lines "TID NAME(..." of strace -f between the two marks that the opener makes, or all of them.
/// What the runtimes wait with is not in there.
CallCounts calls_in(const std::string& path, bool marked) {
  CallCounts calls;
  std::string opener;
  int marks = 0;
  for (const std::string& line : lines_of(contents_of(path))) {
    const std::string tid = line.substr(0, line.find(' '));
    const std::size_t begin = line.find_first_not_of(' ', tid.size());
    const std::size_t end = line.find('(', tid.size());
    if (begin == std::string::npos || end == std::string::npos || std::islower(line[begin]) == 0) continue;
    const std::string name = line.substr(begin, end - begin);
    if (opener.empty()) opener = tid;
    if (name == "getppid") {
      ++marks;
    } else if (!marked || marks == 1) {
      ++(tid == opener ? calls.opener : calls.others)[name];
    }
  }
  EXPECT_EQ(marks, marked ? 2 : 0);
  return calls;
}

const char* const k_strace = "/usr/bin/strace";

std::vector<std::string> strace_arguments(const std::string& file) {
  return {"--seccomp-bpf", "-f", "-qq", "-e", "trace=!futex,sched_yield", "-e", "signal=none", "-o", file};
}

bool can_trace() {
  if (access(k_strace, X_OK) != 0) return false;
  const TemporaryFolder folder;
  std::vector<std::string> arguments = strace_arguments(folder / "calls");
  arguments.push_back("/bin/true");
  return Program(k_strace, arguments).run().succeeded() && !calls_in(folder / "calls", false).opener.empty();
}

/// Members spin while they wait, so that nothing but the library has a reason for system calls.
Program& spins(Program& program) {
  return program.set("OMP_WAIT_POLICY", "active")
      .set("GOMP_SPINCOUNT", "infinity")
      .set("KMP_BLOCKTIME", "infinite");
}

class SystemCalls : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
  void SetUp() override {
    if (!can_trace()) GTEST_SKIP() << "there is no strace here, or it must not trace";
    if (cores_ < 2) GTEST_SKIP() << "one core: two members would spin in each other's way";
  }

  /// What is called from behind `steps` until behind `marked`.
  static CallCounts trace(std::vector<std::string> steps, const std::string& marked) {
    const TemporaryFolder folder;
    std::vector<std::string> command = {k_strace};
    for (const std::string& each : strace_arguments(folder / "calls")) command.push_back(each);
    steps.insert(steps.end(), {"mark", marked, "mark"});
    const auto& [compiler, bind] = GetParam();
    const bool by_runtime = bind == std::string("runtime");
    Program program = placement_below(command, compiler, by_runtime ? "auto" : bind, steps);
    if (by_runtime) program.set("OMP_PROC_BIND", "close");
    const Outcome outcome = spins(program).run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    return calls_in(folder / "calls", true);
  }

  /// Steps after which placement has been decided.
  static std::vector<std::string> settled(int members) {
    const std::string bind = std::get<1>(GetParam());
    if (bind == "close" || bind == "spread") return {team(members, 3)};
    return {team(members, 3), "busy=300", team(members, 2)};
  }

  [[nodiscard]] std::string quiet(int regions) const {
    return "quiet=" + std::to_string(members_) + "x" + std::to_string(regions);
  }

  const int cores_ = static_cast<int>(cores_of(own_cpus()).size());
  const int members_ = std::min(cores_, 8);
};

INSTANTIATE_TEST_SUITE_P(Placement, SystemCalls,
                         testing::Combine(testing::Values("", "_gcc"),
                                          testing::Values("close", "auto", "runtime")),
                         [](const auto& each) {
                           return std::string(std::get<1>(each.param)) +
                                  (*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(SystemCalls, AreNotMadeFromRegionToRegion) {
  // The opener is kept where it belongs; when the system takes it elsewhere, moving it back costs calls.
  std::vector<std::string> steps = settled(members_);
  steps.push_back("stay");
  steps.push_back(quiet(20)); // a loop that comes again gets memory for what is remembered of it
  const CallCounts calls = trace(steps, quiet(2000));
  EXPECT_THAT(calls.opener, IsEmpty());
  EXPECT_THAT(calls.others, IsEmpty());
}

} // namespace
