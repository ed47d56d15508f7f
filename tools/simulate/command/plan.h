// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a simulation, and its results.
#pragma once

#include "commands.h"

#include "machine_text.h"
#include "options.h"
#include "schedules.h"

#include "profile.h"
#include "simulate.h"
#include "workload.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Facts about a loop in a profile that its workload lacks.
struct Recording {
  std::size_t number = 0; ///< in the profile, from 1
  std::string schedule;   ///< which it was recorded with
  std::string clause;     ///< schedule in the source, if not schedule(runtime)
  std::uint32_t members = 0;
  std::uint64_t seen = 0;     ///< executions
  std::size_t kept = 0;       ///< executions that are kept
  simulate::Time elapsed = 0; ///< time of the execution that is simulated
  std::uint64_t chunk = 1;    ///< iterations that the source wants handed out as a whole
  /// The workload with each chunk as an iteration: the library's schedules share out chunks. Nothing if the
  /// chunk is 1.
  std::optional<simulate::Workload> chunks = {};
};

struct Plan {
  std::vector<simulate::Schedule> schedules;
  std::vector<simulate::Workload> workloads;
  std::vector<std::uint32_t> threads;
  core::Settings settings;
  config::Batch batch;
  config::Strategy strategy = config::Strategy::find_max;
  ChosenMachine machine;
  std::uint64_t iterations = 0;
  double work_ms = 0;
  std::uint64_t seed = 1;
  std::uint32_t rounds = 1;

  std::string profile;               ///< file; empty: none
  std::vector<Recording> recordings; ///< recording of each workload, if they are from a profile
  std::size_t recorded = 0;          ///< loops in the profile
  double covered = 1;                ///< part of their work that is in those of the plan
};

/// Makes a plan of the request. Returns the error in the request; nothing if there is none.
std::optional<std::string> make_plan(const SimulateRequest& request, Plan& plan);
/// Makes the plan with loops that have been read; request.profile is their name.
std::optional<std::string> make_plan(const SimulateRequest& request,
                                     const std::vector<simulate::RecordedLoop>& loops, Plan& plan);

/// Most batches of a loop in a profile; with more it is not simulated.
inline constexpr std::uint64_t k_most_batches = 4'000'000;

/// One schedule on one workload with so many threads: the round with the median of the times.
struct Outcome {
  bool simulated = false; ///< false: it would take too long
  double ratio = 0;       ///< time / ideal
  simulate::Time ideal = 0;
  simulate::Time first = 0; ///< time of the first round, which finds no memory there
  simulate::Round round;
};

/// Returns the steals from a member outside of the smallest domain; 0 for schedules that do not steal.
std::uint64_t far_steals(const simulate::Round& round);
/// Returns the part of the work that was done outside of the smallest domain of the member that
/// schedule(static) gives it to.
double far_work(const simulate::Round& round, const simulate::Workload& workload);

class Results {
public:
  /// A simulation is left out if `stop`, called at its begin on any thread, returns true.
  explicit Results(
      const Plan& plan, const std::function<bool()>& stop = [] { return false; });

  const Plan& plan() const { return *plan_; }
  /// Returns an outcome by its places in the plan.
  const Outcome& at(std::size_t threads, std::size_t workload, std::size_t schedule) const {
    return outcomes_[(threads * plan_->workloads.size() + workload) * plan_->schedules.size() + schedule];
  }
  /// Returns the geometric mean over the workloads.
  double geometric_mean(std::size_t threads, std::size_t schedule) const;
  double worst(std::size_t threads, std::size_t schedule) const;
  /// Returns the number of simulations that were left out because of a stop.
  std::size_t missing() const { return missing_; }
  std::size_t size() const { return outcomes_.size(); }

private:
  const Plan* plan_;
  std::size_t missing_ = 0;
  std::vector<Outcome> outcomes_;
};

/// Returns the numbers of threads that are more than the machine's cores; "" if there are none.
std::string beyond_the_machine(const Plan& plan);

std::string simulate_text(const Results& results, bool details);
std::string simulate_json(const Results& results);
std::string simulate_svg(const Results& results);

} // namespace wstree::cli
