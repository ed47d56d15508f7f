// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Loops on two threads of which one has half a processor: a process of the same priority takes the other
/// half all the time, or in bursts of 1, 10 and 100 ms; or a control group grants no more.
///
/// Both threads go on computing until the loop has ended, so that they use all processor time that they can
/// get. The work of an ideal loop takes all of it: a value is the processor time of both threads / that of
/// the work alone. Each kind of process runs all loops one behind the other for a while, in random order.
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include "measure/processors.h"
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace bench;

struct Options {
  Common common;
  int milliseconds = 300; ///< time for which a loop is repeated
};

constexpr std::array<const char*, 4> k_shapes{"even", "rising", "falling", "spikes"};
constexpr std::array<int, 3> k_loops_ms{1, 10, 100};
constexpr int k_iterations = 1'000;

/// Returns the weight of an iteration, with a mean of about 1.
double weight(int shape, int i) {
  const double x = (i + 0.5) / k_iterations;
  switch (shape) {
  case 1:
    return 2 * x;
  case 2:
    return 2 * (1 - x);
  case 3:
    return scatter(static_cast<std::uint64_t>(i)) % 50 == 0 ? 25.5 : 0.5;
  default:
    return 1;
  }
}

std::uint64_t iterate(int shape, int i, double units) {
  return spin(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(units * weight(shape, i)));
}

double thread_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return 1e9 * static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec);
}

/// Pins the calling thread; false if it may not be there.
bool pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

/// A process on `processor` that computes for `burst_ms` and sleeps as long, or computes always.
class Neighbour {
public:
  Neighbour(int processor, int burst_ms) : process_(fork()) {
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(processor);
    for (std::uint64_t sum = 1;;) {
      const double end = now_ns() + 1e6 * std::max(burst_ms, 1);
      while (now_ns() < end) sum = spin(sum, 1'000);
      asm volatile("" : : "r"(sum) : "memory");
      const timespec pause{0, burst_ms * 1'000'000L};
      if (burst_ms != 0) nanosleep(&pause, nullptr);
    }
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

private:
  pid_t process_;
};

bool write_to(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return written;
}

/// A control group of version 1 or 2 that grants a thread half a processor.
class HalfProcessor {
public:
  HalfProcessor() {
    const std::string name = "/wstree-bench-" + std::to_string(getpid());
    if (mkdir(("/sys/fs/cgroup/cpu" + name).c_str(), 0755) == 0) {
      folder_ = "/sys/fs/cgroup/cpu" + name;
      is_limited_ = write_to(folder_ + "/cpu.cfs_period_us", "10000") &&
                    write_to(folder_ + "/cpu.cfs_quota_us", "5000");
      threads_ = "/tasks";
    } else if (mkdir(("/sys/fs/cgroup" + name).c_str(), 0755) == 0) {
      folder_ = "/sys/fs/cgroup" + name;
      // Threads of one process may be in groups of their own only below such a group.
      is_limited_ =
          write_to(folder_ + "/cgroup.type", "threaded") && write_to(folder_ + "/cpu.max", "5000 10000");
      threads_ = "/cgroup.threads";
    }
  }
  HalfProcessor(const HalfProcessor&) = delete;
  HalfProcessor& operator=(const HalfProcessor&) = delete;
  ~HalfProcessor() {
    if (!folder_.empty()) rmdir(folder_.c_str());
  }
  bool is_limited() const { return is_limited_; }
  /// Limits the calling thread, until it ends.
  bool enter() const { return write_to(folder_ + threads_, std::to_string(gettid())); }
  void leave() const {
    const bool is_first = threads_ == "/tasks";
    write_to(is_first ? "/sys/fs/cgroup/cpu/tasks" : "/sys/fs/cgroup/cgroup.threads",
             std::to_string(gettid()));
  }

private:
  std::string folder_, threads_;
  bool is_limited_ = false;
};

/// Returns the processor time of both threads from the beginning of each loop to its end, over that of
/// the work.
double ratio_of_loops(int shape, double work_ns, double seconds) {
  const double units = work_ns / k_ns_per_unit / k_iterations;
  std::uint64_t sum = 0;
  double before = thread_ns(); // time of the work alone, on the processor that is whole
  for (int i = 0; i < k_iterations; ++i) sum ^= iterate(shape, i, units);
  const double work = thread_ns() - before;
  // relaxed: the barriers of the loop order the rest.
  std::atomic<int> done{0};
  std::atomic<bool> ended{false};
  double used[2] = {0, 0};
  int loops = 0;
  const double end = now_ns() + seconds * 1e9;
#pragma omp parallel num_threads(2) reduction(^ : sum)
  {
    const int thread = omp_get_thread_num();
    for (int number = 1;; ++number) {
#pragma omp barrier
      const double own = thread_ns();
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < k_iterations; ++i) sum ^= iterate(shape, i, units);
      // The thread that is here first computes until the other one is.
      done.fetch_add(1);
      while (done.load() < 2 * number) sum ^= spin(sum, 100);
      used[thread] += thread_ns() - own;
      if (thread == 0) {
        loops = number;
        if (now_ns() >= end) ended.store(true);
      }
#pragma omp barrier
      if (ended.load()) break;
    }
  }
  asm volatile("" : : "r"(sum) : "memory");
  return (used[0] + used[1]) / (work * loops);
}

struct How {
  const char* name;
  int burst_ms; ///< length of the neighbour's bursts; 0: always, -1: there is none
  bool is_limited = false;
};
constexpr std::array<How, 6> k_hows{{{"alone", -1},
                                     {"neighbour", 0},
                                     {"bursts of 1 ms", 1},
                                     {"bursts of 10 ms", 10},
                                     {"bursts of 100 ms", 100},
                                     {"limit of 50 %", -1, true}}};

int measure_child(const Options& options) {
  const std::vector<int> allowed = allowed_processors();
  const int whole = allowed.front(), half = allowed.back();
  std::printf("%d processors\n", static_cast<int>(allowed.size()));
  const auto pin_team = [&] {
#pragma omp parallel num_threads(2)
    pin(omp_get_thread_num() == 0 ? whole : half);
  };
  for (const auto& how : k_hows) {
    const HalfProcessor group;
    if (how.is_limited && !group.is_limited()) continue;
    const std::unique_ptr<Neighbour> neighbour(how.burst_ms >= 0 ? new Neighbour(half, how.burst_ms)
                                                                 : nullptr);
    pin_team();
    bool is_in = true;
    if (how.is_limited) {
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 1) is_in = group.enter();
    }
    for (int shape = 0; is_in && shape < static_cast<int>(k_shapes.size()); ++shape)
      for (const int ms : k_loops_ms) {
        if (ms > 5 * options.milliseconds) continue; // a test has no time for them
        // 1.5 processors share the work.
        const double seconds = std::max(options.milliseconds, 5 * ms) * options.common.scale / 1e3;
        std::printf("%.6g %s, %s, %d ms\n", ratio_of_loops(shape, 1.5e6 * ms, seconds), how.name,
                    k_shapes[static_cast<std::size_t>(shape)], ms);
      }
    if (how.is_limited && is_in) {
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 1) group.leave();
    }
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  Common& common = options.common;
  common.rounds = 3;
  OptionList list("Measures loops on two threads, one of which has half a processor.", common,
                  "library rounds scale");
  list.count("--milliseconds", options.milliseconds, 1, "That a loop is repeated for");
  list.parse(argc, argv);
  if (!common.child.empty()) return measure_child(options);
  if (common.library.empty()) refuse("--library is needed: the tree is the library's");
  const auto plain = [](const char* schedule) {
    return Kind{schedule, {std::string("OMP_SCHEDULE=") + schedule, "OMP_PROC_BIND=false"}};
  };
  std::vector<Kind> kinds{
      {"wstree",
       {"LD_PRELOAD=" + common.library, "OMP_SCHEDULE=wstree", "WSTREE_BIND=none", "OMP_PROC_BIND=false"}},
      plain("static"),
      plain("dynamic,1"),
      plain("guided")};
  if (!run_rounds(common, kinds)) return 1;
  Report report(2, common.rounds);
  std::printf("runtime: %s\n2 threads, %d rounds; 1 is the ideal by the processor time that each had\n",
              runtime_description().c_str(), common.rounds);
  if (kinds[0].figures["processors"].front() < 2) std::printf("not unequal: there is one processor\n");
  auto& limit = report.verdict("wstree, ratio to ideal", 1.08);
  for (const auto& how : k_hows) {
    Table& table = report.table(how.name, "ratio");
    for (const auto* const shape : k_shapes)
      for (const int ms : k_loops_ms) {
        const auto row = std::string(shape) + ", " + std::to_string(ms) + " ms";
        for (auto& kind : kinds) {
          const auto found = kind.figures.find(std::string(how.name) + ", " + row);
          if (found == kind.figures.end()) continue;
          table.at(std::string(how.name) + ": " + row, kind.name) = sample(found->second);
          if (&kind == &kinds.front() && how.burst_ms + how.is_limited >= 0)
            limit.add(std::string(how.name) + ", " + row, median(found->second));
        }
      }
    std::printf("\n");
    if (table.empty())
      std::printf("%s: not measured, because no control group can be made here\n", how.name);
    else
      table.print();
  }
  report.print_verdicts();
  return report.write(common.json) ? 0 : 1;
}
