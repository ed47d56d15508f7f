// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch.h"

#include <nlohmann/json.hpp>

namespace wstree::test {

/// How a command is started. The environment is this one and nothing else; by default it names the stand-in
/// for the library and a PATH.
struct Start {
  std::vector<std::string> arguments = {}; ///< behind the executable
  std::map<std::string, std::string> environment = default_environment();
  std::filesystem::path executable = WSTREE_CLI;
  std::filesystem::path folder = {}; ///< to run in; empty: this one
  std::optional<uid_t> user = {};    ///< to run as, with the group of the same number; needs root

  static std::map<std::string, std::string> default_environment();
  [[nodiscard]] Launch launch() const;
};

/// Starts and finishes.
Result run(const Start& start);
/// `wstree ARGUMENTS` with the default environment.
Result wstree(std::vector<std::string> arguments);
/// The same with the library of the build tree in place of the stand-in, two OpenMP threads,
/// and `more` variables.
Result run_with_real_library(std::vector<std::string> arguments,
                             const std::map<std::string, std::string>& more = {});

/// One of the programs in targets/.
std::string target(std::string_view name);

/// The checks of this name in what `wstree doctor --json` prints; the last of them, or null.
std::vector<nlohmann::json> checks_in(const std::string& document, std::string_view name);
nlohmann::json check_in(const std::string& document, std::string_view name);

} // namespace wstree::test
