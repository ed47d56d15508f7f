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

#define LOOP(calls, iterations, name, pragma)                                                                \
  std::printf("loop %d %d %d %s\n", __LINE__, calls, iterations, name);                                      \
  _Pragma(#pragma) for (int i = 0; i < 100; ++i)
#define LOOP_OF_TEAM(calls, iterations, name, pragma)                                                        \
  _Pragma("omp single") LOOP(calls, iterations, name, pragma)
#define OF_NEIGHBOURS                                                                                        \
  {                                                                                                          \
    _Pragma("omp ordered depend(sink : i - 1)") body(i);                                                     \
    _Pragma("omp ordered depend(source)")                                                                    \
  }

void loops_of_a_team() {
#pragma omp parallel num_threads(3)
  {
    LOOP_OF_TEAM(1, 100, "in a region", omp for schedule(runtime)) body(i);
    LOOP_OF_TEAM(1, 100, "nowait", omp for schedule(runtime) nowait) body(i);
    LOOP_OF_TEAM(1, 100, "nonmonotonic", omp for schedule(nonmonotonic : runtime)) body(i);
    LOOP_OF_TEAM(0, 0, "monotonic", omp for schedule(monotonic : runtime)) body(i);
    LOOP_OF_TEAM(0, 0, "ordered", omp for schedule(runtime) ordered) {
#pragma omp ordered
      body(i);
    }
    LOOP_OF_TEAM(0, 0, "doacross", omp for schedule(runtime) ordered(1)) OF_NEIGHBOURS
    LOOP_OF_TEAM(1, 100, "after a doacross loop", omp for schedule(runtime)) body(i);
    // Without a schedule clause clang makes a static loop of it, which has entries of its own.
    LOOP_OF_TEAM(0, 0, "static doacross", omp for ordered(1)) OF_NEIGHBOURS
    LOOP_OF_TEAM(1, 100, "after a static doacross loop", omp for schedule(runtime)) body(i);
    LOOP_OF_TEAM(0, 0, "dynamic", omp for schedule(dynamic, 2)) body(i);
#pragma omp single
    std::printf("loop %d 1 100 collapsed\n", __LINE__ + 1);
#pragma omp for schedule(runtime) collapse(2)
    for (int i = 0; i < 10; ++i)
      for (int k = 0; k < 10; ++k) body(i);
  }
}

void combined() {
  for (int again = 0; again < 5; ++again) {
    LOOP(1, 100, "combined", omp parallel for schedule(runtime)) body(i);
  }
}

void alone() {
  LOOP(1, 100, "serialised", omp parallel for schedule(runtime) if (sum < 0)) body(i);
  LOOP(1, 100, "of one thread", omp parallel for schedule(runtime) num_threads(1)) body(i);
  LOOP(1, 100, "outside of any region", omp for schedule(runtime)) body(i);
}

void nested() {
#pragma omp parallel num_threads(2)
  {
    LOOP_OF_TEAM(2, 200, "nested", omp parallel for schedule(runtime) num_threads(2)) body(i);
    LOOP_OF_TEAM(2, 200, "nested and serialised", omp parallel for schedule(runtime) if (sum < 0)) body(i);
    LOOP_OF_TEAM(1, 100, "around nested ones", omp for schedule(runtime)) body(i);
  }
}

void of_tasks() {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int t = 0; t < 4; ++t) {
#pragma omp task
    {
      LOOP(1, 100, "in a task", omp parallel for schedule(runtime) num_threads(2)) body(i);
    }
  }
}

void of_a_league() {
  LOOP(2, 100, "of a league", omp teams distribute parallel for schedule(runtime) num_teams(2) thread_limit(2)) body(i);
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
