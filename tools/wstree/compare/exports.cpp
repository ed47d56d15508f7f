// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "show.h"

#include "baseline.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using Object = nlohmann::ordered_json;

const char* role_text(Role role) {
  switch (role) {
  case Role::as_it_is:
    return "as it is";
  case Role::schedule:
    return "schedule";
  case Role::tree:
    return "tree";
  case Role::per_loop:
    return "per loop";
  case Role::advice:
    return "advice";
  case Role::cause:
    break;
  }
  return "cause";
}

Object object_of(const Ratio& ratio) {
  return {{"middle", ratio.middle},
          {"low", ratio.low},
          {"high", ratio.high},
          {"enough_rounds", ratio.enough},
          {"verdict", !ratio.enough       ? "too few to tell"
                      : ratio.is_faster() ? "faster"
                      : ratio.is_slower() ? "slower"
                                          : "no difference"}};
}

Object object_of(const Contest& comparison, const Samples& samples) {
  auto settings = Object::object();
  for (const auto& [name, value] : samples.variant.settings) settings[name] = value;
  const auto interval = median_interval(samples.seconds);
  const auto outputs = outputs_of(comparison, samples);
  return {{"name", samples.variant.name},
          {"role", role_text(samples.variant.role)},
          {"served", samples.variant.served},
          {"settings", settings},
          {"seconds", samples.seconds},
          {"cpu_seconds", samples.cpu_seconds},
          {"outliers", outliers_of(samples.seconds)},
          {"median", interval.middle},
          {"low", interval.low},
          {"high", interval.high},
          {"of_as_it_is", object_of(comparison.ratio(samples.variant.name, k_as_it_is))},
          {"output", outputs == Outputs::same   ? "same"
                     : outputs == Outputs::vary ? "varies"
                                                : "differs"},
          {"problem", samples.problem}};
}

Object object_of(const LoopTimes& loop) {
  const auto verdict = judge_loop(loop);
  auto variants = Object::object();
  for (const auto& [name, seconds] : loop.seconds)
    variants[name] = {{"seconds", seconds}, {"median", median_of(seconds)}};
  return {{"name", loop.name},
          {"file", loop.file},
          {"line", loop.line},
          {"calls", loop.calls},
          {"too_short_to_tell", loop.too_short},
          {"variants", variants},
          {"best", verdict.best},
          {"next_best", verdict.other},
          {"tree_of_next_best", object_of(verdict.against)}};
}

/// Returns the text as a field between commas.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

} // namespace

std::string comparison_json(const Contest& comparison, const Judgement& judgement) {
  Object document = {{"version", WSTREE_VERSION},
                     {"program", comparison.program},
                     {"arguments", comparison.arguments},
                     {"seed", comparison.seed},
                     {"host", host_name()},
                     {"countdown_seconds", comparison.countdown},
                     {"rounds", comparison.rounds},
                     {"confidence", k_confidence},
                     {"variants", Object::array()},
                     {"loops", Object::array()},
                     {"gain", object_of(judgement.gain)},
                     {"set", judgement.set},
                     {"check", Object()},
                     {"paragraph", judgement.paragraph},
                     {"warnings", judgement.warnings}};
  if (judgement.check)
    document["check"] = {{"rounds", judgement.check->rounds},
                         {"of_as_it_is", object_of(judgement.check->of_as_it_is)}};
  for (const auto& samples : comparison.samples) {
    auto variant = object_of(comparison, samples);
    if (!samples.counts.empty()) {
      const auto counts = medians_of(samples.counts);
      for (std::size_t i = 0; i < k_counters; ++i)
        variant["counters"][std::string(k_counter_names[i])] = counts[i] ? Object(*counts[i]) : Object();
    }
    document["variants"].push_back(std::move(variant));
  }
  if (!comparison.counters_problem.empty()) document["counters_problem"] = comparison.counters_problem;
  for (const auto& loop : comparison.loops) document["loops"].push_back(object_of(loop));
  return document.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

std::string comparison_csv(const Contest& comparison) {
  std::string text = "variant,round,seconds\n";
  for (const auto& samples : comparison.samples)
    for (std::size_t i = 0; i < samples.seconds.size(); ++i)
      text += fmt::format("{},{},{:.6f}\n", quoted(samples.variant.name), i + 1, samples.seconds[i]);
  return text;
}

std::string comparison_markdown(const Contest& comparison, const Judgement& judgement) {
  std::string text = "| schedule | median [s] | of as it is | verdict |\n|:---|---:|---:|:---|\n";
  for (const auto& samples : comparison.samples) {
    const auto ratio = comparison.ratio(samples.variant.name, k_as_it_is);
    const bool is_base = samples.variant.role == Role::as_it_is;
    text += samples.is_usable()
                ? fmt::format("| {} | {:.3f} | {:.2f} ({:.2f} to {:.2f}) | {} |\n", samples.variant.name,
                              median_of(samples.seconds), ratio.middle, ratio.low, ratio.high,
                              is_base        ? ""
                              : ratio.enough ? verdict_text(ratio)
                                             : "too few to tell")
                : fmt::format("| {} | | | given up |\n", samples.variant.name);
  }
  return text + "\n" + judgement.paragraph + "\n";
}

namespace {

std::string rules_head(const Contest& comparison, const std::string& what) {
  return fmt::format("{}, {} rounds of {}: {}.\n", k_rules_heading, comparison.rounds, comparison.program,
                     what);
}

/// Returns the rule of the recommendation, with the variables to set beside it; empty: the library has no
/// part in it.
std::string rule_for_all(const Contest& comparison, const Judgement& judgement) {
  const auto* const chosen = judgement.set.empty() ? nullptr : comparison.find(judgement.chosen);
  const auto rule = chosen != nullptr ? rule_of(chosen->variant) : std::string();
  if (rule.empty()) return {};
  const auto beside = Invocation{settings_beside_rules(chosen->variant), {}, false}.text();
  return (beside.empty() ? "" : fmt::format("# With {} in the environment:\n", beside)) + rule + "\n";
}

} // namespace

std::string rules_for_all(const Contest& comparison, const Judgement& judgement) {
  const auto rule = rule_for_all(comparison, judgement);
  return rules_head(comparison, rule.empty() ? "no schedule of the library gains anything"
                                             : fmt::format("'{}' for all loops", judgement.chosen)) +
         rule;
}

std::string comparison_rules(const Contest& comparison, const Judgement& judgement) {
  if (judgement.chosen == k_one_thread) return rules_for_all(comparison, judgement);
  auto text = rules_head(comparison, "the schedule that is best for each loop");
  if (const auto rule = rule_for_all(comparison, judgement); !rule.empty())
    text += "# Loops without a line of their own:\n" + rule;
  for (const auto& loop : comparison.loops) {
    if (loop.line == 0) {
      text += fmt::format("# {}: its line is not known; compile with -g\n", loop.name);
      continue;
    }
    const auto verdict = judge_loop(loop);
    const auto place = fmt::format("{}:{}", loop.file.substr(loop.file.rfind('/') + 1), loop.line);
    if (loop.too_short) {
      text += fmt::format("# {} {}   (its executions are too short to tell)\n", place, verdict.best);
      continue;
    }
    if (loop.large_chunk != 0 && verdict.best != k_tree)
      text += fmt::format(
          "# {}: its chunk of {} iterations is too large, and chunk=1 is for programs that do not count on "
          "whole chunks\n",
          loop.name, loop.large_chunk);
    else if (!verdict.other.empty())
      text += fmt::format("# {}: the tree: {}{}\n", loop.name, verdict_text(verdict.against),
                          verdict.against.is_same() ? "" : " than " + verdict.other);
    text += fmt::format("{} {}\n", place, verdict.best);
  }
  return text;
}

} // namespace wstree::cli
