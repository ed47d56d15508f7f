/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Two threads of pthreads: loop.h, beside one counter. */
#include "front.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <wstree/loop.h>

struct work {
  const uint64_t* units;
  uint64_t *results, n;
  wstree_loop* loop;
  _Atomic uint64_t counter;
};
struct member {
  struct work* work;
  unsigned number;
};

static void* by_loop(void* argument) {
  const struct member* const me = argument;
  unsigned long long begin, end;
  while (wstree_loop_next(me->work->loop, me->number, &begin, &end))
    for (; begin < end; ++begin) me->work->results[begin] = front_spin(begin, me->work->units[begin]);
  return NULL;
}

static void* by_counter(void* argument) {
  const struct member* const me = argument;
  for (uint64_t i;
       (i = atomic_fetch_add_explicit(&me->work->counter, 1, memory_order_relaxed)) < me->work->n;)
    me->work->results[i] = front_spin(i, me->work->units[i]);
  return NULL;
}

void front_execute(const uint64_t* units, uint64_t* results, uint64_t n, int way) {
  if (way == front_alone) {
    front_execute_alone(units, results, n);
    return;
  }
  struct work work = {.units = units, .results = results, .n = n};
  struct member members[2] = {{&work, 0}, {&work, 1}};
  if (way == front_ours) work.loop = wstree_loop_open(n, 2, NULL);
  void* (*const execute)(void*) = way == front_ours ? by_loop : by_counter;
  pthread_t thread;
  const int is_alone = pthread_create(&thread, NULL, execute, &members[1]);
  execute(&members[0]);
  if (!is_alone) pthread_join(thread, NULL);
  wstree_loop_close(work.loop);
}

static volatile uint64_t front_sink;

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double front_ns_of_open(void) {
  enum { k_times = 1000 };
  const double start = now_ns();
  for (int i = 0; i < k_times; ++i) wstree_loop_close(wstree_loop_open(1000, 2, NULL));
  return (now_ns() - start) / k_times;
}

static double ticks(void) {
#ifdef __x86_64__
  return (double)__builtin_ia32_rdtsc();
#else
  return now_ns();
#endif
}

/* A clock stands around each call, and around none. */
double front_ns_of_next(void) {
  wstree_loop* const loop = wstree_loop_open(100000, 1, NULL);
  unsigned long long begin, end, ranges = 0;
  double calls = 0, clocks = 0;
  const double start_ns = now_ns(), start = ticks();
  for (;; ++ranges) {
    const double before = ticks(), entry = ticks();
    const int is_range = wstree_loop_next(loop, 0, &begin, &end);
    calls += ticks() - entry;
    clocks += entry - before;
    if (!is_range) break;
    for (; begin < end; ++begin) front_sink = front_spin(begin, 77);
  }
  const double ns_per_tick = (now_ns() - start_ns) / (ticks() - start);
  wstree_loop_close(loop);
  return (calls - clocks) / (double)ranges * ns_per_tick;
}
