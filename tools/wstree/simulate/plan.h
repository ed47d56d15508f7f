// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is to be simulated, and what came out.
#pragma once

#include "commands.h"

#include "options.h"

#include "simulate.h"
#include "workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

struct Plan {
  std::vector<simulate::Schedule> schedules;
  std::vector<simulate::Workload> workloads;
  std::vector<std::uint32_t> threads;
  core::Settings settings;
  config::Batch batch;
  config::Strategy strategy = config::Strategy::findmax;
  simulate::MachineSpec machine;
  std::uint64_t iterations = 0;
  double work_ms = 0;
  std::uint64_t seed = 1;
  std::uint32_t rounds = 1;
};

/// nullopt: `plan` is made; else what is wrong with the request.
std::optional<std::string> make_plan(const SimulateRequest& request, Plan& plan);

/// As in OMP_SCHEDULE.
std::string name_of(const simulate::Schedule& schedule);

/// A value of --machine by its name.
struct MachineValue {
  std::string_view name;
  std::uint64_t value; ///< durations in ns
};
std::vector<MachineValue> values_of(const simulate::MachineSpec& machine);

/// One schedule on one workload with so many threads: the round with the median of the times.
struct Outcome {
  double ratio = 0; ///< time / ideal
  simulate::Time ideal = 0;
  simulate::Round round;
};

class Results {
public:
  explicit Results(const Plan& plan);

  const Plan& plan() const { return *plan_; }
  /// By their places in the plan.
  const Outcome& at(std::size_t threads, std::size_t workload, std::size_t schedule) const {
    return outcomes_[(threads * plan_->workloads.size() + workload) * plan_->schedules.size() + schedule];
  }
  /// Over the workloads.
  double geometric_mean(std::size_t threads, std::size_t schedule) const;
  double worst(std::size_t threads, std::size_t schedule) const;

private:
  const Plan* plan_;
  std::vector<Outcome> outcomes_;
};

std::string simulate_text(const Results& results, bool details);
std::string simulate_json(const Results& results);
std::string simulate_svg(const Results& results);

} // namespace wstree::cli
