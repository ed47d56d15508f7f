// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: regions that are opened by a call that goes to the runtime directly. Their loops are the runtime's,
// and it alone knows by what all members decide, so nothing must be said to it for one member that changes
// its schedule. What it knows of a schedule of ours hands out chunks of about the size that was asked for.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <dlfcn.h>

namespace {

using check::Hits;

constexpr int k_members = 4;
constexpr int k_n = 400;

/// What one member changes its schedule to, in front of the loops.
omp_sched_t change{};

struct Job {
  Hits plain{k_n}, monotonic{k_n}, ordered{k_n}, dependent{k_n}, last{k_n};
  std::atomic<int> chain{0};
};

/// The loops of a region, in a function of their own: its code does not tell whose region it is.
void run_loops(Job& job) {
  if (change != 0 && omp_get_thread_num() == 1) omp_set_schedule(change, 1);
#pragma omp for schedule(runtime)
  for (std::size_t i = 0; i < k_n; ++i) job.plain.touch(i);
#pragma omp for schedule(monotonic : runtime) nowait
  for (std::size_t i = 0; i < k_n; ++i) job.monotonic.touch(i);
#pragma omp for ordered schedule(runtime)
  for (std::size_t i = 0; i < k_n; ++i) {
#pragma omp ordered
    job.ordered.touch(i);
  }
#pragma omp for ordered(1) schedule(runtime)
  for (int i = 0; i < k_n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    if (job.chain++ == i) job.dependent.touch(i);
#pragma omp ordered depend(source)
  }
#pragma omp for schedule(runtime)
  for (std::size_t i = 0; i < k_n; ++i) job.last.touch(i);
}

void must_be_one_each(const Job& job) {
  job.plain.must_be_one_each("plain");
  job.monotonic.must_be_one_each("monotonic");
  job.ordered.must_be_one_each("ordered");
  job.dependent.must_be_one_each("with dependences");
  job.last.must_be_one_each("behind one with dependences");
}

/// The runtime's own definition, which no library in front of it can replace.
template <class Function> Function* of_runtime(const char* library, const char* name) {
  void* const runtime = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  void* const found = runtime != nullptr ? dlsym(runtime, name) : nullptr;
  CHECK(found != nullptr, "no %s in %s", name, library);
  return reinterpret_cast<Function*>(found);
}

#ifdef __clang__
struct Ident {
  std::int32_t reserved_1 = 0, flags = 2, reserved_2 = 0, reserved_3 = 22;
  const char* source = ";unknown;unknown;0;0;;";
} place;

void body(std::int32_t*, std::int32_t*, void* data) { run_loops(*static_cast<Job*>(data)); }

void open_region(Job& job) {
  static const auto fork =
      of_runtime<void(Ident*, std::int32_t, void (*)(std::int32_t*, std::int32_t*, void*), ...)>(
          "libomp.so.5", "__kmpc_fork_call");
  fork(&place, 1, body, static_cast<void*>(&job));
}
#else
void body(void* data) { run_loops(*static_cast<Job*>(data)); }

void open_region(Job& job) {
  static const auto fork =
      of_runtime<void(void (*)(void*), void*, unsigned, unsigned)>("libgomp.so.1", "GOMP_parallel");
  fork(body, &job, k_members, 0);
}
#endif

void at_the_top() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    Job job;
    open_region(job);
    must_be_one_each(job);
    Hits served(k_n); // the same threads, in sight
#pragma omp parallel for schedule(runtime) num_threads(k_members)
    for (std::size_t i = 0; i < k_n; ++i) served.touch(i);
    served.must_be_one_each("region in sight");
  }
}

// The standard wants one value in all members. libomp gets along with some that differ; libgomp does as long
// as they are all dynamic, as ours are to it.
void with_a_member_that_changes_its_schedule() {
  for (const omp_sched_t kind : {omp_sched_dynamic,
#ifdef __clang__
                                 omp_sched_guided, omp_sched_static,
#endif
                                 k_sched_wstree, own_schedule(4)}) {
    change = kind;
    at_the_top();
  }
  change = {};
}

void in_a_served_loop() {
  for (int round = 0; round < check::repeat(10, 200); ++round) {
    constexpr std::size_t k_regions = 2; // at least one of the three members runs none
    std::vector<Job> jobs(k_regions);
    Hits outer(k_regions), behind(k_n);
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < k_regions; ++i) {
        outer.touch(i);
        open_region(jobs[i]);
      }
      // Nothing of what happened in there may change the server of this one.
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < k_n; ++i) behind.touch(i);
    }
    outer.must_be_one_each("loop around regions out of sight");
    behind.must_be_one_each("the loop behind it");
    for (const Job& job : jobs) must_be_one_each(job);
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_num_threads(k_members);
  omp_set_max_active_levels(3);
  return check::run(
      argc, argv, {CASE(at_the_top), CASE(with_a_member_that_changes_its_schedule), CASE(in_a_served_loop)});
}
