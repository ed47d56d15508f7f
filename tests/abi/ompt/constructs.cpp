// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls every entry of the runtime that the library defines as well, in regions of two threads, so that a
// tool can say where each call came from. Exit status 1: a loop did not run each iteration once.
#include <atomic>
#include <cstdio>

namespace {

std::atomic<long> g_count{0};
int g_shared = 0;
constexpr int k_n = 40;

void work() { g_count.fetch_add(1, std::memory_order_relaxed); }

void literal_loops() {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < k_n; ++i) work();
#pragma omp for schedule(static, 3)
    for (unsigned i = 0; i < k_n; ++i) work();
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < k_n; ++i) work();
#pragma omp for schedule(monotonic : dynamic, 2)
    for (long i = 0; i < k_n; ++i) work();
#pragma omp for schedule(guided)
    for (unsigned i = 0; i < k_n; ++i)
      work(); // libomp runs no iteration of gcc's unsigned loops that count down here
#pragma omp for schedule(dynamic, 4) nowait
    for (unsigned long i = 0; i < k_n; ++i) work();
  }
}

void runtime_loops(int n) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) work();
#pragma omp for schedule(runtime) nowait
    for (long i = n; i > 0; --i) work();
  }
#pragma omp parallel for schedule(runtime) num_threads(2)
  for (unsigned i = 0; i < static_cast<unsigned>(n); ++i) work();
}

void ordered_loops(int n) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(runtime) ordered
    for (int i = 0; i < n; ++i) {
#pragma omp ordered
      work();
    }
#pragma omp for schedule(dynamic) ordered(1)
    for (int i = 1; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      work();
#pragma omp ordered depend(source)
    }
    work();
  }
}

void serialised(int n) {
#pragma omp parallel if (n < 0)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) work();
#pragma omp parallel num_threads(1)
    work();
  }
}

void nested() {
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
      work();
    }
#pragma omp critical
    ++g_shared;
  }
}

void cancelled(int n) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) {
#pragma omp cancel for
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp cancel parallel
  }
}

/// More arguments than fit into registers.
void many(int n) {
  int a = n, b = n + 1, c = n + 2, d = n + 3, e = n + 4, f = n + 5, g = n + 6, h = n + 7, k = n + 8,
      l = n + 9;
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += a + b + c + d + e + f + g + h + k + l;
  a = b = c = d = e = f = g = h = k = l = 0;
  g_shared += sum;
}

} // namespace

int main(int count, char**) {
  const int n = k_n * count;
  literal_loops();
  runtime_loops(n);
  ordered_loops(n);
  serialised(n);
  nested();
  many(n);
  const long done = g_count.load();
  cancelled(n);
  const long expected = 6 * k_n + 3 * n + (n + n - 1 + 2) + (n + 1) + 4;
  if (done != expected) std::fprintf(stderr, "%ld iterations instead of %ld\n", done, expected);
  return done == expected ? 0 : 1;
}
