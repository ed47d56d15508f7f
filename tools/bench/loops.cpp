// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// How near to ideal a schedule brings a loop, for the runtime's schedules and, with the library preloaded,
/// the tree.
///
/// All candidates run in one process, in shuffled rounds, on the same machine code: a schedule(runtime) loop
/// whose schedule is set from outside, and copies of it with a literal clause for libomp's static_steal. The
/// sequential time is that of the same copy on one thread, right before and after. With --bare every round
/// also measures the runtime's schedules in a child process without the library, so that they cannot suffer
/// from the calls that the library forwards.
#include "measure.h"
#include "omp_calls.h"
#include "process.h"
#include "report.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <regex>
#include <sched.h>

namespace {

using namespace bench;

constexpr const char* k_usage =
    "usage: loops [options]\n"
    "  --rounds N          samples of each value (7)\n"
    "  --passes N          parallel passes a sample, of which the median counts (3)\n"
    "  --only REGEX        workloads whose name contains a match\n"
    "  --candidates LIST   of static,dyn1,dyn64,guided,trapez,steal1,steal64,wstree (all)\n"
    "  --threads P         (the processors of this process)\n"
    "  --scale F           work of every loop in parts of the usual (1)\n"
    "  --seed N            of the order within the rounds (1)\n"
    "  --bare              the runtime's schedules also in a process without the library\n"
    "  --max-delay F       pass not used if its threads waited for longer than this part of it (0.02)\n"
    "  --fifo              real-time priority 1, with pauses; needs the right to (chrt -f 1 is the same "
    "without)\n"
    "  --json FILE         write the figures\n"
    "  --list              names of the workloads\n"
    "  --samples           print the samples instead of a report\n"
    "Preload libwstree.so to have the candidate wstree.\n";

struct Options {
  Settings settings;
  std::string only, candidates, json;
  double scale = 1;
  bool bare = false, fifo = false, list = false, samples = false;
};

[[noreturn]] void refuse(const std::string& text) {
  std::fprintf(stderr, "bench: %s\n%s", text.c_str(), k_usage);
  std::exit(2);
}

double number(const char* option, const char* text, double least) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end || !(value >= least))
    refuse(std::string(option) + ": not a number in range: " + text);
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  options.settings.threads = omp_get_num_procs();
  for (int k = 1; k < argc; ++k) {
    const std::string option = argv[k];
    if (option == "--help") std::fputs(k_usage, stdout), std::exit(0);
    bool* const flag = option == "--bare"      ? &options.bare
                       : option == "--fifo"    ? &options.fifo
                       : option == "--list"    ? &options.list
                       : option == "--samples" ? &options.samples
                                               : nullptr;
    if (flag) {
      *flag = true;
      continue;
    }
    if (k + 1 >= argc) refuse("unknown option, or a value is missing: " + option);
    const char* const value = argv[++k];
    const auto count = [&] { return static_cast<int>(number(option.c_str(), value, 1)); };
    if (option == "--rounds")
      options.settings.rounds = count();
    else if (option == "--passes")
      options.settings.passes = count();
    else if (option == "--threads")
      options.settings.threads = count();
    else if (option == "--only")
      options.only = value;
    else if (option == "--candidates")
      options.candidates = value;
    else if (option == "--json")
      options.json = value;
    else if (option == "--scale")
      options.scale = number(option.c_str(), value, 1e-6);
    else if (option == "--max-delay")
      options.settings.max_delay = number(option.c_str(), value, 0);
    else if (option == "--seed")
      options.settings.seed = static_cast<std::uint64_t>(number(option.c_str(), value, 0));
    else
      refuse("unknown option: " + option);
  }
  return options;
}

std::vector<WorkloadRecipe> selected_workloads(const Options& options) {
  std::vector<WorkloadRecipe> list = all_workloads(options.scale);
  try {
    const std::regex pattern(options.only);
    std::erase_if(list,
                  [&](const WorkloadRecipe& recipe) { return !std::regex_search(recipe.name, pattern); });
  } catch (const std::regex_error& error) {
    refuse("--only: " + std::string(error.what()));
  }
  if (list.empty()) refuse("--only: no workload matches");
  return list;
}

std::vector<Candidate> selected_candidates(const Options& options, bool with_library) {
  const std::vector<Candidate> all = all_candidates(with_library);
  if (options.candidates.empty()) return all;
  std::vector<Candidate> list;
  for (std::size_t at = 0; at <= options.candidates.size();) {
    const std::size_t comma = std::min(options.candidates.find(',', at), options.candidates.size());
    const std::string name = options.candidates.substr(at, comma - at);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.name == name; });
    if (found == all.end())
      refuse("--candidates: there is no " + name + (with_library ? "" : " (nothing preloaded)"));
    list.push_back(*found);
    at = comma + 1;
  }
  return list;
}

/// Version of the library in this process, empty if it is not there. Ends the program if it is there and does
/// not serve: a table of forwarded loops under the tree's name would be worse than none.
std::string library_version() {
  using Version = const char* (*)();
  const auto version = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "wstree_version"));
  if (!version) return "";
  omp_set_schedule(k_wstree, 1);
  int kind = 0, chunk = 0;
  omp_get_schedule(&kind, &chunk);
  if (kind != k_wstree) {
    std::fprintf(stderr, "bench: the library is loaded, but omp_set_schedule(0x77, 1) had no effect\n");
    std::exit(1);
  }
  return version();
}

/// Whether loops were served, in a process that counts them (WSTREE_STATS); elsewhere nobody knows. A library
/// that accepts the schedule and then forwards every loop would be measured as its fallback.
bool loops_were_served() {
  const char* const statistics = std::getenv("WSTREE_STATS");
  using Served = unsigned long long (*)();
  const auto served = reinterpret_cast<Served>(dlsym(RTLD_DEFAULT, "wstree_loops_served"));
  if (!statistics || !served || served() > 0) return true;
  std::fprintf(stderr, "bench: the library is loaded, but it served no loop\n");
  return false;
}

class Bench {
public:
  Bench(const Options& options, std::string library)
      : options_(options), library_(std::move(library)),
        candidates_(selected_candidates(options, !library_.empty())) {
    for (const WorkloadRecipe& recipe : selected_workloads(options)) {
      workloads_.push_back(recipe.make(recipe.name));
      expected_.push_back(workloads_.back().plain());
    }
  }

  bool run() {
    std::mt19937_64 random(options_.settings.seed);
    start_team();
    const RunDelay delay;
    for (int round = 0; round < options_.settings.rounds; ++round) {
      // The child goes first in every other round, so that slow drifts hit both alike.
      const bool child_first = round % 2 == 0;
      const auto child_seed = random();
      if (child_first && !bare_round(child_seed)) return false;
      if (!round_here(random, delay)) return false;
      if (!child_first && !bare_round(child_seed)) return false;
    }
    return true;
  }

  bool report() const {
    if (options_.samples) {
      for (const auto& [key, series] : results_.main)
        for (std::size_t k = 0; k < series.ratio.size(); ++k)
          std::printf("%s %s %.6f %.6f\n", key.first.c_str(), key.second.c_str(), series.ratio[k],
                      series.seq_ms[k]);
      return true;
    }
    std::vector<RowInfo> infos;
    for (const Workload& workload : workloads_)
      infos.push_back({workload.name, workload.group, workload.is_short, workload.longest_share});
    const Origin origin{library_, runtime_description(), options_.settings.threads, options_.settings.rounds};
    const std::vector<Row> rows = make_rows(infos, candidates_, results_, options_.settings.threads);
    const std::vector<Verdict> verdicts = make_verdicts(rows, candidates_, options_.settings.threads);
    print_report(stdout, origin, rows, candidates_, verdicts);
    int dropped = 0;
    for (const auto& [key, series] : results_.main) dropped += series.dropped;
    if (dropped)
      std::printf("\n%d samples not used: other work on the machine held their threads up\n", dropped);
    if (options_.json.empty() || write_json(options_.json, origin, rows, candidates_, verdicts)) return true;
    std::fprintf(stderr, "bench: cannot write %s\n", options_.json.c_str());
    return false;
  }

private:
  /// The runtime creates its threads now, before they are looked up in /proc.
  void start_team() {
    omp_set_schedule(k_static, 0);
    const auto body = [](int i) { return static_cast<std::uint64_t>(i); };
    loop_runtime(1000, options_.settings.threads, body);
  }

  bool round_here(std::mt19937_64& random, const RunDelay& delay) {
    std::vector<std::size_t> order(workloads_.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t w : order) {
      std::vector<Candidate> shuffled = candidates_;
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      for (const Candidate& candidate : shuffled)
        if (!take_sample(workloads_[w], candidate, options_.settings, delay, expected_[w],
                         results_.main[{workloads_[w].name, candidate.name}]))
          return false;
    }
    return true;
  }

  bool bare_round(std::uint64_t seed) {
    if (!options_.bare || library_.empty()) return true;
    std::string names;
    for (const Candidate& candidate : candidates_)
      if (candidate.name != "wstree") names += (names.empty() ? "" : ",") + candidate.name;
    if (names.empty()) return true;
    quiet_team();
    const Settings& s = options_.settings;
    std::string output;
    const int status =
        run_child({"--samples", "--rounds", "1", "--passes", std::to_string(s.passes), "--threads",
                   std::to_string(s.threads), "--scale", std::to_string(options_.scale), "--seed",
                   std::to_string(seed % 1000000), "--max-delay", std::to_string(s.max_delay), "--only",
                   options_.only, "--candidates", names},
                  environment_with({}), &output);
    if (status != 0) {
      std::fprintf(stderr, "bench: the process without the library failed (status %d)\n", status);
      return false;
    }
    char workload[64], candidate[64];
    double ratio = 0, seq_ms = 0;
    for (std::size_t at = 0; at < output.size(); at = output.find('\n', at) + 1)
      if (std::sscanf(output.c_str() + at, "%63s %63s %lf %lf", workload, candidate, &ratio, &seq_ms) == 4) {
        Series& series = results_.bare[{workload, candidate}];
        series.ratio.push_back(ratio);
        series.seq_ms.push_back(seq_ms);
      }
    return true;
  }

  const Options& options_;
  std::string library_;
  std::vector<Candidate> candidates_;
  std::vector<Workload> workloads_;
  std::vector<std::uint64_t> expected_;
  Results results_;
};

void real_time(Settings& settings) {
  const sched_param priority{1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
    refuse(std::string("--fifo: ") + std::strerror(errno));
  // The kernel leaves 5 % of a processor to others; what is not given freely would be taken in the middle of
  // a pass.
  settings.pause = 0.1;
}

} // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv);
  if (options.list) {
    for (const WorkloadRecipe& recipe : selected_workloads(options)) std::puts(recipe.name.c_str());
    return 0;
  }
  if (options.fifo) real_time(options.settings);
  Bench bench(options, library_version());
  return bench.run() && loops_were_served() && bench.report() ? 0 : 1;
}
