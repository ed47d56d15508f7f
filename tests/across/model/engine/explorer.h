// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many executions of a program: all within bounds, or random ones.
#pragma once

#include "execution.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace wstree::model {

struct Result {
  bool failed = false;
  bool exhausted = false; ///< nothing within the bounds is left
  std::uint64_t executions = 0;
  std::uint64_t complete = 0; ///< of them; the others came to a state where one has been
  std::uint64_t sampled = 0;  ///< random executions besides
  std::uint64_t states = 0;
  std::uint32_t longest = 0;      ///< steps
  std::uint32_t longest_wait = 0; ///< steps of a thread while none got anywhere
  OrderLog orders;
  std::string failure;
  std::string choices; ///< replayed by WSTREE_MODEL_CHOICES
  std::vector<std::string> story;
};
std::ostream& operator<<(std::ostream& out, const Result& result);

struct Limits {
  std::uint64_t most = 50'000'000; ///< executions
  bool merges_states = true;       ///< see visited.h
  bool checks_steps = true;        ///< Program::after_step()
};

/// Depth first, until the first failure, nothing is left, or the limit. No two executions are the same. With
/// WSTREE_MODEL_CHOICES in the environment: that execution only, and its story is printed.
Result explore(Program& program, const Bounds& bounds, const Mutation& mutation = {},
               const Limits& limits = {});

/// `count` random executions within bounds that are mostly wide, half of them by priorities.
Result sample(Program& program, const Bounds& bounds, std::uint64_t count, std::uint64_t seed,
              const Mutation& mutation = {});

} // namespace wstree::model
