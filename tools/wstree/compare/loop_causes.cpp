// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_causes.h"

#include "support/loop_name.h"
#include "verdicts.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

/// Whether the program spends much of its time in the loop.
bool matters(const Contest& comparison, const LoopTimes& loop) {
  constexpr double k_much = 0.1;
  const auto* const tree = comparison.find(k_tree);
  const auto found = loop.seconds.find(k_tree);
  return tree != nullptr && found != loop.seconds.end() &&
         median_of(found->second) >= k_much * median_of(tree->seconds);
}

/// The outcome of letting threads share the chunks that are too large.
std::string shared_chunks(const Contest& comparison) {
  const auto* const shared = comparison.find(k_shared_chunks);
  if (shared == nullptr) return " Write a smaller one.";
  if (outputs_of(comparison, *shared) == Outputs::differ)
    return " The program counts on whole chunks: it prints something else if threads share them. Write a "
           "smaller one.";
  const auto ratio = comparison.ratio(k_shared_chunks, k_as_it_is);
  return ratio.is_faster()
             ? fmt::format(
                   " If threads share them it is {} than as it is; that is for programs that do not count "
                   "on whole chunks, and a smaller one in the source does the same.",
                   verdict_text(ratio))
             : " That threads share them gains nothing that can be seen.";
}

/// Whether the loops take most of the time under the tree, and have even shares and processors.
bool are_even(const Contest& comparison, const Samples& tree) {
  constexpr double k_most = 0.7, k_even = 1.1, k_lost = 0.1;
  double all = 0;
  for (const auto& loop : comparison.loops) {
    const auto found = loop.seconds.find(k_tree);
    if (found == loop.seconds.end()) continue;
    const double seconds = median_of(found->second);
    all += seconds;
    if (matters(comparison, loop) && (loop.imbalance >= k_even || loop.preempted > k_lost * seconds))
      return false;
  }
  return all >= k_most * median_of(tree.seconds);
}

} // namespace

std::string large_chunks(const Contest& comparison) {
  std::string text;
  for (const auto& loop : comparison.loops)
    if (loop.large_chunk != 0 && !loop.too_short && matters(comparison, loop))
      text += fmt::format(" The chunk of {} is too large: whole chunks of {} iterations are handed out, too "
                          "few to be shared.",
                          folded_name(loop.name), loop.large_chunk);
  return text.empty() ? text : text + shared_chunks(comparison);
}

std::string time_elsewhere(const Contest& comparison) {
  constexpr double k_far_more = 1.6;
  const auto* const alone = comparison.find(k_one_thread);
  const auto* const tree = comparison.find(k_tree);
  if (alone == nullptr || tree == nullptr || alone->seconds.size() < 2 || comparison.threads < 2) return {};
  const double times =
      static_cast<double>(comparison.threads) * median_of(tree->seconds) / median_of(alone->seconds);
  if (times < k_far_more || !are_even(comparison, *tree)) return {};
  return fmt::format(
      " The time goes elsewhere: the loops are even, and {} threads together take {:.1f} times one "
      "thread's time. They wait for memory, for locks, or for cache lines that they share, which no "
      "schedule saves.",
      comparison.threads, times);
}

} // namespace wstree::cli
