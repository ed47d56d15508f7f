/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that are slow for one cause each, CAUSE_..., which is defined when they are built. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Takes about so many nanoseconds, and gives a number that depends on them. */
__attribute__((noinline, unused)) static double burn(long steps, double x) {
  for (long s = 0; s < steps; ++s) x = x * 0.999999 + 0.000001;
  return x;
}

/* Takes that long on any machine, busy or not, and no processor. */
__attribute__((unused)) static void nap(long microseconds) {
  const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, 0);
}

enum { n = 400 };
static double x[n];

static double run(void) {
#if defined CAUSE_chunk_too_large /* One chunk has all iterations. */
#pragma omp parallel for schedule(dynamic, 1000)
  for (int i = 0; i < 48; ++i) {
    nap(5000);
    x[i] = burn(100, i);
  }
#elif defined CAUSE_chunk_too_small /* To hand out an iteration takes longer than to execute it. */
  enum { many = 4000000 };
  static float y[many];
  for (int round = 0; round < 3; ++round)
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < many; ++i) y[i] = 0.5f * y[i] + (float)(i & 3);
  for (int i = 0; i < many; ++i) x[0] += y[i];
#elif defined CAUSE_false_sharing /* Counters of all threads lie in one cache line. */
  static volatile long hits[64];
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 20000; ++i)
    for (int k = 0; k < 40000; ++k) hits[omp_get_thread_num() % 64] += k & 1;
  for (int t = 0; t < 64; ++t) x[0] += (double)hits[t];
#elif defined CAUSE_few_iterations /* Three iterations for two threads. */
  for (int round = 0; round < 5; ++round)
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 3; ++i) {
      nap(20000);
      x[i] += burn(100, i);
    }
#elif defined                                                                                                \
    CAUSE_memory_bound /* Iterations read far more than they compute, from arrays larger than caches. */
  enum { pages = 1 << 14, per_page = 512 };
  double *a = malloc(sizeof(double) * pages * per_page), *b = malloc(sizeof(double) * pages * per_page);
  for (long i = 0; i < (long)pages * per_page; ++i) a[i] = b[i] = (double)(i % 7);
  for (int round = 0; round < 60; ++round)
#pragma omp parallel for schedule(runtime)
    for (long page = 0; page < pages; ++page)
      for (long k = 0; k < per_page; ++k)
        a[page * per_page + k] = 0.5 * a[page * per_page + k] + b[page * per_page + k];
  for (long i = 0; i < (long)pages * per_page; ++i) x[0] += a[i];
#elif defined CAUSE_opposite_loops
  /* Costs rise in one loop and fall in the next, which threads enter without waiting: equal parts of both
   * are even. */
#pragma omp parallel
  for (int round = 0; round < 4; ++round) {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 200; ++i) {
      nap(10 * i);
      x[i] += burn(100, i);
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < 200; ++i) {
      nap(10 * (199 - i));
      x[200 + i] += burn(100, i);
    }
  }
#elif defined CAUSE_ordered /* The numbers have to be added up in order. */
#pragma omp parallel for ordered schedule(runtime)
  for (int i = 0; i < 100; ++i) {
    const double number = burn(1000, i);
#pragma omp ordered
    x[0] = x[0] / 2 + number;
  }
#elif defined CAUSE_oversubscribed /* Four threads for each processor. */
  for (int round = 0; round < 4; ++round)
#pragma omp parallel for schedule(runtime) num_threads(4 * omp_get_num_procs())
    for (int i = 0; i < n; ++i) x[i] += burn(200000, i);
#elif defined CAUSE_pinned /* The program binds itself, and so its threads, to one processor. */
  cpu_set_t all, one;
  int cpu = 0;
  sched_getaffinity(0, sizeof all, &all);
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
  for (int round = 0; round < 4; ++round)
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < n; ++i) x[i] += burn(100000, i);
#elif defined CAUSE_serial_fraction /* One thread works for most of the time, between short loops. */
  double alone = 0;
  for (int round = 0; round < 8; ++round) {
    alone = burn(20000000, alone);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) x[i] += burn(20000, i);
  }
  return alone;
#endif
  return 0;
}

int main(void) {
  double sum = run();
  for (int i = 0; i < n; ++i) sum += x[i];
  printf("%.6f\n", sum);
}
