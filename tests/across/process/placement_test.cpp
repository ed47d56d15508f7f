// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_BIND=close, spread and none in real processes: which threads are pinned, which never are, and for
// how long; and what its user sees of that. placement_auto_test.cpp has auto, and masks from outside.
#include "placed.h"

namespace {

using namespace wstree::test;

/// Compiler ("" or "_gcc") and WSTREE_BIND.
class Bound : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
  void SetUp() override {
    if (cores_ < 2) GTEST_SKIP() << "one core: there is nowhere else to go";
  }

  static std::string compiler() { return std::get<0>(GetParam()); }
  static Report run(const std::vector<std::string>& steps) {
    return report_of(placement(compiler(), std::get<1>(GetParam()), steps));
  }

  const Cpus all_ = own_cpus();
  const int cores_ = static_cast<int>(cores_of(all_).size());
};

INSTANTIATE_TEST_SUITE_P(Placement, Bound,
                         testing::Combine(testing::Values("", "_gcc"), testing::Values("close", "spread")),
                         [](const auto& each) {
                           return std::string(std::get<1>(each.param)) +
                                  (*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(Bound, WorkersHaveACoreEach) {
  for (int members = 2; members <= cores_; members = members == cores_ ? cores_ + 1 : cores_) {
    const Report report = run({team(members, 4)});
    expect_inside(report, all_);
    expect_on_own_cores(report, 0, all_);
    expect_steady(report, 0, 0);
    expect_free_openers(report);
  }
}

TEST_P(Bound, TeamsOfChangingSize) {
  const Report report = run({team(cores_, 1), team(cores_ + 2, 1), team(2, 1), team(cores_, 1), team(1, 1),
                             team(cores_ + 1, 1), team(cores_, 2)});
  expect_inside(report, all_);
  for (const int region : {0, 3, 6, 7}) expect_on_own_cores(report, region, all_);
  expect_steady(report, 0, 6);
  expect_free_openers(report);
}

/// The worker's CPUs as a display shows them: 3 or 2-3 or 0,2.
std::string shown(const Cpus& cpus) {
  std::string text;
  for (auto each = cpus.begin(); each != cpus.end();) {
    auto last = each;
    while (std::next(last) != cpus.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(*each);
    if (last != each) text += "-" + std::to_string(*last);
    each = std::next(last);
  }
  return text;
}

TEST_P(Bound, EachPinnedMemberHasALineOnStderr) {
  Program shows = placement(compiler(), std::get<1>(GetParam()),
                            {team(cores_, 3), "quiet=" + std::to_string(cores_) + "x50"});
  const Report report = report_of(shows.set("OMP_DISPLAY_AFFINITY", "true"));
  expect_on_own_cores(report, 2, all_);
  const std::vector<std::string> lines = lines_of(report.outcome.err);
  for (const Placed& each : report.in(0, 2)) {
    if (!each.is_worker()) continue;
    const std::string line = "wstree: level 1 thread " + std::to_string(each.member) + " of " +
                             std::to_string(cores_) + " bound to CPU";
    const std::string cpus = ' ' + shown(each.mask);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), line + cpus) +
                  std::count(lines.begin(), lines.end(), line + 's' + cpus),
              1)
        << report.text();
  }
  EXPECT_THAT(report.outcome.out, testing::Not(testing::HasSubstr("wstree")));
}

// --- other threads that open regions

TEST_P(Bound, AnInnerTeamIsNotCrowdedOntoItsOpener) {
  const Report report = run({"nested=2x3", team(2, 1), "nested=2x3", team(4, 1), "nested=2x2"});
  expect_inside(report, all_);
  int inner = 0;
  for (const Placed& each : report.placed)
    if (each.level == 2 && each.is_worker()) {
      ++inner;
      EXPECT_EQ(each.mask, all_) << report.text();
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
  for (const Placed& each : report.placed)
    if (each.root == 1) {
      ++seen;
      EXPECT_EQ(each.mask, all_) << report.text();
    }
  EXPECT_EQ(seen, 20 * (cores_ + 1)) << report.text();
  expect_free_openers(report);
  expect_on_own_cores(report, 22, all_);
}

/// WSTREE_BIND and the build of libomp. (libgomp has no such team, and by itself it hangs now and then in a
/// region behind such a task.)
class BesideTheRuntimesOwnTeam : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Placement, BesideTheRuntimesOwnTeam,
                         testing::Combine(testing::Values("close", "spread", "auto"),
                                          testing::ValuesIn(libomp_builds())));

TEST_P(BesideTheRuntimesOwnTeam, WorkersArePinnedAsEver) {
  const Cpus all = own_cpus();
  const int cores = static_cast<int>(cores_of(all).size());
  if (cores < 2) GTEST_SKIP() << "one core: there is nowhere else to go";
  const auto& [bind, build] = GetParam();
  const bool is_auto = bind == "auto";
  if (is_auto && has_too_small_a_quota(cores)) GTEST_SKIP() << "a control group grants too little time";
  for (const bool is_first : {true, false}) {
    std::vector<std::string> steps = {team(cores, 2), k_until_decided, team(cores, 3)};
    steps.insert(is_first ? steps.begin() : steps.end() - 1, "deferred");
    const Report report = report_of(placement("", bind, steps).libomp(build));
    expect_inside(report, all);
    for (int region = is_auto ? 2 : 0; region < 5; ++region) expect_on_own_cores(report, region, all);
    expect_steady(report, 0, is_auto ? 2 : 0);
    expect_free_openers(report);
    // Of all threads the workers alone are pinned.
    EXPECT_EQ(std::count_if(report.threads.begin(), report.threads.end(),
                            [&](const Cpus& mask) { return mask != all; }),
              cores - 1)
        << report.text();
  }
}

// --- the program has masks of its own

TEST_P(Bound, AWorkerThatTheProgramPinsStaysThere) {
  const std::string size = std::to_string(cores_);
  const Report before = run({team(cores_, 1)});
  ASSERT_EQ(before.in(0, 0).size(), static_cast<std::size_t>(cores_)) << before.text();
  int elsewhere = -1; // a CPU that worker 1 is not pinned to
  for (const Placed& each : before.in(0, 0))
    if (each.member == 1)
      for (const int cpu : all_)
        if (!each.mask.contains(cpu)) elsewhere = cpu;
  ASSERT_NE(elsewhere, -1) << before.text();
  const Report report = run({team(cores_, 1), "pin=1:" + std::to_string(elsewhere), team(cores_, 2),
                             team(cores_ + 1, 1), "quiet=" + size + "x20", team(cores_, 1)});
  expect_inside(report, all_);
  for (const Placed& each : report.placed)
    if (each.region > 0 && each.member == 1) {
      EXPECT_EQ(each.mask, Cpus{elsewhere}) << report.text();
    }
}

TEST_P(Bound, AnOpenerThatChangesItsMaskKeepsIt) {
  for (const int cpu : {*all_.begin(), *all_.rbegin()}) {
    const Report report = run({team(cores_, 1), "opener=" + std::to_string(cpu), team(cores_, 3),
                               "quiet=" + std::to_string(cores_) + "x50", team(cores_, 1)});
    expect_inside(report, all_);
    for (const Placed& each : report.placed) {
      if (each.region == 0 || each.is_worker()) continue;
      EXPECT_EQ(each.mask, Cpus{cpu}) << report.text();
      if (each.members > 0) {
        EXPECT_EQ(each.cpu, cpu) << report.text();
      }
    }
  }
}

// --- children

TEST_P(Bound, AChildOfAProcessWithPinnedWorkersStartsUnpinned) {
  // In a thread of its own: libgomp's pool does not survive a fork.
  const Report report = run({team(cores_, 2), "child", "late", team(cores_, 2)});
  expect_inside(report, all_);
  ASSERT_EQ(report.start.size(), 2U) << report.text();
  EXPECT_EQ(report.start[0], all_) << report.text(); // the child's, which is printed first
  for (const Placed& each : report.placed)
    if (each.process == 1 && !each.is_worker()) {
      EXPECT_EQ(each.mask, all_) << report.text();
    }
}

// --- the user's places

TEST_P(Bound, ThePlacesOfTheUserAreTakenInTheirOrder) {
  std::string places;
  std::vector<int> order;
  for (auto cpu = all_.rbegin(); cpu != all_.rend(); ++cpu) {
    places += (places.empty() ? "{" : ",{") + std::to_string(*cpu) + "}";
    order.push_back(*cpu);
  }
  Program program = placement(compiler(), std::get<1>(GetParam()), {team(static_cast<int>(all_.size()), 2)});
  const Report report = report_of(program.set("OMP_PROC_BIND", "false").set("OMP_PLACES", places));
  expect_inside(report, all_);
  for (const Placed& each : report.placed)
    if (each.is_worker()) {
      EXPECT_EQ(each.mask, Cpus{order[static_cast<std::size_t>(each.member)]}) << report.text();
    }
  expect_free_openers(report);
}

TEST_P(Bound, TheRuntimesPinsStay) {
  const std::vector<std::string> steps = {team(cores_, 3)};
  for (const char* how : {"close", "spread", "master", "true"}) {
    const Report native = report_of(native_placement(compiler(), steps).set("OMP_PROC_BIND", how));
    Program program = placement(compiler(), std::get<1>(GetParam()), steps);
    const Report report = report_of(program.set("OMP_PROC_BIND", how));
    expect_inside(report, all_);
    ASSERT_EQ(report.placed.size(), native.placed.size()) << report.text();
    for (std::size_t i = 0; i < native.placed.size(); ++i)
      EXPECT_EQ(report.placed[i].mask, native.placed[i].mask) << how << '\n' << report.text();
  }
}

// --- none

class Unbound : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Placement, Unbound, testing::Values("", "_gcc"),
                         [](const auto& each) { return *each.param == 0 ? "libomp" : "libgomp"; });

/// A look at the machine opens files, and needs stack; so do rules. Compiler, what is confined, and
/// WSTREE_BIND.
class Confined : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(Confined, NothingEnds) {
  const auto& [compiler, what, bind] = GetParam();
  Program program(std::string("confined") + compiler, {what});
  const Outcome native = program.set("OMP_SCHEDULE", "dynamic").run();
  if (native.status != 0) GTEST_SKIP() << "the runtime itself cannot live like that: " << native.text();
  program.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_BIND", bind).set("WSTREE_RULES", "* wsrange");
  EXPECT_EQ(program.run().text(), native.text());
}

INSTANTIATE_TEST_SUITE_P(Placement, Confined,
                         testing::Combine(testing::Values("", "_gcc"),
                                          testing::Values("stack", "least_stack", "calls", "late_calls",
                                                          "inner_calls", "inner_late_calls",
                                                          "inner_syscall_calls", "inner_bare_late_calls"),
                                          testing::Values("close", "none")));

TEST_P(Unbound, EveryMaskIsLeftAlone) {
  const int cores = static_cast<int>(cores_of(own_cpus()).size());
  expect_unpinned(report_of(placement(GetParam(), "none",
                                      {team(cores, 2), k_until_decided, team(cores, 2), team(cores + 1, 1),
                                       "nested=2x2", "roots=2x3", team(2, 2)})));
}

TEST_P(Unbound, ALibraryThatIsNotAskedForPinsNoThread) {
  const int cores = static_cast<int>(cores_of(own_cpus()).size());
  for (const char* bind : {"close", "auto"}) {
    Program program = placement(GetParam(), bind, {team(cores, 2), k_until_decided, team(cores, 2)});
    expect_unpinned(report_of(program.set("OMP_SCHEDULE", "dynamic")));
  }
}

} // namespace
