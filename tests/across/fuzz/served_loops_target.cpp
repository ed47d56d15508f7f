// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A report of a trial run, as `wstree doctor` reads it: the program may have damaged the file.
#include "support/target.h"

#include "doctor/served_loops.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace wstree::fuzz::served_loops_target {
namespace {

void body(std::string_view input) {
  cli::ServedLoops loops;
  cli::add_loops(input, loops);
  const bool is_json = nlohmann::json::accept(input);
  require(is_json || loops.empty(), "nothing is read from what is no JSON", input);
  std::uint64_t count = 0;
  for (const auto& [kind, served] : loops) {
    require(served.loops >= 1, "a kind is there if it has a loop", kind);
    count += served.loops;
  }
  if (is_json) {
    const auto document = nlohmann::json::parse(input);
    const bool has_list = document.is_object() && document.contains("loops") && document["loops"].is_array();
    require(has_list || loops.empty(), "loops come from a list", input);
    require(!has_list || count <= document["loops"].size(), "no loop counts twice", input);
  }
  // A part of a report that is good is not lost, nor does a second one replace the first.
  constexpr auto k_good = "{\"loops\": [{\"schedule\": \"wstree (dynamic)\", \"calls\": 7}]}";
  cli::add_loops(k_good, loops);
  require(loops["dynamic"].calls >= 7 || loops["dynamic"].loops > 1, "a good report counts", input);
  const auto kind = cli::kind_of_schedule(input);
  require(kind == "runtime" || input.ends_with("(" + kind + ")"), "the kind stands in parentheses", kind);
}

const Registration registration("served_loops", body);

} // namespace
} // namespace wstree::fuzz::served_loops_target
