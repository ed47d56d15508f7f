// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Loops of the benchmark as they were measured and as the simulator predicts them.
#pragma once

#include "calibrate.h"
#include "simulate.h"

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace wstree::validation {

/// Costs of one workload, as the program `costs` prints them.
struct LoopCosts {
  std::string name;
  std::uint64_t loops = 1; ///< loops in a pass, each a region
  std::uint64_t iterations = 1;
  double start_ns = 0;             ///< cost of starting the body, once per chunk
  std::uint64_t piece = 1;         ///< iterations of each element of `pieces_ns`; the last one may have fewer
  std::vector<double> pieces_ns{}; ///< on one thread; only their ratios matter
};

/// Costs of entering a loop, and of a call for the next chunk.
struct CallCosts {
  double enter_ns = 0, next_ns = 0;
};

/// Costs of the runtime and of the library's calls, as the program `costs` prints them.
struct RuntimeCosts {
  double alone_ns = 0; ///< a region of one thread and its loop
  std::uint32_t threads = 1;
  double open_ns = 0, late_ns = 0, close_ns = 0; ///< times of a region of `threads`
  CallCosts library, own;
};

struct Costs {
  RuntimeCosts runtime;
  std::vector<LoopCosts> loops;
};

/// Returns the costs, or one line with the error and its line number.
std::variant<Costs, std::string> read_costs(std::istream& in);

/// Lower quartiles in ns of the samples of `loops --samples` for a workload: other work only adds.
struct Measured {
  std::string runtime;                                                         ///< "libomp" or "libgomp"
  std::map<std::string, double, std::less<>> sequential;                       ///< by workload
  std::map<std::pair<std::string, std::string>, double, std::less<>> parallel; ///< by workload and candidate
};
std::variant<Measured, std::string> read_samples(std::istream& in, std::uint32_t threads);

/// A candidate of the benchmark and its name in the simulator.
struct Candidate {
  std::string name;
  simulate::Schedule schedule;
  std::string_view runtime = ""; ///< whose schedule it is; empty: the library's
};
/// Returns the candidates that can be compared on that runtime.
std::vector<Candidate> candidates(std::string_view runtime);

/// Returns the parameters of a machine with `threads` members: the costs of calls of the runtime (`own`) or
/// of the library, and the cost with which the body of `loop` starts.
simulate::MachineSpec machine_for(const simulate::Calibration& here, const RuntimeCosts& runtime,
                                  const LoopCosts& loop, std::uint32_t threads, bool own);

/// Returns the iterations' costs scaled so that one thread takes `sequential_ns` for a pass.
simulate::Workload workload_of(const LoopCosts& loop, const RuntimeCosts& runtime, double sequential_ns);

/// A pass of the workload under one schedule.
struct Row {
  std::string workload, schedule;
  std::uint32_t threads = 1;
  double ideal_ns = 1, measured_ns = 1, predicted_ns = 1;
  double error() const { return predicted_ns / measured_ns - 1; }
};

/// Compares every measured candidate, in the order of the workloads.
std::vector<Row> compare(const Costs& costs, const Measured& measured, std::uint32_t threads,
                         const simulate::Calibration& here);

/// A summary of the absolute errors.
struct Summary {
  std::string schedule;
  std::uint32_t threads = 1;
  std::size_t rows = 0;
  double median = 0, worst = 0;
  std::string worst_workload;
};
/// Returns a summary for each number of threads and schedule, in the order of the rows.
std::vector<Summary> summaries(const std::vector<Row>& rows);

} // namespace wstree::validation
