// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The time of loops beside the ideal, for the runtime's schedules and, with the library preloaded, the tree.
///
/// All candidates of a runtime run in one process, in shuffled rounds, on the same machine code: a
/// schedule(runtime) loop whose schedule is set from outside, and copies of it with a literal clause for
/// libomp's static_steal. The sequential time is that of the same copy on one thread, right before and after.
/// Other candidates are measured in children of that process, one of each in every round:
/// --bare     the runtime's schedules without the library, so that they cannot suffer from the calls that the
///            library forwards;
/// --beside   all of that for another runtime, with the program that was made for it of the same source:
///            by another compiler, or for oneTBB;
/// --libomp   the same program on another libomp;
/// --variant  the tree with other options: they are read when a process starts.
#include "families.h"
#include "measure/options.h"
#include "measure/process.h"
#include "measure/team.h"
#include "report.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <sched.h>

namespace {

using namespace bench;

/// Ends the program if the library does not take these kinds: a table of forwarded loops under the tree's
/// name would be worse than none.
void expect_served(const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates) {
    if (!is_ours(candidate)) continue;
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

/// Returns false, with a message, if the process counts served loops (WSTREE_STATS) and there were none. A
/// library that accepts the schedule and then forwards every loop would be measured as its fallback.
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
    measured_here_ = selected_candidates(options, k_runtime, with_library());
    Family& lead = add_family(name_of(k_runtime), k_runtime, true, measured_here_);
    lead.description = runtime_description();
    expect_served(measured_here_);
    add_bare(lead, "", measured_here_);
    add_variants(lead);
    for (const std::string& program : options.beside) add_beside(program);
    for (const std::string& libomp : options.libomps) {
      Family& family = add_family("libomp " + libomp, k_runtime, false, measured_here_);
      children_.push_back({&family, "", environment_for_libomp(libomp), library_, names_of(measured_here_)});
    }
    for (const WorkloadRecipe& recipe : selected_workloads(options)) {
      workloads_.push_back(recipe.make(recipe.name));
      expected_.push_back(expected_of(workloads_.back()));
    }
  }

  bool run() {
    std::mt19937_64 random(options_.settings.seed);
    const RunDelay delay;
    int round = 0;
    std::vector<std::function<bool()>> parts = {[&] { return round_here(random, delay, round); }};
    for (const Child& child : children_)
      parts.push_back([&] { return run_round(child, options_, workloads_, random(), round); });
    for (; round < options_.settings.rounds; ++round) {
      for (const auto& part : parts)
        if (!part()) return false;
      // The other way round in every other round, so that slow drifts hit all alike.
      std::reverse(parts.begin(), parts.end());
    }
    return true;
  }

  bool report() const {
    if (options_.samples) {
      print_samples(families_.front(), library_);
      return true;
    }
    std::vector<RowInfo> infos;
    for (const Workload& workload : workloads_)
      infos.push_back({workload.name, workload.group, workload.is_short, workload.longest_share});
    const Origin origin{library_, options_.settings};
    std::vector<Part> parts;
    for (const Family& family : families_)
      if (!family.candidates.empty()) parts.push_back(part_of(family, infos));
    find_best_peers(parts);
    Report report(origin.settings.threads, origin.settings.rounds);
    for (const Part& part : parts) {
      if (&part != &parts.front()) std::printf("\n");
      show(origin, part, report);
    }
    return report.write(options_.json);
  }

private:
  bool with_library() const { return !library_.empty(); }

  static std::vector<std::string> names_of(const std::vector<Candidate>& candidates, bool ours = true) {
    std::vector<std::string> names;
    for (const Candidate& candidate : candidates)
      if (ours || !is_ours(candidate)) names.push_back(candidate.name);
    return names;
  }

  Family& add_family(const std::string& name, Runtime runtime, bool is_peer,
                     const std::vector<Candidate>& candidates) {
    return families_.emplace_back(Family{name, runtime, is_peer, candidates});
  }

  /// Adds the runtime's schedules without the library.
  void add_bare(Family& family, const std::string& program, const std::vector<Candidate>& candidates) {
    if (!options_.bare || !with_library()) return;
    children_.push_back({&family, program, environment_with({}), "", names_of(candidates, false), "", true});
  }

  void add_variants(Family& lead) {
    if (!options_.variants.empty() && !with_library()) refuse("--variant: the library is not preloaded");
    // The tree and the static schedule stand beside each other in each process, to be compared.
    std::vector<std::string> measured{k_tree};
    for (const Candidate& candidate : measured_here_)
      if (candidate.name == k_static_name) measured.push_back(candidate.name);
    for (const Variant& variant : options_.variants) {
      lead.candidates.push_back({variant.name, Form::runtime, k_wstree, 1});
      children_.push_back(
          {&lead, "", own_environment_with(variant.variables), library_, measured, variant.name});
    }
  }

  void add_beside(const std::string& program) {
    const Runtime runtime = runtime_of(program);
    // There is nothing in a program of oneTBB that the library could serve.
    const bool served = with_library() && runtime != Runtime::tbb;
    const std::vector<Candidate> candidates = selected_candidates(options_, runtime, with_library());
    Family& family = add_family(name_of(runtime), runtime, true, candidates);
    children_.push_back({&family, program, served ? own_environment() : environment_with({}),
                         served ? library_ : "", names_of(candidates)});
    if (served) add_bare(family, program, candidates);
  }

  bool round_here(std::mt19937_64& random, const RunDelay& delay, int round) {
    std::vector<std::size_t> order(workloads_.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    Results& results = families_.front().results;
    for (const std::size_t w : order) {
      std::vector<Candidate> shuffled = measured_here_;
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      for (const Candidate& candidate : shuffled)
        if (is_measured(workloads_[w], candidate) &&
            !take_sample(workloads_[w], candidate, options_.settings, delay, expected_[w], round,
                         results.main[{workloads_[w].name, candidate.name}]))
          return false;
    }
    return true;
  }

  Part part_of(const Family& family, const std::vector<RowInfo>& infos) const {
    Part part{family.name, family.description, family.is_peer, family.candidates, {}, 0};
    part.rows = make_rows(infos, part.candidates, family.results, options_.settings);
    for (const auto* all : {&family.results.main, &family.results.bare})
      for (const auto& [key, series] : *all) part.dropped += series.dropped;
    return part;
  }

  const Options& options_;
  std::string library_;
  std::deque<Family> families_; ///< this program's first; children point to them
  std::vector<Candidate> measured_here_;
  std::vector<Child> children_;
  std::vector<Workload> workloads_;
  std::vector<std::uint64_t> expected_;
};

void real_time(Settings& settings) {
  const sched_param priority{1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
    refuse(std::string("--fifo: ") + std::strerror(errno));
  // The kernel leaves 5 % of a processor to others; time that is not given freely would be taken in the
  // middle of a pass.
  settings.pause = 0.1;
}

} // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv, k_runtime, omp_get_num_procs());
  if (options.which) {
    std::puts(name_of(k_runtime));
    return 0;
  }
  if (options.list) {
    for (const WorkloadRecipe& recipe : selected_workloads(options)) std::puts(recipe.name.c_str());
    return 0;
  }
  if (options.fifo) real_time(options.settings);
  Bench bench(options, library_version());
  const bool done = in_team(options.settings.threads, [&] { return bench.run(); });
  return done && loops_were_served() && bench.report() ? 0 : 1;
}
