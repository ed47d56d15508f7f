// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The paper's figure 6 on this machine: the time of a loop of cheap iterations against the number of
/// iterations that a thread takes at a time (STEP), from one counter for all threads, ours (wsfixed) and the
/// runtime's (dynamic), and from the tree.
///
/// This process only starts itself: in every round once without the library, for the runtime's schedule, and
/// once with it for each STEP, because WSTREE_BATCH counts for a whole process. One thread means that one of
/// a team does all of the loop before the others come to it: a team of one gets the whole loop in one piece.
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/options.h"
#include "measure/process.h"
#include <atomic>
#include <cstdio>
#include <sched.h>
#include <unistd.h>

namespace {

using namespace bench;

struct Options {
  Common common;
  int passes = 3, iterations = 1 << 22, most = 4096;
};

std::vector<int> steps_up_to(int most) {
  std::vector<int> steps;
  for (long step = 1; step <= most; step *= 2) steps.push_back(static_cast<int>(step));
  return steps;
}

/// Returns one thread's part of the loop; any parts add up to one sum.
[[gnu::noinline]] std::uint64_t take_part(int n) {
  std::uint64_t part = 0;
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < n; ++i) part += spin(static_cast<std::uint64_t>(i), 1);
  return part;
}

struct Pass {
  double ns = 0;
  std::uint64_t sum = 0;
};

/// Executes the loop. `alone`: the first thread does the loop while the others sleep, and is timed until
/// there is nothing left.
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

/// Measures in this process; its parent reads its output: "MS SCHEDULE STEP THREADS".
class Child {
public:
  explicit Child(const Options& options) : options_(options) {
    omp_set_schedule(k_static, 0);
    run_loop(options.common.threads, options.common.threads, false); // creates the threads
    for (int i = 0; i < options.iterations; ++i) expected_ += spin(static_cast<std::uint64_t>(i), 1);
  }

  bool run() {
    const RunDelay delay;
    delay_ = &delay;
    // The paper's sequential time: the same machine code, all of it in one piece.
    std::vector<double> whole;
    omp_set_schedule(k_static, 0);
    for (int k = 0; k < options_.passes; ++k) whole.push_back(run_loop(1, options_.iterations, false).ns);
    whole_ = median(whole);
    std::printf("%.6f whole\n", whole_ / 1e6);
    if (options_.common.child != "bare") {
      const int step = std::stoi(options_.common.child);
      return measure("wsfixed", k_wsfixed, step, step) && measure("wstree", k_wstree, 1, step);
    }
    for (const int step : steps_up_to(options_.most))
      if (!measure("dynamic", k_dynamic, step, step)) return false;
    return true;
  }

private:
  bool measure(const char* name, int kind, int chunk, int step) {
    const Common& common = options_.common;
    for (const bool alone : {true, false}) {
      std::vector<double> values;
      for (int k = 0; k < 3 * options_.passes && static_cast<int>(values.size()) < options_.passes; ++k) {
        omp_set_schedule(kind, chunk);
        const double delayed = waited(alone);
        const Pass pass = run_loop(common.threads, options_.iterations, alone);
        if (pass.sum != expected_) {
          std::fprintf(stderr, "bench: %s, STEP %d: the sum is wrong, iterations were lost or repeated\n",
                       name, step);
          return false;
        }
        if (waited(alone) - delayed <= common.max_delay * pass.ns) values.push_back(pass.ns);
        rest(pass.ns);
        if (!values.empty() && pass.ns > 10 * whole_) break; // one measurement is enough
      }
      if (!values.empty())
        std::printf("%.6f %s %d %d\n", median(values) / 1e6, name, step, alone ? 1 : common.threads);
    }
    return true;
  }

  double waited(bool alone) const { return alone ? delay_->caller_ns() : delay_->all_ns(); }

  /// Sleeps for a tenth of `ns` under a real-time priority: otherwise the kernel takes 5 % of each second
  /// back, in the middle of a pass.
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

/// Curves of one number of threads stand together.
void show(const Options& options, const std::map<std::string, std::vector<double>>& samples) {
  constexpr double k_near = 1.1;
  const Common& common = options.common;
  Report report(common.threads, common.rounds);
  Table& table = report.table("", "ms");
  const auto values = [&](const std::string& name) {
    const auto found = samples.find(name);
    return found == samples.end() ? std::vector<double>{} : found->second;
  };
  const double whole = median(values("whole"));
  for (const int threads : {1, common.threads})
    for (const std::string schedule : {"wsfixed", "dynamic", "wstree"}) {
      if (common.library.empty() && schedule != "dynamic") continue;
      const std::string column = schedule + " P=" + std::to_string(threads);
      int good_from = 0; // the smallest STEP from which on the curve stays near to ideal
      for (const int step : steps_up_to(options.most)) {
        const auto found = values(schedule + ' ' + std::to_string(step) + ' ' + std::to_string(threads));
        table.at("STEP=" + std::to_string(step), column) = sample(found);
        const bool is_near = !found.empty() && median(found) <= k_near * whole / threads;
        good_from = !is_near ? 0 : good_from == 0 ? step : good_from;
      }
      table.at("ideal", column) = fact(whole / threads);
      table.at("within 10 % from", column) = words(good_from ? std::to_string(good_from) : "none");
    }
  std::printf("runtime: %s\n%d iterations of about a nanosecond, %.3f ms in one piece; medians of %d "
              "processes in ms\n\n",
              runtime_description().c_str(), options.iterations, whole, common.rounds);
  table.print();
  if (!report.write(common.json)) refuse("--json: the figures are lost");
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  Common& common = options.common;
  common.threads = std::max(2, common.threads);
  OptionList list(
      "Measures the library's batches of a fixed size, the runtime's dynamic and the tree, by the "
      "number of iterations that a thread takes at a time (STEP).",
      common, "library rounds threads max-delay");
  list.count("--passes", options.passes, 1, "Passes of a process, of which the median counts");
  list.count("--iterations", options.iterations, 1, "Iterations of the loop, about a nanosecond each");
  list.count("--most", options.most, 1, "The largest STEP");
  list.parse(argc, argv);
  if (!common.child.empty()) return Child(options).run() ? 0 : 1;
  std::vector<Kind> kinds{{"bare", {}}};
  if (!common.library.empty())
    for (const int step : steps_up_to(options.most))
      kinds.push_back({std::to_string(step),
                       {"LD_PRELOAD=" + common.library, "WSTREE_BATCH=fixed:" + std::to_string(step)}});
  if (!run_rounds(common, kinds)) return 1;
  std::map<std::string, std::vector<double>> samples;
  for (const Kind& kind : kinds)
    for (const auto& [name, values] : kind.figures)
      samples[name].insert(samples[name].end(), values.begin(), values.end());
  show(options, samples);
}
