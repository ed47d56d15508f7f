// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: objects of compilers before GCC 4.9, which open a region by a start, run their own share of the
// body themselves and close it by an end: nothing encloses the body of the first member. Newer regions inside
// of them, around them and behind them.
//   --piece N  no piece of a loop that leaves its schedule to the environment is larger,
//              as WSTREE_FALLBACK says
#include "gomp_abi.h"
#include "hits.h"
#include "omp_decls.h"

#include <atomic>

namespace {

using check::Hits;
using check::served; // a function of a newer object, called from wherever

constexpr long k_n = 400;
long largest_piece = k_n;

/// What one region of the old kind works on.
struct Job {
  Hits hits{k_n}, second{k_n}, third{k_n};
  std::atomic<int> members{0};
  bool (*next)(long*, long*) = nullptr;
};

void touch(Hits& hits, long from, long to) {
  for (long i = from; i < to; ++i) hits.touch(i);
}

/// A loop as old compilers wrote all with schedule(runtime).
void old_runtime_loop(Hits& hits) {
  long first = 0, end = 0;
  if (gomp::GOMP_loop_runtime_start(0, k_n, 1, &first, &end)) do {
      CHECK(end - first <= largest_piece, "%ld iterations at once", end - first);
      touch(hits, first, end);
    } while (gomp::GOMP_loop_runtime_next(&first, &end));
  gomp::GOMP_loop_end();
}

void old_dynamic_loop(Hits& hits) {
  long first = 0, end = 0;
  if (gomp::GOMP_loop_dynamic_start(0, k_n, 1, 7, &first, &end)) do
      touch(hits, first, end);
    while (gomp::GOMP_loop_dynamic_next(&first, &end));
  gomp::GOMP_loop_end_nowait();
}

void must_be_done(const Job& job, const char* what) {
  job.hits.must_be_one_each(what);
  job.second.must_be_one_each(what);
  job.third.must_be_one_each(what);
}

void body_with_loops(void* data) {
  Job& job = *static_cast<Job*>(data);
  ++job.members;
  old_runtime_loop(job.hits);
  old_dynamic_loop(job.second);
  served(job.third);
}

void old_region(gomp::Body* body, void* data, unsigned members) {
  gomp::GOMP_parallel_start(body, data, members);
  body(data);
  gomp::GOMP_parallel_end();
}

void regions() {
  for (int round = 0; round < check::repeat(40, 500); ++round) {
    Job job;
    const int members = 1 + round % 5;
    old_region(body_with_loops, &job, static_cast<unsigned>(members));
    CHECK(job.members == members, "%d of %d", job.members.load(), members);
    must_be_done(job, "region of an old object");
    // The next region is one of a new object, on the same threads.
    Job other;
#pragma omp parallel num_threads(members)
    body_with_loops(&other);
    must_be_done(other, "region of a new object behind one of an old object");
  }
}

struct Nest {
  Job* jobs;
  Hits* around;
};

void body_with_regions(void* data) {
  Nest& nest = *static_cast<Nest*>(data);
  const int me = omp_get_thread_num();
  served(nest.around[0]);
  Job &first = nest.jobs[2 * me], &second = nest.jobs[2 * me + 1];
#pragma omp parallel num_threads(2)
  body_with_loops(&first);
  served(nest.around[1]); // the numbering of this team's loops goes on
  old_region(body_with_loops, &second, 2);
  served(nest.around[2]);
}

void regions_in_regions() {
  for (int round = 0; round < check::repeat(20, 300); ++round)
    for (const bool outer_is_old : {true, false}) {
      Job jobs[6];
      Hits around[3] = {Hits(k_n), Hits(k_n), Hits(k_n)};
      Nest nest{jobs, around};
      if (outer_is_old) {
        old_region(body_with_regions, &nest, 3);
      } else {
#pragma omp parallel num_threads(3)
        body_with_regions(&nest);
      }
      for (const Hits& hits : around) hits.must_be_one_each("loop around regions of either age");
      for (const Job& job : jobs) must_be_done(job, "region in a region");
    }
}

void regions_in_served_loops() {
  for (int round = 0; round < check::repeat(10, 200); ++round) {
    Job jobs[12];
    Hits outer(12), behind(k_n);
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < 12; ++i) {
        outer.touch(i);
        old_region(body_with_loops, &jobs[i], 1 + static_cast<unsigned>(i % 3));
      }
      served(behind);
    }
    outer.must_be_one_each("loop with regions of old objects in its body");
    behind.must_be_one_each("the loop behind it");
    for (const Job& job : jobs) must_be_done(job, "region in a served loop");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  largest_piece = static_cast<long>(check::number(argc, argv, "--piece", largest_piece));
  return check::run(argc, argv, {CASE(regions), CASE(regions_in_regions), CASE(regions_in_served_loops)});
}
