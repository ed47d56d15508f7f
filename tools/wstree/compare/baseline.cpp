// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "baseline.h"

#include "support/loop_name.h"
#include "support/table.h"
#include "support/text_file.h"
#include "support/visible.h"
#include "verdicts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace wstree::cli {

namespace {

using nlohmann::json;

constexpr const char* k_earlier = "earlier"; // sessions, in a baseline

/// Reads members of an object that may be missing, and keeps the first one of a wrong type.
struct Members {
  std::string wrong; ///< "variants[0].seconds is no list of times"; "": none is

  const json* find(const json& object, const char* name, bool (json::*is_good)() const noexcept,
                   const std::string& place, const char* kind) {
    const auto found = object.find(name);
    if (found == object.end()) return nullptr;
    if (((*found).*is_good)()) return &*found;
    refuse(place + name, kind);
    return nullptr;
  }
  std::string text(const json& object, const char* name, const std::string& place) {
    const auto* const found = find(object, name, &json::is_string, place, "text");
    return found != nullptr ? found->get<std::string>() : std::string();
  }
  json array(const json& object, const char* name, const std::string& place) {
    const auto* const found = find(object, name, &json::is_array, place, "list");
    return found != nullptr ? *found : json::array();
  }
  /// Returns the objects of `array(object, name)`, with their places.
  std::vector<std::pair<json, std::string>> objects(const json& object, const char* name,
                                                    const std::string& place) {
    std::vector<std::pair<json, std::string>> all;
    for (auto& one : array(object, name, place)) {
      const auto here = fmt::format("{}{}[{}]", place, name, all.size());
      if (!one.is_object()) refuse(here, "object");
      if (!wrong.empty()) break;
      all.emplace_back(std::move(one), here + ".");
    }
    return all;
  }
  /// Returns the times in an array. Some loops are so short that they take 0 seconds; no program does.
  std::vector<double> seconds(const json& object, const char* name, const std::string& place, bool may_be_0) {
    std::vector<double> numbers;
    for (const auto& number : array(object, name, place)) {
      const double value = number.is_number() ? number.get<double>() : -1;
      if (value < 0 || (value == 0 && !may_be_0)) refuse(place + name, "list of times");
      numbers.push_back(value);
    }
    return numbers;
  }
  void refuse(const std::string& place, const char* kind) {
    if (wrong.empty()) wrong = fmt::format("{} is no {}", place, kind);
  }
};

/// Returns the change of a name. `allowed`: by which factor the processor itself is slower.
Change change_of(const std::string& name, const std::vector<double>& before, const std::vector<double>& now,
                 double tolerance, double allowed) {
  Change change{name, median_of(before), median_of(now), ratio_of_groups(now, before), false};
  change.is_slower = change.ratio.enough && change.ratio.low > (1 + tolerance / 100) * std::max(allowed, 1.0);
  return change;
}

/// Keeps of two changes of one name that in comparison with the slower session.
void keep_slower_session(std::vector<Change>& changes, Change change) {
  const auto known = std::ranges::find(changes, change.name, &Change::name);
  if (known == changes.end())
    changes.push_back(std::move(change));
  else if (known->is_slower > change.is_slower ||
           (known->is_slower == change.is_slower && known->ratio.middle > change.ratio.middle))
    *known = std::move(change);
}

EarlierTimes times_of(const json& document, const std::string& place, Members& members) {
  EarlierTimes times;
  times.program = members.text(document, "program", place);
  if (document.contains("arguments")) {
    times.arguments.emplace();
    for (const auto& argument : members.array(document, "arguments", place))
      if (argument.is_string())
        times.arguments->push_back(argument.get<std::string>());
      else
        members.refuse(place + "arguments", "list of texts");
  }
  times.host = members.text(document, "host", place);
  members.find(document, "rounds", &json::is_number_unsigned, place, "number of rounds");
  times.countdown = members.seconds(document, "countdown_seconds", place, false);
  for (const auto& [variant, here] : members.objects(document, "variants", place)) {
    const auto name = members.text(variant, "name", here);
    members.text(variant, "role", here);
    auto seconds = members.seconds(variant, "seconds", here, false);
    if (!members.text(variant, "problem", here).empty()) continue;
    if (seconds.empty()) members.refuse(here + "seconds", "list of times");
    times.variants[name] = std::move(seconds);
  }
  for (const auto& [loop, here] : members.objects(document, "loops", place)) {
    const auto* const is_short =
        members.find(loop, "too_short_to_tell", &json::is_boolean, here, "truth value");
    const auto* const variants = members.find(loop, "variants", &json::is_object, here, "object");
    const auto name = members.text(loop, "name", here);
    if (variants == nullptr || is_short == nullptr || is_short->get<bool>()) continue;
    if (const auto* const tree =
            members.find(*variants, k_tree, &json::is_object, here + "variants.", "object"))
      times.loops[name] = members.seconds(*tree, "seconds", here + "variants." + k_tree + ".", true);
  }
  return times;
}

/// Bytes that are no UTF-8 are replaced in files.
std::string as_saved(const std::string& text) {
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

/// Returns the name of a program without its folder: programs of two builds are in two folders.
std::string name_of(const std::string& program) { return program.substr(program.rfind('/') + 1); }

std::string verdict_of(const Change& change) {
  if (!change.ratio.enough) return "too few to tell";
  return brief_verdict(change.ratio) +
         (change.ratio.is_slower() && !change.is_slower ? ", within the tolerance" : "");
}

} // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Baseline read_baseline(const std::string& file) {
  Baseline baseline;
  const auto text = read_text(file);
  const auto document = json::parse(text.value_or(""), nullptr, false);
  if (!text)
    baseline.problem = fmt::format("'{}' cannot be read", file);
  else if (!document.is_object())
    baseline.problem = fmt::format("'{}' is not what wstree compare --save has written", file);
  if (!baseline.problem.empty()) return baseline;
  Members members;
  baseline.sessions.push_back(times_of(document, "", members));
  for (const auto& [earlier, here] : members.objects(document, k_earlier, ""))
    baseline.sessions.push_back(times_of(earlier, here, members));
  if (!members.wrong.empty()) {
    baseline.problem = fmt::format("'{}' is damaged: {}", file, members.wrong);
    return baseline;
  }
  for (const auto& session : baseline.sessions)
    if (!session.variants.contains(k_as_it_is) || !session.variants.contains(k_tree))
      baseline.problem = fmt::format("'{}' lacks times of the program as it is or under the tree", file);
  return baseline;
}

std::string other_program(const Baseline& baseline, const std::string& program) {
  for (const auto& session : baseline.sessions)
    if (!session.program.empty() && name_of(session.program) != name_of(as_saved(program)))
      return fmt::format("has times of '{}', and the program is '{}' now", session.program, program);
  return {};
}

std::string other_arguments(const Baseline& baseline, const std::vector<std::string>& arguments) {
  auto saved = arguments;
  for (auto& argument : saved) argument = as_saved(argument);
  for (const auto& session : baseline.sessions)
    if (session.arguments && *session.arguments != saved)
      return fmt::format("has times with the arguments '{}', which are '{}' now",
                         fmt::join(*session.arguments, " "), fmt::join(arguments, " "));
  return {};
}

std::string baseline_json(const std::string& file, const std::string& comparison) {
  constexpr std::size_t k_most = 9; // besides the new one
  auto document = nlohmann::ordered_json::parse(comparison);
  auto before = nlohmann::ordered_json::parse(read_text(file).value_or(""), nullptr, false);
  if (!before.is_object()) return comparison;
  auto all = nlohmann::ordered_json::array();
  auto earlier = before.value(k_earlier, nlohmann::ordered_json::array());
  before.erase(k_earlier);
  all.push_back(std::move(before));
  for (auto& one : earlier)
    if (all.size() < k_most) all.push_back(std::move(one));
  document[k_earlier] = std::move(all);
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

bool Changes::is_slower() const {
  return std::ranges::any_of(variants, [](const Change& change) { return change.is_slower; });
}

Changes changes_since(const Baseline& baseline, const Contest& comparison, double tolerance) {
  Changes changes;
  for (const auto& session : baseline.sessions) {
    changes.processor = ratio_of_groups(comparison.countdown, session.countdown);
    if (!session.host.empty() && session.host != host_name()) changes.other_host = session.host;
    const double allowed = changes.processor.is_slower() ? changes.processor.middle : 1;
    for (const char* const name : {k_as_it_is, k_tree})
      if (const auto* const samples = comparison.find(name))
        keep_slower_session(changes.variants,
                            change_of(name, session.variants.at(name), samples->seconds, tolerance, allowed));
    for (const auto& loop : comparison.loops) {
      const auto before = session.loops.find(loop.name);
      const auto now = loop.seconds.find(k_tree);
      if (loop.too_short || before == session.loops.end() || now == loop.seconds.end()) continue;
      keep_slower_session(changes.loops,
                          change_of(loop.name, before->second, now->second, tolerance, allowed));
    }
  }
  std::erase_if(changes.loops, [](const Change& change) { return change.ratio.is_same(); });
  return changes;
}

std::string changes_text(const Changes& changes, const std::string& file, double tolerance) {
  Table table;
  table.add({fmt::format("against {}", file), "before", "now", "ratio", "verdict"});
  const auto add = [&](const Change& change, const std::string& name) {
    table.add(
        {name, duration_text(change.before), duration_text(change.now),
         fmt::format("{:.3f} ({:.3f} .. {:.3f})", change.ratio.middle, change.ratio.low, change.ratio.high),
         verdict_of(change)});
  };
  for (const auto& change : changes.variants) add(change, change.name);
  for (const auto& change : changes.loops) add(change, folded_name(visible(change.name)));
  auto text = "\n" + table.text({TableStyle::Left::first_and_last});
  if (!changes.other_host.empty())
    text += fmt::format("The baseline is from another machine, '{}'.\n", visible(changes.other_host));
  if (!changes.processor.is_same())
    text += fmt::format("The processor is {} than it was.\n", verdict_text(changes.processor));
  return text + (changes.is_slower()
                     ? fmt::format("It has become slower by more than {:g} %.\n", tolerance)
                     : fmt::format("It has not become slower by more than {:g} % for certain.\n", tolerance));
}

} // namespace wstree::cli
