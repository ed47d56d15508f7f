// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"
#include "omp_calls.h"
#include "team.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace bench {

double now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

namespace {

int open_schedstat(const std::string& thread) {
  return open(("/proc/self/task/" + thread + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC);
}

/// Returns the second of the file's three numbers.
double read_delay(int file) {
  char text[128];
  const ssize_t length = pread(file, text, sizeof text - 1, 0);
  if (length <= 0) return 0;
  text[length] = 0;
  char* end = nullptr;
  std::strtoull(text, &end, 10);
  return static_cast<double>(std::strtoull(end, nullptr, 10));
}

} // namespace

RunDelay::RunDelay() {
  const std::string self = std::to_string(gettid());
  files_.push_back(open_schedstat(self));
  if (DIR* tasks = opendir("/proc/self/task")) {
    while (const dirent* entry = readdir(tasks))
      if (entry->d_name[0] != '.' && self != entry->d_name) files_.push_back(open_schedstat(entry->d_name));
    closedir(tasks);
  }
}

RunDelay::~RunDelay() {
  for (const int file : files_)
    if (file >= 0) close(file);
}

double RunDelay::caller_ns() const { return read_delay(files_.front()); }

double RunDelay::all_ns() const {
  double sum = 0;
  for (const int file : files_) sum += read_delay(file);
  return sum;
}

void quiet_team() {
#ifndef WSTREE_BENCH_TBB
  constexpr int k_soft = 1;
  if constexpr (k_runtime == Runtime::libomp) omp_pause_resource_all(k_soft);
#endif
}

namespace {

// Several of these without a rest are more than the kernel lets real-time threads have in a second.
constexpr double k_long_ns = 1e8;

struct Pass {
  double ns;
  bool disturbed;
  bool right;
};

template <class Delay>
Pass timed_pass(const Workload& workload, Form form, int threads, std::uint64_t expected, double max_delay,
                Delay delay) {
  if (workload.prepare) workload.prepare();
  if (workload.lead_in) workload.lead_in(form, threads);
  const double delayed = delay();
  const double start = now_ns();
  std::uint64_t sum = workload.pass(form, threads);
  const double ns = now_ns() - start;
  const bool disturbed = delay() - delayed > max_delay * ns;
  if (workload.digest) sum += workload.digest();
  return {ns, disturbed, sum == expected};
}

/// One attempt at a sample: nothing if a pass was disturbed that cannot be spared.
struct Attempt {
  bool right = true;
  std::optional<double> ratio;
  double seq_ns = 0;
};

/// Leaves the processors to others for the part of `spent_ns` that the settings request.
void rest(const Settings& settings, double spent_ns) {
  if (settings.pause <= 0) return;
  quiet_team();
  usleep(static_cast<useconds_t>(spent_ns / 1e3 * settings.pause));
}

Attempt attempt(const Workload& workload, const Candidate& candidate, const Settings& settings,
                const RunDelay& delay, std::uint64_t expected) {
  Attempt made;
  bool disturbed = false;
  // The team's other threads wait during a sequential pass, so that only the caller's own delay counts. Its
  // schedule is of no consequence, but is set nevertheless: a one-thread loop served by the tree would be a
  // different baseline.
  const auto sequential = [&] {
    omp_set_schedule(k_static, 0);
    const auto timed = [&] {
      return timed_pass(workload, candidate.form, 1, expected, settings.max_delay,
                        [&] { return delay.caller_ns(); });
    };
    const bool is_crowd = settings.threads > settings.processors;
    if (is_crowd) quiet_team(); // otherwise the other threads would take the processor while they wait
    const Pass pass = is_crowd ? timed() : alone_in_team(settings.threads, timed);
    made.right = made.right && pass.right;
    disturbed = disturbed || pass.disturbed;
    if (pass.ns > k_long_ns) rest(settings, pass.ns);
    return pass.ns;
  };
  const double before = sequential();
  omp_set_schedule(candidate.kind, candidate.chunk);
  std::vector<double> parallel;
  for (int k = 0; k < settings.passes; ++k) {
    const Pass pass = timed_pass(workload, candidate.form, settings.threads, expected, settings.max_delay,
                                 [&] { return delay.all_ns(); });
    made.right = made.right && pass.right;
    if (!pass.disturbed) parallel.push_back(pass.ns);
    if (pass.ns > k_long_ns) rest(settings, pass.ns);
    // A schedule that is many times slower than the sequential loop needs no more than one pass to show it,
    // and a long pass is a mean in itself.
    if (pass.ns > 5 * before || (pass.ns > k_long_ns && !pass.disturbed)) break;
  }
  made.seq_ns = (before + sequential()) / 2;
  if (!disturbed && !parallel.empty()) made.ratio = median(parallel) * settings.speed() / made.seq_ns;
  return made;
}

} // namespace

std::uint64_t expected_of(const Workload& workload) {
  if (workload.prepare) workload.prepare();
  const std::uint64_t sum = workload.plain();
  return workload.digest ? sum + workload.digest() : sum;
}

bool is_measured(const Workload& workload, const Candidate& candidate) {
  return workload.group != Group::memory || !one_at_a_time(candidate);
}

bool take_sample(const Workload& workload, const Candidate& candidate, const Settings& settings,
                 const RunDelay& delay, std::uint64_t expected, int round, Series& series) {
  for (int k = 0; k < settings.attempts; ++k) {
    const double began = now_ns();
    const Attempt made = attempt(workload, candidate, settings, delay, expected);
    if (!made.right) {
      std::fprintf(stderr, "bench: %s under %s: the result is wrong, iterations were lost or repeated\n",
                   workload.name.c_str(), candidate.name.c_str());
      return false;
    }
    rest(settings, now_ns() - began);
    if (made.ratio) {
      series.ratio.push_back(*made.ratio);
      series.seq_ms.push_back(made.seq_ns / 1e6);
      series.round.push_back(round);
      return true;
    }
  }
  ++series.dropped;
  return true;
}

} // namespace bench
