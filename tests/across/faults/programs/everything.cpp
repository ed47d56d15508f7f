// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program with all that makes the library ask for something: first regions, a team that grows, combined
// and nested regions, regions of one thread, loops outside of any, loops that are cut into many pieces, every
// schedule of ours, threads that come and go, a forked child. Says for each part what it saw, which does not
// depend on the schedule, and fails if that is wrong. A signal ends it if it hangs.
//
// Arguments: the parts to run, all of them if there are none; --rounds N for `threads`; --status N, of the
// exit; --files N and --bytes N, how many files it may have open, and how large they may get, from main() on.
#include "omp_decls.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

extern "C" {
__attribute__((weak)) long faults_live_blocks();
}

namespace {

constexpr long k_iterations = 600;
constexpr long k_sum = k_iterations * (k_iterations - 1) / 2;
long rounds = 4;
bool all_right = true;

void report(const char* part, long sum, long loops) {
  std::printf("%s %ld\n", part, sum);
  std::fflush(stdout);
  if (sum != loops * k_sum) all_right = false;
}

long loops_of(int members, int loops) {
  long sum = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
  for (int loop = 0; loop < loops; ++loop) {
#pragma omp for schedule(runtime) nowait
    for (long i = 0; i < k_iterations; ++i) sum += i;
  }
  return sum;
}

long combined(int members) {
  long sum = 0;
#pragma omp parallel for num_threads(members) schedule(runtime) reduction(+ : sum)
  for (long i = 0; i < k_iterations; ++i) sum += i;
  return sum;
}

void run_fork() {
  const pid_t child = fork();
  if (child == 0) {
    const bool right = loops_of(2, 2) == 2 * k_sum;
    std::exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  report("fork", status == 0 ? k_sum : status, 1);
}

void run_first() { report("first", loops_of(2, 3), 3); }

void run_growth() {
  long sum = 0;
  for (const int members : {2, 3, 5, 9, 2}) sum += loops_of(members, 10) + combined(members);
  report("growth", sum, 55);
}

void run_nested() {
  omp_set_max_active_levels(2);
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    sum += loops_of(2, 2);
    if (omp_get_thread_num() == 0) sum += combined(2);
  }
  omp_set_max_active_levels(1);
  report("nested", sum, 5);
}

void run_alone() {
  long sum = 0;
#pragma omp for schedule(runtime)
  for (long i = 0; i < k_iterations; ++i) sum += i;
  const bool never = sum < 0;
#pragma omp parallel if (never) reduction(+ : sum)
  {
#pragma omp for schedule(runtime)
    for (long i = 0; i < k_iterations; ++i) sum += i;
    sum += loops_of(1, 1);
  }
  report("alone", sum, 3);
}

/// Regions of one thread inside each other, the inner ones in the body of a loop that is not through yet.
void run_serialised() {
  long sum = 0;
  const bool never = rounds < 0;
#pragma omp parallel if (never)
#pragma omp for schedule(runtime)
  for (long i = 0; i < k_iterations; ++i) {
#pragma omp parallel if (never)
    {
      if (i % 7 == 0) {
#pragma omp parallel if (never)
        sum += i;
      } else {
        sum += i;
      }
    }
  }
  report("serialised", sum, 1);
}

void nest(int depth, long& visits) {
  ++visits;
  const bool never = rounds < 0;
  if (depth == 0) return;
#pragma omp parallel if (never)
  nest(depth - 1, visits);
}

/// Loops behind regions of one thread that are nested deeper than a thread keeps memory for.
void run_deep() {
  constexpr int k_depth = 8;
  constexpr long k_loops = 3;
  std::atomic<long> sum{0};
#pragma omp parallel num_threads(2)
  for (long loop = 0; loop < k_loops; ++loop) {
    long visits = 0;
    nest(k_depth, visits);
#pragma omp for schedule(runtime)
    for (long i = 0; i < k_iterations; ++i) sum += visits == k_depth + 1 ? i : 0;
  }
  report("deep", sum, k_loops);
}

/// All the work is in one member's share. The others steal from it and from each other, so often that there
/// is no room for all the nodes at first.
void run_uneven() {
  constexpr long k_many = 2048;
  std::atomic<long> done{0};
#pragma omp parallel for num_threads(8) schedule(runtime)
  for (long i = 0; i < k_many; ++i) {
    if (i < k_many / 8) usleep(50);
    ++done;
  }
  report("uneven", done == k_many ? k_sum : done.load(), 1);
}

/// Wherever the library is not, the runtime does not know these kinds; then this is what it had before.
void run_schedules() {
  const bool ours = faults_live_blocks != nullptr;
  long sum = 0;
  omp_sched_t before{};
  int chunk = 0;
  omp_get_schedule(&before, &chunk);
  for (unsigned which = 0; which < k_own_schedules; ++which) {
    if (ours) omp_set_schedule(own_schedule(which), 0);
    sum += loops_of(4, 10);
  }
  omp_set_schedule(before, chunk);
  report("schedules", sum, 90);
}

void run_threads() {
  long sum = 0;
  for (long round = 0; round < rounds; ++round) {
    std::thread([&] { sum += loops_of(2 + static_cast<int>(round % 2), 2); }).join();
  }
  report("threads", sum, 2 * rounds);
  if (rounds > 20 && faults_live_blocks != nullptr) std::printf("live %ld\n", faults_live_blocks());
}

template <class Resource> void set_limit(Resource resource, long most) {
  const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  if (setrlimit(resource, &limit) != 0) std::exit(9);
}

struct Part {
  const char* name;
  void (*run)();
};
#define PART(name)                                                                                           \
  { #name, run_##name }
constexpr Part k_parts[] = {PART(fork),       PART(first), PART(growth), PART(nested),    PART(alone),
                            PART(serialised), PART(deep),  PART(uneven), PART(schedules), PART(threads)};

} // namespace

int main(int argc, char** argv) {
  alarm(100);
  omp_set_dynamic(0);
  int status = 0;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool is_option = argument.compare(0, 2, "--") == 0;
    if (!is_option) wanted.push_back(argument);
    const long value = is_option ? std::atol(argv[++i]) : 0;
    if (argument == "--rounds") rounds = value;
    if (argument == "--status") status = static_cast<int>(value);
    if (argument == "--files") set_limit(RLIMIT_NOFILE, value);
    if (argument == "--bytes") set_limit(RLIMIT_FSIZE, value);
  }
  for (const Part& part : k_parts) {
    bool chosen = wanted.empty();
    for (const std::string& name : wanted) chosen = chosen || name == part.name;
    if (chosen) part.run();
  }
  return all_right ? status : 8;
}
