// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop of each kind on a line of its own. In front of each execution of one it says what that adds to the
// figures of its line:  loop LINE CALLS ITERATIONS NAME. Loops that the tree must not serve add nothing.
#include "omp_decls.h"

#include <cstdio>
#include <thread>

namespace {

long sum = 0;
void body(long i) {
#pragma omp atomic
  sum += i;
}

#define SAY(calls, iterations, name) std::printf("loop %d %d %d %s\n", __LINE__ + 1, calls, iterations, name)

void loops_of_a_team() {
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    SAY(1, 100, "in a region");
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i) body(i);
#pragma omp single
    SAY(1, 100, "nowait");
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 100; ++i) body(i);
#pragma omp single
    SAY(1, 100, "nonmonotonic");
#pragma omp for schedule(nonmonotonic : runtime)
    for (int i = 0; i < 100; ++i) body(i);
#pragma omp single
    SAY(0, 0, "monotonic");
#pragma omp for schedule(monotonic : runtime)
    for (int i = 0; i < 100; ++i) body(i);
#pragma omp single
    SAY(0, 0, "ordered");
#pragma omp for schedule(runtime) ordered
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      body(i);
    }
#pragma omp single
    SAY(0, 0, "doacross");
#pragma omp for schedule(runtime) ordered(1)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered depend(sink : i - 1)
      body(i);
#pragma omp ordered depend(source)
    }
#pragma omp single
    SAY(1, 100, "after a doacross loop");
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i) body(i);
      // Without a schedule clause clang makes a static loop of it, which has entries of its own.
#pragma omp for ordered(1)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered depend(sink : i - 1)
      body(i);
#pragma omp ordered depend(source)
    }
#pragma omp single
    SAY(1, 100, "after a static doacross loop");
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i) body(i);
#pragma omp single
    SAY(0, 0, "dynamic");
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 100; ++i) body(i);
#pragma omp single
    SAY(1, 100, "collapsed");
#pragma omp for schedule(runtime) collapse(2)
    for (int i = 0; i < 10; ++i)
      for (int k = 0; k < 10; ++k) body(i);
  }
}

void combined() {
  for (int again = 0; again < 5; ++again) {
    SAY(1, 100, "combined");
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 100; ++i) body(i);
  }
}

void alone() {
  SAY(1, 100, "serialised");
#pragma omp parallel for schedule(runtime) if (sum < 0)
  for (int i = 0; i < 100; ++i) body(i);
  SAY(1, 100, "of one thread");
#pragma omp parallel for schedule(runtime) num_threads(1)
  for (int i = 0; i < 100; ++i) body(i);
  SAY(1, 100, "outside of any region");
#pragma omp for schedule(runtime)
  for (int i = 0; i < 100; ++i) body(i);
}

void nested() {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    SAY(2, 200, "nested");
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 100; ++i) body(i);
#pragma omp single
    SAY(2, 200, "nested and serialised");
#pragma omp parallel for schedule(runtime) if (sum < 0)
    for (int i = 0; i < 100; ++i) body(i);
#pragma omp single
    SAY(1, 100, "around nested ones");
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i) body(i);
  }
}

void of_tasks() {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int t = 0; t < 4; ++t) {
#pragma omp task
    {
      SAY(1, 100, "in a task");
#pragma omp parallel for schedule(runtime) num_threads(2)
      for (int i = 0; i < 100; ++i) body(i);
    }
  }
}

void of_a_league() {
  SAY(2, 100, "of a league");
#pragma omp teams distribute parallel for schedule(runtime) num_teams(2) thread_limit(2)
  for (int i = 0; i < 100; ++i) body(i);
}

} // namespace

int main() {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  loops_of_a_team();
  combined();
  alone();
  nested();
  of_tasks();
  of_a_league();
  std::thread(alone).join();
}
