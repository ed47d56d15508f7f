// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch.h"

#include <nlohmann/json.hpp>

namespace wstree::test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Arguments = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

/// How a command is started. The environment is this one and nothing else; by default it names the stand-in
/// for the library and a PATH.
struct Start {
  Arguments arguments = {}; ///< behind the executable
  Variables environment = default_environment();
  fs::path executable = WSTREE_CLI;
  fs::path folder = {};           ///< to run in; empty: this one
  std::optional<uid_t> user = {}; ///< to run as, with the group of the same number; needs root

  static Variables default_environment();
  [[nodiscard]] Launch launch() const;
};

/// Starts and finishes.
Result run(const Start& start);
/// `wstree ARGUMENTS` with the default environment.
Result wstree(Arguments arguments);
/// The same with the library of the build tree in place of the stand-in, two OpenMP threads,
/// and `more` variables.
Result run_with_real_library(Arguments arguments, const Variables& more = {});

/// Ends with 125 and says nothing but one line, which begins so behind "wstree: ".
void expect_refused(const Result& result, const std::string& line);

/// Ends with 0, prints `out`, and the command says nothing.
void expect_silent(const Result& result, const std::string& out);

/// One of the programs in targets/.
std::string target(std::string_view name);

/// The checks of this name in what `wstree doctor --json` prints; the last of them, or null.
std::vector<json> checks_in(const std::string& document, std::string_view name);
json check_in(const std::string& document, std::string_view name);

} // namespace wstree::test
