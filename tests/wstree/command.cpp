// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command.h"

namespace wstree::test {

std::map<std::string, std::string> Start::default_environment() {
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

Result wstree(std::vector<std::string> arguments) { return run({.arguments = std::move(arguments)}); }

Result run_with_real_library(std::vector<std::string> arguments,
                             const std::map<std::string, std::string>& more) {
  Start start{.arguments = std::move(arguments)};
  start.environment.erase("WSTREE_LIBRARY"); // the command finds the one beside it
  start.environment["OMP_NUM_THREADS"] = "2";
  for (const auto& [name, value] : more) start.environment[name] = value;
  return run(start);
}

std::string target(std::string_view name) {
  return (std::filesystem::path(CLI_TARGETS) / ("cli_" + std::string(name))).string();
}

std::vector<nlohmann::json> checks_in(const std::string& document, std::string_view name) {
  std::vector<nlohmann::json> found;
  const auto all = nlohmann::json::parse(document, nullptr, false);
  EXPECT_TRUE(all.is_object()) << document;
  if (all.is_object())
    for (const auto& check : all["checks"])
      if (check["name"] == name) found.push_back(check);
  return found;
}

nlohmann::json check_in(const std::string& document, std::string_view name) {
  const auto found = checks_in(document, name);
  return found.empty() ? nlohmann::json() : found.back();
}

} // namespace wstree::test
