// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree env`: every option of the table, and what the environment makes of it.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wstree::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
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
  const std::map<std::string, std::string> environment{{"OMP_SCHEDULE", " WSTREE, 8"},
                                                       {"WSTREE_LOOPS", "Guided , runtime"},
                                                       {"WSTREE_STRATEGY", "Assign"},
                                                       {"WSTREE_BATCH", "fixed"},
                                                       {"WSTREE_HISTORY", "Off "},
                                                       {"WSTREE_FALLBACK", "dynamic , 4"},
                                                       {"WSTREE_STATS", "json=/tmp/x y"},
                                                       {"WSTREE_COUNTERS", "1"},
                                                       {"WSTREE_OMPT", "1"},
                                                       {"WSTREE_VERBOSE", "1"},
                                                       {"OMP_DISPLAY_ENV", "TRUE"},
                                                       {"WSTREE_BIND", " None"},
                                                       {"OMP_DISPLAY_AFFINITY", "1"},
                                                       {"OMP_AFFINITY_FORMAT", "%n: %A"},
                                                       {"WSTREE_RECORD", " /tmp/%e.profile"},
                                                       {"WSTREE_TRACE", " /tmp/%e.trace"},
                                                       {"WSTREE_TRACE_EVENTS", " 100"},
                                                       {"WSTREE_THREADS", " Auto"},
                                                       {"WSTREE_WAIT", "AUTO"},
                                                       {"WSTREE_RULES", "libfft* runtime"}};
  const std::map<std::string, std::string> expected{{"OMP_SCHEDULE", "wstree,8"},
                                                    {"WSTREE_LOOPS", "runtime,guided"},
                                                    {"WSTREE_STRATEGY", "assign"},
                                                    {"WSTREE_BATCH", "fixed:64"},
                                                    {"WSTREE_HISTORY", "off"},
                                                    {"WSTREE_FALLBACK", "dynamic,4"},
                                                    {"WSTREE_STATS", "json=/tmp/x y"},
                                                    {"WSTREE_COUNTERS", "1"},
                                                    {"WSTREE_OMPT", "1"},
                                                    {"WSTREE_VERBOSE", "1"},
                                                    {"OMP_DISPLAY_ENV", "true"},
                                                    {"WSTREE_BIND", "none"},
                                                    {"OMP_DISPLAY_AFFINITY", "true"},
                                                    {"OMP_AFFINITY_FORMAT", "%n: %A"},
                                                    {"WSTREE_RECORD", "/tmp/%e.profile"},
                                                    {"WSTREE_TRACE", "/tmp/%e.trace"},
                                                    {"WSTREE_TRACE_EVENTS", "100"},
                                                    {"WSTREE_THREADS", "auto"},
                                                    {"WSTREE_WAIT", "auto"},
                                                    {"WSTREE_RULES", "libfft* runtime"}};
  for (const auto& [name, value] : expected) {
    const auto entry = option(environment, name);
    EXPECT_EQ(entry["value"], value) << name;
    EXPECT_EQ(entry["origin"], "environment") << name;
  }
  EXPECT_EQ(expected.size(), names_in_table().size());
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
