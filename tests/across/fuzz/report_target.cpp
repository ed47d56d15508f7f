// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures at the end: places of loops with any bytes in them, and any numbers. Each line of the input is
// a loop.
#include "support/bytes.h"
#include "support/collected_lines.h"
#include "support/files.h"
#include "support/target.h"

#include "host_guard.h"
#include "report.h"
#include "report_writer.h"
#include "site_table.h"

#include "doctor/served_loops.h"

#include <algorithm>
#include <fcntl.h>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

namespace wstree::fuzz::report_target {
namespace {

using namespace observe;

constexpr std::string_view k_schedules[] = {"wstree", "wstree,8 (dynamic)", "wsrange (guided)", "a\"b\\c"};

std::string written(const std::function<void(ReportWriter&)>& write) {
  const MemoryFile file("");
  const int descriptor = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
  require(descriptor >= 0, "the file can be opened");
  {
    const HostGuard guard;
    ReportWriter out(descriptor);
    write(out);
    require(out.flush() == 0, "it can be written");
  }
  std::string text(static_cast<std::size_t>(::lseek(descriptor, 0, SEEK_END)), '\0');
  require(::pread(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
          "it can be read");
  ::close(descriptor);
  return text;
}

/// Any bytes make a string of JSON, and those that are UTF-8 come back.
void check_string(std::string_view text) {
  const auto json = written([&](ReportWriter& out) { out.json_string(text); });
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  require(parsed.is_string(), "it is a string of JSON", json);
  // The judge: the parser takes UTF-8 only, so a string that it takes as it is has to come back as it was.
  nlohmann::json original = text;
  const bool is_utf8 =
      nlohmann::json::parse(original.dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore)) ==
      original;
  if (is_utf8) require(parsed.get<std::string>() == text, "UTF-8 comes back", json);
}

struct Expected {
  std::uint64_t calls = 0;
};

/// A loop from a line: eight bytes of numbers, then what the compiler says of its place.
void add_loop(SiteTable& table, const std::string& line, std::uintptr_t address,
              std::vector<Expected>& expected) {
  Bytes bytes(line);
  core::Execution execution;
  const std::string_view schedule = k_schedules[bytes.between(0, 3)];
  execution.members = bytes.byte();
  const unsigned shift = bytes.between(0, 56);
  const auto number = [&] { return std::uint64_t{bytes.byte()} << shift; };
  execution.total = {number(), number(), number(), number(), number()};
  execution.busy_max_ticks = number();
  execution.wall_ticks = execution.busy_max_ticks;
  const std::uint64_t calls = bytes.between(0, 3);
  const std::string source(bytes.rest());
  LoopSite& site =
      table.find(reinterpret_cast<const void*>(address), source.empty() ? nullptr : source.c_str(), schedule);
  require(!site.where().empty(), "each place has a name", source);
  for (std::uint64_t i = 0; i < calls; ++i) site.add(execution);
  if (calls != 0) expected.push_back({calls});
}

void check_json(const std::string& json, const std::vector<Expected>& expected) {
  const auto document = nlohmann::json::parse(json, nullptr, false);
  require(document.is_object() && document["loops"].is_array(), "the report is JSON", json);
  require(document["loops"].size() == expected.size(), "each loop that was executed is in it", json);
  double before = std::numeric_limits<double>::infinity();
  std::uint64_t calls = 0;
  for (const auto& loop : document["loops"]) {
    require(loop["where"].is_string() && loop["imbalance"].is_number() &&
                loop["iterations"].is_number_unsigned(),
            "each has its figures", json);
    const double saved = loop["even_saves_seconds"].get<double>();
    require(saved <= before, "what could save most comes first", json);
    require(saved == 0 || !loop["too_short_to_tell"].get<bool>(), "what is too short saves nothing", json);
    before = saved;
    calls += loop["calls"].get<std::uint64_t>();
  }
  std::uint64_t sum = 0;
  for (const auto& one : expected) sum += one.calls;
  require(calls == sum, "the calls are counted", json);

  cli::ServedLoops loops; // what the command makes of it
  cli::add_loops(json, loops);
  for (const auto& [kind, count] : loops) {
    sum -= count.calls;
    require(kind == "runtime" || kind == "dynamic" || kind == "guided", "the kinds are read", kind);
  }
  require(sum == 0, "and the calls as well", json);
}

void check_text(const std::string& text, std::size_t loops) {
  const auto lines = lines_of(text);
  require(lines.size() == (loops == 0 ? 1 : loops + 1) + 1 && lines.back().empty(),
          "there is a line for each loop", text);
  for (const auto line : lines) require(!has_control(line), "no line holds control characters", line);
}

void body(std::string_view input) {
  if (input.size() > 8000) return;
  check_string(input);
  static const auto table = std::make_unique<SiteTable>(); // large
  std::destroy_at(table.get());
  std::construct_at(table.get());
  static const auto sites = std::make_unique<SortedSites>();
  std::vector<Expected> expected;
  std::uintptr_t address = 0x1000;
  for (const auto line : lines_of(input)) add_loop(*table, std::string(line), address += 64, expected);
  sites->sort(*table, SiteOrder::by_uneven_time, core::tick_of(2, 5));
  require(sites->size() == expected.size(), "the executed sites are sorted");
  const ReportFrame frame{"1.2.3", 4, core::tick_of(2, 5), {}};
  check_json(written([&](ReportWriter& out) { write_json(out, *sites, frame); }), expected);
  check_text(written([&](ReportWriter& out) { write_text(out, *sites, frame); }), expected.size());
}

const Registration registration("report", body);

} // namespace
} // namespace wstree::fuzz::report_target
