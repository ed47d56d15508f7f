// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// How near to ideal a schedule brings a loop, for the runtime's schedules and, with the library preloaded,
/// the tree.
///
/// All candidates of a runtime run in one process, in shuffled rounds, on the same machine code: a
/// schedule(runtime) loop whose schedule is set from outside, and copies of it with a literal clause for
/// libomp's static_steal. The sequential time is that of the same copy on one thread, right before and after.
/// With --bare every round also measures the runtime's schedules in a child process without the library, so
/// that they cannot suffer from the calls that the library forwards. With --beside every round does all of
/// that for the other runtime too, in child processes of the program that another compiler made of the same
/// source.
#include "loops_options.h"
#include "process.h"
#include "report.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <sched.h>

namespace {

using namespace bench;

/// Version of the library in this process, empty if it is not there.
std::string library_version() {
  using Version = const char* (*)();
  const auto version = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "wstree_version"));
  return version ? version() : "";
}

/// Ends the program if the library does not take these kinds: a table of forwarded loops under the tree's
/// name would be worse than none.
void expect_served(const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates) {
    if (!is_ours(candidate.kind)) continue;
    omp_set_schedule(candidate.kind, candidate.chunk);
    int kind = 0, chunk = 0;
    omp_get_schedule(&kind, &chunk);
    if (kind == candidate.kind) continue;
    std::fprintf(stderr,
                 "bench: the library is loaded, but omp_set_schedule(0x%x, %d) for %s had no effect\n",
                 static_cast<unsigned>(candidate.kind), candidate.chunk, candidate.name.c_str());
    std::exit(1);
  }
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
  Bench(const Options& options, std::string library) : options_(options), library_(std::move(library)) {
    const bool with_library = !library_.empty();
    families_.push_back(
        {k_runtime, "", selected_candidates(options, k_runtime, with_library), runtime_description(), {}});
    expect_served(families_.front().candidates);
    if (!options.beside.empty()) {
      constexpr Runtime k_other = k_runtime == Runtime::libomp ? Runtime::libgomp : Runtime::libomp;
      families_.push_back(
          {k_other, options.beside, selected_candidates(options, k_other, with_library), "", {}});
    }
    for (const WorkloadRecipe& recipe : selected_workloads(options)) {
      workloads_.push_back(recipe.make(recipe.name));
      expected_.push_back(workloads_.back().plain());
    }
  }

  bool run() {
    std::mt19937_64 random(options_.settings.seed);
    start_team();
    const RunDelay delay;
    std::vector<std::function<bool()>> parts;
    for (Family& family : families_) {
      const bool bare = options_.bare && !library_.empty();
      if (bare) parts.push_back([&] { return child_round(family, random(), true); });
      if (family.program.empty())
        parts.push_back([&] { return round_here(family, random, delay); });
      else
        parts.push_back([&] { return child_round(family, random(), false); });
    }
    for (int round = 0; round < options_.settings.rounds; ++round) {
      for (const auto& part : parts)
        if (!part()) return false;
      // The other way round in every other round, so that slow drifts hit all alike.
      std::reverse(parts.begin(), parts.end());
    }
    return true;
  }

  bool report() const {
    if (options_.samples) return print_samples();
    std::vector<RowInfo> infos;
    for (const Workload& workload : workloads_)
      infos.push_back({workload.name, workload.group, workload.is_short, workload.longest_share});
    const Origin origin{library_, options_.settings.threads, options_.settings.rounds};
    std::vector<Part> parts;
    for (const Family& family : families_) {
      if (family.candidates.empty()) continue;
      Part part{name_of(family.runtime), family.description, family.candidates, {}, {}};
      part.rows = make_rows(infos, part.candidates, family.results, origin.threads);
      part.verdicts = make_verdicts(part.rows, part.candidates, origin.threads);
      if (!parts.empty()) std::printf("\n");
      print_report(stdout, origin, part);
      int dropped = 0;
      for (const auto& [key, series] : family.results.main) dropped += series.dropped;
      if (dropped)
        std::printf("\n%d samples not used: other work on the machine held their threads up\n", dropped);
      parts.push_back(std::move(part));
    }
    if (options_.json.empty() || write_json(options_.json, origin, parts)) return true;
    std::fprintf(stderr, "bench: cannot write %s\n", options_.json.c_str());
    return false;
  }

private:
  /// A runtime and all that was measured on it.
  struct Family {
    Runtime runtime;
    std::string program; ///< empty: this one
    std::vector<Candidate> candidates;
    std::string description;
    Results results;
  };

  /// The runtime creates its threads now, before they are looked up in /proc.
  void start_team() {
    omp_set_schedule(k_static, 0);
    const auto body = [](int i) { return static_cast<std::uint64_t>(i); };
    loop_runtime(1000, options_.settings.threads, body);
  }

  bool round_here(Family& family, std::mt19937_64& random, const RunDelay& delay) {
    std::vector<std::size_t> order(workloads_.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t w : order) {
      std::vector<Candidate> shuffled = family.candidates;
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      for (const Candidate& candidate : shuffled)
        if (!take_sample(workloads_[w], candidate, options_.settings, delay, expected_[w],
                         family.results.main[{workloads_[w].name, candidate.name}]))
          return false;
    }
    return true;
  }

  /// A child process that takes the samples of one round, without the library if `bare`.
  bool child_round(Family& family, std::uint64_t seed, bool bare) {
    std::string names;
    for (const Candidate& candidate : family.candidates)
      if (!bare || !is_ours(candidate.kind)) names += (names.empty() ? "" : ",") + candidate.name;
    if (names.empty()) return true;
    quiet_team();
    const Settings& s = options_.settings;
    std::vector<std::string> arguments = {"--samples",
                                          "--rounds",
                                          "1",
                                          "--passes",
                                          std::to_string(s.passes),
                                          "--threads",
                                          std::to_string(s.threads),
                                          "--scale",
                                          std::to_string(options_.scale),
                                          "--seed",
                                          std::to_string(seed % 1000000),
                                          "--max-delay",
                                          std::to_string(s.max_delay),
                                          "--only",
                                          options_.only,
                                          "--candidates",
                                          names};
    // Priority is inherited, the pauses that go with it are not.
    if (options_.fifo) arguments.push_back("--fifo");
    std::string output;
    const int status =
        run_child(family.program, arguments, bare ? environment_with({}) : own_environment(), &output);
    if (status != 0) {
      std::fprintf(stderr, "bench: the process for %s%s failed (status %d)\n", name_of(family.runtime),
                   bare ? " without the library" : "", status);
      return false;
    }
    return read_samples(family, output, bare);
  }

  /// Two lines on the process, then one for each sample.
  bool print_samples() const {
    const Family& family = families_.front();
    std::printf("%s %s\n", name_of(family.runtime), family.description.c_str());
    std::printf("library %s\n", library_.c_str());
    for (const auto& [key, series] : family.results.main)
      for (std::size_t k = 0; k < series.ratio.size(); ++k)
        std::printf("%s %s %.6f %.6f\n", key.first.c_str(), key.second.c_str(), series.ratio[k],
                    series.seq_ms[k]);
    return true;
  }

  bool read_samples(Family& family, const std::string& output, bool bare) const {
    const std::size_t first = output.find('\n'), second = output.find('\n', first + 1);
    const std::string runtime = std::string(name_of(family.runtime)) + ' ';
    const std::string library = "library " + (bare ? std::string() : library_);
    if (second == output.npos || !output.starts_with(runtime) ||
        output.substr(first + 1, second - first - 1) != library) {
      std::fprintf(stderr,
                   "bench: a process does not have the runtime or the library that it was to have:\n%s\n",
                   output.substr(0, second).c_str());
      return false;
    }
    family.description = output.substr(runtime.size(), first - runtime.size());
    auto& series_of = bare ? family.results.bare : family.results.main;
    char workload[64], candidate[64];
    double ratio = 0, seq_ms = 0;
    for (std::size_t at = second + 1; at < output.size(); at = output.find('\n', at) + 1)
      if (std::sscanf(output.c_str() + at, "%63s %63s %lf %lf", workload, candidate, &ratio, &seq_ms) == 4) {
        Series& series = series_of[{workload, candidate}];
        series.ratio.push_back(ratio);
        series.seq_ms.push_back(seq_ms);
      }
    return true;
  }

  const Options& options_;
  std::string library_;
  std::vector<Family> families_;
  std::vector<Workload> workloads_;
  std::vector<std::uint64_t> expected_;
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
