// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops as the simulator sees them: what each iteration costs.
#pragma once

#include "caches.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::simulate {

class Workload {
public:
  /// `weight(i)` is what iteration i costs in relation to the others; all together cost `work`.
  Workload(std::string name, std::uint64_t iterations, Time work,
           const std::function<double(std::uint64_t)>& weight);

  const std::string& name() const { return name_; }
  std::uint64_t iterations() const { return sums_.size() - 1; }
  Time cost(std::uint64_t begin, std::uint64_t end) const { return sums_[end] - sums_[begin]; }
  /// No schedule ends the loop sooner.
  Time ideal(std::uint32_t members) const;

private:
  std::string name_;
  std::vector<Time> sums_; // of the iterations before each
  Time longest_ = 0;
};

/// The names of the benchmark's cost distributions (tools/bench/cost_shapes.h), in its order.
std::vector<std::string_view> shape_names();
/// The distribution of that name, in any case; 1 <= iterations < 2^31.
std::optional<Workload> make_workload(std::string_view shape, std::uint64_t iterations, Time work);

} // namespace wstree::simulate
