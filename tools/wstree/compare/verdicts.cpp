// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdicts.h"

#include "comparison.h"
#include "support/shell_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

/// From this ratio on the text has "1.5 times as fast", too: percentages of large differences are hard
/// to imagine.
constexpr double k_times = 1.5;

} // namespace

double percent(double part) { return std::abs(part) * 100; }

double shared_confidence(std::size_t comparisons) {
  return 1 - (1 - k_confidence) / static_cast<double>(std::max<std::size_t>(comparisons, 1));
}

std::string how_sure(const Ratio& ratio) {
  return fmt::format("between {:.1f} and {:.1f} % with {:.0f} % confidence", percent(1 - ratio.high),
                     percent(1 - ratio.low), k_confidence * 100);
}

std::string verdict_text(const Ratio& ratio) {
  if (ratio.is_faster())
    return fmt::format("{:.1f} % faster", percent(1 - ratio.middle)) +
           (ratio.middle * k_times <= 1 ? fmt::format(" ({:.1f} times as fast)", 1 / ratio.middle) : "");
  if (ratio.is_slower())
    return fmt::format("{:.1f} % slower", percent(ratio.middle - 1)) +
           (ratio.middle >= k_times ? fmt::format(" ({:.1f} times as long)", ratio.middle) : "");
  return "no difference can be seen";
}

std::string brief_verdict(const Ratio& ratio) {
  if (ratio.is_faster())
    return fmt::format("{:.1f} % faster", percent(1 - ratio.middle)) +
           (ratio.middle * k_times <= 1 ? fmt::format(", {:.1f} x", 1 / ratio.middle) : "");
  if (ratio.is_slower()) return fmt::format("{:.1f} % slower", percent(ratio.middle - 1));
  return is_coarse(ratio) ? "cannot tell" : "no difference";
}

double most_of(const Ratio& ratio) { return std::max(std::abs(1 - ratio.low), std::abs(ratio.high - 1)); }

bool is_coarse(const Ratio& ratio) {
  constexpr double k_coarse = 0.1; // a difference that a user would notice
  return most_of(ratio) > k_coarse;
}

std::string command_of(const Contest& comparison) {
  std::vector<std::string> words = comparison.arguments;
  if (!comparison.program.empty()) words.insert(words.begin(), comparison.program);
  return shell_words(words);
}

double spread_of(const Contest& comparison) {
  const auto* const usual = comparison.find(k_as_it_is);
  constexpr std::size_t k_parts = 5;
  if (usual == nullptr || usual->seconds.size() < k_parts) return 0;
  auto seconds = usual->seconds;
  std::sort(seconds.begin(), seconds.end());
  const auto left_out = seconds.size() / k_parts;
  const double shortest = seconds[left_out];
  return shortest > 0 ? seconds[seconds.size() - 1 - left_out] / shortest - 1 : 0;
}

LoopVerdict judge_loop(const LoopTimes& loop) {
  LoopVerdict verdict{k_tree, {}, {}, {}};
  const auto tree = loop.seconds.find(k_tree);
  if (tree == loop.seconds.end()) return verdict;
  double best = 0;
  std::size_t others = 0;
  for (const auto& [name, seconds] : loop.seconds) {
    if (!name.starts_with("ws") || name.starts_with(k_tree)) continue; // the tree with another setting
    ++others;
    if (!verdict.other.empty() && median_of(seconds) >= best) continue;
    best = median_of(seconds);
    verdict.other = name;
  }
  if (const auto source = loop.seconds.find(loop.as_it_is); source != loop.seconds.end())
    verdict.gain = ratio_of(tree->second, source->second);
  const auto shared = loop.seconds.find(k_shared_chunks);
  if (loop.large_chunk != 0 && shared != loop.seconds.end() &&
      ratio_of(shared->second, tree->second).is_faster() &&
      (verdict.other.empty() || median_of(shared->second) < best)) {
    verdict.best = "wstree chunk=1";
    return verdict;
  }
  if (verdict.other.empty()) return verdict;
  verdict.against = ratio_of(tree->second, loop.seconds.at(verdict.other), shared_confidence(others));
  if (verdict.against.is_slower()) verdict.best = verdict.other;
  return verdict;
}

void judge_check(Judgement& judgement, const FurtherRounds& check) {
  const auto& gain = check.of_as_it_is;
  judgement.check = check;
  if (gain.is_faster()) {
    judgement.paragraph +=
        fmt::format(" Tried in {} further rounds: {}, {}.", check.rounds, verdict_text(gain), how_sure(gain));
  } else if (!gain.enough) {
    judgement.paragraph += fmt::format(" Tried in {} further rounds, too few to be sure.", check.rounds);
  } else {
    judgement.paragraph += fmt::format(" But tried in {} further rounds, {} gains nothing: {}.", check.rounds,
                                       judgement.set, verdict_text(gain));
    constexpr double k_short_run = 1; // seconds
    if (judgement.invocation.served && check.seconds < k_short_run)
      judgement.paragraph += " wstree run takes time to start, which counts in so short a run.";
    judgement.set.clear();
    judgement.invocation = {};
  }
}

void judge_rules(Judgement& judgement, const FurtherRounds& check, const Invocation& rules,
                 const std::string& file) {
  auto& text = judgement.paragraph;
  if (!check.is_good()) {
    const bool loses = check.of_as_it_is.is_slower();
    text += fmt::format(
        " The best schedules of single loops together make it {} than {}, so '{}' does not have them.",
        verdict_text(loses ? check.of_as_it_is : check.of_other),
        loses ? "as it is" : "what all loops have in common does", file);
  } else if (!check.of_as_it_is.is_faster()) {
    text += fmt::format(" With the rules in '{}' {}.", file,
                        check.of_as_it_is.enough ? "no difference can be seen either"
                                                 : "too few rounds were run to tell");
  } else {
    judgement.invocation = rules;
    judgement.set = rules.text();
    judgement.check = check;
    text += fmt::format(" With the rules in '{}' it is {}, {}, by {} further rounds.", file,
                        verdict_text(check.of_as_it_is), how_sure(check.of_as_it_is), check.rounds);
  }
}

void conclude(Judgement& judgement, const Contest& comparison) {
  judgement.paragraph += judgement.set.empty()
                             ? std::string(" No winner: run the program as it is; there is nothing to set.")
                             : fmt::format(" Run: {} {}{}", judgement.set,
                                           judgement.invocation.served ? "-- " : "", command_of(comparison));
}

} // namespace wstree::cli
