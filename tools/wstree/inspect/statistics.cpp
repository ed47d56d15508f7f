// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/statistics.h"

#include "support/loop_name.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using nlohmann::json;

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t count_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

double number_in(const json& object, const char* key, double otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::optional<double> ratio(std::optional<double> value, std::optional<double> of) {
  return value && of && *of > 0 ? std::optional(*value / *of) : std::nullopt;
}

/// Returns the name in "src/heat.c:88 (step)", which the compiler wrote into the program.
std::optional<names::Name> from_compiler(std::string_view where) {
  const auto end = where.find(" (");
  const auto place = where.substr(0, end);
  const auto colon = place.rfind(':');
  names::Name name;
  if (colon == std::string_view::npos) return std::nullopt;
  const auto digits = place.substr(colon + 1);
  const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), name.line);
  if (error != std::errc() || last != digits.data() + digits.size() || name.line == 0) return std::nullopt;
  name.file = place.substr(0, colon);
  if (end != std::string_view::npos && where.ends_with(')'))
    name.function = where.substr(end + 2, where.size() - end - 3);
  return name;
}

LoopRow row_of(const json& loop, names::Resolver& resolver) {
  LoopRow row;
  row.name = loop_text(loop, name_of_loop(loop, resolver));
  row.schedule = text_in(loop, "schedule");
  row.calls = count_in(loop, "calls");
  row.counts_pieces = loop.contains("pieces");
  row.iterations = count_in(loop, "iterations") + count_in(loop, "pieces");
  row.batches = count_in(loop, "batches");
  row.steals = count_in(loop, "steals");
  row.seconds = number_in(loop, "seconds", 0);
  row.imbalance = number_in(loop, "imbalance", 1);
  row.even_saves = number_in(loop, "even_saves_seconds", 0);
  row.chunk = std::max<std::uint64_t>(count_in(loop, "chunk"), 1);
  row.new_lengths = count_in(loop, "new_lengths");
  row.preempted = number_in(loop, "preempted_seconds", 0);
  row.late = number_in(loop, "late_seconds", 0);
  if (const auto counters = loop.find("counters"); counters != loop.end() && counters->is_object()) {
    const auto value = [&](const char* key) {
      const auto found = counters->find(key);
      return found != counters->end() && found->is_number() ? std::optional(found->get<double>())
                                                            : std::nullopt;
    };
    row.counters = {value("cycles"), value("instructions"), value("cache_misses"), value("page_faults"),
                    value("context_switches")};
  }
  const auto too_short = loop.find("too_short_to_tell");
  row.too_short = too_short != loop.end() && too_short->is_boolean() && too_short->get<bool>();
  return row;
}

/// Returns the line and function at a place in a module, or the other known facts about it. `into`: bytes
/// from the place to an address behind the beginning of its instruction.
std::string place_text(const json& region, const char* key, names::Resolver& resolver, std::uint64_t into) {
  const auto place = region.find(key);
  if (place == region.end() || !place->is_object()) return {};
  auto text = names::text_of(resolver.name(text_in(*place, "module"), text_in(*place, "build_id"),
                                           count_in(*place, "offset") + into));
  if (!text.empty()) return text;
  const auto module = text_in(*place, "module");
  return fmt::format("{}+0x{:x}", module.substr(module.rfind('/') + 1), count_in(*place, "offset"));
}

UnservedRegion unserved_region(const json& region, names::Resolver& resolver) {
  const auto at = folded_name(place_text(region, "at", resolver, 1)); // an instruction, and no return address
  return {place_text(region, "where", resolver, 0), text_in(region, "reason") + (at.empty() ? "" : ": " + at),
          number_in(region, "seconds", 0)};
}

} // namespace

names::Name name_of_loop(const json& loop, names::Resolver& resolver) {
  auto found = resolver.name(text_in(loop, "module"), text_in(loop, "build_id"), count_in(loop, "offset"));
  auto told = from_compiler(text_in(loop, "where"));
  if (!told) return found;
  // The compiler passes the line of the directive; debug information has the line of the call. For functions
  // that are inlined or come from templates debug information has the fuller names.
  if (!found.function.empty()) told->function = found.function;
  told->inlined_in = found.inlined_in;
  return *told;
}

std::string name_in_traces(const json& loop) {
  auto label = text_in(loop, "label");
  return label.empty() ? text_in(loop, "where") : label;
}

std::string loop_text(const json& loop, const names::Name& name) {
  if (auto label = text_in(loop, "label"); !label.empty()) return label;
  auto text = names::text_of(name);
  return text.empty() ? text_in(loop, "where") : text;
}

std::optional<double> CounterSums::instructions_per_cycle() const { return ratio(instructions, cycles); }

std::optional<double> CounterSums::misses_per_1000_instructions() const {
  constexpr double k_thousand = 1000;
  return ratio(cache_misses ? std::optional(*cache_misses * k_thousand) : std::nullopt, instructions);
}

CounterSums& CounterSums::operator+=(const CounterSums& other) {
  for (const auto member : {&CounterSums::cycles, &CounterSums::instructions, &CounterSums::cache_misses,
                            &CounterSums::page_faults, &CounterSums::context_switches})
    this->*member =
        this->*member && other.*member ? std::optional(*(this->*member) + *(other.*member)) : std::nullopt;
  return *this;
}

std::string WallTime::text() const {
  constexpr double k_much = 10; // times as fast, from which on the rest of the program is no limit
  const auto share = [&](double seconds) { return fmt::format("{:.0f} %", 100 * seconds / all); };
  auto text = fmt::format("wall time {}: ", duration_text(all));
  if (loops > 0) text += share(loops) + " in these loops, ";
  if (refused > 0) text += share(refused) + " in regions not served, ";
  text += fmt::format("{} between regions, where one thread works, {} elsewhere", share(between),
                      share(elsewhere()));
  if (loops > 0 && most_to_gain() < k_much)
    text += fmt::format("; if the loops took no time, it would be {:.1f} times as fast", most_to_gain());
  return text;
}

WallTime wall_time_of(const Statistics& statistics) {
  WallTime time{statistics.wall_seconds, 0, statistics.between_regions_seconds};
  for (const auto& loop : statistics.loops)
    if (!loop.is_watched() ||
        std::ranges::find(statistics.unserved, loop.name, &UnservedRegion::name) == statistics.unserved.end())
      time.loops += loop.seconds;
  double refused = 0;
  for (const auto& region : statistics.unserved) refused += region.seconds;
  // Served loops in a refused region count as loops.
  if (refused <= time.elsewhere()) time.refused = refused;
  return time;
}

std::string next_step(const Statistics& statistics) {
  constexpr double k_worth = 0.1; // of the wall time
  if (statistics.unserved.empty()) return {};
  const auto time = wall_time_of(statistics);
  const bool is_told = time.is_known() && time.refused > 0;
  if (is_told ? time.refused < k_worth * time.all
              : !std::ranges::all_of(statistics.loops, &LoopRow::is_watched))
    return {};
  const auto& first = statistics.unserved.front();
  if (first.reason.find("--loops names static") != std::string::npos)
    return "wstree run --loops all,static serves sums; their last digits may change";
  const bool divides = first.reason.find("thread") != std::string::npos;
  return fmt::format("schedule(runtime) at the uneven loops of {} serves them{}", first.name,
                     divides ? "; work that the program divides by thread numbers stays as it is" : "");
}

LoopRow& LoopRow::operator+=(const LoopRow& other) {
  const auto weight = [](const LoopRow& row) { return row.too_short ? 0 : row.seconds; };
  if (const double both = weight(*this) + weight(other); both > 0)
    imbalance = (imbalance * weight(*this) + other.imbalance * weight(other)) / both;
  even_saves = (too_short ? 0 : even_saves) + (other.too_short ? 0 : other.even_saves);
  too_short = too_short && other.too_short;
  calls += other.calls;
  iterations += other.iterations;
  counts_pieces = counts_pieces || other.counts_pieces;
  batches += other.batches;
  steals += other.steals;
  seconds += other.seconds;
  chunk = std::max(chunk, other.chunk);
  new_lengths += other.new_lengths;
  preempted += other.preempted;
  late += other.late;
  counters += other.counters;
  return *this;
}

std::string negative_member(const json& object, std::string_view place,
                            std::initializer_list<const char*> members) {
  for (const auto* member : members) {
    const auto found = object.find(member);
    if (found != object.end() && found->is_number() && found->get<double>() < 0)
      return fmt::format("{}{} is {}, and times and counts are 0 or more", place, member, found->dump());
  }
  return {};
}

std::string negative_figure(const json& report) {
  if (auto problem = negative_member(report, "",
                                     {"pid", "threads", "cpu_seconds", "between_regions_seconds",
                                      "spent_between_regions_cpu_seconds", "wall_seconds"});
      !problem.empty())
    return problem;
  const auto& loops = report.at("loops");
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (!loops[i].is_object()) continue;
    auto problem =
        negative_member(loops[i], fmt::format("loops[{}].", i),
                        {"calls", "iterations", "pieces", "batches", "steals", "seconds", "imbalance",
                         "even_saves_seconds", "late_seconds", "preempted_seconds", "new_lengths"});
    if (const auto counters = loops[i].find("counters"); problem.empty() && counters != loops[i].end())
      problem =
          negative_member(*counters, fmt::format("loops[{}].counters.", i),
                          {"cycles", "instructions", "cache_misses", "page_faults", "context_switches"});
    if (!problem.empty()) return problem;
  }
  return negative_rank_figure(report);
}

std::optional<Statistics> read_statistics(std::string_view report, names::Resolver& resolver) {
  const auto parsed = json::parse(report, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("loops") || !parsed["loops"].is_array()) return std::nullopt;
  Statistics statistics;
  statistics.version = text_in(parsed, "version");
  statistics.program = text_in(parsed, "program");
  statistics.rank = text_in(parsed, "rank");
  statistics.process = count_in(parsed, "pid");
  statistics.threads = count_in(parsed, "threads");
  statistics.cpu_seconds = number_in(parsed, "cpu_seconds", 0);
  statistics.waiting_cpu_seconds = number_in(parsed, "spent_between_regions_cpu_seconds", 0);
  statistics.wall_seconds = number_in(parsed, "wall_seconds", 0);
  statistics.between_regions_seconds = number_in(parsed, "between_regions_seconds", 0);
  statistics.host = text_in(parsed, "host");
  statistics.command = text_in(parsed, "command");
  statistics.ended = count_in(parsed, "ended");
  for (const auto& loop : parsed["loops"])
    if (loop.is_object()) statistics.loops.push_back(row_of(loop, resolver));
  if (const auto unserved = parsed.find("unserved_regions"); unserved != parsed.end() && unserved->is_array())
    for (const auto& region : *unserved)
      if (region.is_object()) statistics.unserved.push_back(unserved_region(region, resolver));
  for (const auto& loop : statistics.loops)
    if (loop.schedule == "static (balanced)")
      std::erase_if(statistics.unserved,
                    [&](const UnservedRegion& region) { return region.name == loop.name; });
  std::ranges::stable_sort(statistics.unserved, std::greater(), &UnservedRegion::seconds);
  add_rank_loops(parsed, statistics.rank_loops);
  return statistics;
}

} // namespace wstree::cli
