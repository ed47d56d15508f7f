// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code whose functions end with a call of the OpenMP runtime. Compilers make jumps of such calls, so that the
// runtime is called by one object and returns into another. What the functions see says whether all calls of
// a region reached one runtime. Built as a plugin, by several compilers, and into their programs.
//   -DCHUNK=n  tells the schedules of copies apart
//   -DAT_LOAD  calls them from an initialiser too
#include "jumping.h"

#include "omp_decls.h"

#include <cstdio>

extern "C" int omp_get_num_procs();

namespace {

constexpr int k_members = 2;
constexpr int k_iterations = 600;

int members[k_members];
int levels, sizes, strangers, processors;
long sums;
omp_sched_t kind;
int chunk;

void add(long number) { __atomic_add_fetch(&sums, number, __ATOMIC_RELAXED); }

[[gnu::noinline]] void look() {
  const int self = omp_get_thread_num();
  __atomic_add_fetch(self < k_members ? &members[self] : &strangers, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&levels, omp_get_level(), __ATOMIC_RELAXED);
  __atomic_add_fetch(&sizes, omp_get_num_threads(), __ATOMIC_RELAXED);
}

[[gnu::noinline]] void piece() {
#pragma omp for schedule(dynamic, 7) nowait
  for (int i = 0; i < k_iterations; ++i) add(i);
}
[[gnu::noinline]] void runtime_piece() {
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < k_iterations; ++i) add(2L * i);
}
[[gnu::noinline]] void wait() {
#pragma omp barrier
}

struct Filter {
  virtual void process() = 0;
  virtual ~Filter() = default;
};
struct Square final : Filter {
  void process() override {
#pragma omp parallel for schedule(dynamic) num_threads(k_members)
    for (int i = 0; i < size; ++i) add(long{i} * i);
  }
  int size = k_iterations;
};
Square square;
Filter* volatile filter = &square;

} // namespace

extern "C" {
void region() {
#pragma omp parallel num_threads(k_members)
  look();
}
void method() { filter->process(); }
void lambda() {
  const auto run = [] {
#pragma omp parallel for schedule(runtime) num_threads(k_members)
    for (int i = 0; i < k_iterations; ++i) add(3L * i);
  };
  run();
}
void loop() {
#pragma omp parallel for schedule(guided, 3) num_threads(k_members)
  for (long i = 0; i < k_iterations; ++i) add(i);
}
void runtime_loop() {
#pragma omp parallel for schedule(runtime) num_threads(k_members)
  for (unsigned long i = 0; i < k_iterations; ++i) add(static_cast<long>(i));
}
void orphan() { piece(); }
void orphans() {
#pragma omp parallel num_threads(k_members)
  {
    look();
    piece();
    runtime_piece();
  }
}
void pieces() {
#pragma omp parallel num_threads(k_members)
  {
#pragma omp for schedule(static, 5)
    for (int i = 0; i < k_iterations; ++i) add(i);
#pragma omp sections
    {
      add(1);
#pragma omp section
      add(2);
    }
  }
}
void barrier() { wait(); }
void barriers() {
#pragma omp parallel num_threads(k_members)
  {
    look();
    wait();
    look();
    wait();
  }
}
void serial() {
#pragma omp parallel num_threads(k_members) if (levels < 0)
  look();
}
void tasks() {
#pragma omp parallel num_threads(k_members)
#pragma omp single
#pragma omp taskloop num_tasks(5)
  for (int i = 0; i < k_iterations; ++i) add(i);
}
void set() { omp_set_schedule(omp_sched_dynamic, CHUNK); }
void set_and_loop() {
  omp_set_schedule(omp_sched_guided, CHUNK + 1);
  runtime_loop();
}
void get() { omp_get_schedule(&kind, &chunk); }
void procs() { processors = omp_get_num_procs(); }

const char* seen() {
  static char text[200];
  std::snprintf(text, sizeof text, "members %d %d %d levels %d sizes %d sum %ld schedule %x %d cpus %d",
                members[0], members[1], strangers, levels, sizes, sums, static_cast<unsigned>(kind), chunk,
                processors);
  return text;
}
}

#ifdef AT_LOAD
namespace {
const int at_load = (region(), set(), orphans(), loop(), 0);
}
#endif
