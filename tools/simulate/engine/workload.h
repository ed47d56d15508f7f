// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops as the simulator sees them: the cost of each iteration.
#pragma once

#include "virtual_time.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::simulate {

/// A row of iterations of equal cost.
struct Stretch {
  std::uint64_t iterations = 0;
  Time cost = 0; ///< cost of all iterations
};

class Workload {
public:
  /// `weight(i)` is the cost of iteration i in relation to the others; all together cost `work`.
  Workload(std::string name, std::uint64_t iterations, Time work,
           const std::function<double(std::uint64_t)>& weight);
  /// Constructs a workload whose costs are known only for stretches of iterations, none of which is empty.
  Workload(std::string name, const std::vector<Stretch>& stretches);

  const std::string& name() const { return name_; }
  std::uint64_t iterations() const { return firsts_.empty() ? sums_.size() - 1 : firsts_.back(); }
  Time cost(std::uint64_t begin, std::uint64_t end) const { return before(end) - before(begin); }
  Time longest() const { return longest_; } ///< cost of the longest iteration
  /// Returns a lower bound of the time under any schedule.
  Time ideal(std::uint32_t members) const;

private:
  Time before(std::uint64_t iteration) const {
    return firsts_.empty() ? sums_[iteration] : within(iteration);
  }
  Time within(std::uint64_t iteration) const;

  std::string name_;
  std::vector<Time> sums_;            // sum of the costs before each iteration, or each stretch
  std::vector<std::uint64_t> firsts_; // the first iteration of each stretch and the end; empty: all have one
  Time longest_ = 0;
};

/// Returns the names of the benchmark's cost distributions (tools/bench/workloads/cost_shapes.h), in
/// its order.
std::vector<std::string_view> shape_names();
/// Returns the distribution of that name, in any case; 1 <= iterations < 2^31.
std::optional<Workload> make_workload(std::string_view shape, std::uint64_t iterations, Time work);

} // namespace wstree::simulate
