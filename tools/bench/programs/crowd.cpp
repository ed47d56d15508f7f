// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What loops lose when there are many more threads than processors, under the runtime's schedules and, with
/// the library, under the tree.
///
/// This process only starts itself: for each workload and number of threads in every round once for each
/// schedule, in random order, with OMP_NUM_THREADS and OMP_SCHEDULE in the environment as a user would set
/// them. The runtime's schedules run without the library.
///
/// Where threads wait by giving their processor away, a process may keep its threads on one processor for
/// long. So a table, which is there to compare schedules, has processes that change the schedule from pass to
/// pass instead.
#include "measure/json.h"
#include "measure/measure.h"
#include "measure/options.h"
#include "measure/process.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sched.h>
#include <unistd.h>

namespace {

using namespace bench;

struct Options {
  std::string library, json, child, only = "TRIANGLE/100k", threads = "64";
  std::string schedules = "static dynamic,1 dynamic,64 guided wstree";
  int rounds = 5, passes = 3;
  double ms = 200, span = 0;
};

Options parse(int argc, char** argv) {
  Options options;
  OptionList list("Measures teams with more threads than processors. With several workloads or numbers of "
                  "threads there is one row for each: processes that change the schedule from pass to pass, "
                  "all of them with the library.");
  list.text("--library", options.library, "libwstree.so; without it, only the runtime is measured");
  list.count("--rounds", options.rounds, 1, "Processes of each kind");
  list.count("--passes", options.passes, 1, "Parallel passes of a process, of which the median counts");
  list.number("--span", options.span, 0, "Milliseconds for which a process goes on with passes beyond these");
  list.text("--threads", options.threads, "Numbers of threads, separated by blanks");
  list.number("--ms", options.ms, 1e-6,
              "Time on all processors of a loop whose usual work is 10 ms; that of others in proportion");
  list.text("--only", options.only, "Workloads, as in the program loops, separated by blanks");
  list.text("--schedules", options.schedules,
            "Separated by blanks; those that begin with ws run with the library");
  list.text("--json", options.json,
            "File for the figures: an object, or an array of them if there are several workloads or numbers "
            "of threads");
  list.hidden("--child", options.child);
  list.parse(argc, argv);
  return options;
}

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (end != at) found.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

std::vector<int> thread_counts(const Options& options) {
  std::vector<int> counts;
  for (const std::string& word : words(options.threads)) {
    char* end = nullptr;
    const long number = std::strtol(word.c_str(), &end, 10);
    if (*end || number < 1 || number > 100'000) refuse("--threads: not a number in range: " + word);
    counts.push_back(static_cast<int>(number));
  }
  if (counts.empty()) refuse("--threads: no number");
  return counts;
}

/// A schedule as the loop forms and omp_set_schedule() have it.
struct Choice {
  Form form = Form::runtime;
  int kind = 0, chunk = 0;
};

/// False: nothing here has that name.
bool choose(const std::string& schedule, Choice& choice) {
  static constexpr struct {
    const char* name;
    int kind, chunk;
  } k_kinds[] = {{"static", k_static, 0},    {"dynamic", k_dynamic, 1},
                 {"guided", k_guided, 1},    {"trapezoidal", k_trapezoidal, 1},
                 {"wstree", k_wstree, 1},    {"wsrange", k_wsrange, 0},
                 {"wsqueue", k_wsqueue, 0},  {"wsqueue_lock", k_wsqueue_lock, 0},
                 {"wsfixed", k_wsfixed, 1},  {"wsguided", k_wsguided, 0},
                 {"wsfac2", k_wsfac2, 0},    {"wstrapezoid", k_wstrapezoid, 0},
                 {"wsstatic", k_wsstatic, 0}};
  const std::size_t comma = schedule.find(',');
  const std::string name = schedule.substr(0, comma);
  const int chunk = comma == std::string::npos ? 0 : std::atoi(schedule.c_str() + comma + 1);
  if (name == "static_steal") {
    choice.form = chunk == 64 ? Form::steal_64 : Form::steal_1;
    return chunk <= 1 || chunk == 64;
  }
  for (const auto& known : k_kinds) {
    if (name != known.name) continue;
    choice = {Form::runtime, known.kind, chunk != 0 ? chunk : known.chunk};
    return true;
  }
  return false;
}

/// One pass in ms; negative: the sum is wrong.
double pass_ms(const Workload& workload, Form form, int threads, std::uint64_t expected) {
  const double start = now_ns();
  const std::uint64_t sum = workload.pass(form, threads);
  const double ms = (now_ns() - start) / 1e6;
  if (sum == expected) return ms;
  std::fprintf(stderr, "bench: %s: the sum is wrong, iterations were lost or repeated\n",
               workload.name.c_str());
  return -1;
}

/// The process that is measured; its parent reads what it prints: the sequential time, and that of the loop
/// under OMP_SCHEDULE, or with --alternate under each of the schedules.
int child(const Options& options) {
  // A workload of the usual size has 10 ms of work.
  const double scale = options.ms * omp_get_num_procs() / 10;
  const int threads = thread_counts(options).front();
  std::vector<Choice> choices(1);
  if (options.child == "alternate") {
    const std::vector<std::string> names = words(options.schedules);
    choices.resize(names.size());
    for (std::size_t c = 0; c < names.size(); ++c)
      if (!choose(names[c], choices[c])) refuse("--schedules: a table has no " + names[c]);
  }
  for (const WorkloadRecipe& recipe : all_workloads(scale)) {
    if (recipe.name != options.only) continue;
    const Workload workload = recipe.make(recipe.name);
    const double start = now_ns();
    const std::uint64_t expected = workload.plain();
    const double plain_ms = (now_ns() - start) / 1e6;
    std::vector<std::vector<double>> values(choices.size());
    // The kernel leaves 5 % of each second to others than real-time threads, and takes it in the middle of a
    // pass if it is not given before.
    const bool real_time = sched_getscheduler(0) != SCHED_OTHER;
    const double until = now_ns() + options.span * 1e6;
    // The first pass creates the threads.
    for (int k = 0; k <= options.passes || now_ns() < until; ++k)
      for (std::size_t c = 0; c < choices.size(); ++c) {
        if (real_time) {
          quiet_team();
          usleep(static_cast<useconds_t>(options.ms * 1000 / 3));
        }
        if (choices[c].kind != 0) omp_set_schedule(choices[c].kind, choices[c].chunk);
        const double ms = pass_ms(workload, choices[c].form, threads, expected);
        if (ms < 0) return 1;
        if (k > 0) values[c].push_back(ms);
      }
    std::printf("%s\n%.4f\n", runtime_description().c_str(), plain_ms);
    for (const auto& series : values) std::printf("%.4f\n", median(series));
    return 0;
  }
  std::fprintf(stderr, "bench: --only: there is no workload %s\n", options.only.c_str());
  return 2;
}

bool is_ours(const std::string& schedule) { return schedule.starts_with("ws"); }

struct Kind {
  std::string workload, schedule;
  int threads;
  std::vector<double> ms;
};

/// Of one workload.
struct Figures {
  std::vector<double> plain_ms;
  std::string runtime;
};

/// Starts a process that measures `kinds`, which are of one workload and number of threads: under
/// OMP_SCHEDULE if there is one of them, else in turn.
bool run(const Options& options, const std::vector<Kind*>& kinds, Figures& figures) {
  const Kind& first = *kinds.front();
  const bool alternates = kinds.size() > 1;
  std::vector<std::string> more = {"OMP_NUM_THREADS=" + std::to_string(first.threads)};
  std::string list;
  bool ours = false;
  for (const Kind* kind : kinds) {
    list += kind->schedule + ' ';
    ours |= is_ours(kind->schedule);
  }
  if (!alternates) more.push_back("OMP_SCHEDULE=" + first.schedule);
  if (ours) more.push_back("LD_PRELOAD=" + options.library);
  std::string output;
  const int status =
      run_child("",
                {"--child", alternates ? "alternate" : "yes", "--schedules", list, "--only", first.workload,
                 "--ms", std::to_string(options.ms), "--passes", std::to_string(options.passes), "--threads",
                 std::to_string(first.threads), "--span", std::to_string(options.span)},
                environment_with(more), &output);
  std::vector<double> values;
  const std::size_t line = std::min(output.find('\n'), output.size());
  for (const char* at = output.c_str() + line;;) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at) break;
    values.push_back(value);
    at = end;
  }
  if (status != 0 || values.size() != kinds.size() + 1) {
    std::fprintf(stderr, "bench: the process for OMP_SCHEDULE=%s with %d threads failed (status %d)\n",
                 list.c_str(), first.threads, status);
    return false;
  }
  figures.runtime = output.substr(0, line);
  figures.plain_ms.push_back(values.front());
  for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k]->ms.push_back(values[k + 1]);
  return true;
}

/// All kinds in every round, in random order.
bool run_all(const Options& options, std::vector<Kind>& kinds, Figures& figures) {
  static std::mt19937_64 random(1);
  for (int round = 0; round < options.rounds; ++round) {
    std::vector<std::size_t> order(kinds.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order)
      if (!run(options, {&kinds[k]}, figures)) return false;
  }
  return true;
}

std::vector<std::string> schedules(const Options& options) {
  std::vector<std::string> list = words(options.schedules);
  if (options.library.empty()) std::erase_if(list, is_ours);
  return list;
}

Json to_json(const std::string& workload, int threads, double plain, const std::vector<Kind>& kinds) {
  Json schedules = Json::object();
  for (const Kind& kind : kinds) {
    if (kind.threads != threads) continue;
    const auto few = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& other) {
      return other.schedule == kind.schedule && other.threads != threads;
    });
    Json& figures = schedules[kind.schedule];
    if (few != kinds.end()) figures["few_ms"] = rounded(median(few->ms), 3);
    figures["many_ms"] = rounded(median(kind.ms), 3);
  }
  return {{"workload", workload},
          {"threads", threads},
          {"plain_ms", rounded(plain, 3)},
          {"schedules", std::move(schedules)}};
}

/// One workload on `threads` threads, and on as many as there are processors.
bool compare(const Options& options, const std::string& workload, int threads, Json& json) {
  const int processors = omp_get_num_procs();
  std::vector<Kind> kinds;
  for (const std::string& schedule : schedules(options)) {
    kinds.push_back({workload, schedule, processors, {}});
    kinds.push_back({workload, schedule, threads, {}});
  }
  Figures figures;
  if (!run_all(options, kinds, figures)) return false;
  const double plain = median(figures.plain_ms);
  std::printf("runtime: %s\n%s, %.1f ms on one thread, %d processors; medians of %d processes in ms\n\n",
              figures.runtime.c_str(), workload.c_str(), plain, processors, options.rounds);
  std::printf("%-16s %10s %10s %8s %18s\n", "OMP_SCHEDULE", (std::to_string(processors) + " threads").c_str(),
              (std::to_string(threads) + " threads").c_str(), "ratio", "to ideal, crowd");
  for (std::size_t k = 0; k + 1 < kinds.size(); k += 2) {
    const double few = median(kinds[k].ms), many = median(kinds[k + 1].ms);
    std::printf("%-16s %10.1f %10.1f %8.3f %18.3f\n", kinds[k].schedule.c_str(), few, many, many / few,
                many * processors / plain);
    if (kinds[k].schedule == "wstree")
      std::printf("  %-4s wstree, %d threads / %d threads: limit 1.05\n", many / few <= 1.05 ? "yes" : "NO",
                  threads, processors);
  }
  json = to_json(workload, threads, plain, kinds);
  return true;
}

/// The best of the runtime's schedules that balance, which the tree is compared with. 0: there is none.
double best_of_peers(const std::vector<Kind>& kinds) {
  double best = 0;
  for (const Kind& kind : kinds) {
    const double ms = median(kind.ms);
    if (!is_ours(kind.schedule) && kind.schedule != "static" && (best == 0 || ms < best)) best = ms;
  }
  return best;
}

/// A row: one workload on `threads` threads. `ratios`: receives the tree's time / that of the best peer.
bool compare_in_row(const Options& options, const std::string& workload, int threads, Json& json,
                    std::vector<double>& ratios) {
  std::vector<Kind> kinds;
  for (const std::string& schedule : schedules(options)) kinds.push_back({workload, schedule, threads, {}});
  Figures figures;
  std::vector<Kind*> all;
  for (Kind& kind : kinds) all.push_back(&kind);
  for (int round = 0; round < options.rounds; ++round)
    if (!run(options, all, figures)) return false;
  const double plain = median(figures.plain_ms);
  std::printf("%-16s %8d %10.3f", workload.c_str(), threads, plain);
  const double best = best_of_peers(kinds);
  double ratio = 0;
  for (const Kind& kind : kinds) {
    std::printf(" %12.3f", median(kind.ms) * omp_get_num_procs() / plain);
    if (kind.schedule == "wstree" && best != 0) ratio = median(kind.ms) / best;
  }
  if (ratio != 0) {
    std::printf(" %8.3f", ratio);
    ratios.push_back(ratio);
  }
  std::printf("\n");
  std::fflush(stdout);
  json.push_back(to_json(workload, threads, plain, kinds));
  return true;
}

bool compare_in_table(const Options& options, Json& json) {
  std::printf("time / (time on one thread / %d processors), medians of %d processes\n\n%-16s %8s %10s",
              omp_get_num_procs(), options.rounds, "workload", "threads", "ms on one");
  for (const std::string& schedule : schedules(options)) std::printf(" %12s", schedule.c_str());
  std::printf(" %8s\n", "to best");
  std::vector<double> ratios;
  for (const int threads : thread_counts(options))
    for (const std::string& workload : words(options.only))
      if (!compare_in_row(options, workload, threads, json, ratios)) return false;
  if (ratios.empty()) return true;
  const double worst = *std::max_element(ratios.begin(), ratios.end());
  std::printf(
      "  %-4s wstree / best of the runtime's schedules but static: median %.3f, worst %.3f, limit 1.05\n",
      worst <= 1.05 ? "yes" : "NO", median(ratios), worst);
  return true;
}

} // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.child.empty()) return child(options);
  const std::vector<std::string> workloads = words(options.only);
  const std::vector<int> threads = thread_counts(options);
  if (workloads.empty()) refuse("--only: no workload");
  Json json;
  const bool done = workloads.size() == 1 && threads.size() == 1
                        ? compare(options, workloads.front(), threads.front(), json)
                        : compare_in_table(options, json);
  return done && write(options.json, json) ? 0 : 1;
}
