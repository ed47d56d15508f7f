// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine_text.h"

#include "found_machine.h"
#include "support/user_text.h"

#include "machines.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace wstree::cli {

namespace {

using simulate::MachineSpec;
using simulate::Noise;
using simulate::Time;

constexpr std::uint32_t k_most_members = 1024;
constexpr std::uint64_t k_second = 1'000'000'000;
constexpr std::size_t k_most_levels = simulate::VirtualMachine::k_levels - 1;

/// A number in MachineSpec by its name in --machine. Durations are in thousandths of ns, as Time is.
struct Field {
  enum class Shown : std::uint8_t { always, if_set, with_one_level };
  std::string_view name;
  std::uint64_t least, most;
  bool is_time;
  Shown shown;
  std::uint64_t (*get)(const MachineSpec&);
  void (*set)(MachineSpec&, std::uint64_t);
};
using Shown = Field::Shown;

template <class Place>
constexpr Field time_field(std::string_view name, Place, Shown shown, std::uint64_t most = k_most_ns) {
  return {name,
          0,
          most,
          true,
          shown,
          [](const MachineSpec& m) -> std::uint64_t { return Place{}(m); },
          [](MachineSpec& m, std::uint64_t v) { Place{}(m) = v; }};
}

constexpr std::array k_fields{
    time_field(
        "near", [](auto& m) -> auto& { return m.levels.front().transfer; }, Shown::with_one_level,
        k_most_access_ns),
    Field{"domain", 0, k_most_members, false, Shown::with_one_level,
          [](const MachineSpec& m) -> std::uint64_t {
            const auto members = m.levels.front().members;
            return members >= k_most_members ? 0 : members;
          },
          [](MachineSpec& m, std::uint64_t v) {
            m.levels.front().members = v == 0 ? k_most_members : static_cast<std::uint32_t>(v);
          }},
    time_field(
        "far", [](auto& m) -> auto& { return m.across; }, Shown::always, k_most_access_ns),
    time_field(
        "hit", [](auto& m) -> auto& { return m.prices.hit; }, Shown::always, k_most_access_ns),
    time_field(
        "rmw", [](auto& m) -> auto& { return m.prices.rmw; }, Shown::always, k_most_access_ns),
    time_field(
        "claim", [](auto& m) -> auto& { return m.prices.claim; }, Shown::if_set, k_most_access_ns),
    Field{"pinned", 0, 1, false, Shown::always, [](const MachineSpec& m) { return std::uint64_t{m.aware}; },
          [](MachineSpec& m, std::uint64_t v) { m.aware = v != 0; }},
    Field{"overlap", 1, 64, false, Shown::always,
          [](const MachineSpec& m) { return std::uint64_t{m.prices.overlap}; },
          [](MachineSpec& m, std::uint64_t v) { m.prices.overlap = static_cast<std::uint32_t>(v); }},
    Field{"keep", 1, k_most_ns, false, Shown::always,
          [](const MachineSpec& m) { return std::uint64_t{m.prices.keep}; },
          [](MachineSpec& m, std::uint64_t v) { m.prices.keep = static_cast<std::uint32_t>(v); }},
    time_field(
        "fault", [](auto& m) -> auto& { return m.prices.fault; }, Shown::always),
    time_field(
        "tick", [](auto& m) -> auto& { return m.tick; }, Shown::always),
    time_field(
        "dispatch", [](auto& m) -> auto& { return m.dispatch; }, Shown::always),
    time_field(
        "enter", [](auto& m) -> auto& { return m.enter; }, Shown::if_set),
    time_field(
        "region", [](auto& m) -> auto& { return m.region; }, Shown::if_set),
    time_field(
        "skew", [](auto& m) -> auto& { return m.skew; }, Shown::always, k_second),
};
constexpr std::string_view k_noise = "noise";
constexpr std::string_view k_speeds = "speeds";
constexpr std::string_view k_throttle = "throttle", k_bursts = "bursts", k_smt = "smt", k_memory = "memory";

std::string not_understood(std::string_view part, std::string_view accepted) {
  return fmt::format("--machine '{}' is not understood (accepted{})", part, accepted);
}

std::string accepted_names() {
  std::vector<std::string_view> machines;
  std::vector<std::string_view> values;
  for (const auto& known : simulate::known_machines()) machines.push_back(known.name);
  for (const auto& field : k_fields) values.push_back(field.name);
  return fmt::format(
      ": a list that may begin with one of {}, here, or a description for hwloc, and goes on with "
      "NAME=NUMBER, NAME one of {}, {}, {}, {}, {}, {}, {}, or LEVEL:MEMBERS=NUMBER",
      fmt::join(machines, ", "), fmt::join(values, ", "), k_noise, k_speeds, k_throttle, k_bursts, k_smt,
      k_memory);
}

std::optional<std::string> begin_with(const std::string& name, ChosenMachine& machine) {
  if (name == "here") {
    machine = calibrated_machine(simulate::calibrate());
    return absurdity_of(machine.spec);
  }
  if (const auto spec = simulate::machine_named(name)) {
    const auto known = simulate::known_machines();
    machine.spec = *spec;
    machine.cores = std::ranges::find(known, name, &simulate::KnownMachine::name)->cores;
    return std::nullopt;
  }
  if (name.find(':') == std::string::npos) return not_understood(name, accepted_names());
  if (const auto why = describe_machine(name, machine))
    return fmt::format("--machine: the machine '{}' is not known: {}", name, *why);
  return std::nullopt;
}

/// Adds a level, as "l3:8=23" describes it, or replaces the level of that name.
bool take_level(MachineSpec& spec, std::string_view name, std::string_view members, Time transfer,
                bool& given) {
  const auto size = whole_number(members);
  if (name.empty() || !size || *size == 0 || *size > k_most_members) return false;
  // The levels of `generic` stand for no machine in particular.
  if (!given && spec.name == MachineSpec{}.name) spec.levels.clear();
  given = true;
  std::erase_if(spec.levels, [&](const simulate::Level& level) { return level.name == name; });
  const auto behind =
      std::ranges::find_if(spec.levels, [&](const simulate::Level& level) { return level.members > *size; });
  spec.levels.insert(behind, {std::string(name), static_cast<std::uint32_t>(*size), transfer});
  return true;
}

bool take_noise(MachineSpec& spec, std::string_view value) {
  const auto parts = parts_of(value, '/');
  const auto every = thousandths(parts.front());
  if (parts.size() == 1) {
    spec.noise = {};
    return every == 0;
  }
  const auto lasts = thousandths(parts[1]);
  constexpr Time k_shortest = 1'000 * simulate::k_ns;
  // More would leave a member no time of its own.
  if (parts.size() != 2 || !every || !lasts || *every < k_shortest ||
      *every > 1'000 * k_second * simulate::k_ns || *lasts > *every / 2)
    return false;
  spec.noise = {*every, *lasts};
  return true;
}

bool take_speeds(MachineSpec& spec, std::string_view value) {
  std::vector<std::uint32_t> speeds;
  for (const auto& part : parts_of(value, '/')) {
    const auto speed = whole_number(part);
    if (!speed || *speed == 0 || *speed > 10'000 || speeds.size() == k_most_members) return false;
    speeds.push_back(static_cast<std::uint32_t>(*speed));
  }
  spec.speeds = std::move(speeds);
  return true;
}

/// "A/B/C": as many whole numbers as there are in `most`, each from 1 to that.
template <std::size_t n>
bool take_numbers(std::string_view value, const std::array<std::uint64_t, n>& most,
                  std::array<std::uint64_t, n>& numbers) {
  const auto parts = parts_of(value, '/');
  if (parts.size() != n) return false;
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = whole_number(parts[i]);
    if (!number || *number == 0 || *number > most[i]) return false;
    numbers[i] = *number;
  }
  return true;
}

constexpr std::uint64_t k_most_after = 1'000 * k_second;

/// Reads changes of speeds, and the memory that members share. nullopt: another name; else whether the value
/// was understood.
std::optional<bool> take_change(MachineSpec& spec, std::string_view name, std::string_view value) {
  using simulate::k_ns;
  const auto small = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
  if (name == k_throttle) {
    std::array<std::uint64_t, 3> got{};
    if (!take_numbers(value, {k_most_after, 1'000, k_most_members}, got)) return false;
    spec.changes.push_back({got[0] * k_ns, 0, 0, small(got[1]), small(got[2]), false});
    return true;
  }
  if (name == k_bursts) {
    std::array<std::uint64_t, 4> got{};
    if (!take_numbers(value, {k_most_after, k_most_after, 1'000, k_most_members}, got)) return false;
    if (got[0] < 1'000 || got[1] >= got[0]) return false;
    spec.changes.push_back(
        {(got[0] - got[1]) * k_ns, got[1] * k_ns, got[0] * k_ns, small(got[2]), small(got[3]), true});
    return true;
  }
  if (name == k_smt) {
    std::array<std::uint64_t, 1> got{};
    if (!take_numbers(value, {1'000}, got)) return false;
    spec.smt = small(got[0]);
    return true;
  }
  if (name == k_memory) {
    std::array<std::uint64_t, 2> got{};
    if (!take_numbers(value, {1'000, k_most_members}, got)) return false;
    spec.memory = {small(got[0]), small(got[1])};
    return true;
  }
  return std::nullopt;
}

std::string changes_text(const MachineSpec& machine) {
  std::string text;
  auto out = std::back_inserter(text);
  for (const simulate::Change& change : machine.changes) {
    if (change.every == 0)
      fmt::format_to(out, ",{}={}/{}/{}", k_throttle, change.after / simulate::k_ns, change.part,
                     change.members);
    else
      fmt::format_to(out, ",{}={}/{}/{}/{}", k_bursts, change.every / simulate::k_ns,
                     change.lasts / simulate::k_ns, change.part, change.members);
  }
  if (machine.smt != 0) fmt::format_to(out, ",{}={}", k_smt, machine.smt);
  if (machine.memory.part != 0)
    fmt::format_to(out, ",{}={}/{}", k_memory, machine.memory.part, machine.memory.members);
  return text;
}

std::optional<std::string> take_value(const std::string& part, MachineSpec& spec, bool& levels_given) {
  const auto equals = std::min(part.find('='), part.size());
  const auto name = std::string_view(part).substr(0, equals);
  const auto value = std::string_view(part).substr(std::min(equals + 1, part.size()));
  if (const auto* const field = std::ranges::find(k_fields, name, &Field::name); field != k_fields.end()) {
    const auto wanted = field->is_time ? thousandths(value) : whole_number(value);
    const auto unit = field->is_time ? simulate::k_ns : 1;
    if (!wanted || *wanted < field->least * unit || *wanted > field->most * unit)
      return not_understood(part,
                            fmt::format(" for {}: a number from {} to {}", name, field->least, field->most));
    if (spec.levels.empty()) spec.levels.push_back(simulate::Level{"domain", 1, spec.across});
    field->set(spec, *wanted);
    return std::nullopt;
  }
  if (name == k_noise)
    return take_noise(spec, value) ? std::nullopt
                                   : std::optional(not_understood(
                                         part, " for noise: 0, or EVERY/LASTS, LASTS at most half of EVERY"));
  if (name == k_speeds)
    return take_speeds(spec, value)
               ? std::nullopt
               : std::optional(
                     not_understood(part, " for speeds: a list such as 1000/600, thousandths of the usual"));
  if (const auto understood = take_change(spec, name, value))
    return *understood ? std::nullopt
                       : std::optional(
                             not_understood(part, fmt::format(" for {}: see `wstree help simulate`", name)));
  const auto transfer = thousandths(value);
  const bool is_time = transfer && *transfer <= k_most_access_ns * simulate::k_ns;
  if (const auto colon = name.find(':'); colon != std::string_view::npos) {
    if (!is_time || !take_level(spec, name.substr(0, colon), name.substr(colon + 1), *transfer, levels_given))
      return not_understood(
          part, fmt::format(" for a level: LEVEL:MEMBERS=NUMBER, from 1 to {} members and 0 to {} ns",
                            k_most_members, k_most_access_ns));
    return std::nullopt;
  }
  const auto level = std::ranges::find(spec.levels, name, &simulate::Level::name);
  if (level == spec.levels.end()) return not_understood(part, accepted_names());
  if (!is_time)
    return not_understood(part, fmt::format(" for {}: a number from 0 to {}", name, k_most_access_ns));
  level->transfer = *transfer;
  return std::nullopt;
}

std::optional<std::string> check_levels(const MachineSpec& spec) {
  if (spec.levels.size() > k_most_levels)
    return fmt::format("--machine: {} levels are too many (accepted: up to {})", spec.levels.size(),
                       k_most_levels);
  for (std::size_t i = 1; i < spec.levels.size(); ++i)
    if (const auto& small = spec.levels[i - 1], &large = spec.levels[i];
        large.members <= small.members || large.members % small.members != 0)
      return fmt::format("--machine: {} of {} members cannot consist of {} of {} (accepted: multiples)",
                         large.name, large.members, small.name, small.members);
  return std::nullopt;
}

} // namespace

std::optional<std::string> parse_machine(const std::string& text, ChosenMachine& machine) {
  auto parts = parts_of(text, ',');
  bool levels_given = false;
  std::size_t first = 0;
  const auto is_field =
      std::ranges::find(k_fields, std::string_view(parts.front()), &Field::name) != k_fields.end();
  if (parts.front().find('=') == std::string::npos && !is_field) {
    if (auto problem = begin_with(parts.front(), machine)) return problem;
    first = 1;
  }
  for (std::size_t i = first; i < parts.size(); ++i)
    if (auto problem = take_value(parts[i], machine.spec, levels_given)) return problem;
  return check_levels(machine.spec);
}

std::string machine_text(const MachineSpec& machine) {
  auto text = machine.name;
  auto out = std::back_inserter(text);
  const bool one_level = machine.levels.size() == 1 && machine.levels.front().name == "domain";
  if (machine.levels.empty()) text += ",domain=1";
  if (!one_level)
    for (const auto& level : machine.levels)
      fmt::format_to(out, ",{}:{}={}", level.name, level.members, decimal(level.transfer));
  for (const auto& field : k_fields) {
    if (field.shown == Shown::with_one_level && !one_level) continue;
    const auto value = field.get(machine);
    if (field.shown == Shown::if_set && value == 0) continue;
    fmt::format_to(out, ",{}={}", field.name, field.is_time ? decimal(value) : std::to_string(value));
  }
  if (machine.noise.every != 0)
    fmt::format_to(out, ",{}={}/{}", k_noise, decimal(machine.noise.every), decimal(machine.noise.lasts));
  if (!machine.speeds.empty()) fmt::format_to(out, ",{}={}", k_speeds, fmt::join(machine.speeds, "/"));
  return text + changes_text(machine);
}

nlohmann::ordered_json machine_json(const MachineSpec& machine) {
  using nlohmann::ordered_json;
  const auto ns = [](Time time) {
    return time % simulate::k_ns == 0 ? ordered_json(time / simulate::k_ns)
                                      : ordered_json(static_cast<double>(time) / simulate::k_ns);
  };
  ordered_json json{{"name", machine.name}};
  json["levels"] = ordered_json::array();
  for (const auto& level : machine.levels)
    json["levels"].push_back(
        {{"name", level.name}, {"members", level.members}, {"transfer", ns(level.transfer)}});
  for (const auto& field : k_fields) {
    if (field.shown == Shown::with_one_level && machine.levels.size() != 1) continue;
    const auto value = field.get(machine);
    json[std::string(field.name)] = field.is_time ? ns(value) : ordered_json(value);
  }
  json["noise"] = {{"every", ns(machine.noise.every)}, {"lasts", ns(machine.noise.lasts)}};
  json["speeds"] = machine.speeds;
  json["changes"] = changes_text(machine);
  return json;
}

std::string machine_help() {
  std::string text;
  for (const auto& known : simulate::known_machines()) {
    const auto spec = simulate::machine_named(known.name);
    std::vector<std::string> transfers;
    for (const auto& level : spec->levels) transfers.push_back(decimal(level.transfer));
    transfers.push_back(decimal(spec->across));
    fmt::format_to(std::back_inserter(text), "  {:<14} {}: {} ns\n", known.name, known.description,
                   fmt::join(transfers, ", "));
  }
  return text;
}

} // namespace wstree::cli
