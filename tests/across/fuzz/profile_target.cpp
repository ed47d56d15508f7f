// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What WSTREE_RECORD has written, or what is said to be.
#include "support/target.h"

#include "profile.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace wstree::fuzz::profile_target {
namespace {

using namespace simulate;

bool is_time(double ns) { return std::isfinite(ns) && ns >= 0; }

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void check(const RecordedLoop& loop) {
  require(loop.iterations >= 1 && loop.executions_seen >= 1 && !loop.executions.empty(),
          "a loop has executions");
  require(is_time(loop.total_ns), "work is a time");
  require(!has_control_characters(loop.name) && !has_control_characters(loop.schedule), "names can be shown",
          loop.name);
  for (const auto& execution : loop.executions) {
    require(execution.members >= 1 && is_time(execution.elapsed_ns), "an execution has members and a time");
    std::uint64_t next = 0;
    for (const auto& piece : execution.pieces) {
      require(piece.begin == next && piece.end > piece.begin, "pieces have no gaps");
      require(is_time(piece.ns), "a piece has a time");
      next = piece.end;
    }
    require(next == loop.iterations, "pieces cover the loop");
  }
}

void body(std::string_view input) {
  std::istringstream in{std::string(input)};
  const auto result = read_profile(in);
  if (const auto* problem = std::get_if<std::string>(&result)) {
    require(problem->starts_with("line ") && problem->size() < 200, "a problem is a short line", *problem);
    require(!has_control_characters(*problem), "which can be shown", *problem);
    return;
  }
  const auto& loops = std::get<0>(result);
  require(!loops.empty(), "a profile has loops");
  require(std::is_sorted(loops.begin(), loops.end(),
                         [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; }),
          "those with most work come first");
  for (const auto& loop : loops) check(loop);
}

const Registration registration("profile", body);

} // namespace
} // namespace wstree::fuzz::profile_target
