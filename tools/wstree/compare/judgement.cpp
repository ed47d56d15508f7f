// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comparison.h"

#include "loop_causes.h"
#include "support/loop_name.h"
#include "verdicts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace wstree::cli {

namespace {

constexpr double k_short_run = 0.1; // seconds
/// Times that differ by more are those of a busy machine, or of a program that does different things.
constexpr double k_busy = 0.15;
/// Gain from which a second setting is recommended.
constexpr double k_worth_more = 0.05;

/// Returns the variant of a role with the shortest time; null if there is none.
const Samples* fastest(const Contest& comparison, Role role) {
  const Samples* best = nullptr;
  for (const auto& samples : comparison.samples) {
    if (samples.variant.role != role || !samples.is_usable()) continue;
    if (best == nullptr || median_of(samples.seconds) < median_of(best->seconds)) best = &samples;
  }
  return best;
}

/// Returns the loops on which the tree makes a difference to the source's schedule, the largest first.
std::string loops_text(const Contest& comparison) {
  std::vector<std::pair<double, std::string>> loops;
  bool any_pair = false;
  for (const auto& loop : comparison.loops) {
    const auto verdict = judge_loop(loop);
    any_pair |= verdict.gain.enough;
    if (loop.too_short || verdict.gain.is_same()) continue;
    const double saved =
        median_of(loop.seconds.at(loop.as_it_is)) - median_of(loop.seconds.find(k_tree)->second);
    loops.emplace_back(-std::abs(saved), fmt::format("{} ({} than {})", folded_name(loop.name),
                                                     verdict_text(verdict.gain), loop.as_it_is));
  }
  std::sort(loops.begin(), loops.end());
  std::string text;
  for (const auto& [saved, loop] : loops) text += (text.empty() ? "" : ", ") + loop;
  if (!text.empty()) return " Loops: " + text + ".";
  if (comparison.loops.empty() || any_pair) return {};
  const auto& first = comparison.loops.front();
  return fmt::format(" Under the tree, most of the loops' time is in {}{}.", folded_name(first.name),
                     comparison.loops.size() > 1 ? "; --loops says which loops gain" : "");
}

/// Returns the reason why the tree is faster than the program as it is, if that is not the schedule.
std::string other_cause(const Contest& comparison, std::string& chosen) {
  const auto passive = comparison.ratio(k_passive, k_as_it_is);
  if (passive.is_faster() && !comparison.ratio(k_tree, k_passive).is_faster()) {
    chosen = k_passive;
    return fmt::format(
        " The reason is how threads wait, not the schedule: OMP_WAIT_POLICY=passive alone makes it "
        "{}.",
        verdict_text(passive));
  }
  const auto unbound = comparison.ratio(k_unbound, k_as_it_is);
  if (comparison.find(k_unbound) != nullptr && comparison.ratio(k_tree, k_unbound).is_faster() &&
      !unbound.is_faster()) {
    return " The reason is that the library pins threads, not the schedule: without that (WSTREE_BIND=none) "
           "no gain "
           "can be seen, and OMP_PROC_BIND=close may do the same.";
  }
  return {};
}

/// Returns the reason why the tree is slower.
std::string cause_of_loss(const Contest& comparison) {
  if (comparison.ratio(k_unbound, k_tree).is_faster() && !comparison.ratio(k_unbound, k_as_it_is).is_slower())
    return " The reason is that the library pins threads: with WSTREE_BIND=none it is not slower.";
  if (comparison.ratio(k_tree_passive, k_tree).is_faster() &&
      !comparison.ratio(k_tree_passive, k_as_it_is).is_slower())
    return " With OMP_WAIT_POLICY=passive it is not slower.";
  return {};
}

/// Returns seconds of one thread, if it is faster than every other variant; 0: it is not.
double fastest_alone(const Contest& comparison) {
  const auto* const alone = comparison.find(k_one_thread);
  if (alone == nullptr || alone->seconds.size() < 2) return 0;
  const double seconds = median_of(alone->seconds);
  for (const auto& samples : comparison.samples)
    if (samples.is_usable() && samples.variant.name != k_one_thread && median_of(samples.seconds) <= seconds)
      return 0;
  return seconds;
}

/// Returns a remark if the run is hardly longer than the program's start, so that it shows little of
/// the loops.
std::string too_short(const Contest& comparison) {
  const auto* const usual = comparison.find(k_as_it_is);
  const double seconds = median_of(usual->seconds);
  if (seconds >= k_short_run) return {};
  return fmt::format(
      " A run takes {:.0f} ms, of which the program's start is a part: with more work more is seen "
      "of its loops.",
      seconds * 1e3);
}

/// Describes the additional cost of the command that starts a variant, which takes `seconds`.
std::string look_at(const Contest& comparison, double seconds) {
  constexpr double k_worth_a_word = 0.02;
  if (comparison.look < k_worth_a_word * seconds) return {};
  return fmt::format(
      " wstree run looks at the program first, which takes {:.0f} ms that these times do not have.",
      std::max(comparison.look * 1e3, 1.0));
}

/// Describes the saving of passive waiting if the program takes as long as with `chosen`.
std::string saved_by_passive(const Contest& comparison, const std::string& chosen) {
  constexpr double k_worth_a_word = 0.05, k_as_long = 0.02;
  const char* const name = chosen == k_tree ? k_tree_passive : chosen == k_as_it_is ? k_passive : "";
  const auto* const usual = comparison.find(chosen);
  const auto* const passive = comparison.find(name);
  if (usual == nullptr || passive == nullptr || usual->cpu_seconds.empty() || passive->cpu_seconds.empty())
    return {};
  const auto ratio = comparison.ratio(name, chosen);
  const double spent = median_of(usual->cpu_seconds), saved = spent - median_of(passive->cpu_seconds);
  if (!ratio.enough || ratio.high > 1 + k_as_long || saved < k_worth_a_word * spent) return {};
  return fmt::format(
      " Threads that wait cost {:.0f} % of the CPU time: with OMP_WAIT_POLICY=passive it takes no "
      "longer, and {:.2f} instead of {:.2f} CPU seconds.",
      percent(saved / spent), spent - saved, spent);
}

/// Describes the largest possible gain.
std::string share_of_loops(const Contest& comparison) {
  const auto* const tree = comparison.find(k_tree);
  double loops = 0;
  for (const auto& loop : comparison.loops)
    if (const auto found = loop.seconds.find(k_tree); found != loop.seconds.end())
      loops += median_of(found->second);
  const double part = tree != nullptr ? loops / median_of(tree->seconds) : 1;
  if (part >= 0.9) return {};
  auto text = fmt::format(" The loops that the tree can serve take {:.0f} % of the time", percent(part));
  if (!comparison.step.empty())
    text += fmt::format(", and regions that are not served {:.0f} %, most of it {}: {}. Next: {}",
                        percent(comparison.refused_part), folded_name(comparison.refused.name),
                        comparison.refused.reason, comparison.step);
  return text + ".";
}

/// Says that the tree is neither faster nor slower, and which difference would have been seen.
std::string no_difference(const Ratio& ratio) {
  if (!ratio.enough)
    return "Whether the tree makes a difference cannot be told: there were too few rounds; 10 are enough (-n "
           "10).";
  if (!is_coarse(ratio))
    return fmt::format(
        "No difference: with the tree the program takes as long as it is, within {:.1f} % ({:.0f} "
        "% confidence); more rounds (-n) see smaller differences.",
        std::max(percent(most_of(ratio)), percent(k_smallest_difference)), k_confidence * 100);
  return fmt::format(
      "Whether the tree makes a difference cannot be told, because the times vary too much: with the tree it "
      "takes {:.3f} times as long, which may be {:.3f} to {:.3f} ({:.0f} % confidence). More rounds (-n) or "
      "a "
      "machine with less load tell more.",
      ratio.middle, ratio.low, ratio.high, k_confidence * 100);
}

std::vector<std::string> warnings_of(const Contest& comparison) {
  std::vector<std::string> warnings;
  bool vary = false, served_differ = false;
  constexpr std::size_t k_most_outliers = 5; // outliers that are named
  std::size_t outliers = 0;
  for (const auto& samples : comparison.samples) {
    if (!samples.problem.empty())
      warnings.push_back(fmt::format("'{}' was given up: {}", samples.variant.name, samples.problem));
    const auto outputs = outputs_of(comparison, samples);
    vary |= outputs == Outputs::vary;
    if (outputs != Outputs::differ) continue;
    served_differ |= samples.variant.served;
    auto text =
        fmt::format("the output of '{}' differs from that of the program as it is", samples.variant.name);
    if (samples.variant.name == k_one_thread)
      text += fmt::format(": what the program prints depends on the number of threads, without the library "
                          "too. Look at both: "
                          "OMP_NUM_THREADS=1 {0}, and {0}. Last digits of sums may differ, as threads add in "
                          "another order; if "
                          "more differs, the program has a race or prints what its threads do",
                          command_of(comparison));
    warnings.push_back(std::move(text));
  }
  if (served_differ)
    warnings.emplace_back(
        "the order of iterations may be why outputs differ: under the tree each thread takes them in any "
        "order, and "
        "sums of floating-point numbers and lines that are printed depend on it. OMP_SCHEDULE=wsfixed, or "
        "monotonic: in the source, lets each thread take them in increasing order");
  if (vary)
    warnings.emplace_back("the program prints something else in each run, so outputs were not compared");
  for (const auto& samples : comparison.samples)
    for (const auto index : outliers_of(samples.seconds))
      if (++outliers <= k_most_outliers)
        warnings.push_back(fmt::format("outlier: round {} of '{}' took {:.3f} s, {:.1f} times the median",
                                       index + 1, samples.variant.name, samples.seconds[index],
                                       samples.seconds[index] / median_of(samples.seconds)));
  if (outliers > k_most_outliers)
    warnings.push_back(
        fmt::format("{} more runs are outliers; --export json names them, and --svg shows them",
                    outliers - k_most_outliers));
  if (const double spread = spread_of(comparison); spread > k_busy)
    warnings.push_back(fmt::format("times of the program as it is differ by up to {:.0f} %: the machine was "
                                   "busy, or the program does not always "
                                   "do the same. Figures mean more if nothing else is running",
                                   spread * 100));
  return warnings;
}

} // namespace

const Samples* Contest::find(const std::string& name) const {
  for (const auto& one : samples)
    if (one.variant.name == name && one.is_usable()) return &one;
  return nullptr;
}

Ratio Contest::ratio(const std::string& name, const std::string& other) const {
  const auto* const first = find(name);
  const auto* const second = find(other);
  if (first == nullptr || second == nullptr) return {};
  const auto of_the_role = std::count_if(samples.begin(), samples.end(), [&](const Samples& one) {
    return one.variant.role == first->variant.role && first->variant.role == Role::schedule;
  });
  return ratio_of(first->seconds, second->seconds, shared_confidence(static_cast<std::size_t>(of_the_role)));
}

Outputs outputs_of(const Contest& comparison, const Samples& samples) {
  for (const auto& one : comparison.samples) {
    if (one.variant.role != Role::as_it_is) continue;
    const std::set<std::uint64_t> usual(one.outputs.begin(), one.outputs.end());
    if (usual.size() > 1) return Outputs::vary;
    for (const auto output : samples.outputs)
      if (!usual.contains(output)) return Outputs::differ;
  }
  return Outputs::same;
}

namespace {

/// Returns the variant with one setting more, or another schedule of the library, that is surely and much
/// faster than `chosen`; nullptr: there is none.
const Samples* better_together(const Contest& comparison, const std::string& chosen) {
  const Samples* best = nullptr;
  const auto is_much_faster = [&](const Samples& one, const std::string& than) {
    const auto ratio = comparison.ratio(one.variant.name, than);
    return ratio.is_faster() && ratio.middle <= 1 - k_worth_more;
  };
  for (const auto& one : comparison.samples) {
    const auto& name = one.variant.name;
    if (!one.is_usable() || one.variant.few_rounds || one.variant.role == Role::schedule ||
        (name == k_shared_chunks && outputs_of(comparison, one) == Outputs::differ) ||
        !is_much_faster(one, chosen) || !comparison.ratio(name, k_as_it_is).is_faster())
      continue;
    if (best == nullptr || is_much_faster(one, best->variant.name)) best = &one;
  }
  return best;
}

} // namespace

Judgement judge(const Contest& comparison) {
  Judgement judgement;
  judgement.warnings = warnings_of(comparison);
  judgement.gain = comparison.ratio(k_tree, k_as_it_is);
  const auto* const tree = comparison.find(k_tree);
  if (tree == nullptr || comparison.find(k_as_it_is) == nullptr) {
    judgement.paragraph = "Nothing can be said: the program did not run to its end.";
    return judgement;
  }
  const auto* const schedule = fastest(comparison, Role::schedule);
  const auto against = schedule != nullptr ? ratio_of(tree->seconds, schedule->seconds) : Ratio{};
  const auto alone = schedule != nullptr ? comparison.ratio(schedule->variant.name, k_as_it_is) : Ratio{};
  auto& chosen = judgement.chosen = k_as_it_is;
  auto& text = judgement.paragraph;
  if (judgement.gain.is_faster()) {
    chosen = k_tree;
    text = fmt::format("The tree makes the program {}, {}.", verdict_text(judgement.gain),
                       how_sure(judgement.gain));
    const auto cause = other_cause(comparison, chosen);
    text += cause;
    if (cause.empty() && alone.is_faster() && !against.is_faster()) {
      chosen = schedule->variant.name;
      text += fmt::format(" So does {} without the library: {} between the two.",
                          invocation_of(schedule->variant).text(),
                          against.is_slower() ? "it is faster" : verdict_text(against));
    }
    if (cause.empty()) text += loops_text(comparison);
  } else if (alone.is_faster()) {
    chosen = schedule->variant.name;
    text = fmt::format("{} makes the program {}, {}; with the tree {}.",
                       invocation_of(schedule->variant).text(), verdict_text(alone), how_sure(alone),
                       judgement.gain.is_slower() ? "it is " + verdict_text(judgement.gain)
                                                  : verdict_text(judgement.gain));
  } else if (judgement.gain.is_slower()) {
    text = fmt::format("The tree makes the program {}: leave it as it is.", verdict_text(judgement.gain)) +
           cause_of_loss(comparison) + loops_text(comparison);
  } else {
    text = no_difference(judgement.gain) + share_of_loops(comparison);
    if (const auto passive = comparison.ratio(k_passive, k_as_it_is); passive.is_faster()) {
      chosen = k_passive;
      text += fmt::format(" But OMP_WAIT_POLICY=passive makes it {}.", verdict_text(passive));
    }
  }
  if (const double seconds = fastest_alone(comparison); seconds > 0) {
    chosen = k_one_thread;
    const auto elsewhere = time_elsewhere(comparison);
    text += fmt::format(" One thread is faster than all of them ({:.3f} s){}", seconds,
                        elsewhere.empty() ? ": the loops are too short to be shared, or the threads have too "
                                            "few processors."
                                          : "." + elsewhere);
  } else {
    if (const auto* const more = better_together(comparison, chosen)) {
      const auto gain = comparison.ratio(more->variant.name, k_as_it_is);
      const auto* const still = chosen == k_as_it_is ? "" : "faster still, ";
      chosen = more->variant.name;
      text +=
          fmt::format(" '{}' is {}{} than as it is, {}.", chosen, still, verdict_text(gain), how_sure(gain));
    }
    text += saved_by_passive(comparison, chosen) + large_chunks(comparison) + small_chunks(comparison) +
            few_iterations(comparison) + time_elsewhere(comparison);
  }
  text += too_short(comparison);
  judgement.invocation = invocation_of(comparison.find(chosen)->variant);
  judgement.set = judgement.invocation.text();
  if (judgement.invocation.served) text += look_at(comparison, median_of(tree->seconds));
  return judgement;
}

} // namespace wstree::cli
