// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the library costs where there is nothing to gain: calls, regions, and the start of a process.
///
/// This process only starts others, itself as well: in every round one without the library and one with it,
/// in random order. Figures are medians over rounds; the start-up figures are medians of the difference
/// within a pair.
#include "calls.h"
#include "measure/json.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <optional>
#include <random>

namespace {

using namespace bench;

struct Options {
  std::string library, json, child, probe, schedules = k_usual_schedules;
  int rounds = 5, loops = 2000, batches = 9, pairs = 200, threads = omp_get_num_procs(), anatomy = 0,
      even = 0;
  double max_delay = 0.02;
};

Options parse(int argc, char** argv) {
  Options options;
  OptionList list("Measures what the calls of a loop cost.");
  list.text("--library", options.library, "libwstree.so; without it, only the runtime is measured");
  list.count("--rounds", options.rounds, 1, "Processes of each kind");
  list.count("--loops", options.loops, 1, "Loops of a timing");
  list.count("--batches", options.batches, 1, "Timings of a process, of which the median counts");
  list.count("--pairs", options.pairs, 0, "Pairs of process starts");
  list.text(
      "--schedules", options.schedules,
      "Separated by blanks: static, dynamic,1, guided, schedule(dynamic), schedule(monotonic:dynamic) and "
      "the library's; models: all that begin with ws, beside static, dynamic,1 and guided");
  list.count("--threads", options.threads, 1, "Threads of a team");
  list.number("--max-delay", options.max_delay, 0,
              "A timing is not used if its threads waited for longer than this part of it");
  list.count("--anatomy", options.anatomy, 0,
             "1: each call of a loop by itself, for every type of its variable, instead");
  list.count("--even", options.even, 0,
             "1: what an even loop of a microsecond loses under each schedule, instead");
  list.text("--json", options.json, "File for the figures");
  list.hidden("--child", options.child);
  list.hidden("--probe", options.probe);
  list.parse(argc, argv);
  if (options.even) options.schedules = k_even_schedules;
  if (options.schedules == "models") options.schedules = k_model_schedules;
  if (const std::string word = unknown_schedule(options.schedules); !word.empty())
    refuse("--schedules: there is no " + word);
  return options;
}

/// The process whose start is timed. Neither kind has a loop that the library serves.
int probe(const std::string& kind) {
  if (kind == "region") {
    int sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < 16; ++i) sum += i;
    return sum != 120;
  }
  return 0;
}

/// The process that measures calls; its parent reads what it prints.
int child(const Options& options) {
  const CallSettings settings{options.threads, options.batches, options.loops, options.max_delay,
                              options.schedules};
  const bool with_library = dlsym(RTLD_DEFAULT, "wstree_version") != nullptr;
  if (with_library != (options.child != "bare")) {
    std::fprintf(stderr, "bench: the library %s\n",
                 with_library ? "is here unasked" : "could not be preloaded");
    return 1;
  }
  std::vector<Figure> figures;
  if (options.anatomy)
    figures = measure_anatomy(settings, with_library);
  else if (options.even)
    figures = measure_even(settings, with_library);
  else if (options.child == "single")
    figures = measure_next(settings);
  else
    figures = measure_calls(settings, with_library);
  for (const Figure& figure : figures) std::printf("%.3f %s\n", figure.ns, figure.name.c_str());
  return 0;
}

using Figures = std::map<std::string, std::vector<double>>;

struct Kind {
  const char* name;
  std::vector<std::string> environment;
  Figures figures;
};

bool run_round(const Options& options, Kind& kind) {
  std::string output;
  const int status =
      run_child("",
                {"--child", kind.name, "--threads", std::to_string(options.threads), "--loops",
                 std::to_string(options.loops), "--batches", std::to_string(options.batches), "--max-delay",
                 std::to_string(options.max_delay), "--schedules", options.schedules, "--anatomy",
                 std::to_string(options.anatomy), "--even", std::to_string(options.even)},
                kind.environment, &output);
  if (status != 0) {
    std::fprintf(stderr, "bench: the process \"%s\" failed (status %d)\n", kind.name, status);
    return false;
  }
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size()), blank = output.find(' ', at);
    if (blank < end)
      kind.figures[output.substr(blank + 1, end - blank - 1)].push_back(std::atof(&output[at]));
    at = end + 1;
  }
  return true;
}

std::optional<double> figure(const Kind& kind, const std::string& name) {
  const auto found = kind.figures.find(name);
  if (found == kind.figures.end()) return std::nullopt;
  return median(found->second);
}

std::string cell(std::optional<double> value) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", *value);
  return text;
}

struct StartUp {
  const char* probe;
  const char* schedule; ///< of the process with the library
  double without_us, added_us;
};

/// Times of single starts vary by more than a library costs, the difference of two starts in direct
/// succession does not.
std::optional<StartUp> time_starts(const Options& options, const char* probe_kind, const char* schedule,
                                   std::mt19937_64& random) {
  const std::vector<std::string> without = environment_with({});
  std::vector<std::string> more = {"LD_PRELOAD=" + options.library};
  if (*schedule) more.push_back(std::string("OMP_SCHEDULE=") + schedule);
  const std::vector<std::string> with = environment_with(more);
  std::vector<double> plain, added;
  for (int k = 0; k < options.pairs; ++k) {
    double us[2] = {0, 0};
    const unsigned first = random() & 1;
    for (unsigned turn = 0; turn < 2; ++turn) {
      const unsigned which = first ^ turn;
      const double start = now_ns();
      if (run_child("", {"--probe", probe_kind}, which ? with : without, nullptr) != 0) {
        std::fprintf(stderr, "bench: a process to time (%s) failed\n", probe_kind);
        return std::nullopt;
      }
      us[which] = (now_ns() - start) / 1e3;
    }
    plain.push_back(us[0]);
    added.push_back(us[1] - us[0]);
  }
  return StartUp{probe_kind, schedule, median(plain), median(added)};
}

struct Verdict {
  std::string what;
  std::optional<double> value, limit; ///< nothing: every timing was disturbed by other work
  bool reached() const { return value && limit && *value <= *limit; }
};

/// Entering and leaving a served loop against the same loop under the runtime's dynamic, in the process
/// without the library.
std::vector<Verdict> judge(const Options& options, const Kind& bare, const Kind& preloaded,
                           const std::vector<StartUp>& starts) {
  std::vector<Verdict> list;
  const auto is_measured = [&](const std::string& name) {
    return (' ' + options.schedules + ' ').find(' ' + name + ' ') != std::string::npos;
  };
  const bool both = is_measured("wstree") && is_measured("dynamic,1");
  for (const char* measure : {"loop", "loop nowait"})
    for (const int threads : {1, options.threads})
      for (const int n : {1, threads}) {
        const std::string where = "/P=" + std::to_string(threads) + "/n=" + std::to_string(n);
        const std::string tree = std::string(measure) + "/wstree" + where;
        if (!both || (!list.empty() && list.back().what.starts_with(tree))) continue;
        list.push_back({tree + " in ns, limit: dynamic,1 without the library", figure(preloaded, tree),
                        figure(bare, std::string(measure) + "/dynamic,1" + where)});
      }
  for (const StartUp& start : starts)
    list.push_back({std::string("start of a process (") + start.probe + "), OMP_SCHEDULE=" + start.schedule +
                        ": added us",
                    start.added_us, 1000});
  return list;
}

void print_report(const Options& options, const std::vector<Kind>& kinds, const std::vector<StartUp>& starts,
                  const std::vector<Verdict>& verdicts) {
  std::printf("runtime: %s\nlibrary: %s\nthreads %d, %d processes of each kind; medians in ns\n\n",
              runtime_description().c_str(), options.library.empty() ? "none" : options.library.c_str(),
              options.threads, options.rounds);
  std::map<std::string, int> names;
  for (const Kind& kind : kinds)
    for (const auto& [name, values] : kind.figures) names[name];
  std::printf("%-52s", "measure/schedule/threads/iterations");
  for (const Kind& kind : kinds) std::printf(" %10s", kind.name);
  std::printf("\n");
  for (const auto& [name, unused] : names) {
    std::printf("%-52s", name.c_str());
    for (const Kind& kind : kinds) std::printf(" %10s", cell(figure(kind, name)).c_str());
    std::printf("\n");
  }
  if (kinds.size() > 1)
    std::printf("bare: without the library%s\n", kinds.size() > 2 ? "; single: WSTREE_BATCH=fixed:1" : "");
  for (const StartUp& start : starts)
    std::printf("start of a process (%s), OMP_SCHEDULE=%-6s: %.0f us, the library adds %.0f us\n",
                start.probe, start.schedule, start.without_us, start.added_us);
  if (verdicts.empty()) return;
  std::printf("\nVerdict\n");
  for (const Verdict& verdict : verdicts)
    std::printf("  %-4s %s: %s, limit %s\n", verdict.reached() ? "yes" : "NO", verdict.what.c_str(),
                cell(verdict.value).c_str(), cell(verdict.limit).c_str());
}

Json to_json(const Options& options, const std::vector<Kind>& kinds, const std::vector<StartUp>& starts,
             const std::vector<Verdict>& verdicts) {
  Json json{{"threads", options.threads}, {"rounds", options.rounds}};
  Json& ns = json["ns"] = Json::object();
  for (const Kind& kind : kinds) {
    Json& figures = ns[kind.name] = Json::object();
    for (const auto& [name, values] : kind.figures) figures[name] = rounded(median(values), 2);
  }
  Json& start_ups = json["start_up_us"] = Json::array();
  for (const StartUp& start : starts)
    start_ups.push_back({{"process", start.probe},
                         {"OMP_SCHEDULE", start.schedule},
                         {"without", rounded(start.without_us, 1)},
                         {"added", rounded(start.added_us, 1)}});
  const auto or_null = [](std::optional<double> value) { return value ? Json(rounded(*value, 2)) : Json(); };
  Json& judged = json["verdicts"] = Json::array();
  for (const Verdict& verdict : verdicts)
    judged.push_back({{"what", verdict.what},
                      {"value", or_null(verdict.value)},
                      {"limit", or_null(verdict.limit)},
                      {"reached", verdict.reached()}});
  return json;
}

} // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.probe.empty()) return probe(options.probe);
  if (!options.child.empty()) return child(options);
  std::mt19937_64 random(1);
  std::vector<Kind> kinds = {{"bare", environment_with({}), {}}};
  if (!options.library.empty()) {
    const std::string preload = "LD_PRELOAD=" + options.library;
    kinds.push_back({"preloaded", environment_with({preload}), {}});
    // Chunks of single iterations are counted by the million; the anatomy's long loops have a billion.
    if (!options.anatomy && !options.even)
      kinds.push_back({"single", environment_with({preload, "WSTREE_BATCH=fixed:1"}), {}});
  }
  for (int round = 0; round < options.rounds; ++round) {
    std::vector<std::size_t> order(kinds.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order)
      if (!run_round(options, kinds[k])) return 1;
  }
  std::vector<StartUp> starts;
  if (!options.library.empty() && options.pairs > 0)
    for (const char* kind : {"no OpenMP", "region"})
      for (const char* schedule : {"", "wstree"}) {
        const auto start = time_starts(options, kind, schedule, random);
        if (!start) return 1;
        starts.push_back(*start);
      }
  const std::vector<Verdict> verdicts = kinds.size() > 1 && !options.anatomy && !options.even
                                            ? judge(options, kinds[0], kinds[1], starts)
                                            : std::vector<Verdict>{};
  print_report(options, kinds, starts, verdicts);
  return write(options.json, to_json(options, kinds, starts, verdicts)) ? 0 : 1;
}
