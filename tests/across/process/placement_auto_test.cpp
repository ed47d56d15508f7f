// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_BIND=auto, the default: when it pins, and all that keeps it from that.
#include "placed.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace wstree::test;
using ::testing::IsEmpty;

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

} // namespace
