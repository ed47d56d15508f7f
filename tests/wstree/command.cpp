// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command.h"

namespace wstree::test {

Variables Start::default_environment() {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
          {"WSTREE_LIBRARY", CLI_STAND_IN},
          // For a wstree that is built with this sanitizer and started with libraries preloaded.
          {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
}

Launch Start::launch() const {
  Launch all{{executable.string()}, environment, folder, user};
  all.command.insert(all.command.end(), arguments.begin(), arguments.end());
  return all;
}

Result run(const Start& start) { return Command(start.launch()).finish(); }

Result wstree(Arguments arguments) { return run({.arguments = std::move(arguments)}); }

Result run_with_real_library(Arguments arguments, const Variables& more) {
  Start start{.arguments = std::move(arguments)};
  start.environment.erase("WSTREE_LIBRARY"); // the command finds the one beside it
  start.environment["OMP_NUM_THREADS"] = "2";
  for (const auto& [name, value] : more) start.environment[name] = value;
  return run(start);
}

void expect_refused(const Result& result, const std::string& line) {
  EXPECT_EQ(result.status(), 125) << line;
  EXPECT_EQ(result.out, "") << line;
  EXPECT_THAT(result.err, testing::StartsWith("wstree: " + line));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
}

void expect_silent(const Result& result, const std::string& out) {
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.out, out);
  EXPECT_EQ(result.err, "");
}

std::string target(std::string_view name) {
  return (std::filesystem::path(CLI_TARGETS) / ("cli_" + std::string(name))).string();
}

std::vector<json> checks_in(const std::string& document, std::string_view name) {
  std::vector<json> found;
  const auto all = json::parse(document, nullptr, false);
  EXPECT_TRUE(all.is_object()) << document;
  if (all.is_object())
    for (const auto& check : all["checks"])
      if (check["name"] == name) found.push_back(check);
  return found;
}

json check_in(const std::string& document, std::string_view name) {
  const auto found = checks_in(document, name);
  return found.empty() ? json() : found.back();
}

} // namespace wstree::test
