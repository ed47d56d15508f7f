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
  std::uint64_t states = 0;
  std::uint32_t longest = 0; ///< steps
  std::string failure;
  std::string choices; ///< replayed by WSTREE_MODEL_CHOICES
  std::vector<std::string> story;
};
std::ostream& operator<<(std::ostream& out, const Result& result);

/// Depth first, until the first failure, nothing is left, or `most` executions. With WSTREE_MODEL_CHOICES in
/// the environment: that execution only, and its story is printed.
Result explore(Program& program, const Bounds& bounds, const Mutation& mutation = {},
               std::uint64_t most = 20'000'000);

/// `count` random executions within bounds that are mostly wide, half of them by priorities.
Result sample(Program& program, const Bounds& bounds, std::uint64_t count, std::uint64_t seed,
              const Mutation& mutation = {});

} // namespace wstree::model
