// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_causes.h"

#include "support/few_chunks.h"
#include "support/loop_name.h"
#include "support/time_elsewhere.h"
#include "verdicts.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

/// Returns whether the program spends much of its time in the loop.
bool matters(const Contest& comparison, const LoopTimes& loop) {
  constexpr double k_much = 0.1;
  const auto* const tree = comparison.find(k_tree);
  const auto found = loop.seconds.find(k_tree);
  return tree != nullptr && found != loop.seconds.end() &&
         median_of(found->second) >= k_much * median_of(tree->seconds);
}

/// Returns the outcome of letting threads share the chunks that are too large.
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

/// Returns whether the loops take most of the time under the tree, and have even shares and processors.
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

std::string small_chunks(const Contest& comparison) {
  constexpr double k_small = 1e-6, k_handed_out = 20e-9, k_much = 0.1; // seconds, of a chunk; of the program
  const auto* const usual = comparison.find(k_as_it_is);
  std::string text;
  for (const auto& loop : comparison.loops) {
    const auto tree = loop.seconds.find(k_tree);
    if (loop.form != "wsfixed" || tree == loop.seconds.end() || loop.iterations == 0 ||
        !comparison.ratio(k_tree, k_as_it_is).is_faster())
      continue;
    const double chunks = static_cast<double>(loop.iterations) / static_cast<double>(loop.chunk);
    const double each = median_of(tree->second) * static_cast<double>(comparison.threads) / chunks;
    if (each < k_small && chunks * k_handed_out >= k_much * median_of(usual->seconds))
      text += fmt::format(
          " The chunk of {} is too small: its {:.0f} chunks take {:.0f} ns each, hardly more than to "
          "hand one out costs.",
          folded_name(loop.name), chunks, each * 1e9);
  }
  return text;
}

std::string few_iterations(const Contest& comparison) {
  constexpr double k_uneven = 1.1;
  std::string text;
  for (const auto& loop : comparison.loops) {
    const auto shares = static_cast<double>(loop.calls * comparison.threads);
    if (loop.too_short || loop.large_chunk != 0 || loop.imbalance < k_uneven || !matters(comparison, loop) ||
        loop.iterations == 0 || static_cast<double>(loop.iterations) >= k_few_chunks * shares)
      continue;
    text +=
        fmt::format(" {} has {:.1f} iterations for each thread, too few to be shared: make more and smaller "
                    "ones (collapse(2), or a loop further out).",
                    folded_name(loop.name), static_cast<double>(loop.iterations) / shares);
  }
  return text;
}

std::string time_elsewhere(const Contest& comparison) {
  const auto* const alone = comparison.find(k_one_thread);
  const auto* const tree = comparison.find(k_tree);
  if (alone == nullptr || tree == nullptr || alone->seconds.size() < 2 || !are_even(comparison, *tree))
    return {};
  const auto text = time_elsewhere(comparison.threads, median_of(tree->seconds), median_of(alone->seconds));
  return text.empty() ? text : " " + text;
}

} // namespace wstree::cli
