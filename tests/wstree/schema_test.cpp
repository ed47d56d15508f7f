// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the commands print as JSON, against the schemas of tools/wstree/schemas.
#include "command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

namespace wstree::test {
namespace {

using nlohmann::json;

class Schemas : public testing::Test {
protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0)
      GTEST_SKIP() << "needs python3-jsonschema";
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  /// Whether `document` is what the schema says.
  [[nodiscard]] bool is_valid(const std::string& schema, const std::string& document) const {
    std::ofstream(file("document")) << document;
    const auto command = "/usr/bin/python3 " CLI_SCHEMA_VALIDATOR " " CLI_SCHEMAS "/" + schema +
                         ".schema.json " + file("document") + " >&2";
    return std::system(command.c_str()) == 0;
  }
  void expect_valid(const std::string& schema, const std::vector<std::string>& arguments) const {
    const auto result = run_with_real_library(arguments, {});
    EXPECT_TRUE(is_valid(schema, result.out)) << schema << result.out.substr(0, 2000) << result.err;
  }
  /// A program with a served loop, and the files that it leaves.
  [[nodiscard]] std::string loops() const { return target("gcc_loops_runtime"); }
  void run_loops() const {
    const auto result = run_with_real_library(
        {"run", "--stats=json=" + file("stats"), "--counters", "--trace=" + file("trace"), "--", loops()},
        {{"WSTREE_RECORD", file("record")}});
    ASSERT_EQ(result.status(), 0) << result.err;
  }

  TemporaryFolder folder_;
};

TEST_F(Schemas, OfWhatCommandsSayOfTheMachine) {
  expect_valid("env", {"env", "--json"});
  expect_valid("topo", {"topo", "--json"});
  expect_valid("doctor", {"doctor", "--json"});
  expect_valid("help", {"help", "--json"});
  expect_valid("help", {"help", "rules", "--json"});
}

TEST_F(Schemas, OfWhatCommandsSayOfAProgram) {
  expect_valid("rules", {"rules", "--json", loops()});
  expect_valid("rules", {"rules", "--json", "--check", "* wsrange; nothing* off", loops()});
  const auto result =
      run_with_real_library({"compare", "-n", "2", "--export", "json=" + file("compare"), "--", loops()}, {});
  EXPECT_TRUE(is_valid("compare", contents(file("compare")))) << result.out << result.err;
}

TEST_F(Schemas, OfFilesOfTheLibraryAndWhatIsMadeOfThem) {
  run_loops();
  EXPECT_TRUE(is_valid("statistics", contents(file("stats"))));
  EXPECT_TRUE(is_valid("trace", contents(file("trace"))));
  expect_valid("stats", {"stats", "--json", file("stats")});
  expect_valid("report", {"report", "--json", file("stats"), file("trace")});
  expect_valid("report", {"report", "--json", file("record")});
  expect_valid("report", {"report", "--json", file("stats"), "--against", file("stats")});
  expect_valid("trace", {"trace", file("trace"), "-o", "-"});
}

TEST_F(Schemas, TellAKeyThatIsMissingAndOneThatIsNew) {
  run_loops();
  auto report = json::parse(run_with_real_library({"report", "--json", file("stats")}, {}).out);
  EXPECT_TRUE(is_valid("report", report.dump()));
  auto other = report;
  other["loops"][0].erase("imbalance");
  EXPECT_FALSE(is_valid("report", other.dump()));
  report["surprise"] = 1;
  EXPECT_FALSE(is_valid("report", report.dump()));
}

} // namespace
} // namespace wstree::test
