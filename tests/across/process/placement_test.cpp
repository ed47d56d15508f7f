// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_BIND in real processes (programs/placement.cpp): which threads are pinned, which never are, and for
// how long; what its user sees of that; the masks that taskset, numactl and mpirun give to a process, of
// which no thread is ever outside; and no system calls from region to region.
#include "placed.h"

#include "seed.h"

#include <cctype>

namespace {

using namespace wstree::test;
using testing::IsEmpty;

/// Compiler and WSTREE_BIND.
class Bound : public Placement, public testing::WithParamInterface<std::pair<const char*, const char*>> {
protected:
  static Program program(const Steps& steps) { return placement(GetParam().first, GetParam().second, steps); }
  static Report run(const Steps& steps) { return report_of(program(steps)); }
};

INSTANTIATE_TEST_SUITE_P(Placement, Bound,
                         testing::Values(std::pair{"", "close"}, std::pair{"_gcc", "spread"}));

TEST_P(Bound, TeamsOfChangingSize) {
  const Report report = run({team(cores_, 1), team(cores_ + 2, 1), team(2, 1), team(cores_, 1), team(1, 1),
                             team(cores_ + 1, 1), team(cores_, 2)});
  expect_inside(report, all_);
  for (const int region : {0, 3, 6, 7}) expect_on_own_cores(report, region, all_);
  expect_steady(report, 6);
  expect_free_openers(report);
}

TEST_P(Bound, EachPinnedMemberHasALineOnStderr) {
  const std::string size = std::to_string(cores_);
  const Report report =
      report_of(program({team(cores_, 3), "quiet=" + size + "x50"}).set("OMP_DISPLAY_AFFINITY", "true"));
  expect_on_own_cores(report, 2, all_);
  const std::vector<std::string> lines = lines_of(report.outcome.err);
  for (const Placed& each : report.in(2)) {
    if (!each.is_worker()) continue;
    const std::string line = "wstree: level 1 thread " + std::to_string(each.member) + " of " + size +
                             " bound to CPU" + (each.mask.size() > 1 ? "s " : " ") + shown(each.mask);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), line), 1) << report.text();
  }
  EXPECT_THAT(report.outcome.out, testing::Not(testing::HasSubstr("wstree")));
}

TEST_P(Bound, AnInnerTeamIsNotCrowdedOntoItsOpener) {
  const Report report = run({"nested=2x3", team(2, 1), "nested=2x3", team(4, 1), "nested=2x2"});
  expect_inside(report, all_);
  int inner = 0;
  for (const Placed& each : report.placed) {
    if (each.level != 2 || !each.is_worker()) continue;
    ++inner;
    EXPECT_EQ(each.mask, all_) << report.at(each);
  }
  EXPECT_EQ(inner, 2 * (2 + 2 + 1)) << report.text();
  expect_free_openers(report);
}

TEST_P(Bound, ASecondRootIsLeftAlone) {
  // The team of the first one shrinks before: libomp gives its workers to the next team that needs some.
  const Report report =
      run({team(cores_ + 1, 1), team(2, 1), "roots=" + std::to_string(cores_) + "x20", team(2, 2)});
  expect_inside(report, all_);
  int seen = 0;
  for (const Placed& each : report.placed) {
    if (each.root != 1) continue;
    ++seen;
    EXPECT_EQ(each.mask, all_) << report.at(each);
  }
  EXPECT_EQ(seen, 20 * (cores_ + 1)) << report.text();
  expect_free_openers(report);
  expect_on_own_cores(report, 22, all_);
}

TEST_P(Bound, AWorkerThatTheProgramPinsStaysThere) {
  const Report before = run({team(cores_, 1)});
  ASSERT_EQ(before.in(0).size(), static_cast<std::size_t>(cores_)) << before.text();
  int elsewhere = -1; // a CPU that worker 1 is not pinned to
  for (const Placed& each : before.in(0))
    for (const int cpu : all_)
      if (each.member == 1 && !each.mask.contains(cpu)) elsewhere = cpu;
  ASSERT_NE(elsewhere, -1) << before.text();
  const Report report =
      run({team(cores_, 1), "pin=1:" + std::to_string(elsewhere), team(cores_, 2), team(cores_ + 1, 1),
           "quiet=" + std::to_string(cores_) + "x20", team(cores_, 1)});
  expect_inside(report, all_);
  for (const Placed& each : report.placed)
    EXPECT_TRUE(each.region == 0 || each.member != 1 || each.mask == Cpus{elsewhere}) << report.at(each);
}

TEST_P(Bound, AnOpenerThatChangesItsMaskKeepsIt) {
  for (const int cpu : {*all_.begin(), *all_.rbegin()}) {
    const Report report = run({team(cores_, 1), "opener=" + std::to_string(cpu), team(cores_, 3),
                               "quiet=" + std::to_string(cores_) + "x50", team(cores_, 1)});
    expect_inside(report, all_);
    for (const Placed& each : report.placed) {
      if (each.region == 0 || each.is_worker()) continue;
      EXPECT_EQ(each.mask, Cpus{cpu}) << report.at(each);
      EXPECT_EQ(each.cpu, cpu) << report.at(each);
    }
  }
}

TEST_P(Bound, AChildOfAProcessWithPinnedWorkersStartsUnpinned) {
  // In a thread of its own: libgomp's pool does not survive a fork.
  const Report report = run({team(cores_, 2), "child", "late", team(cores_, 2)});
  expect_inside(report, all_);
  ASSERT_EQ(report.start.size(), 2U) << report.text();
  EXPECT_EQ(report.start[0], all_) << report.text(); // the child's, which is printed first
  for (const Placed& each : report.placed)
    EXPECT_TRUE(each.process == 0 || each.is_worker() || each.mask == all_) << report.at(each);
}

TEST_P(Bound, ThePlacesOfTheUserAreTakenInTheirOrder) {
  const std::vector<int> order(all_.rbegin(), all_.rend());
  std::string places;
  for (const int cpu : order) places += (places.empty() ? "{" : ",{") + std::to_string(cpu) + "}";
  Program shows = program({team(static_cast<int>(order.size()), 2)});
  const Report report = report_of(shows.set("OMP_PROC_BIND", "false").set("OMP_PLACES", places));
  expect_inside(report, all_);
  for (const Placed& each : report.placed)
    if (each.is_worker()) {
      EXPECT_EQ(each.mask, Cpus{order[static_cast<std::size_t>(each.member)]}) << report.at(each);
    }
  expect_free_openers(report);
}

/// The runtime's pins stay, and auto does nothing beside a word of the user.
TEST(BesideTheUser, NothingChanges) {
  const Cpus all = own_cpus();
  const int cores = static_cast<int>(cores_of(all).size());
  struct Row {
    const char *compiler, *bind, *variable;
    std::string value;
  };
  for (const auto& [compiler, bind, variable, value] :
       {Row{"", "close", "OMP_PROC_BIND", "spread"}, Row{"_gcc", "spread", "OMP_PROC_BIND", "close"},
        Row{"", "close", "OMP_PROC_BIND", "true"}, Row{"_gcc", "spread", "OMP_PROC_BIND", "master"},
        Row{"", "auto", "OMP_PROC_BIND", "false"}, Row{"_gcc", "auto", "OMP_PROC_BIND", "close"},
        Row{"", "auto", "OMP_PLACES", "cores"}, Row{"_gcc", "auto", "OMP_PLACES", "threads"},
        Row{"", "auto", "KMP_AFFINITY", "disabled"}, Row{"", "auto", "KMP_AFFINITY", "compact"},
        Row{"_gcc", "auto", "GOMP_CPU_AFFINITY", text_of(all)}}) {
    SCOPED_TRACE(std::string(compiler) + ' ' + bind + ' ' + variable + '=' + value);
    const std::string before = team(cores, 2), behind = team(cores, 3);
    Program plain(std::string("placement") + compiler, {before, behind});
    const Report native = report_of(plain.set("OMP_SCHEDULE", "dynamic").set(variable, value));
    const Report report =
        report_of(placement(compiler, bind, {before, k_until_decided, behind}).set(variable, value));
    expect_inside(report, all);
    EXPECT_EQ(report.outcome.err, native.outcome.err);
    ASSERT_EQ(report.placed.size(), native.placed.size()) << report.text();
    for (std::size_t i = 0; i < native.placed.size(); ++i)
      EXPECT_EQ(report.placed[i].mask, native.placed[i].mask) << native.text() << report.text();
  }
}

/// Compilers, as suffixes of the programs.
constexpr const char* k_compilers[] = {"", "_gcc"};

TEST(Unbound, EveryMaskIsLeftAlone) {
  const int cores = static_cast<int>(cores_of(own_cpus()).size());
  for (const char* compiler : k_compilers) {
    expect_unpinned(report_of(placement(compiler, "none",
                                        {team(cores, 2), k_until_decided, team(cores, 2), team(cores + 1, 1),
                                         "nested=2x2", "roots=2x3", team(2, 2)})));
    // A library that is not asked for pins no thread.
    for (const char* bind : {"close", "auto"}) {
      Program program = placement(compiler, bind, {team(cores, 2), k_until_decided, team(cores, 2)});
      expect_unpinned(report_of(program.set("OMP_SCHEDULE", "dynamic")));
    }
  }
}

/// A look at the machine opens files, and needs stack; so do rules.
TEST(Confined, NothingEnds) {
  for (const char* what : {"stack", "least_stack", "calls", "late_calls", "inner_calls", "inner_late_calls",
                           "inner_syscall_calls", "inner_bare_late_calls"})
    for (const auto& [compiler, bind] :
         {std::pair{"", "close"}, std::pair{"_gcc", "close"}, std::pair{"_gcc", "none"}}) {
      Program program(std::string("confined") + compiler, {what});
      const Outcome native = program.set("OMP_SCHEDULE", "dynamic").run();
      if (native.status != 0) { // the runtime itself cannot live like that
        std::printf("left out: %s%s\n", what, compiler);
        continue;
      }
      program.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_BIND", bind);
      EXPECT_EQ(program.set("WSTREE_RULES", "* wsrange").run().text(), native.text()) << what << bind;
    }
}

class Auto : public Placement, public testing::WithParamInterface<const char*> {
protected:
  static Report run(const Steps& steps) { return report_of(placement(GetParam(), "auto", steps)); }
};

INSTANTIATE_TEST_SUITE_P(Placement, Auto, testing::ValuesIn(k_compilers));

TEST_P(Auto, PinsAProgramThatIsAloneOnItsCores) {
  if (has_too_small_a_quota(cores_)) GTEST_SKIP() << "a control group grants less than a CPU per core here";
  const Report report = run({team(cores_, 2), k_until_decided, team(cores_, 3)});
  expect_inside(report, all_);
  EXPECT_THAT(report.outcome.err, IsEmpty());
  for (const Placed& each : report.in(4))
    EXPECT_TRUE(!each.is_worker() || each.mask != all_) << report.at(each);
  expect_on_own_cores(report, 4, all_);
  expect_steady(report, 3);
  expect_free_openers(report);
}

TEST_P(Auto, WaitsUntilTheProgramHasRunForAWhile) {
  const Report report = run({team(cores_, 400)});
  expect_inside(report, all_);
  // The wait begins behind the first region, however long a busy machine has held that up.
  long first = report.placed.at(0).ms;
  for (const Placed& each : report.in(0)) first = std::min(first, each.ms);
  int early = 0;
  for (const Placed& each : report.placed) {
    if (each.members == 0 || each.ms >= std::max(k_patience_ms, first + 1)) continue;
    ++early;
    EXPECT_EQ(each.mask, all_) << report.at(each);
  }
  EXPECT_GT(early, 0) << report.text();
}

TEST_P(Auto, EndsWithTheFirstInnerTeam) {
  const Report report =
      run({team(cores_, 1), k_until_decided, team(cores_, 1), "nested=2x2", team(cores_, 2), "nested=2x2"});
  expect_inside(report, all_);
  for (const Placed& each : report.placed)
    if ((each.level == 2 && each.is_worker()) || each.region == 4) {
      EXPECT_EQ(each.mask, all_) << report.at(each);
    }
  expect_free_openers(report);
}

TEST_P(Auto, DoesNothingInAForkedChild) {
  expect_unpinned(run({"child", team(cores_, 2), k_until_decided, team(cores_, 3)}));
}

/// libgomp has no such team, and by itself it hangs now and then in a region behind such a task.
TEST_F(Placement, WorkersArePinnedBesideTheRuntimesOwnTeam) {
  for (const std::string& build : libomp_builds())
    for (const std::string bind : {"spread", "auto"})
      for (const bool is_first : {true, false}) {
        const bool is_auto = bind == "auto";
        if (is_auto && has_too_small_a_quota(cores_)) continue;
        SCOPED_TRACE(bind + " on libomp " + build);
        Steps steps = {team(cores_, 2), k_until_decided, team(cores_, 3)};
        steps.insert(is_first ? steps.begin() : steps.end() - 1, "deferred");
        const Report report = report_of(placement("", bind, steps).libomp(build));
        expect_inside(report, all_);
        for (int region = is_auto ? 2 : 0; region < 5; ++region) expect_on_own_cores(report, region, all_);
        expect_steady(report, is_auto ? 2 : 0);
        expect_free_openers(report);
        // Of all threads the workers alone are pinned.
        EXPECT_EQ(std::count_if(report.threads.begin(), report.threads.end(),
                                [&](const Cpus& mask) { return mask != all_; }),
                  cores_ - 1)
            << report.text();
      }
}

/// All non-empty subsets of the machine's CPUs, or some of them where they are too many.
std::set<Cpus> masks(std::mt19937_64& random) {
  const Cpus all = own_cpus();
  const std::size_t wanted = all.size() < 4 ? (1U << all.size()) - 1 : 15;
  std::set<Cpus> result;
  while (result.size() < wanted) {
    const std::uint64_t one_in = 1 + random() % 4;
    Cpus mask;
    for (const int cpu : all)
      if (random() % one_in == 0) mask.insert(cpu);
    if (!mask.empty()) result.insert(mask);
  }
  return result;
}

/// Compiler and WSTREE_BIND.
class Masked : public testing::TestWithParam<std::tuple<const char*, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Placement, Masked,
                         testing::Combine(testing::ValuesIn(k_compilers), testing::Values("close", "auto")));

TEST_P(Masked, NoThreadIsEverOutside) {
  const auto& [compiler, bind] = GetParam();
  std::mt19937_64 random(seed());
  for (const Cpus& mask : masks(random)) {
    const auto cpus = static_cast<unsigned>(mask.size());
    const int cores = static_cast<int>(cores_of(mask).size());
    Steps steps = {team(cores, 2)};
    for (int i = 0; i < 5; ++i) {
      const int members = static_cast<int>(1 + random() % std::min(2 * cpus + 2, 48U));
      steps.push_back(team(members, 1));
      steps.push_back("quiet=" + std::to_string(members) + "x5");
    }
    if (bind == "auto") steps.emplace_back(k_until_decided);
    steps.push_back(team(cores, 2));
    const Report report =
        report_of(placement(compiler, bind, steps, {"/usr/bin/taskset", "-c", text_of(mask)}));
    SCOPED_TRACE("mask " + text_of(mask));
    expect_inside(report, mask);
    expect_free_openers(report);
    if (bind == "close" && cores > 1)
      for (const int region : {0, 1, 7, 8}) expect_on_own_cores(report, region, mask);
  }
}

TEST_P(Masked, AMaskThatChangesIsRespectedByLargerAndSmallerTeams) {
  // No thread is new after the change: libomp itself gives new ones the first mask of the process.
  const auto& [compiler, bind] = GetParam();
  const int cores = static_cast<int>(cores_of(own_cpus()).size());
  std::mt19937_64 random(seed());
  for (const Cpus& mask : masks(random)) {
    SCOPED_TRACE("mask " + text_of(mask));
    Steps steps = {team(cores + 1, 1), team(cores, 1)};
    if (bind == "auto") steps.insert(steps.end(), {k_until_decided, team(cores, 1)});
    const int regions = bind == "auto" ? 3 : 2;
    steps.insert(steps.end(), {"outside=" + text_of(mask), team(cores, 2), team(cores + 1, 2), team(2, 1),
                               "quiet=2x20", team(cores, 2)});
    const Report report = report_of(placement(compiler, bind, steps));
    expect_inside(report, own_cpus());
    int seen = 0;
    for (const Placed& each : report.placed) {
      if (each.region < regions) continue;
      ++seen;
      EXPECT_TRUE(inside(each.mask, mask) && mask.contains(each.cpu)) << report.at(each);
      EXPECT_TRUE(each.is_worker() || each.mask == mask) << report.at(each);
    }
    EXPECT_GT(seen, 0);
    for (const Cpus& each : report.threads) EXPECT_TRUE(inside(each, mask)) << report.text();
  }
}

/// Counts the lines "TID NAME(..." of strace -f between two marks, which the opener makes. What the runtimes
/// wait with is not in there.
std::map<std::string, int> calls_in(const std::string& path, int& marks) {
  std::map<std::string, int> calls;
  for (const std::string& line : lines_of(contents_of(path))) {
    const std::size_t begin = line.find_first_not_of(' ', line.find(' '));
    const std::size_t end = line.find('(');
    if (begin == std::string::npos || end == std::string::npos || std::islower(line[begin]) == 0) continue;
    const std::string name = line.substr(begin, end - begin);
    if (name == "getppid")
      ++marks;
    else if (marks == 1)
      ++calls[name];
  }
  return calls;
}

TEST_F(Placement, SystemCallsAreNotMadeFromRegionToRegion) {
  const TemporaryFolder folder;
  const Steps strace = {"/usr/bin/strace",
                        "--seccomp-bpf",
                        "-f",
                        "-qq",
                        "-e",
                        "trace=!futex,sched_yield",
                        "-e",
                        "signal=none",
                        "-o",
                        folder / "calls"};
  Steps nothing(strace.begin() + 1, strace.end());
  nothing.emplace_back("/bin/true");
  if (access(strace[0].c_str(), X_OK) != 0 || !Program(strace[0], nothing).run().succeeded() ||
      contents_of(folder / "calls").empty())
    GTEST_SKIP() << "there is no strace here, or it must not trace";
  const int members = std::min(cores_, 8);
  const std::string quiet = "quiet=" + std::to_string(members) + "x";
  // In the third row the runtime pins.
  for (const auto& [compiler, bind, by_runtime] :
       {std::tuple{"", "close", ""}, std::tuple{"_gcc", "auto", ""}, std::tuple{"", "auto", "close"}}) {
    // The opener is kept where it belongs; when the system takes it elsewhere, moving it back costs calls. A
    // loop that comes again gets memory for what is remembered of it.
    Program program = placement(compiler, bind,
                                {team(members, 3), "busy=300", team(members, 2), "stay", quiet + "20", "mark",
                                 quiet + "2000", "mark"},
                                strace);
    if (*by_runtime != '\0') program.set("OMP_PROC_BIND", by_runtime);
    // Members spin while they wait, so that nothing but the library has a reason for system calls.
    program.set("OMP_WAIT_POLICY", "active")
        .set("GOMP_SPINCOUNT", "infinity")
        .set("KMP_BLOCKTIME", "infinite");
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    int marks = 0;
    EXPECT_THAT(calls_in(folder / "calls", marks), IsEmpty()) << compiler << bind;
    EXPECT_EQ(marks, 2) << outcome.text();
  }
}

} // namespace
