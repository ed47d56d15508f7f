// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment that `wstree run` gives to a program; and `wstree env`: every option of the table, and what
// the environment makes of it.
#include "command.h"

#include "inspect/sanitizers.h"
#include "run/team_choice.h"
#include "support/environment.h"

namespace wstree::test {
namespace {

using nlohmann::json;
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

TEST(Environment, HasTheOptionsAndKeepsEverythingElse) {
  struct Row {
    std::vector<std::string> options;
    Environment before;
    std::map<std::string, std::optional<std::string>> seen;
    std::string err = ""; ///< beginning of the one line, if there is one
  };
  const Row table[] = {
      {{},
       {{"OMP_NUM_THREADS", "2"}, {"A", "b=c d"}, {"WSTREE_BATCH", "fixed"}, {"EMPTY", ""}},
       {{"OMP_NUM_THREADS", "2"},
        {"A", "b=c d"},
        {"WSTREE_BATCH", "fixed"},
        {"EMPTY", ""},
        {"WSTREE_STRATEGY", std::nullopt},
        {"WSTREE_VERBOSE", std::nullopt}}},
      {{}, {}, {{"OMP_SCHEDULE", "wstree"}}},
      {{"--chunk", "64"}, {}, {{"OMP_SCHEDULE", "wstree,64"}}},
      {{"--schedule", "dynamic,1"}, {}, {{"OMP_SCHEDULE", "dynamic,1"}}},
      {{"--schedule", "nonmonotonic:guided", "--chunk=8"}, {}, {{"OMP_SCHEDULE", "nonmonotonic:guided,8"}}},
      {{"--schedule", "static_steal,2"}, {}, {{"OMP_SCHEDULE", "static_steal,2"}}},
      {{},
       {{"OMP_SCHEDULE", "dynamic,4"}},
       {{"OMP_SCHEDULE", "wstree"}},
       "wstree: OMP_SCHEDULE='dynamic,4' is set, but this run uses 'wstree'; to keep it, say --schedule "
       "dynamic,4\n"},
      {{}, {{"OMP_SCHEDULE", "WSTREE , 8"}}, {{"OMP_SCHEDULE", "WSTREE , 8"}}},
      {{}, {{"OMP_SCHEDULE", "nonmonotonic:wstree,8"}}, {{"OMP_SCHEDULE", "nonmonotonic:wstree,8"}}},
      {{}, {{"OMP_SCHEDULE", "WsFixed,64"}}, {{"OMP_SCHEDULE", "WsFixed,64"}}},
      {{"--chunk=2"}, {{"OMP_SCHEDULE", "wstree,8"}}, {{"OMP_SCHEDULE", "wstree,2"}}},
      {{"--chunk=2"}, {{"OMP_SCHEDULE", "wsqueue"}}, {{"OMP_SCHEDULE", "wsqueue,2"}}},
      {{"--chunk=2"}, {{"OMP_SCHEDULE", "monotonic:wsfac2,8"}}, {{"OMP_SCHEDULE", "monotonic:wsfac2,2"}}},
      {{"--loops", "runtime, dynamic", "--strategy", "assign", "--batch=fixed:8", "--fallback", "dynamic,2",
        "--bind", "close", "--stats=json=x y"},
       {{"WSTREE_STRATEGY", "findmax"}, {"WSTREE_STATS", "0"}},
       {{"WSTREE_STRATEGY", "assign"},
        {"WSTREE_LOOPS", "runtime, dynamic"},
        {"WSTREE_BATCH", "fixed:8"},
        {"WSTREE_FALLBACK", "dynamic,2"},
        {"WSTREE_BIND", "close"},
        {"WSTREE_STATS", "json=x y"}},
       "wstree: "}, // it has no OpenMP loop to serve, and figures were asked for
      {{"--stats=json"}, {}, {{"WSTREE_STATS", "json"}}, "wstree: "},
      {{"--stats=text=%e.txt"}, {}, {{"WSTREE_STATS", "text=%e.txt"}}, "wstree: "},
  };
  for (const auto& [options, before, seen, err] : table) {
    SCOPED_TRACE(testing::PrintToString(options) + testing::PrintToString(before));
    const auto result = show(options, before);
    for (const auto& [name, value] : seen) EXPECT_EQ(result.variable(name), value) << name;
    EXPECT_TRUE(err.empty() ? result.err.empty() : result.err.starts_with(err)) << result.err;
  }
  // The command shows statistics itself, with the names of the loops.
  EXPECT_THAT(show({"--stats"}).variable("WSTREE_STATS").value_or(""), testing::MatchesRegex("json=/.*/%p"));
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

using Names = std::vector<std::string>;

const Names& names_in_table() {
  static const Names names{
#define WSTREE_OPTION(id, name, accepted, standard, meaning) name,
#include "options.def"
  };
  return names;
}

Result env(Names options, const std::map<std::string, std::string>& environment) {
  Start start{.arguments = {"env"}, .environment = environment};
  start.arguments.insert(start.arguments.end(), options.begin(), options.end());
  return run(start);
}

/// The entry of one option in the JSON form.
json option(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto document = json::parse(env({"--json"}, environment).out);
  for (const auto& entry : document["options"]) {
    if (entry["name"] == name) return entry;
  }
  return nullptr;
}

TEST(Env, ListsExactlyTheTableAsJson) {
  const auto result = env({"--json"}, {});
  const auto document = json::parse(result.out);
  Names names;
  for (const auto& entry : document["options"]) {
    names.push_back(entry["name"]);
    EXPECT_EQ(entry["origin"], "default");
    EXPECT_FALSE(entry["accepted"].get<std::string>().empty());
    EXPECT_FALSE(entry["meaning"].get<std::string>().empty());
    if (entry["name"] != "OMP_SCHEDULE") {
      EXPECT_EQ(entry["value"], entry["default"]);
    }
  }
  EXPECT_EQ(names, names_in_table());
  EXPECT_EQ(document["version"], WSTREE_VERSION);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.status(), 0);
}

TEST(Env, ShowsValuesInForce) {
  const struct {
    const char *name, *value, *shown;
  } rows[] = {{"OMP_SCHEDULE", " WSTREE, 8", "wstree,8"},
              {"WSTREE_LOOPS", "Guided , runtime", "runtime,guided"},
              {"WSTREE_STRATEGY", "Assign", "assign"},
              {"WSTREE_BATCH", "fixed", "fixed:64"},
              {"WSTREE_HISTORY", "Off ", "off"},
              {"WSTREE_FALLBACK", "dynamic , 4", "dynamic,4"},
              {"WSTREE_STATS", "json=/tmp/x y", "json=/tmp/x y"},
              {"WSTREE_COUNTERS", "1", "1"},
              {"WSTREE_OMPT", "1", "1"},
              {"WSTREE_VERBOSE", "1", "1"},
              {"OMP_DISPLAY_ENV", "TRUE", "true"},
              {"WSTREE_BIND", " None", "none"},
              {"OMP_DISPLAY_AFFINITY", "1", "true"},
              {"OMP_AFFINITY_FORMAT", "%n: %A", "%n: %A"},
              {"WSTREE_RECORD", " /tmp/%e.profile", "/tmp/%e.profile"},
              {"WSTREE_TRACE", " /tmp/%e.trace", "/tmp/%e.trace"},
              {"WSTREE_TRACE_EVENTS", " 100", "100"},
              {"WSTREE_THREADS", " Auto", "auto"},
              {"WSTREE_WAIT", "AUTO", "auto"},
              {"WSTREE_RULES", "libfft* runtime", "libfft* runtime"}};
  EXPECT_EQ(std::size(rows), names_in_table().size());
  std::map<std::string, std::string> environment;
  for (const auto& row : rows) environment[row.name] = row.value;
  const auto document = json::parse(env({"--json"}, environment).out);
  for (const auto& row : rows)
    for (const auto& entry : document["options"])
      if (entry["name"] == row.name) {
        EXPECT_EQ(entry["value"], row.shown) << row.name;
        EXPECT_EQ(entry["origin"], "environment") << row.name;
      }
  EXPECT_THAT(env({}, environment).out, HasSubstr("WSTREE_STRATEGY=assign  (environment)\n"));
}

TEST(Env, ReportsBadValuesAndShowsWhatIsUsed) {
  const std::map<std::string, std::string> environment{
      {"WSTREE_STRATEGY", "foo"}, {"OMP_SCHEDULE", "wstree,x"}, {"WSTREE_BATHC", "1"}};
  const auto result = env({"--json"}, environment);
  EXPECT_EQ(result.status(), 0);
  EXPECT_THAT(result.err, HasSubstr("wstree: WSTREE_STRATEGY='foo' is not understood (accepted: predefined"));
  EXPECT_THAT(result.err, HasSubstr("wstree: OMP_SCHEDULE='wstree,x' is not understood"));
  EXPECT_THAT(result.err, HasSubstr("did you mean WSTREE_BATCH?"));
  EXPECT_EQ(option(environment, "WSTREE_STRATEGY")["value"], "findmax");
  EXPECT_EQ(option(environment, "WSTREE_STRATEGY")["origin"], "default");
}

TEST(Env, SurvivesBytesThatAreNoText) {
  EXPECT_EQ(option({{"WSTREE_STATS", "json=\xff\xfe"}}, "WSTREE_STATS")["value"],
            "json=\xEF\xBF\xBD\xEF\xBF\xBD");
  Start start{.arguments = {"env"}};
  start.environment["WSTREE_STATS"] = "json=\xff\x1b\xc3\xa4";
  EXPECT_THAT(run(start).out, HasSubstr("WSTREE_STATS=json=?\?\xc3\xa4  (environment)"));
}

TEST(Env, FailsWhenItCannotBePrinted) {
  const auto result = run({.arguments = {"-c", WSTREE_CLI " env >/dev/full"}, .executable = "/bin/sh"});
  EXPECT_EQ(result.status(), 125);
  EXPECT_THAT(result.err, HasSubstr("standard output cannot be written to"));
}

} // namespace
} // namespace wstree::test
