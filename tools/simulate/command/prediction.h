// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The results as advice: which schedule and how many workers to choose for a loop.
#pragma once

#include "plan.h"
#include "support/chart.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// One loop, or several together. Durations in ns.
struct Prediction {
  std::string title;
  double work = 0;         ///< time of all iterations, on one worker
  double longest = 0;      ///< time of the longest iteration; 0: it is not a single loop
  std::string recorded;    ///< the schedule; empty: several
  std::string clause;      ///< schedule in the source if not schedule(runtime); the schedules of
                           ///< several loops
  std::uint64_t chunk = 1; ///< iterations that the source wants handed out as a whole
  std::uint64_t iterations = 0;
  std::vector<double> ideals; ///< for each number of workers
  /// For each number of workers and schedule; nothing if it was not simulated.
  std::vector<std::vector<std::optional<double>>> times;
};

/// Returns the predictions of a plan with a profile: for each loop, and if there are several, for all
/// together as often as they ran.
std::vector<Prediction> predictions(const Results& results);

/// Returns the part of the workers' time that is work.
double efficiency(const Prediction& prediction, const Plan& plan, std::size_t threads, double time);

/// The time of the loop with another schedule and the same workers, in units of its time.
struct Comparison {
  std::string schedule;
  double factor = 1;
  std::string_view remark = {}; ///< relation of that schedule to this loop
};

struct Advice {
  std::size_t threads = 0; ///< places in the plan
  std::size_t schedule = 0;
  double time = 0;
  std::vector<Comparison> others;
  std::optional<std::size_t> too_many; ///< the first number of workers, above `threads`, that does not pay
  double wasted = 0;                   ///< efficiency there
  std::string limit;                   ///< one sentence
};

/// Returns the most workers of which half of the time is work, with the schedule that is shortest there.
/// Nothing if none was simulated that a user can set.
std::optional<Advice> advise(const Prediction& prediction, const Plan& plan);

/// Returns sentences, one a line.
std::vector<std::string> sentences(const Advice& advice, const Prediction& prediction, const Plan& plan);

/// Returns a text such as "1.54 ms".
std::string duration(double ns);

std::string prediction_text(const Results& results);
std::string prediction_svg(const Results& results);
/// Returns an axis with a tick at each number of threads.
Axis axis_of_threads(const std::vector<std::uint32_t>& threads, std::string label);

} // namespace wstree::cli
