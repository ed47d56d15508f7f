// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons of wstree compare with made-up times of another day; the figures of --counters.
#include "compare/baseline.h"
#include "compare/counters.h"
#include "compare/show.h"
#include "folder.h"

#include "usual.h"

#include <nlohmann/json.hpp>
#include <spawn.h>

namespace wstree::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class Baselines : public testing::Test {
protected:
  static std::vector<double> times(double seconds) {
    std::vector<double> all;
    for (int i = 0; i < 10; ++i) all.push_back(seconds * (1 + 0.002 * (i * 7 % 5)));
    return all;
  }
  static Contest contest(double as_it_is, double tree, double processor = 1) {
    Contest contest;
    contest.rounds = 10;
    contest.samples = {{{k_as_it_is, Role::as_it_is}, times(as_it_is)},
                       {{k_tree, Role::tree, true}, times(tree)}};
    for (auto& samples : contest.samples) {
      samples.cpu_seconds = samples.seconds;
      samples.outputs = {1};
    }
    contest.countdown = times(0.005 * processor);
    contest.loops = {{"a.c:1 f()", "a.c", 1, 10}};
    contest.loops[0].seconds[k_tree] = times(tree / 2);
    return contest;
  }
  void save(const Contest& contest) const {
    const auto text = baseline_json(file_, comparison_json(contest, judge(contest)));
    std::ofstream(file_) << text;
  }
  [[nodiscard]] Changes changes(const Contest& now, double tolerance = k_usual_tolerance) const {
    const auto baseline = read_baseline(file_);
    EXPECT_EQ(baseline.problem, "");
    return changes_since(baseline, now, tolerance);
  }

  test::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "base.json";
};

TEST_F(Baselines, AlarmOnlyBeyondTheTolerance) {
  save(contest(1, 0.8));
  EXPECT_FALSE(changes(contest(1, 0.8)).is_slower());
  EXPECT_FALSE(changes(contest(1.015, 0.81)).is_slower());
  EXPECT_TRUE(changes(contest(1.05, 0.84)).is_slower());
  EXPECT_TRUE(changes(contest(1, 0.84)).is_slower()) << "the tree alone";
  EXPECT_FALSE(changes(contest(1.05, 0.84), 6).is_slower());
  EXPECT_FALSE(changes(contest(0.5, 0.4)).is_slower());
  const auto slow = changes(contest(1.1, 0.88, 1.1));
  EXPECT_FALSE(slow.is_slower());
  EXPECT_THAT(changes_text(slow, "base", 2), HasSubstr("The processor is 10.0 % slower than it was."));
  EXPECT_TRUE(changes(contest(1.3, 0.88, 1.1)).is_slower());
}

TEST_F(Baselines, KeepEverySessionAndCompareWithTheSlowest) {
  save(contest(1.04, 0.8));
  save(contest(1, 0.83));
  EXPECT_EQ(read_baseline(file_).sessions.size(), 2U);
  EXPECT_FALSE(changes(contest(1.05, 0.84)).is_slower()) << "each was as slow on some day";
  EXPECT_TRUE(changes(contest(1.08, 0.83)).is_slower());
  for (int i = 0; i < 12; ++i) save(contest(1, 0.8));
  EXPECT_EQ(read_baseline(file_).sessions.size(), 10U) << "the oldest ones go";
}

TEST_F(Baselines, AreRefusedIfTheyAreNone) {
  EXPECT_THAT(read_baseline(file_).problem, HasSubstr("cannot be read"));
  for (const char* const text :
       {"", "[]", "{\"variants\": 7}", "{\"variants\": [{\"name\": 3}], \"loops\": {}}",
        "{\"variants\": [{\"name\": \"wstree\", \"seconds\": [1]}]}"}) {
    std::ofstream(file_) << text;
    EXPECT_THAT(read_baseline(file_).problem, HasSubstr("base.json")) << text;
  }
}

TEST_F(Baselines, AreRefusedIfAMemberIsDamaged) {
  using Json = nlohmann::json;
  save(contest(1, 0.8));
  save(contest(1, 0.8));
  std::ifstream file(file_);
  const auto whole = Json::parse(file);
  const auto refusal = [&](const std::string& pointer, const Json& value) {
    auto damaged = whole;
    damaged[Json::json_pointer(pointer)] = value;
    std::ofstream(file_) << damaged.dump();
    return read_baseline(file_).problem;
  };
  EXPECT_EQ(refusal("/rounds", 10), "");
  EXPECT_EQ(refusal("/loops/0/variants/wstree/seconds", {0, 0.1}), "") << "a loop may be that short";
  const std::string is = "'" + file_.string() + "' is damaged: ";
  for (const Json& seconds : std::initializer_list<Json>{{"a", "b"}, Json::array(), {0.1, -0.1}, nullptr})
    EXPECT_THAT(refusal("/earlier/0/variants/0/seconds", seconds),
                testing::StartsWith(is + "earlier[0].variants[0].seconds is no list"));
  for (const char* const member :
       {"/variants", "/variants/1", "/variants/1/role", "/rounds", "/countdown_seconds", "/host",
        "/arguments", "/loops/0/variants/wstree/seconds"})
    EXPECT_THAT(refusal(member, -1.5), testing::StartsWith(is)) << member;
}

TEST_F(Baselines, KnowTheirProgramAndItsArguments) {
  auto session = contest(1, 0.8);
  session.program = "old/heat\xff", session.arguments = {"4096", "\xff"};
  save(session);
  const auto baseline = read_baseline(file_);
  EXPECT_EQ(baseline.problem, "");
  EXPECT_EQ(other_program(baseline, "/new/heat\xff"), "") << "a build in another folder";
  EXPECT_EQ(other_arguments(baseline, session.arguments), "");
  EXPECT_THAT(other_program(baseline, "old/wave"), HasSubstr("and the program is 'old/wave' now"));
  EXPECT_THAT(other_arguments(baseline, {"8192"}), HasSubstr("which are '8192' now"));
  session.program = "wave";
  save(session);
  EXPECT_NE(other_program(read_baseline(file_), "wave"), "") << "an earlier session is of another program";
}

class Counters : public testing::Test {
protected:
  void zone(const std::string& name, const std::string& microjoules) const {
    folder_.write(name + "/energy_uj", microjoules + '\n');
    folder_.write(name + "/max_energy_range_uj", "10000000\n");
  }

  test::TemporaryFolder folder_;
};

TEST_F(Counters, AddsTheEnergyOfPackages) {
  zone("intel-rapl:0", "1000000");
  zone("intel-rapl:1", "9000000");
  zone("intel-rapl:0:0", "1"); // a part of the first
  const RunCounters counters(folder_.path());
  zone("intel-rapl:0", "1500000");
  zone("intel-rapl:1", "2000000"); // it began again
  ASSERT_TRUE(counters.read()[k_energy]);
  EXPECT_NEAR(*counters.read()[k_energy], 0.5 + 3, 1e-9);
  EXPECT_THAT(counters.problem(), Not(HasSubstr("Energy")));
}

TEST_F(Counters, SayWhatCannotBeCounted) {
  const RunCounters counters(folder_.path());
  EXPECT_FALSE(counters.read()[k_energy]);
  EXPECT_THAT(counters.problem(), HasSubstr("Energy is not known"));
}

TEST_F(Counters, CountTheProgramThatIsStarted) {
  const RunCounters counters(folder_.path());
  if (counters.problem().find("Context switches") != std::string::npos)
    GTEST_SKIP() << "the system lets nothing be counted: " << counters.problem();
  char shell[] = "/bin/sh", option[] = "-c", text[] = "for i in 1 2 3 4 5 6 7 8; do /bin/true; done";
  char* arguments[] = {shell, option, text, nullptr};
  pid_t child = 0;
  ASSERT_EQ(::posix_spawn(&child, shell, nullptr, nullptr, arguments, environ), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  // The shell waits for eight children.
  ASSERT_TRUE(counters.read()[k_context_switches]);
  EXPECT_GE(*counters.read()[k_context_switches], 8);
}

TEST(MediansOf, LeaveOutWhatOneRunLacks) {
  Counts first, second;
  first[k_cycles] = 1, second[k_cycles] = 3, first[k_energy] = 5;
  const auto medians = medians_of({first, second});
  EXPECT_EQ(medians[k_cycles], 2);
  EXPECT_FALSE(medians[k_energy]);
  EXPECT_FALSE(medians_of({})[k_cycles]);
}

} // namespace
} // namespace wstree::cli
