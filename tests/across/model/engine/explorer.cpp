// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explorer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace wstree::model {
namespace {

/// Runs the failed execution again to hear its story.
void tell_failure(Execution& execution, Result& result) {
  WrittenChoices again(result.choices);
  result.failed = true;
  execution.run(again, nullptr, true);
  result.failure = execution.failure();
  result.story = execution.story();
}

bool run_written(Program& program, const Bounds& bounds, const Mutation& mutation, Result& result) {
  const char* const text = std::getenv("WSTREE_MODEL_CHOICES");
  if (text == nullptr) return false;
  Execution execution(program, bounds, mutation);
  WrittenChoices choices(text);
  result.executions = 1;
  result.failed = execution.run(choices, nullptr, true) == Execution::End::failed;
  result.failure = execution.failure();
  result.choices = text;
  result.story = execution.story();
  for (const std::string& line : result.story) std::printf("%s\n", line.c_str());
  return true;
}

void note(const Execution& execution, Result& result) {
  result.longest = std::max(result.longest, execution.steps());
  result.longest_wait = std::max(result.longest_wait, execution.longest_wait());
  result.orders = execution.orders(); // which adds up over the runs
}

} // namespace

Result explore(Program& program, const Bounds& bounds, const Mutation& mutation, const Limits& limits) {
  Result result;
  if (run_written(program, bounds, mutation, result)) return result;
  Execution execution(program, bounds, mutation);
  execution.checks_steps = limits.checks_steps;
  AllChoices choices;
  Visited visited;
  do {
    ++result.executions;
    const auto end = execution.run(choices, limits.merges_states ? &visited : nullptr);
    result.complete += end == Execution::End::complete;
    note(execution, result);
    result.states = visited.count();
    if (end == Execution::End::failed) {
      result.choices = choices.text();
      tell_failure(execution, result);
      return result;
    }
    if (result.executions == limits.most) return result;
  } while (choices.advance());
  result.exhausted = true;
  return result;
}

Result sample(Program& program, const Bounds& bounds, std::uint64_t count, std::uint64_t seed,
              const Mutation& mutation) {
  Result result;
  if (run_written(program, bounds, mutation, result)) return result;
  Execution execution(program, bounds, mutation);
  RandomChoices walk{core::Rng(seed)};
  PriorityChoices priorities(core::Rng(seed), 4, 60);
  while (result.executions < count) {
    Choices& choices = ++result.executions % 2 == 0 ? static_cast<Choices&>(walk) : priorities;
    const auto end = execution.run(choices, nullptr);
    result.complete += end == Execution::End::complete;
    note(execution, result);
    if (end != Execution::End::failed) continue;
    result.choices = choices.text();
    tell_failure(execution, result);
    return result;
  }
  return result;
}

std::ostream& operator<<(std::ostream& out, const Result& result) {
  out << result.executions << " executions, " << result.complete << " complete, " << result.states
      << " states, longest " << result.longest << " steps, longest wait " << result.longest_wait;
  if (result.sampled != 0) out << ", " << result.sampled << " random executions";
  if (!result.failed) return out << (result.exhausted ? ", exhausted" : "");
  out << "\nfailed: " << result.failure << "\nreplay with WSTREE_MODEL_CHOICES='" << result.choices << "'\n";
  constexpr std::size_t k_most = 400; // of a livelock the end says as much as the whole
  const std::size_t skipped = result.story.size() > k_most ? result.story.size() - k_most : 0;
  if (skipped != 0) out << "  ... " << skipped << " lines\n";
  for (std::size_t i = skipped; i < result.story.size(); ++i) out << "  " << result.story[i] << "\n";
  return out;
}

} // namespace wstree::model
