// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value of OMP_SCHEDULE: the user's, one that travels through the OpenMP runtime,
// or one of a runtime's own.
#include "support/collected_lines.h"
#include "support/target.h"

#include "marked_schedule.h"
#include "near_name.h"
#include "options.h"
#include "tokens.h"

namespace wstree::fuzz::schedule_target {
namespace {

using namespace config;

void check_request(std::string_view value, const ScheduleRequest& request) {
  require(static_cast<std::size_t>(request.kind) < k_schedule_kinds, "the kind is one of ours", value);
  require(request.chunk >= 1 && request.chunk <= k_max_chunk, "the chunk is in range", value);
  require(!(request.chunk_given && request.chunk_malformed), "a chunk is given or malformed", value);
  require(request.chunk_given || request.chunk == 1, "without a chunk it is 1", value);

  ScheduleRequest good = request;
  good.chunk_malformed = false;
  const auto text = to_text(good);
  require(!text.truncated(), "the canonical text has room", text.view());
  require(parse_schedule(text.view()) == good, "the canonical text means the same", text.view());
  require(parse_schedule(disguised(value)) == request, "case and blanks do not matter", value);

  ScheduleRequest travelled = good;
  travelled.monotonic = false; // the mark does not say it
  const auto marked = to_marked(good);
  require(!marked.truncated(), "the marked text has room", marked.view());
  require(parse_marked(marked.view()) == travelled, "the marked text means the same", marked.view());
  require(!parse_schedule(marked.view()), "the marked text is the runtime's", marked.view());
  MarkTable table;
  const auto own = schedule_of(good);
  require(table.meaning(table.mark(own)) == own, "the mark means the same", marked.view());
}

void check_messages(std::string_view value, const std::optional<ScheduleRequest>& request) {
  CollectedLines lines;
  if (request) report_schedule(value, *request, lines.sink());
  require(lines.all().size() == (request && request->chunk_malformed ? 1U : 0U),
          "there is one message for a bad chunk and none for a good one", value);
  if (is_misspelled_schedule(value)) report_misspelled_schedule(value, "static", lines.sink());
  require(lines.all().size() <= 1, "a value is bad in one way", value);
  for (const auto& line : lines.all()) {
    require_message(line);
    require(line.find("OMP_SCHEDULE='") != std::string::npos, "the message names the variable", line);
    require(line.find("; using ") != std::string::npos, "the message says what is used", line);
  }
}

void body(std::string_view value) {
  const auto request = parse_schedule(value);
  if (request) check_request(value, *request);
  const bool misspelled = is_misspelled_schedule(value);
  require(!request || !misspelled, "what is understood is not misspelled", value);
  require(is_misspelled_schedule(disguised(value)) == misspelled, "case and blanks do not matter", value);
  check_messages(value, request);

  if (const auto marked = parse_marked(value)) {
    require(!request && !parse_monotonic_dynamic(value), "a marked value is not the user's", value);
    require(parse_marked(to_marked(*marked).view()) == *marked, "marking is repeatable", value);
  }
  const auto near = nearest_schedule(value);
  require(near.empty() || parse_schedule(near), "advice is understood", near);
}

const Registration registration("schedule", body);

} // namespace
} // namespace wstree::fuzz::schedule_target
