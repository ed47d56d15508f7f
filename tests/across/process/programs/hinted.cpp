// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with hints of the C interface. Each has a number of iterations of its own. Prints how many were done.
#define WSTREE_WEAK
#include <wstree/wstree.h>

#include <cstdio>

namespace {

long g_done = 0;

void hint(int kind, int chunk) {
  if (wstree_hint != nullptr) wstree_hint(kind, chunk);
}

/// Two loops in a region, in whose second one a member opens a region of its own.
[[gnu::noinline]] void two_loops(int first, int second) {
#pragma omp parallel reduction(+ : g_done)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < first; ++i) ++g_done;
#pragma omp for schedule(runtime)
    for (int i = 0; i < second; ++i) ++g_done;
  }
}

[[gnu::noinline]] void alone(int n) {
#pragma omp parallel for schedule(runtime) reduction(+ : g_done) if (n < 0)
  for (int i = 0; i < n; ++i) ++g_done;
}

[[gnu::noinline]] void dynamic(int n) {
#pragma omp parallel for schedule(dynamic) reduction(+ : g_done)
  for (int i = 0; i < n; ++i) ++g_done;
}

/// Members open regions of their own before they meet the loop that the hint is for.
[[gnu::noinline]] void nested_before(int inner, int n) {
  long inside = 0;
#pragma omp parallel reduction(+ : g_done, inside)
  {
#pragma omp parallel for schedule(runtime) reduction(+ : inside) num_threads(1)
    for (int i = 0; i < inner; ++i) ++inside;
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) ++g_done;
  }
}

} // namespace

int main() {
  hint(omp_sched_wsqueue, 7);
  two_loops(301, 302);
  two_loops(303, 304);
  hint(omp_sched_wsrange, 0);
  hint(0, 0); // takes it back
  two_loops(305, 306);
  hint(omp_sched_wsrange, 1 << 30); // as much as a schedule can have
  alone(307);
  alone(308);
  hint(omp_sched_wsfixed, 10);
  dynamic(309);
  dynamic(310);
  hint(omp_sched_wsfac2, 0);
  nested_before(311, 312);
  std::printf("%ld\n", g_done);
}
