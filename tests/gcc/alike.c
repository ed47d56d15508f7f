// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in the forms that the plugin tells apart. Each prints which thread got which iterations: with the
// plugin and OMP_SCHEDULE=static that is what gcc computes inline without it.
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { n = 61 };
static int owner[n], times[n];

static void begin(void) {
  memset(owner, -1, sizeof owner);
  memset(times, 0, sizeof times);
}
static void got(int i) {
  owner[i] = omp_get_thread_num();
#pragma omp atomic
  ++times[i];
}
static void row(const char* what, long result) {
  printf("%-24s", what);
  for (int i = 0; i < n; ++i)
    if (times[i] != 0 && (i == 0 || owner[i] != owner[i - 1] || times[i] != times[i - 1]))
      printf(" %d:%dx%d", i, owner[i], times[i]);
  printf(" = %ld\n", result);
}

static void directions(void) {
  begin();
#pragma omp parallel for
  for (int i = 3; i < n; i += 4) got(i);
  row("up", 0);
  begin();
#pragma omp parallel for
  for (long i = n - 1; i > 2; i -= 3) got((int)i);
  row("down", 0);
  volatile int none = 0;
  begin();
#pragma omp parallel for
  for (int i = 0; i < none; ++i) got(i);
  row("no iteration", 0);
}

static void collapsed(void) {
  begin();
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 6; ++i)
    for (int k = 9; k >= 0; --k) got(i * 10 + k);
  row("collapse(2)", 0);
  begin();
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k <= i; ++k) got(i * (i + 1) / 2 + k);
  row("collapse(2), triangular", 0);
}

static void clauses(void) {
  int last = -1, line = 7, copy = 5, task = 0;
  long product = 1;
  begin();
#pragma omp parallel for lastprivate(last) firstprivate(copy) linear(line : 2) reduction(* : product)
  for (int i = 0; i < n; ++i) {
    last = i + copy;
    product *= i % 7 == 1 ? 3 : 1;
    if (line != 7 + 2 * i) printf("linear is wrong\n");
    line += 2;
    got(i);
  }
  row("clauses", last + line + product);
  begin();
#pragma omp parallel
#pragma omp for reduction(task, + : task)
  for (int i = 0; i < n; ++i) {
    got(i);
#pragma omp task in_reduction(+ : task)
    task += i;
  }
  row("task reduction", task);
  begin();
#pragma omp parallel for lastprivate(conditional : last)
  for (int i = 0; i < n; ++i) {
    if (i % 10 == 4) last = i;
    got(i);
  }
  row("conditional lastprivate", last);
  int sum = 0, prefix[n];
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; ++i) {
    sum += i;
#pragma omp scan inclusive(sum)
    prefix[i] = sum;
  }
  begin();
  row("inscan", prefix[n / 2] + sum);
}

static void schedules(void) {
  begin();
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) got(i);
  row("static", 0);
  begin();
#pragma omp parallel for schedule(monotonic : static)
  for (int i = 0; i < n; ++i) got(i);
  row("monotonic", 0);
  begin();
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < n; ++i) got(i);
  row("static, 4", 0);
  begin();
#pragma omp parallel for simd schedule(simd : static)
  for (int i = 0; i < n; ++i) ++times[i];
  row("simd", 0);
}

static void ordered(void) {
  int next = 0;
  begin();
#pragma omp parallel for ordered
  for (int i = 0; i < n; ++i) {
    got(i);
#pragma omp ordered
    next = next * 3 % 1009 + i;
  }
  row("ordered", next);
  int at[n + 1] = {0};
  begin();
#pragma omp parallel for ordered(1)
  for (int i = 0; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    at[i + 1] = at[i] + i;
#pragma omp ordered depend(source)
    got(i);
  }
  row("doacross", at[n]);
}

static void orphan(void) {
#pragma omp for nowait
  for (int i = 0; i < n; ++i) got(i);
}
static void regions(void) {
  begin();
#pragma omp parallel
  {
    orphan();
    orphan();
#pragma omp for
    for (int i = 0; i < n; ++i)
      if (owner[i] != omp_get_thread_num()) printf("another assignment\n");
  }
  row("orphaned, nowait", 0);
  begin();
  orphan();
  row("outside", 0);
  begin();
#pragma omp parallel if (n < 0)
  orphan();
  row("serialised", 0);
  begin();
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  orphan();
  row("nested", 0);
  begin();
#pragma omp parallel
#pragma omp sections
  {
#pragma omp section
    ++times[1];
#pragma omp section
    ++times[2];
  }
  row("sections", 0);
  begin();
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2)
  for (int i = 0; i < n; ++i) ++times[i];
  row("distribute", 0);
  begin();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < n; ++i)
#pragma omp atomic
    ++times[i];
  row("taskloop", 0);
  begin();
#pragma omp parallel loop
  for (int i = 0; i < n; ++i) ++times[i];
  row("loop", 0);
}

int main(void) {
  omp_set_max_active_levels(1);
  directions();
  collapsed();
  clauses();
  schedules();
  ordered();
  regions();
  return 0;
}
