// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment that `wstree run` gives to a program.
#include "command.h"

#include "inspect/sanitizers.h"
#include "run/team_choice.h"
#include "support/environment.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>

namespace wstree::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Environment = std::map<std::string, std::string>;

Result show(std::vector<std::string> options, const Environment& more = {}) {
  Start start{.arguments = {"run"}};
  start.arguments.insert(start.arguments.end(), options.begin(), options.end());
  start.arguments.push_back(target("show"));
  for (const auto& [name, value] : more) start.environment[name] = value;
  return run(start);
}

TEST(Environment, HasTheLibraryPreloaded) {
  const auto result = show({});
  EXPECT_EQ(result.variable("LD_PRELOAD"), CLI_STAND_IN);
  const auto libraries = result.facts("library");
  EXPECT_NE(std::find(libraries.begin(), libraries.end(), CLI_STAND_IN), libraries.end());
}

TEST(Environment, KeepsOtherPreloadedLibrariesBehindOurs) {
  const std::string other = CLI_OTHER_PRELOAD;
  for (const std::string& present : {other, "libm.so.6:" + other, "libm.so.6 " + other}) {
    const auto result = show({}, {{"LD_PRELOAD", present}});
    EXPECT_EQ(result.variable("LD_PRELOAD"), CLI_STAND_IN ":" + present);
    const auto libraries = result.facts("library");
    const auto ours = std::find(libraries.begin(), libraries.end(), CLI_STAND_IN);
    const auto theirs = std::find(libraries.begin(), libraries.end(), other);
    ASSERT_NE(theirs, libraries.end());
    EXPECT_LT(ours, theirs);
  }
}

TEST(Environment, LetsIdleThreadsSpinForLessTime) {
  const auto chosen = [](const std::vector<std::string>& variables, unsigned cpus) {
    cli::Environment environment(variables);
    place::FoundCpus found;
    found.usable.count = cpus;
    cli::choose_waiting(environment, found);
    return environment.get("WSTREE_WAIT").value_or("-") + " " +
           environment.get("GOMP_SPINCOUNT").value_or("-");
  };
  EXPECT_EQ(chosen({}, 2), "auto 10000");
  EXPECT_EQ(chosen({}, 64), "auto -") << "longer than libgomp itself";
  EXPECT_EQ(chosen({"WSTREE_WAIT=off"}, 2), "off -");
  EXPECT_EQ(chosen({"OMP_WAIT_POLICY=active"}, 2), "auto -");
  EXPECT_EQ(chosen({"GOMP_SPINCOUNT=7"}, 2), "auto 7");
}

TEST(Environment, OnlySanitizersStandInFrontOfTheLibrary) {
  const auto preload = [](const std::string& before, const std::vector<std::string>& needed) {
    cli::Environment environment({"LD_PRELOAD=" + before});
    environment.preload_first("/l/w.so", needed);
    return environment.get("LD_PRELOAD").value_or("");
  };
  EXPECT_EQ(preload("", {"/x/libasan.so.8", "/x/libubsan.so.1"}), "/x/libasan.so.8:/x/libubsan.so.1:/l/w.so");
  EXPECT_EQ(preload("libm.so.6 libasan.so.8:libc.so.6", {}), "libasan.so.8:/l/w.so:libm.so.6 libc.so.6");
  EXPECT_EQ(preload("libasan.so.8", {"/x/libasan.so.8"}), "libasan.so.8:/l/w.so");
  EXPECT_EQ(preload("libasan.so.8:/l/w.so:libm.so.6", {"/x/libasan.so.8"}), "libasan.so.8:/l/w.so:libm.so.6");
  EXPECT_EQ(preload("a:b c", {}), "/l/w.so:a:b c");
  EXPECT_EQ(preload("", {"/x y/libasan.so.8", "/x:/libubsan.so.1"}), "/l/w.so");
}

TEST(Environment, KeepsEverythingElse) {
  const auto result =
      show({}, {{"OMP_NUM_THREADS", "2"}, {"A", "b=c d"}, {"WSTREE_BATCH", "fixed"}, {"EMPTY", ""}});
  EXPECT_EQ(result.variable("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(result.variable("A"), "b=c d");
  EXPECT_EQ(result.variable("WSTREE_BATCH"), "fixed");
  EXPECT_EQ(result.variable("EMPTY"), "");
  EXPECT_EQ(result.variable("WSTREE_STRATEGY"), std::nullopt);
  EXPECT_EQ(result.variable("WSTREE_VERBOSE"), std::nullopt);
}

TEST(Environment, HasTheSchedule) {
  const std::pair<std::vector<std::string>, const char*> table[] = {
      {{}, "wstree"},
      {{"--chunk", "64"}, "wstree,64"},
      {{"--schedule", "dynamic,1"}, "dynamic,1"},
      {{"--schedule", "nonmonotonic:guided", "--chunk=8"}, "nonmonotonic:guided,8"},
      {{"--schedule", "static_steal,2"}, "static_steal,2"},
  };
  for (const auto& [options, schedule] : table) EXPECT_EQ(show(options).variable("OMP_SCHEDULE"), schedule);
}

TEST(Environment, OverridesAnotherScheduleWithAWarning) {
  const auto result = show({}, {{"OMP_SCHEDULE", "dynamic,4"}});
  EXPECT_EQ(result.variable("OMP_SCHEDULE"), "wstree");
  EXPECT_EQ(result.err,
            "wstree: OMP_SCHEDULE='dynamic,4' is set, but this run uses 'wstree'; to keep it, say "
            "--schedule dynamic,4\n");
}

TEST(Environment, KeepsAKindAndChunkThatTheUserHasSet) {
  for (const std::string present :
       {"wstree", "WSTREE , 8", "nonmonotonic:wstree,8", "wsrange", "WsFixed,64"}) {
    const auto result = show({}, {{"OMP_SCHEDULE", present}});
    EXPECT_EQ(result.variable("OMP_SCHEDULE"), present);
    EXPECT_EQ(result.err, "");
  }
  EXPECT_EQ(show({"--chunk=2"}, {{"OMP_SCHEDULE", "wstree,8"}}).variable("OMP_SCHEDULE"), "wstree,2");
  EXPECT_EQ(show({"--chunk=2"}, {{"OMP_SCHEDULE", "wsqueue"}}).variable("OMP_SCHEDULE"), "wsqueue,2");
  EXPECT_EQ(show({"--chunk=2"}, {{"OMP_SCHEDULE", "monotonic:wsfac2,8"}}).variable("OMP_SCHEDULE"),
            "monotonic:wsfac2,2");
}

TEST(Environment, HasTheOptions) {
  const auto result = show({"--loops", "runtime, dynamic", "--strategy", "assign", "--batch=fixed:8",
                            "--fallback", "dynamic,2", "--bind", "close", "--stats=json=x y"},
                           {{"WSTREE_STRATEGY", "findmax"}, {"WSTREE_STATS", "0"}});
  EXPECT_EQ(result.variable("WSTREE_STRATEGY"), "assign");
  EXPECT_EQ(result.variable("WSTREE_LOOPS"), "runtime, dynamic");
  EXPECT_EQ(result.variable("WSTREE_BATCH"), "fixed:8");
  EXPECT_EQ(result.variable("WSTREE_FALLBACK"), "dynamic,2");
  EXPECT_EQ(result.variable("WSTREE_BIND"), "close");
  EXPECT_EQ(result.variable("WSTREE_STATS"), "json=x y");
  EXPECT_THAT(result.err, HasSubstr("has no OpenMP loop to serve")); // as figures were asked for
}

TEST(Environment, StatsNeedNoValueAndTakeNoArgument) {
  // The command shows them itself, with the names of the loops.
  EXPECT_THAT(show({"--stats"}).variable("WSTREE_STATS").value_or(""), testing::MatchesRegex("json=/.*/%p"));
  EXPECT_EQ(show({"--stats=json"}).variable("WSTREE_STATS"), "json");
  EXPECT_EQ(show({"--stats=text=%e.txt"}).variable("WSTREE_STATS"), "text=%e.txt");
}

// The loader would take such a path for several.
TEST(Environment, RefusesALibraryThatCannotBePreloaded) {
  const TemporaryFolder folder;
  for (const auto* name : {"with blank.so", "with:colon.so"}) {
    std::filesystem::copy(CLI_STAND_IN, folder.path() / name);
    const auto result = show({}, {{"WSTREE_LIBRARY", folder.path() / name}});
    EXPECT_EQ(result.status(), 125);
    EXPECT_THAT(result.err, HasSubstr("which has a blank or a colon in it"));
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST(Values, AreCheckedBeforeTheProgramStarts) {
  const std::pair<const char*, const char*> table[] = {
      {"--strategy foo", "--strategy 'foo' is not understood (accepted: predefined, assign, "},
      {"--loops runtime,dynamc",
       "--loops 'runtime,dynamc' is not understood; did you mean dynamic? (accepted: comma-"},
      {"--strategy fndmax", "--strategy 'fndmax' is not understood; did you mean findmax? (accepted: "},
      {"--strategy=", "'--strategy' needs a value"},
      {"--fallback wstree", "--fallback 'wstree' is not understood (accepted: static, "},
      {"--chunk 0", "--chunk '0' is not understood (accepted: a number of iterations from 1 to "},
      {"--schedule wsqeue,4", "--schedule 'wsqeue,4' is not understood; did you mean wsqueue? ("},
      {"--schedule wsfixed --chunk 67108864",
       "--chunk '67108864' is not understood (accepted: a number of iterations from 1 to 67108863)"},
      {"--schedule dynamic,4 --chunk 8", "--schedule 'dynamic,4' has a chunk already; "},
      {"--stragety assign",
       "'--stragety' is not expected here; did you mean --strategy? see wstree run --help"},
  };
  for (const auto& [options, line] : table) {
    std::istringstream words(options);
    const auto result = show({std::istream_iterator<std::string>(words), {}});
    EXPECT_EQ(result.status(), 125) << options;
    EXPECT_EQ(result.out, "") << options;
    EXPECT_THAT(result.err, StartsWith(std::string("wstree: ") + line));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << options;
  }
}

} // namespace
} // namespace wstree::test
