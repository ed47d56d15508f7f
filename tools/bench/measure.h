// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// How one value is obtained: passes, clocks, and the samples that somebody else's work on the machine has
/// spoilt.
#pragma once
#include "loop_forms.h"
#include "omp_calls.h"
#include "workloads.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bench {

/// A way to run the loops.
struct Candidate {
  std::string name;
  Form form;
  int kind, chunk; ///< for omp_set_schedule; of no effect on literal forms
};

/// The runtime's own schedules; with the library in the process, its kinds come last.
std::vector<Candidate> all_candidates(Runtime runtime, bool with_library);
/// What is measured when nothing else is asked for: of the library's kinds the tree alone.
std::vector<Candidate> usual_candidates(Runtime runtime, bool with_library);
/// All kinds of the library beside the runtime's static, dynamic and guided.
std::vector<Candidate> model_candidates(Runtime runtime, bool with_library);

double now_ns();

/// Nanoseconds that threads of this process were ready to run and had to wait for a processor, from
/// /proc/self/task/*/schedstat. Zero everywhere if the kernel does not say.
class RunDelay {
public:
  /// Follows the threads that exist now.
  RunDelay();
  ~RunDelay();
  RunDelay(const RunDelay&) = delete;
  RunDelay& operator=(const RunDelay&) = delete;
  double caller_ns() const; ///< of the thread that constructed this
  double all_ns() const;    ///< of every followed thread together

private:
  std::vector<int> files_; ///< the constructing thread's first
};

struct Settings {
  int threads = 2;
  int rounds = 7;
  int passes = 3;          ///< parallel passes a sample
  int attempts = 3;        ///< at a sample, until one is undisturbed
  double max_delay = 0.02; ///< a pass whose threads waited for longer than this part of it is not used
  double pause = 0;        ///< sleep this part of the time spent, for other jobs: with real-time priority
  std::uint64_t seed = 1;
};

/// Samples of one workload under one candidate, over all rounds.
struct Series {
  std::vector<double> ratio;  ///< T_par / (T_seq / threads)
  std::vector<double> seq_ms; ///< T_seq
  int dropped = 0;
};

/// Of one runtime, keyed by workload and candidate; its schedules in a process without the library are kept
/// apart.
struct Results {
  std::map<std::pair<std::string, std::string>, Series> main, bare;
};

/// One sample, added to `series` unless every attempt at it was disturbed. False: a pass computed a wrong
/// sum; stderr has said so.
bool take_sample(const Workload& workload, const Candidate& candidate, const Settings& settings,
                 const RunDelay& delay, std::uint64_t expected, Series& series);

/// Puts the runtime's waiting threads to sleep now instead of after its block time. Does nothing on libgomp:
/// there they go to sleep by themselves within milliseconds, and the call would end them.
void quiet_team();

double median(std::vector<double> values);

} // namespace bench
