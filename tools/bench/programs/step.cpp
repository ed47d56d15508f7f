// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The paper's figure 6 on this machine: the time of a loop of cheap iterations against the number of
/// iterations that a thread takes at a time (STEP), from one counter for all threads, ours (wsfixed) and the
/// runtime's (dynamic), and from the tree.
///
/// This process only starts itself: in every round once without the library, for the runtime's schedule, and
/// once with it for each STEP, because WSTREE_BATCH counts for a whole process. One thread means that one of
/// a team does all of the loop before the others come to it: a team of one gets the whole loop in one piece.
#include "measure/json.h"
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/options.h"
#include "measure/process.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <sched.h>
#include <sstream>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace {

using namespace bench;

/// One schedule on one number of threads.
struct Curve {
  std::string schedule;
  int threads;
  std::vector<std::optional<double>> ms; ///< one for each step; nothing if it could not be measured
};

struct StepFigure {
  std::string runtime; ///< its name
  long iterations;
  double whole_ms; ///< the loop in one piece on one thread
  std::vector<int> steps;
  std::vector<Curve> curves; ///< those of one number of threads stand together
};

struct Options {
  std::string library, json, child;
  int rounds = 5, passes = 3, threads = std::max(2, omp_get_num_procs()), iterations = 1 << 22, most = 4096;
  double max_delay = 0.02;
};

Options parse(int argc, char** argv) {
  Options options;
  OptionList list(
      "Measures the library's batches of a fixed size, the runtime's dynamic and the tree, by the "
      "number of iterations that a thread takes at a time (STEP).");
  list.text("--library", options.library, "libwstree.so; without it, only the runtime's dynamic is measured");
  list.count("--rounds", options.rounds, 1, "Processes of each kind");
  list.count("--passes", options.passes, 1, "Passes of a process, of which the median counts");
  list.count("--threads", options.threads, 2, "Threads of a team");
  list.count("--iterations", options.iterations, 1, "Iterations of the loop, about a nanosecond each");
  list.count("--most", options.most, 1, "The largest STEP");
  list.number("--max-delay", options.max_delay, 0,
              "A pass is not used if its threads waited for longer than this part of it");
  list.text("--json", options.json, "File for the figures");
  list.hidden("--child", options.child);
  list.parse(argc, argv);
  return options;
}

std::vector<int> steps_up_to(int most) {
  std::vector<int> steps;
  for (long step = 1; step <= most; step *= 2) steps.push_back(static_cast<int>(step));
  return steps;
}

/// One thread's part of the loop; the parts add up to the same whatever they are.
[[gnu::noinline]] std::uint64_t take_part(int n) {
  std::uint64_t part = 0;
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < n; ++i) part += spin(static_cast<std::uint64_t>(i), 1);
  return part;
}

[[gnu::noinline]] std::uint64_t plain_loop(int n) {
  std::uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += spin(static_cast<std::uint64_t>(i), 1);
  return sum;
}

struct Pass {
  double ns = 0;
  std::uint64_t sum = 0;
};

/// `alone`: the first thread does the loop while the others sleep, and is timed until there is nothing left.
Pass run_loop(int threads, int n, bool alone) {
  Pass pass;
  std::atomic<std::uint64_t> sum{0};
  std::atomic<bool> done{false};
#pragma omp parallel num_threads(threads)
  {
    const bool first = omp_get_thread_num() == 0;
#pragma omp barrier
    const double start = now_ns();
    if (alone && !first) done.wait(false);
    sum += take_part(n);
    if (alone && first) {
      pass.ns = now_ns() - start;
      done = true;
      done.notify_all();
    }
#pragma omp barrier
    if (!alone && first) pass.ns = now_ns() - start;
  }
  pass.sum = sum;
  return pass;
}

/// Measures in this process; its parent reads what it prints.
class Child {
public:
  explicit Child(const Options& options) : options_(options) {
    omp_set_schedule(k_static, 0);
    run_loop(options.threads, options.threads, false); // creates the threads
    expected_ = plain_loop(options.iterations);
  }

  bool run() {
    const RunDelay delay;
    delay_ = &delay;
    // What the paper calls sequential: the same machine code, all of it in one piece.
    std::vector<double> whole;
    omp_set_schedule(k_static, 0);
    for (int k = 0; k < options_.passes; ++k) whole.push_back(run_loop(1, options_.iterations, false).ns);
    whole_ = median(whole);
    std::printf("whole 0 1 %.6f\n", whole_ / 1e6);
    if (options_.child != "bare") {
      const int step = std::stoi(options_.child);
      return measure("wsfixed", k_wsfixed, step, step) && measure("wstree", k_wstree, 1, step);
    }
    for (const int step : steps_up_to(options_.most))
      if (!measure("dynamic", k_dynamic, step, step)) return false;
    return true;
  }

private:
  bool measure(const char* name, int kind, int chunk, int step) {
    for (const bool alone : {true, false}) {
      std::vector<double> values;
      for (int k = 0; k < 3 * options_.passes && static_cast<int>(values.size()) < options_.passes; ++k) {
        omp_set_schedule(kind, chunk);
        const double delayed = waited(alone);
        const Pass pass = run_loop(options_.threads, options_.iterations, alone);
        if (pass.sum != expected_) {
          std::fprintf(stderr, "bench: %s, STEP %d: the sum is wrong, iterations were lost or repeated\n",
                       name, step);
          return false;
        }
        if (waited(alone) - delayed <= options_.max_delay * pass.ns) values.push_back(pass.ns);
        rest(pass.ns);
        if (!values.empty() && pass.ns > 10 * whole_) break; // that is known well enough
      }
      if (!values.empty())
        std::printf("%s %d %d %.6f\n", name, step, alone ? 1 : options_.threads, median(values) / 1e6);
    }
    return true;
  }

  double waited(bool alone) const { return alone ? delay_->caller_ns() : delay_->all_ns(); }

  /// With real-time priority the kernel takes 5 % of each second back, in the middle of a pass if it is not
  /// given before.
  static void rest(double ns) {
    if (sched_getscheduler(0) == SCHED_OTHER) return;
    quiet_team();
    usleep(static_cast<useconds_t>(ns / 1e3 * 0.1) + 1);
  }

  const Options& options_;
  const RunDelay* delay_ = nullptr;
  std::uint64_t expected_ = 0;
  double whole_ = 0; ///< nanoseconds of the loop in one piece
};

/// Schedule, STEP, threads.
using Key = std::tuple<std::string, int, int>;
using Samples = std::map<Key, std::vector<double>>;

bool run_child_for(const Options& options, const std::string& child, Samples& samples) {
  std::vector<std::string> more;
  if (child != "bare") more = {"LD_PRELOAD=" + options.library, "WSTREE_BATCH=fixed:" + child};
  std::string output;
  const int status =
      run_child("",
                {"--child", child, "--passes", std::to_string(options.passes), "--threads",
                 std::to_string(options.threads), "--iterations", std::to_string(options.iterations),
                 "--most", std::to_string(options.most), "--max-delay", std::to_string(options.max_delay)},
                environment_with(more), &output);
  if (status != 0) {
    std::fprintf(stderr, "bench: the process for %s failed (status %d)\n", child.c_str(), status);
    return false;
  }
  std::istringstream lines(output);
  std::string name;
  int step = 0, threads = 0;
  double ms = 0;
  while (lines >> name >> step >> threads >> ms) samples[{name, step, threads}].push_back(ms);
  return true;
}

StepFigure make_figure(const Options& options, const Samples& samples) {
  const auto median_of = [&](const Key& key) -> std::optional<double> {
    const auto found = samples.find(key);
    if (found == samples.end()) return std::nullopt;
    return median(found->second);
  };
  StepFigure figure{name_of(k_runtime),
                    options.iterations,
                    median_of({"whole", 0, 1}).value_or(0),
                    steps_up_to(options.most),
                    {}};
  for (const int threads : {1, options.threads})
    for (const char* schedule : {"wsfixed", "dynamic", "wstree"}) {
      if (options.library.empty() && std::string(schedule) != "dynamic") continue;
      Curve curve{schedule, threads, {}};
      for (const int step : figure.steps) curve.ms.push_back(median_of({schedule, step, threads}));
      figure.curves.push_back(std::move(curve));
    }
  return figure;
}

/// The smallest STEP from which on the curve stays within a tenth of ideal; 0: none.
int good_from(const StepFigure& figure, const Curve& curve) {
  constexpr double k_near = 1.1;
  int from = 0;
  for (std::size_t k = curve.ms.size(); k-- > 0;) {
    if (!curve.ms[k] || *curve.ms[k] > k_near * figure.whole_ms / curve.threads) break;
    from = figure.steps[k];
  }
  return from;
}

void print(const Options& options, const StepFigure& figure) {
  std::printf("runtime: %s\n%ld iterations of about a nanosecond, %.3f ms in one piece; medians of %d "
              "processes in ms\n\n%6s",
              runtime_description().c_str(), figure.iterations, figure.whole_ms, options.rounds, "STEP");
  for (const Curve& curve : figure.curves)
    std::printf(" %12s", (curve.schedule + " P=" + std::to_string(curve.threads)).c_str());
  std::printf("\n");
  for (std::size_t k = 0; k < figure.steps.size(); ++k) {
    std::printf("%6d", figure.steps[k]);
    for (const Curve& curve : figure.curves)
      if (curve.ms[k])
        std::printf(" %12.3f", *curve.ms[k]);
      else
        std::printf(" %12s", "-");
    std::printf("\n");
  }
  std::printf("%6s", "ideal");
  for (const Curve& curve : figure.curves) std::printf(" %12.3f", figure.whole_ms / curve.threads);
  std::printf("\nSmallest STEP from which on the time is within 10 %% of ideal:");
  const char* separator = " ";
  for (const Curve& curve : figure.curves) {
    const int from = good_from(figure, curve);
    std::printf("%s%s P=%d %s", separator, curve.schedule.c_str(), curve.threads,
                from ? std::to_string(from).c_str() : "none");
    separator = ", ";
  }
  std::printf("\n");
}

Json to_json(const StepFigure& figure) {
  Json curves = Json::array();
  for (const Curve& curve : figure.curves) {
    Json ms = Json::object();
    for (std::size_t k = 0; k < figure.steps.size(); ++k)
      if (curve.ms[k]) ms[std::to_string(figure.steps[k])] = rounded(*curve.ms[k], 5);
    curves.push_back({{"schedule", curve.schedule},
                      {"threads", curve.threads},
                      {"within_10_percent_from", good_from(figure, curve)},
                      {"ms", std::move(ms)}});
  }
  return {{"runtime", figure.runtime},
          {"iterations", figure.iterations},
          {"whole_ms", rounded(figure.whole_ms, 4)},
          {"curves", std::move(curves)}};
}

} // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.child.empty()) return Child(options).run() ? 0 : 1;
  std::vector<std::string> children = {"bare"};
  if (!options.library.empty())
    for (const int step : steps_up_to(options.most)) children.push_back(std::to_string(step));
  std::mt19937_64 random(1);
  Samples samples;
  for (int round = 0; round < options.rounds; ++round) {
    std::shuffle(children.begin(), children.end(), random);
    for (const std::string& child : children)
      if (!run_child_for(options, child, samples)) return 1;
  }
  const StepFigure figure = make_figure(options, samples);
  print(options, figure);
  return write(options.json, to_json(figure)) ? 0 : 1;
}
