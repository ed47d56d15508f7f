// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a loop loses when there are many more threads than processors, under the runtime's schedules and,
/// with the library, under the tree.
///
/// This process only starts itself: in every round once for each schedule and number of threads, in random
/// order, with OMP_NUM_THREADS and OMP_SCHEDULE in the environment as a user would set them. The runtime's
/// schedules run without the library.
#include "measure.h"
#include "process.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sched.h>
#include <unistd.h>

namespace {

using namespace bench;

constexpr const char* k_usage =
    "usage: crowd [options]\n"
    "  --library FILE    libwstree.so; without, only the runtime is measured\n"
    "  --rounds N        processes of each kind (5)\n"
    "  --passes N        parallel passes a process, of which the median counts (3)\n"
    "  --threads N       many threads (64)\n"
    "  --ms N            time of the loop on all processors (200)\n"
    "  --only NAME       workload, as in the program loops (TRIANGLE/100k)\n"
    "  --schedules LIST  separated by blanks (static dynamic,1 dynamic,64 guided wstree); what begins with "
    "ws\n"
    "                    runs with the library\n"
    "  --json FILE       write the figures\n";

struct Options {
  std::string library, json, child, only = "TRIANGLE/100k";
  std::string schedules = "static dynamic,1 dynamic,64 guided wstree";
  int rounds = 5, passes = 3, threads = 64;
  double ms = 200;
};

[[noreturn]] void refuse(const std::string& text) {
  std::fprintf(stderr, "bench: %s\n%s", text.c_str(), k_usage);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string option = argv[k];
    if (option == "--help") std::fputs(k_usage, stdout), std::exit(0);
    if (k + 1 >= argc) refuse("unknown option, or a value is missing: " + option);
    const char* const value = argv[++k];
    std::string* const text = option == "--library"     ? &options.library
                              : option == "--json"      ? &options.json
                              : option == "--only"      ? &options.only
                              : option == "--schedules" ? &options.schedules
                              : option == "--child"     ? &options.child
                                                        : nullptr;
    int* const count = option == "--rounds"    ? &options.rounds
                       : option == "--passes"  ? &options.passes
                       : option == "--threads" ? &options.threads
                                               : nullptr;
    if (text) {
      *text = value;
      continue;
    }
    if (!count && option != "--ms") refuse("unknown option: " + option);
    char* end = nullptr;
    const double number = std::strtod(value, &end);
    if (end == value || *end || !(number > 0) || number > 1e5 || (count && number < 1))
      refuse(option + ": not a number in range: " + value);
    if (count)
      *count = static_cast<int>(number);
    else
      options.ms = number;
  }
  return options;
}

/// The process that is measured; its parent reads what it prints: the sequential time and that of the loop.
int child(const Options& options) {
  // A workload of the usual size has 10 ms of work.
  const double scale = options.ms * omp_get_num_procs() / 10;
  for (const WorkloadRecipe& recipe : all_workloads(scale)) {
    if (recipe.name != options.only) continue;
    const Workload workload = recipe.make(recipe.name);
    double start = now_ns();
    const std::uint64_t expected = workload.plain();
    const double plain_ms = (now_ns() - start) / 1e6;
    std::vector<double> values;
    // The kernel leaves 5 % of each second to others than real-time threads, and takes it in the middle of a
    // pass if it is not given before.
    const bool real_time = sched_getscheduler(0) != SCHED_OTHER;
    // The first pass creates the threads.
    for (int k = 0; k <= options.passes; ++k) {
      if (real_time) {
        quiet_team();
        usleep(static_cast<useconds_t>(options.ms * 1000 / 3));
      }
      start = now_ns();
      const std::uint64_t sum = workload.pass(Form::runtime, options.threads);
      values.push_back((now_ns() - start) / 1e6);
      if (sum != expected) {
        std::fprintf(stderr, "bench: %s: the sum is wrong, iterations were lost or repeated\n",
                     options.only.c_str());
        return 1;
      }
    }
    values.erase(values.begin());
    std::printf("%.4f %.4f\n%s\n", plain_ms, median(values), runtime_description().c_str());
    return 0;
  }
  std::fprintf(stderr, "bench: --only: there is no workload %s\n", options.only.c_str());
  return 2;
}

bool is_ours(const std::string& schedule) { return schedule.starts_with("ws"); }

struct Kind {
  std::string schedule;
  int threads;
  std::vector<double> ms;
};

struct Figures {
  std::vector<double> plain_ms;
  std::string runtime;
};

bool run(const Options& options, Kind& kind, Figures& figures) {
  std::vector<std::string> more = {"OMP_SCHEDULE=" + kind.schedule,
                                   "OMP_NUM_THREADS=" + std::to_string(kind.threads)};
  if (is_ours(kind.schedule)) more.push_back("LD_PRELOAD=" + options.library);
  std::string output;
  const int status =
      run_child("",
                {"--child", "yes", "--only", options.only, "--ms", std::to_string(options.ms), "--passes",
                 std::to_string(options.passes), "--threads", std::to_string(kind.threads)},
                environment_with(more), &output);
  double plain = 0, ms = 0;
  if (status != 0 || std::sscanf(output.c_str(), "%lf %lf", &plain, &ms) != 2) {
    std::fprintf(stderr, "bench: the process for OMP_SCHEDULE=%s with %d threads failed (status %d)\n",
                 kind.schedule.c_str(), kind.threads, status);
    return false;
  }
  figures.plain_ms.push_back(plain);
  const std::size_t line = output.find('\n') + 1;
  figures.runtime = output.substr(line, output.find('\n', line) - line);
  kind.ms.push_back(ms);
  return true;
}

} // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.child.empty()) return child(options);
  const int processors = omp_get_num_procs();
  std::vector<Kind> kinds;
  for (std::size_t at = 0; at < options.schedules.size();) {
    const std::size_t end = std::min(options.schedules.find(' ', at), options.schedules.size());
    const std::string schedule = options.schedules.substr(at, end - at);
    at = end + 1;
    if (schedule.empty() || (is_ours(schedule) && options.library.empty())) continue;
    kinds.push_back({schedule, processors, {}});
    kinds.push_back({schedule, options.threads, {}});
  }
  std::mt19937_64 random(1);
  Figures figures;
  for (int round = 0; round < options.rounds; ++round) {
    std::vector<std::size_t> order(kinds.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order)
      if (!run(options, kinds[k], figures)) return 1;
  }
  const double plain = median(figures.plain_ms);
  std::printf("runtime: %s\n%s, %.1f ms on one thread, %d processors; medians of %d processes in ms\n\n",
              figures.runtime.c_str(), options.only.c_str(), plain, processors, options.rounds);
  std::printf("%-16s %10s %10s %8s %18s\n", "OMP_SCHEDULE", (std::to_string(processors) + " threads").c_str(),
              (std::to_string(options.threads) + " threads").c_str(), "ratio", "to ideal, crowd");
  std::FILE* const json = options.json.empty() ? nullptr : std::fopen(options.json.c_str(), "w");
  if (!options.json.empty() && !json) {
    std::fprintf(stderr, "bench: cannot write %s\n", options.json.c_str());
    return 1;
  }
  if (json)
    std::fprintf(json, "{\"workload\": \"%s\", \"threads\": %d, \"plain_ms\": %.3f, \"schedules\": {",
                 options.only.c_str(), options.threads, plain);
  for (std::size_t k = 0; k + 1 < kinds.size(); k += 2) {
    const double few = median(kinds[k].ms), many = median(kinds[k + 1].ms);
    std::printf("%-16s %10.1f %10.1f %8.3f %18.3f\n", kinds[k].schedule.c_str(), few, many, many / few,
                many * processors / plain);
    if (json)
      std::fprintf(json, "%s\n  \"%s\": {\"few_ms\": %.3f, \"many_ms\": %.3f}", k ? "," : "",
                   kinds[k].schedule.c_str(), few, many);
    if (kinds[k].schedule == "wstree")
      std::printf("  %-4s wstree, %d threads / %d threads: limit 1.05\n", many / few <= 1.05 ? "yes" : "NO",
                  options.threads, processors);
  }
  if (!json) return 0;
  std::fprintf(json, "}}\n");
  return std::fclose(json) == 0 ? 0 : 1;
}
