// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of `wstree run`: what the command lets pass, the library understands without a word. Lines are
// the values; an empty one is not given. The rest is the environment.
#include "support/bytes.h"
#include "support/collected_lines.h"
#include "support/environment_block.h"
#include "support/target.h"

#include "support/settings.h"

#include <optional>
#include <string>

namespace wstree::fuzz::run_values_target {
namespace {

using namespace cli;

void body(std::string_view input) {
  if (input.find('\0') != std::string_view::npos) return; // no argument holds one
  RunRequest request;
  std::string_view rest = input;
  for (auto* value : {&request.schedule, &request.chunk, &request.loops, &request.strategy, &request.batch,
                      &request.fallback, &request.bind, &request.stats}) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (!line.empty()) *value = std::string(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  const auto problem = check_values(request);
  if (problem) {
    require(problem->starts_with("--"), "a problem names its option", *problem);
    return;
  }
  // Names and values of the environment that the command has nothing to do with are not its fault.
  Environment environment(
      std::vector<std::string>{"OMP_SCHEDULE=" + std::string(rest.substr(0, rest.find('\n')))});
  const auto before = environment.get("OMP_SCHEDULE").value();
  const auto warning = apply(request, environment);
  require(!warning || (!request.schedule && !before.empty()),
          "a schedule that is replaced unasked is a warning", before);

  CollectedLines lines;
  const auto options = config::load(environment.pointers().data(), lines.sink());
  require(lines.all().empty(), "what the command lets pass the library understands",
          lines.all().empty() ? "" : lines.all().front());
  require(options.loops == loops_in_force(request, environment),
          "the command knows the loops that are served");
  const auto schedule = environment.get("OMP_SCHEDULE").value();
  const auto asked = requested_schedule(schedule);
  require(!request.schedule || schedule.starts_with(*request.schedule),
          "the schedule is the one that was asked for", schedule);
  if (asked && (request.schedule || request.chunk))
    require(!asked->chunk_malformed, "its chunk is good", schedule);
  if (!request.schedule) require(asked.has_value(), "unless asked otherwise it is one of ours", schedule);
  if (request.chunk && asked)
    require(asked->chunk_given && std::to_string(asked->chunk).size() <= request.chunk->size(),
            "its chunk is the one that was asked for", schedule);
}

const Registration registration("run_values", body);

} // namespace
} // namespace wstree::fuzz::run_values_target
