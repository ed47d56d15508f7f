// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each command of wstree; each returns the exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wstree::cli {

struct RunRequest {
  std::optional<std::string> schedule, chunk, loops, strategy, batch, fallback, bind, stats, rules, trace;
  bool counters = false;
  bool verbose = false;
  bool require = false;
  std::vector<std::string> command; ///< the program and its arguments
};

struct HelpRequest {
  std::string topic; ///< empty: which there are
  bool json = false;
};

struct DoctorRequest {
  bool json = false;
  std::vector<std::string> command; ///< command of the trial run; empty: none
};

struct RulesRequest {
  std::string program;
  std::optional<std::string> rules; ///< instead of WSTREE_RULES
  bool resolved = false;            ///< print them as the library gets them
  bool json = false;
};

struct TraceRequest {
  std::vector<std::string> files;
  std::optional<std::string> out; ///< "-": standard output
  bool gzip = false;
};

struct ReportRequest {
  std::vector<std::string> files, against;
  std::optional<std::string> html;
  bool open = false;
  bool json = false;
};

struct StatsRequest {
  std::vector<std::string> files;
  bool json = false;
};

struct CompareRequest {
  std::size_t rounds = 0;             ///< 0: as many as a small difference needs to be seen
  std::string schedule_list;          ///< as the user wrote it
  std::vector<std::string> schedules; ///< schedules of the runtime; empty: all that matter
  bool per_loop = false;
  std::vector<std::string> exports; ///< "json", "csv=FILE"
  std::optional<std::string> svg, rules;
  std::optional<std::string> save, against;           ///< files
  std::size_t warm_up = 0;                            ///< rounds that do not count
  std::optional<double> require_gain, fail_if_slower; ///< in percent
  std::optional<std::uint64_t> seed;
  bool ignore_failure = false, counters = false;
  std::vector<std::string> command; ///< the program and its arguments
};

/// The request of `wstree topo`. Values that are not set come from the environment and from this machine.
struct TopoRequest {
  std::uint32_t members = 0;
  std::optional<std::string> bind, synthetic, xml, cpus, places;
  std::optional<std::string> victims; ///< a member or "all"
  std::optional<std::string> svg;     ///< file, or "-"
  bool json = false;
};

/// Lists are as the user wrote them. Defaults depend on whether there is a profile.
struct SimulateRequest {
  std::optional<std::string> profile; ///< file that WSTREE_RECORD wrote, instead of workloads
  std::optional<std::string> loop;    ///< loop of the profile: a number or a part of its name
  std::optional<std::string> schedules, threads;
  std::optional<std::string> ranks; ///< instead of one machine
  std::string network = "gemini";   ///< between them
  std::string workloads = "all";
  std::uint64_t iterations = 1'000;
  double work_ms = 10;
  std::uint32_t roots = 0; ///< roots of the tree; 0: one per thread
  std::optional<std::string> batch, strategy, machine;
  std::uint64_t seed = 1;
  std::uint32_t rounds = 3;
  bool details = false;
  bool json = false;
  bool unequal = false;           ///< all machines with unequal cores
  bool calibrate = false;         ///< nothing but that
  std::optional<std::string> svg; ///< file, or "-"
};

/// Lists are as the user wrote them.
struct BenchRequest {
  std::optional<std::string> parts, runtimes, only;
  std::optional<std::string> libomp;   ///< a build of tools/libomp, or "system"
  std::optional<std::string> library;  ///< file, or "none"
  std::optional<std::string> programs; ///< folder of those that measure
  std::optional<std::string> out;      ///< folder
  std::optional<std::uint32_t> rounds;
  std::optional<std::uint32_t> threads; ///< threads of the part `short`
  bool quick = false;
  bool smoke = false;
  bool fifo = false;
  std::vector<std::string> compare; ///< two files, and nothing is measured
  std::optional<std::string> draw;  ///< a file, and nothing is measured
};

/// Returns only if the program was not started or, if its figures are wanted, when it has ended.
int run_command(RunRequest& request);
int env_command(bool json);
int path_command(bool gcc_plugin);
/// Returns 0: all fine, 1: a problem costs time or leaves loops unserved, 2: the library cannot work.
int doctor_command(const DoctorRequest& request);
/// Returns 0, or 1: a wish for a gain or against a loss is not fulfilled.
int compare_command(CompareRequest& request);
int stats_command(const StatsRequest& request);
/// Returns 0, 1: a rule matches nothing, 125: a rule has a syntax error.
int rules_command(const RulesRequest& request);
int trace_command(const TraceRequest& request);
int report_command(const ReportRequest& request);
int topo_command(const TopoRequest& request);
int simulate_command(const SimulateRequest& request);
/// Returns 0, or 1: a program failed, or a figure is worse than it was.
int bench_command(const BenchRequest& request);

/// `app`: which has the commands.
int help_command(const HelpRequest& request, const CLI::App& app);

} // namespace wstree::cli
