// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The library's cost where there is nothing to gain: calls, regions, and the start of a process.
///
/// This process only starts others, itself as well: in every round one without the library and one with it,
/// in random order. Figures are medians over rounds; the start-up figures are medians of the difference
/// within a pair.
#include "calls.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include <cstdio>
#include <dlfcn.h>
#include <random>
#include <set>

namespace {

using namespace bench;

struct Options {
  Common common;
  std::string probe, schedules = k_usual_schedules;
  int loops = 2000, batches = 9, pairs = 200, anatomy = 0, even = 0;
};

void parse(int argc, char** argv, Options& options) {
  OptionList list("Measures what the calls of a loop cost.", options.common,
                  "library rounds threads max-delay");
  list.count("--loops", options.loops, 1, "Loops of a timing");
  list.count("--batches", options.batches, 1, "Timings of a process, of which the median counts");
  list.count("--pairs", options.pairs, 0, "Pairs of process starts");
  list.text("--schedules", options.schedules,
            "Separated by blanks: static, dynamic,1, guided, schedule(dynamic) and the "
            " library's; models: all that begin with ws, beside static, dynamic,1 and guided");
  list.count("--anatomy", options.anatomy, 0, "1: each call of a loop by itself, instead");
  list.count("--even", options.even, 0,
             "1: what an even loop of a microsecond loses under each schedule, instead");
  list.hidden("--probe", options.probe);
  list.parse(argc, argv);
  if (options.even) options.schedules = even_schedules();
  if (options.schedules == "models") options.schedules = model_schedules();
  if (const std::string word = unknown_schedule(options.schedules); !word.empty())
    refuse("--schedules: there is no " + word);
}

/// Runs as the process whose start is timed. Neither kind has a loop that the library serves.
int probe(const std::string& kind) {
  int sum = 0;
  if (kind != "region") return 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < 16; ++i) sum += i;
  return sum != 120;
}

/// Runs as the process that measures calls; its parent reads its output.
int child(const Options& options) {
  const CallSettings settings{options.common.threads, options.batches, options.loops,
                              options.common.max_delay, options.schedules};
  const bool with_library = dlsym(RTLD_DEFAULT, "wstree_version") != nullptr;
  if (with_library != (options.common.child != "bare")) {
    std::fprintf(stderr, "bench: the library %s\n",
                 with_library ? "is here unasked" : "could not be preloaded");
    return 1;
  }
  const auto measure = options.anatomy ? measure_anatomy : options.even ? measure_even : measure_calls;
  const std::vector<Figure> figures = measure(settings, with_library);
  for (const Figure& figure : figures) std::printf("%.3f %s\n", figure.ns, figure.name.c_str());
  return 0;
}

/// Times pairs of starts in direct succession, whose difference varies less than a library costs; times of
/// single starts vary by more. Returns false if a process failed.
bool time_starts(const Options& options, const std::string& probe_kind, const std::string& schedule,
                 std::mt19937_64& random, Table& table, Verdict& verdict) {
  std::vector<std::string> more = {"LD_PRELOAD=" + options.common.library};
  if (!schedule.empty()) more.push_back("OMP_SCHEDULE=" + schedule);
  const std::vector<std::string> environments[2] = {environment_with({}), environment_with(more)};
  std::vector<double> plain, added;
  for (int k = 0; k < options.pairs; ++k) {
    double us[2] = {0, 0};
    const unsigned first = random() & 1;
    for (unsigned turn = 0; turn < 2; ++turn) {
      const unsigned which = first ^ turn;
      const double start = now_ns();
      if (run_child("", {"--probe", probe_kind}, environments[which], nullptr) != 0) {
        std::fprintf(stderr, "bench: a process to time (%s) failed\n", probe_kind.c_str());
        return false;
      }
      us[which] = (now_ns() - start) / 1e3;
    }
    plain.push_back(us[0]);
    added.push_back(us[1] - us[0]);
  }
  const std::string name = probe_kind + ", OMP_SCHEDULE=" + schedule;
  table.at(name, "without") = fact(median(plain));
  table.at(name, "the library adds") = {median(added)};
  verdict.add(name, median(added));
  return true;
}

/// Judges entering and leaving a served loop against the same loop under the runtime's dynamic, in the
/// process without the library.
void judge_loops(const Kind& bare, const Kind& preloaded, Report& report) {
  Verdict& verdict = report.verdict("entering and leaving a loop: wstree / dynamic,1 without the library", 1);
  for (const auto& [name, values] : preloaded.figures) {
    const std::string::size_type at = name.find("/wstree/");
    if (at == std::string::npos || !name.starts_with("loop")) continue;
    const auto other = bare.figures.find(name.substr(0, at) + "/dynamic,1/" + name.substr(at + 8));
    if (other != bare.figures.end()) verdict.add(name, median(values) / median(other->second));
  }
}

void fill(const std::vector<Kind>& kinds, Table& table) {
  std::set<std::string> names;
  for (const Kind& kind : kinds)
    for (const auto& [name, values] : kind.figures) names.insert(name);
  for (const std::string& name : names)
    for (const Kind& kind : kinds) {
      const auto found = kind.figures.find(name);
      table.at(name, kind.name) = found == kind.figures.end() ? Cell{} : sample(found->second);
    }
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  parse(argc, argv, options);
  const Common& common = options.common;
  if (!options.probe.empty()) return probe(options.probe);
  if (!common.child.empty()) return child(options);
  std::vector<Kind> kinds = {{"bare", {}}};
  const bool is_usual = !options.anatomy && !options.even;
  if (!common.library.empty()) kinds.push_back({"preloaded", {"LD_PRELOAD=" + common.library}});
  if (!run_rounds(common, kinds)) return 1;
  Report report(common.threads, common.rounds);
  std::printf("runtime: %s\nlibrary: %s\nthreads %d, %d processes of each kind; medians in ns\n\n",
              runtime_description().c_str(), common.library.empty() ? "none" : common.library.c_str(),
              common.threads, common.rounds);
  Table& table = report.table("measure/schedule/threads/iterations", "ns");
  fill(kinds, table);
  table.print();
  if (is_usual && kinds.size() > 1) judge_loops(kinds[0], kinds[1], report);
  if (!common.library.empty() && options.pairs > 0) {
    std::mt19937_64 random(1);
    Table& starts = report.table("\nstart of a process", "us");
    Verdict& verdict = report.verdict("start of a process: us that the library adds", 1000);
    for (const char* kind : {"no OpenMP", "region"})
      for (const char* schedule : {"", "wstree"})
        if (!time_starts(options, kind, schedule, random, starts, verdict)) return 1;
    starts.print();
  }
  report.print_verdicts();
  return report.write(common.json) ? 0 : 1;
}
