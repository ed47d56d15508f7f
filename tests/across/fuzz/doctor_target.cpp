// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `wstree doctor` says about an environment, and what is said about each variable that is wrong.
#include "support/collected_lines.h"
#include "support/environment_block.h"
#include "support/target.h"

#include "doctor/checks.h"
#include "inspect/sanitizers.h"

#include <nlohmann/json.hpp>
#include <string>

namespace wstree::fuzz::doctor_target {
namespace {

using namespace cli;

void body(std::string_view input) {
  const EnvironmentBlock block(input);
  const Checks checks = check_variables(Environment(block.entries()));
  require(!checks.empty(), "there is something to say");
  std::size_t warnings = 0;
  for (const auto& check : checks) {
    require(!check.found.empty(), "each check says what was found");
    require(check.status == Status::ok || !check.cause.empty(), "each problem has a cause", check.found);
    require(check.status != Status::warn || !check.fix.empty(), "and something that can be done",
            check.found);
    require(check.status != Status::fail, "no variable keeps the library from working", check.found);
    warnings += check.status == Status::warn ? 1 : 0;
    require(to_text(check).ends_with('\n'), "the text is complete", check.found);
  }
  CollectedLines lines;
  config::load(block.envp(), lines.sink());
  require(warnings >= lines.all().size(), "what the library complains about is a problem", input);
  const auto document = nlohmann::json::parse(to_json(checks), nullptr, false);
  require(document.is_object() && document["checks"].size() == checks.size(), "the JSON has all checks",
          input);

  for (const auto& check : checks) {
    if (!check.cause.starts_with("it ")) continue;
    require(check.cause.starts_with("it is not understood; using ") ||
                check.cause == "it is not an option of this library",
            "the user's text is not taken for the library's", check.cause);
  }
  // A problem with a variable that has a list of values names that list, whatever the value looks like.
  for (const auto& check : checks) {
    if (!check.found.starts_with("WSTREE_BATCH='")) continue;
    require(check.fix == "use one of timed[:ns], exponential[:max], fixed[:n], random[:max]; or unset it",
            "the values that are accepted are shown", check.fix);
  }

  Environment environment(block.entries());
  environment.set("WSTREE_BATCH", "fixed:3");
  require(environment.get("WSTREE_BATCH") == "fixed:3", "a variable that is set is there");
  std::size_t entries = 0;
  for (const auto* entry : environment.pointers())
    entries += entry != nullptr && std::string_view(entry).starts_with("WSTREE_BATCH=") ? 1 : 0;
  require(entries == 1, "and there once");
  environment.preload_first("/lib/x.so");
  const auto preloaded = environment.get("LD_PRELOAD").value_or("");
  const auto before = std::string_view(preloaded).substr(0, preloaded.find("/lib/x.so"));
  require(before.empty() || is_sanitizer(before.substr(0, before.find(':'))), "the library comes first",
          preloaded);
  environment.preload_first("/lib/x.so");
  require(environment.get("LD_PRELOAD") == preloaded, "and not twice", preloaded);
}

const Registration registration("doctor", body);

} // namespace
} // namespace wstree::fuzz::doctor_target
