// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of OMP_SCHEDULE and of the library's variables: what is printed is read back, and garbage does no
// harm to the parsers.
#include "marked_schedule.h"
#include "property.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace wstree::config {
namespace {

using test::for_all;

ScheduleRequest any_request() {
  ScheduleRequest request;
  request.kind = static_cast<ScheduleKind>(*rc::gen::inRange(0, static_cast<int>(k_schedule_kinds)));
  request.chunk_given = *rc::gen::arbitrary<bool>();
  if (request.chunk_given) request.chunk = 1 + *test::edgy<std::uint64_t>() % k_max_chunk;
  request.monotonic = *rc::gen::arbitrary<bool>();
  return request;
}

TEST(ScheduleText, IsReadBack) {
  for_all("schedule", 3'000, [] {
    const ScheduleRequest request = any_request();
    const auto text = to_text(request);
    RC_ASSERT(parse_schedule(text.view()) == std::optional(request));
  });
}

TEST(ScheduleText, CaseAndBlanksAreIgnored) {
  for_all("schedule in other letters", 3'000, [] {
    const ScheduleRequest request = any_request();
    const auto text = to_text(request);
    std::string written;
    for (char c : text.view()) {
      if (c == ',' || c == ':') written.append(static_cast<std::size_t>(*rc::gen::inRange(0, 3)), ' ');
      written += *rc::gen::arbitrary<bool>() && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      if (c == ',' || c == ':') written.append(static_cast<std::size_t>(*rc::gen::inRange(0, 3)), '\t');
    }
    RC_LOG() << written;
    RC_ASSERT(parse_schedule(written) == std::optional(request));
  });
}

TEST(ScheduleText, MarkedOnesComeBack) {
  for_all("marked schedule", 3'000, [] {
    ScheduleRequest request = any_request();
    const OwnSchedule own = schedule_of(request);
    const auto marked = to_marked(request);
    const auto back = parse_marked(marked.view());
    RC_ASSERT(back.has_value());
    RC_ASSERT(schedule_of(*back) == own);
  });
}

TEST(ScheduleText, MarksAndChunksOfTheProgramAreToldApart) {
  for_all("table of marks", 2'000, [] {
    MarkTable table;
    std::vector<std::pair<int, OwnSchedule>> marks;
    std::vector<int> chunks; // of the program
    for (int step = *rc::gen::inRange(0, 90); step > 0; --step) {
      if (*rc::gen::arbitrary<bool>()) {
        const OwnSchedule own = schedule_of(any_request());
        marks.emplace_back(table.mark(own), own);
      } else if (const int chunk = *rc::gen::oneOf(rc::gen::inRange(1, 30), test::edgy<int>());
                 table.leave_to_program(chunk)) {
        chunks.push_back(std::max(chunk, 1));
      }
    }
    for (const auto& [mark, own] : marks) RC_ASSERT(table.meaning(mark) == std::optional(own));
    for (const int chunk : chunks) RC_ASSERT(!table.meaning(chunk));
  });
}

/// Pieces of values, put together without sense.
std::string any_text() {
  static const std::vector<std::string> pieces{
      "wstree",  "wsrange",   "wsstatic", "ws",         ",",
      ":",       "monotonic", "non",      "monotonic:", "0",
      "1",       "-1",        " ",        "67108864",   "99999999999999999999",
      "dynamic", "guided",    "timed",    "fixed",      "json",
      "=",       "/tmp/%p",   "%",        "\t",         "x",
      "\x80",    "\xff",      "1e3"};
  std::string text;
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) text += *rc::gen::elementOf(pieces);
  return text;
}

struct Lines {
  std::vector<std::string> all;
  ErrorSink sink() {
    return {[](void* context, std::string_view line) noexcept {
              static_cast<Lines*>(context)->all.emplace_back(line);
            },
            this};
  }
};

TEST(ScheduleText, GarbageGivesAtMostOneLine) {
  for_all("garbage in OMP_SCHEDULE", 5'000, [] {
    const std::string text = any_text();
    RC_LOG() << text;
    Lines lines;
    if (const auto request = parse_schedule(text)) {
      RC_ASSERT(request->chunk >= 1U && request->chunk <= k_max_chunk);
      report_schedule(text, *request, lines.sink());
      RC_ASSERT(lines.all.size() == (request->chunk_malformed ? 1U : 0U));
    } else if (is_misspelled_schedule(text)) {
      report_misspelled_schedule(text, "wstree", lines.sink());
      RC_ASSERT(lines.all.size() == 1U);
    }
    for (const std::string& line : lines.all) {
      RC_ASSERT(line.size() <= k_max_line);
      RC_ASSERT(line.find('\n') == std::string::npos);
    }
  });
}

TEST(ScheduleText, GarbageInAnyVariableGivesOneLineEach) {
  for_all("garbage in the environment", 3'000, [] {
    std::vector<std::string> variables;
    for (const OptionText& option : k_options) {
      if (option.name == "OMP_SCHEDULE" || !option.name.starts_with("WSTREE_")) continue;
      variables.push_back(std::string(option.name) + "=" + any_text());
      RC_LOG() << variables.back() << '\n';
    }
    std::vector<const char*> envp;
    for (const std::string& variable : variables) envp.push_back(variable.c_str());
    envp.push_back(nullptr);
    Lines lines;
    const Options options = load(envp.data(), lines.sink());
    RC_ASSERT(lines.all.size() <= variables.size());
    for (const std::string& line : lines.all) {
      RC_ASSERT(line.size() <= k_max_line);
      RC_ASSERT(line.find('\n') == std::string::npos);
    }
    // What was accepted can be printed and is read back.
    RC_ASSERT(parse_batch(to_text(options.batch).view()) == std::optional(options.batch));
    RC_ASSERT(parse_fallback(to_text(options.fallback).view()) == std::optional(options.fallback));
    RC_ASSERT(parse_loops(to_text(options.loops).view()) == std::optional(options.loops));
  });
}

} // namespace
} // namespace wstree::config
