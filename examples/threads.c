/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts pairs of coprime numbers below N with pthreads, three times: each thread has an equal share, the
 * threads take numbers from one counter, and the library shares them out. Row i takes i steps, so equal
 * shares are uneven.
 *
 *   gcc -O2 threads.c -lwstree -pthread -o threads      # or with libwstree-loop.a
 *   ./threads 6000 4
 */
#include <wstree/loop.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long long n = 6000;
static unsigned threads = 4;
static wstree_loop* loop;
static atomic_ullong counter;

struct member {
  pthread_t thread;
  unsigned number;
  unsigned long long pairs;
};

static unsigned long long row(unsigned long long i) {
  unsigned long long pairs = 0;
  for (unsigned long long k = 1; k < i; ++k) {
    unsigned long long a = i, b = k;
    while (b != 0) {
      const unsigned long long rest = a % b;
      a = b;
      b = rest;
    }
    pairs += a == 1;
  }
  return pairs;
}

static void* equal_shares(void* argument) {
  struct member* const me = argument;
  for (unsigned long long i = n * me->number / threads; i < n * (me->number + 1) / threads; ++i)
    me->pairs += row(i);
  return NULL;
}

static void* one_counter(void* argument) {
  struct member* const me = argument;
  for (unsigned long long i; (i = atomic_fetch_add(&counter, 1)) < n;) me->pairs += row(i);
  return NULL;
}

static void* work_stealing(void* argument) {
  struct member* const me = argument;
  unsigned long long begin, end;
  while (wstree_loop_next(loop, me->number, &begin, &end))
    for (; begin < end; ++begin) me->pairs += row(begin);
  return NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static unsigned long long run(const char* name, void* (*work)(void*)) {
  struct member* const members = calloc(threads, sizeof *members);
  if (members == NULL) exit(2);
  const double begin = now();
  for (unsigned i = 0; i < threads; ++i) {
    members[i].number = i;
    if (pthread_create(&members[i].thread, NULL, work, &members[i]) != 0) exit(2);
  }
  unsigned long long pairs = 0;
  for (unsigned i = 0; i < threads; ++i) {
    pthread_join(members[i].thread, NULL);
    pairs += members[i].pairs;
  }
  printf("%-14s %8.1f ms, %llu coprime pairs below %llu\n", name, 1e3 * (now() - begin), pairs, n);
  free(members);
  return pairs;
}

int main(int argc, char** argv) {
  if (argc > 1) n = strtoull(argv[1], NULL, 10);
  if (argc > 2) threads = (unsigned)strtoul(argv[2], NULL, 10);
  loop = wstree_loop_open(n, threads, NULL);
  if (loop == NULL) {
    fprintf(stderr, "usage: threads [N [THREADS]], 1 to 1048575 threads\n");
    return 2;
  }
  const unsigned long long shares = run("equal shares", equal_shares);
  const unsigned long long counted = run("one counter", one_counter);
  const unsigned long long stolen = run("work stealing", work_stealing);
  wstree_loop_close(loop);
  if (shares == counted && counted == stolen) return 0;
  fprintf(stderr, "the results differ\n");
  return 1;
}
