/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The interface of <wstree/loop.h> in C99: what calls return, and each iteration once, whichever members
 * come. */
#include <wstree/loop.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;
static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  wrong = 1;
}

enum { k_most = 5000, k_members = 4 };
static unsigned char times[k_most];
static wstree_loop* loop;

static void count(unsigned long long begin, unsigned long long end) {
  for (; begin < end; ++begin) __atomic_fetch_add(&times[begin], 1, __ATOMIC_RELAXED);
}
static void expect_once(unsigned long long n, const char* what) {
  for (unsigned long long i = 0; i < n; ++i)
    if (times[i] != 1) {
      fprintf(stderr, "iteration %llu of %llu was executed %d times\n", i, n, times[i]);
      expect(0, what);
      break;
    }
  memset(times, 0, sizeof times);
}

static void* all(void* member) {
  unsigned long long begin, end;
  while (wstree_loop_next(loop, (unsigned)(size_t)member, &begin, &end)) count(begin, end);
  return NULL;
}
/* Leaves after three ranges, in the middle of the last one. */
static void* some(void* member) {
  unsigned long long begin, end;
  for (int i = 0; i < 3 && wstree_loop_next(loop, (unsigned)(size_t)member, &begin, &end); ++i) {
    const unsigned long long middle = i == 2 ? begin + (end - begin) / 2 : end;
    count(begin, middle);
    if (i == 2) wstree_loop_leave(loop, (unsigned)(size_t)member, middle);
  }
  return NULL;
}
/* Its ranges ascend. */
static void* ascending(void* member) {
  unsigned long long begin, end, last = 0;
  while (wstree_loop_next(loop, (unsigned)(size_t)member, &begin, &end)) {
    expect(begin >= last && end > begin, "ranges ascend");
    last = end;
    count(begin, end);
  }
  return NULL;
}
/* By members `first` to k_members - 1, of which the first one does `work`. */
static void run(unsigned first, void* (*work)(void*)) {
  pthread_t threads[k_members];
  for (unsigned i = first; i < k_members; ++i)
    if (pthread_create(&threads[i], NULL, i == first ? work : all, (void*)(size_t)i) != 0) exit(2);
  for (unsigned i = first; i < k_members; ++i) pthread_join(threads[i], NULL);
}

int main(void) {
  unsigned long long begin = 7, end = 7;
  expect(wstree_loop_open(10, 0, NULL) == NULL, "no members");
  expect(wstree_loop_open(10, 1U << 20, NULL) == NULL, "too many members");
  expect(wstree_loop_open((1ULL << 63) - 1, 2, NULL) == NULL, "too many iterations");
  wstree_loop_close(NULL);
  wstree_costs_delete(NULL);

  loop = wstree_loop_open(0, 2, NULL);
  expect(loop != NULL && !wstree_loop_next(loop, 1, &begin, &end) && wstree_loop_left(loop, NULL, NULL) == 0,
         "no iterations");
  wstree_loop_close(loop);

  void* memory = NULL;
  if (posix_memalign(&memory, 128, wstree_loop_bytes(k_members)) != 0) return 2;
  wstree_costs* const costs = wstree_costs_new(k_members);
  wstree_loop_options options = {0};
  options.costs = costs;
  options.memory = (char*)memory + 8;
  expect(wstree_loop_open(10, k_members, &options) == NULL, "memory that is not aligned");
  options.memory = memory;
  expect(wstree_loop_open(10, k_members + 1, &options) == NULL, "costs of fewer members");

  for (int round = 0; round < 400; ++round) {
    const unsigned long long n = (unsigned long long)(round * 37) % k_most;
    const unsigned first = round % 3 == 0; /* member 0 does not come */
    loop = wstree_loop_open(n, k_members, round % 2 != 0 ? &options : NULL);
    run(first, round % 5 == 0 ? some : all);
    while (wstree_loop_left(loop, &begin, &end) != 0 && wstree_loop_next(loop, 0, &begin, &end))
      count(begin, end);
    expect(wstree_loop_left(loop, NULL, NULL) == 0, "member 0 gets what was left behind");
    wstree_loop_close(loop);
    expect_once(n, "each iteration once");
  }

  memset(&options, 0, sizeof options);
  options.ascending = 1;
  for (int round = 0; round < 50; ++round) {
    loop = wstree_loop_open(k_most, k_members, &options);
    run(0, ascending);
    wstree_loop_close(loop);
    expect_once(k_most, "each iteration once in ascending order");
  }

  options.ascending = 0;
  options.smallest = 64;
  loop = wstree_loop_open(k_most, 2, &options);
  expect(wstree_loop_next(loop, 1, &begin, &end) && end - begin >= 64, "the smallest range");
  unsigned long long done = end - begin;
  wstree_loop_stop(loop);
  expect(!wstree_loop_next(loop, 1, &begin, &end) && !wstree_loop_next(loop, 0, &begin, &end),
         "a loop that is stopped");
  expect(wstree_loop_left(loop, NULL, NULL) == k_most - done, "what is left then");
  wstree_loop_close(loop);

  wstree_costs_delete(costs);
  free(memory);
  return wrong;
}
