/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plain loop whose iterations sleep, so that two processors are enough for any number of threads. Prints
 * the time of each of its executions in terms of the ideal one, the larger of work / threads and the longest
 * iteration.
 *
 *   gcc -O2 -fopenmp sleeping.c -o sleeping
 *   OMP_NUM_THREADS=16 ./sleeping eighth                        about 8 in each execution
 *   OMP_NUM_THREADS=16 wstree run -- ./sleeping eighth          about 1
 *
 * Shapes: eighth (the first eighth sleeps), triangle (iteration i sleeps as long as i has it), step (the
 * second half sleeps ten times as long), even.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { k_longest = 1 << 20, k_executions = 3 };
static unsigned microseconds[k_longest];

static int is_shape(const char* name) {
  static const char* const shapes[] = {"eighth", "triangle", "step", "even"};
  for (int i = 0; i < 4; ++i)
    if (strcmp(name, shapes[i]) == 0) return 1;
  return 0;
}

static unsigned sleep_of(const char* shape, int i, int n, unsigned most) {
  if (strcmp(shape, "eighth") == 0) return i < n / 8 ? most : 0;
  if (strcmp(shape, "triangle") == 0) return (unsigned)((double)most * i / n);
  if (strcmp(shape, "step") == 0) return i < n / 2 ? most / 10 : most;
  return most;
}

__attribute__((noinline)) static void execute(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (microseconds[i] != 0) usleep(microseconds[i]);
}

static double now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const char* const shape = argc > 1 ? argv[1] : "eighth";
  const int n = argc > 2 ? atoi(argv[2]) : 1024;
  const int most = argc > 3 ? atoi(argv[3]) : 1000;
  if (n < 1 || n > k_longest || most < 1 || most > 999999 || !is_shape(shape)) {
    fprintf(stderr, "usage: sleeping [eighth|triangle|step|even [ITERATIONS [MICROSECONDS]]]\n");
    return 2;
  }
  double late = 1; /* how late a sleeper wakes, at least */
  for (int i = 0; i < 20; ++i) {
    const double begin = now();
    usleep(1000);
    const double time = now() - begin - 1e-3;
    if (time < late) late = time;
  }
  double work = 0, longest = 0;
  for (int i = 0; i < n; ++i) {
    microseconds[i] = sleep_of(shape, i, n, (unsigned)most);
    const double time = microseconds[i] != 0 ? 1e-6 * microseconds[i] + late : 0;
    work += time;
    if (time > longest) longest = time;
  }
  const int threads = omp_get_max_threads();
  const double ideal = work / threads > longest ? work / threads : longest;
#pragma omp parallel
  usleep(1000); /* the threads begin here */
  printf("%s, %d iterations, %d threads, time / ideal:", shape, n, threads);
  for (int execution = 0; execution < k_executions; ++execution) {
    const double start = now();
    execute(n);
    printf(" %.2f", (now() - start) / ideal);
  }
  printf("\n");
  return 0;
}
