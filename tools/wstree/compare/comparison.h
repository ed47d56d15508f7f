// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "counters.h"
#include "inspect/statistics.h"
#include "paired.h"
#include "variants.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

/// The runs of one variant.
struct Samples {
  Variant variant;
  std::vector<double> seconds;             ///< one for each round
  std::vector<std::uint64_t> outputs = {}; ///< hashes, of the warm-up too
  std::vector<double> cpu_seconds = {};    ///< processor time of all threads, one for each round
  std::vector<Counts> counts = {};         ///< one for each round, if they are wanted
  std::string problem = {};                ///< why it was given up: "exit status 3"

  [[nodiscard]] bool is_usable() const { return problem.empty() && !seconds.empty(); }
};

/// The time of one loop under the variants that the library served.
struct LoopTimes {
  std::string name;
  std::string file;              ///< empty if it is not known
  std::uint32_t line = 0;        ///< 0, then
  std::uint64_t calls = 0;       ///< in one run
  std::uint64_t iterations = 0;  ///< iterations of all calls; 0: they are not known
  std::uint64_t chunk = 1;       ///< chunk in the source
  std::size_t counted_round = 0; ///< from which these are
  bool too_short = false;        ///< in most runs, under each variant
  std::uint64_t large_chunk = 0; ///< `chunk` if an execution has few of them
  double imbalance = 1;          ///< under the tree, in the last run
  double preempted = 0;          ///< likewise: seconds that the mean thread had no processor
  std::string form = {};         ///< the schedule of the library that does the same as the
                                 ///< source's: "wsfixed"
  std::string as_it_is = {};     ///< the variant of that; often empty
  std::map<std::string, std::vector<double>> seconds = {}; ///< by variant, one for each round
  std::map<std::string, int> tells = {}; ///< by variant: runs in which it was long enough, less the others
};

/// Further rounds of exactly the recommended variant, besides the program as it is.
struct FurtherRounds {
  std::size_t rounds = 0;
  double seconds = 0; ///< time of the program as it is
  Ratio of_as_it_is;
  Ratio of_other; ///< rules: in units of the recommendation without them; else nothing

  /// Returns whether the variant takes no longer than the variant whose place it takes.
  [[nodiscard]] bool is_good() const { return !of_as_it_is.is_slower() && !of_other.is_slower(); }
};

/// All that was measured.
struct Contest {
  std::string program;
  std::vector<std::string> arguments;
  std::uint64_t seed = 0;
  std::size_t rounds = 0;    ///< rounds that were finished
  std::uint64_t threads = 1; ///< threads of the largest team
  double look = 0;           ///< seconds that wstree run takes to look at the program, which no run here has
  ProgramLoops kinds;
  std::vector<double> countdown; ///< seconds of a fixed piece of work (reference.h), one for each round
  UnservedRegion refused;        ///< the longest refused region, if refused regions take much of the time
  double refused_part = 0;       ///< their part of the time
  std::string step;              ///< the next step for the region; empty: they take little time
  std::string counters_problem;  ///< why some of Counts are missing; empty: none is, or none is wanted
  std::vector<Samples> samples;
  std::vector<LoopTimes> loops; ///< loops with most time under the tree first

  /// Returns the samples of this name; null if there are none, or if the variant was given up.
  [[nodiscard]] const Samples* find(const std::string& name) const;
  /// Returns the ratio of the times of two variants.
  [[nodiscard]] Ratio ratio(const std::string& name, const std::string& other) const;
};

enum class Outputs { same, differ, vary };
/// Returns whether a variant printed the output of the program as it is; vary: that differs from run to run.
Outputs outputs_of(const Contest& comparison, const Samples& samples);

/// The meaning of the figures.
struct Judgement {
  std::string chosen;                 ///< the variant that is recommended
  Invocation invocation;              ///< invocation of the chosen variant
  std::string set;                    ///< that invocation as words of a shell: "OMP_SCHEDULE=guided";
                                      ///< empty: nothing
  std::string paragraph;              ///< all of it in words
  Ratio gain;                         ///< gain of the tree in units of the program as it is
  std::vector<std::string> warnings;  ///< outputs that differ, variants that failed
  std::optional<FurtherRounds> check; ///< further rounds with `set`
};
/// Returns all but the last sentence of the paragraph, which conclude() adds.
Judgement judge(const Contest& comparison);

/// Adds to the paragraph the gain of a run of exactly `set`. Takes `set` back if there is none.
void judge_check(Judgement& judgement, const FurtherRounds& check);
/// Adds the gain or loss by `rules`, which start the program with a file of rules. Sets them if they gain.
void judge_rules(Judgement& judgement, const FurtherRounds& check, const Invocation& rules,
                 const std::string& file);
/// Adds the recommendation, as a command that a shell takes.
void conclude(Judgement& judgement, const Contest& comparison);

/// The schedule that is best for a loop, by name of the variant, and its time in units of the next
/// best one's.
struct LoopVerdict {
  std::string best; ///< in the words of a rule: "wstree" if no difference can be seen, "wstree chunk=1"
  Ratio against;    ///< the tree in units of the best of the others
  std::string other;
  Ratio gain; ///< time of the tree in units of the source's schedule
};
LoopVerdict judge_loop(const LoopTimes& loop);

/// Returns "12.3 % faster", "65.5 % faster (2.9 times as fast)" or "no difference can be seen".
std::string verdict_text(const Ratio& ratio);
/// Returns a verdict for a table: "65.5 % faster, 2.9 x", "no difference", or "cannot tell" where the
/// interval is coarse.
std::string brief_verdict(const Ratio& ratio);

/// Returns the command of the program as it is, as a shell takes it.
std::string command_of(const Contest& comparison);

/// Returns the spread of the times of the program as it is, without the longest and the shortest fifth: 0.3
/// if the longest takes 1.3 times as long as the shortest.
double spread_of(const Contest& comparison);

} // namespace wstree::cli
