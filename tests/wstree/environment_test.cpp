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

Result show(Arguments options, const Variables& more = {}) {
  Start start{.arguments = {"run"}};
  start.arguments.insert(start.arguments.end(), options.begin(), options.end());
  start.arguments.push_back(target("show"));
  for (const auto& [name, value] : more) start.environment[name] = value;
  return run(start);
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
  const auto chosen = [](const Arguments& variables, unsigned cpus) {
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
  const auto preload = [](const std::string& before, const Arguments& needed) {
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
    Arguments options;
    Variables before;
    std::map<std::string, std::optional<std::string>> seen;
    std::string err = ""; ///< beginning of the one line, if there is one
  };
  const Row table[] = {
      {{},
       {{"OMP_NUM_THREADS", "2"}, {"A", "b=c d"}, {"EMPTY", ""}},
       {{"OMP_NUM_THREADS", "2"},
        {"A", "b=c d"},
        {"EMPTY", ""},
        {"WSTREE_STRATEGY", {}},
        {"WSTREE_VERBOSE", {}}}},
      {{}, {}, {{"OMP_SCHEDULE", "wstree"}}},
      {{"--chunk", "64"}, {}, {{"OMP_SCHEDULE", "wstree,64"}}},
      {{"--schedule", "dynamic,1"}, {}, {{"OMP_SCHEDULE", "dynamic,1"}}},
      {{"--schedule", "nonmonotonic:guided", "--chunk=8"}, {}, {{"OMP_SCHEDULE", "nonmonotonic:guided,8"}}},
      {{"--schedule", "static_steal,2"}, {}, {{"OMP_SCHEDULE", "static_steal,2"}}},
      {{},
       {{"OMP_SCHEDULE", "dynamic,4"}},
       {{"OMP_SCHEDULE", "wstree"}},
       "wstree: OMP_SCHEDULE='dynamic,4' is set, but this run uses 'wstree'; to keep it, say --schedule "
       "dynamic,4"},
      {{}, {{"OMP_SCHEDULE", "WSTREE , 8"}}, {{"OMP_SCHEDULE", "WSTREE , 8"}}},
      {{}, {{"OMP_SCHEDULE", "nonmonotonic:wstree,8"}}, {{"OMP_SCHEDULE", "nonmonotonic:wstree,8"}}},
      {{}, {{"OMP_SCHEDULE", "WsFixed,64"}}, {{"OMP_SCHEDULE", "WsFixed,64"}}},
      {{"--chunk=2"}, {{"OMP_SCHEDULE", "wstree,8"}}, {{"OMP_SCHEDULE", "wstree,2"}}},
      {{"--chunk=2"}, {{"OMP_SCHEDULE", "wsqueue"}}, {{"OMP_SCHEDULE", "wsqueue,2"}}},
      {{"--chunk=2"}, {{"OMP_SCHEDULE", "monotonic:wsfac2,8"}}, {{"OMP_SCHEDULE", "monotonic:wsfac2,2"}}},
      {{"--loops", "runtime, dynamic", "--strategy", "assign", "--bind", "close", "--stats=json=x y"},
       {{"WSTREE_STRATEGY", "findmax"}, {"WSTREE_STATS", "0"}, {"WSTREE_BATCH", "fixed"}},
       {{"WSTREE_STRATEGY", "assign"},
        {"WSTREE_LOOPS", "runtime, dynamic"},
        {"WSTREE_BATCH", "fixed"},
        {"WSTREE_BIND", "close"},
        {"WSTREE_STATS", "json=x y"}},
       "wstree: "}, // it has no OpenMP loop to serve, and figures were asked for
      {{"--batch=fixed:8"}, {}, {{"WSTREE_BATCH", "fixed:8"}}},
      {{"--fallback", "dynamic,2"}, {}, {{"WSTREE_FALLBACK", "dynamic,2"}}},
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
    fs::copy(CLI_STAND_IN, folder.path() / name);
    const auto result = show({}, {{"WSTREE_LIBRARY", folder / name}});
    expect_refused(result, "");
    EXPECT_THAT(result.err, HasSubstr("which has a blank or a colon in it"));
  }
}

TEST(Values, AreCheckedBeforeTheProgramStarts) {
  const std::pair<const char*, const char*> table[] = {
      {"--strategy foo", "--strategy 'foo' is not understood (accepted: predefined, assign, "},
      {"--loops runtime,dynamc",
       "--loops 'runtime,dynamc' is not understood; did you mean dynamic? (accepted: "},
      {"--strategy fndmax", "--strategy 'fndmax' is not understood; did you mean findmax? (accepted: "},
      {"--strategy=", "'--strategy' needs a value"},
      {"--fallback wstree", "--fallback 'wstree' is not understood (accepted: static, "},
      {"--chunk 0", "--chunk '0' is not understood (accepted: a number of iterations from 1 to "},
      {"--schedule wsqeue,4", "--schedule 'wsqeue,4' is not understood; did you mean wsqueue? ("},
      {"--schedule wsfixed --chunk 67108864", "--chunk '67108864' is not understood (accepted: a number of "},
      {"--schedule dynamic,4 --chunk 8", "--schedule 'dynamic,4' has a chunk already; "},
      {"--stragety assign",
       "'--stragety' is not expected here; did you mean --strategy? see wstree run --help"},
  };
  for (const auto& [options, line] : table) {
    std::istringstream words(options);
    expect_refused(show({std::istream_iterator<std::string>(words), {}}), line);
  }
}

using Names = Arguments;

const Names k_table{
#define WSTREE_OPTION(id, name, accepted, standard, meaning) name,
#include "options.def"
};

Result env(Names options, const Variables& environment) {
  Start start{.arguments = {"env"}, .environment = environment};
  start.arguments.insert(start.arguments.end(), options.begin(), options.end());
  return run(start);
}

/// Options in the JSON form, by names.
std::map<std::string, json> options(const Variables& environment) {
  const auto document = json::parse(env({"--json"}, environment).out);
  std::map<std::string, json> found;
  for (const auto& entry : document["options"]) found[entry["name"]] = entry;
  return found;
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
  EXPECT_EQ(names, k_table);
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
  EXPECT_EQ(std::size(rows), k_table.size());
  Variables environment;
  for (const auto& row : rows) environment[row.name] = row.value;
  auto found = options(environment);
  for (const auto& row : rows) {
    EXPECT_EQ(found[row.name]["value"], row.shown) << row.name;
    EXPECT_EQ(found[row.name]["origin"], "environment") << row.name;
  }
  EXPECT_THAT(env({}, environment).out, HasSubstr("WSTREE_STRATEGY=assign  (environment)\n"));
}

TEST(Env, ReportsBadValuesAndShowsWhatIsUsed) {
  const Variables environment{
      {"WSTREE_STRATEGY", "foo"}, {"OMP_SCHEDULE", "wstree,x"}, {"WSTREE_BATHC", "1"}};
  const auto result = env({"--json"}, environment);
  EXPECT_EQ(result.status(), 0);
  EXPECT_THAT(result.err, HasSubstr("wstree: WSTREE_STRATEGY='foo' is not understood (accepted: predefined"));
  EXPECT_THAT(result.err, HasSubstr("wstree: OMP_SCHEDULE='wstree,x' is not understood"));
  EXPECT_THAT(result.err, HasSubstr("did you mean WSTREE_BATCH?"));
  const auto used = options(environment)["WSTREE_STRATEGY"];
  EXPECT_EQ(used["value"], "findmax");
  EXPECT_EQ(used["origin"], "default");
}

TEST(Env, SurvivesBytesThatAreNoText) {
  EXPECT_EQ(options({{"WSTREE_STATS", "json=\xff\xfe"}})["WSTREE_STATS"]["value"],
            "json=\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_THAT(env({}, {{"WSTREE_STATS", "json=\xff\x1b\xc3\xa4"}}).out,
              HasSubstr("WSTREE_STATS=json=?\?\xc3\xa4  (environment)"));
}

TEST(Env, FailsWhenItCannotBePrinted) {
  const auto result = run({.arguments = {"-c", WSTREE_CLI " env >/dev/full"}, .executable = "/bin/sh"});
  EXPECT_EQ(result.status(), 125);
  EXPECT_THAT(result.err, HasSubstr("standard output cannot be written to"));
}

} // namespace
} // namespace wstree::test
