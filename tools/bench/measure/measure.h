// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Passes and clocks by which a value is measured. Samples that other programs disturbed are dropped.
#pragma once
#include "candidates.h"
#include "report.h"
#include "workloads/workloads.h"
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bench {

double now_ns();

/// Nanoseconds that threads of this process were ready to run and had to wait for a processor, from
/// /proc/self/task/*/schedstat. Zero everywhere if the kernel does not count it.
class RunDelay {
public:
  /// Follows the threads that exist now.
  RunDelay();
  ~RunDelay();
  RunDelay(const RunDelay&) = delete;
  RunDelay& operator=(const RunDelay&) = delete;
  double caller_ns() const; ///< delay of the thread that constructed this
  double all_ns() const;    ///< delay of all followed threads together

private:
  std::vector<int> files_; ///< the constructing thread's first
};

struct Settings {
  int threads = 2, processors = 2;
  int rounds = 7;
  int passes = 3;          ///< parallel passes a sample
  int attempts = 3;        ///< at a sample, until one is undisturbed
  double max_delay = 0.02; ///< a pass whose threads waited for longer than this part of it is not used
  double pause = 0;        ///< sleep this part of the time spent, for other jobs: with real-time priority
  std::uint64_t seed = 1;

  /// Returns how many times as fast as one thread the team is ideally.
  int speed() const { return std::min(threads, processors); }
};

/// Samples of one workload under one candidate, over all rounds.
struct Series {
  std::vector<double> ratio;  ///< T_par / (T_seq / threads)
  std::vector<double> seq_ms; ///< T_seq
  std::vector<int> round;     ///< in which it was taken
  int dropped = 0;
};

/// Results of one runtime, keyed by workload and candidate; those of a process without the library are
/// kept apart.
struct Results {
  std::map<std::pair<std::string, std::string>, Series> main, bare;
};

/// Returns the result that every pass of a workload has to compute: the sequential pass' sum and data.
std::uint64_t expected_of(const Workload& workload);

/// Returns false for the loops over memory where each iteration would be handed out on its own: that costs 30
/// times the iteration and takes minutes to show.
bool is_measured(const Workload& workload, const Candidate& candidate);

/// Takes one sample of that round and adds it to `series` unless every attempt at it was disturbed. Returns
/// false if a pass computed a wrong sum, which stderr has reported.
bool take_sample(const Workload& workload, const Candidate& candidate, const Settings& settings,
                 const RunDelay& delay, std::uint64_t expected, int round, Series& series);

/// Puts the runtime's waiting threads to sleep now instead of after its block time. Does nothing on libgomp:
/// there they go to sleep by themselves within milliseconds, and the call would end them. Nor on oneTBB.
void quiet_team();

} // namespace bench
