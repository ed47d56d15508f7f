/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Two threads of pthreads: loop.h, beside one counter. */
#include "front.h"

#include <pthread.h>
#include <stdatomic.h>
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
