// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of gcc for the tests of the events that the library tells. The argument says which. Exit status 1:
// not each iteration ran once.
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

std::atomic<long> g_done{0};
volatile int g_n = 100; // the compiler does not know it
void work() { g_done.fetch_add(1, std::memory_order_relaxed); }

long one() {
  const int n = g_n;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 30)
    for (int i = 0; i < n; ++i) work();
  }
  return n;
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define LOOP(clauses, ...) PRAGMA(omp for clauses) for (__VA_ARGS__) work();
#define ORDERED(clauses, ...)                                                                                \
  PRAGMA(omp for clauses) for (__VA_ARGS__) {                                                                \
    PRAGMA(omp ordered) work();                                                                              \
  }
#define SECTION PRAGMA(omp section) work();

/// A region and a loop with all schedules and types, in single steps but for one.
long loops() {
  const int n = g_n;
  const auto m = static_cast<unsigned long>(n);
#pragma omp parallel num_threads(3)
  {
    LOOP(schedule(runtime), int i = 0; i < n; ++i)
    LOOP(schedule(runtime), long i = n; i > 0; --i)
    LOOP(schedule(runtime), unsigned long i = 5; i < 5 + m; ++i)
    LOOP(schedule(runtime), int i = 0; i < 3 * n - 1; i += 3)
    LOOP(schedule(monotonic : runtime), int i = -n; i < 0; ++i)
    LOOP(schedule(dynamic, 7), int i = 0; i < n; ++i)
    LOOP(schedule(guided), unsigned long i = m; i > 0; --i)
    LOOP(schedule(monotonic : dynamic, 4), int i = 0; i < n; ++i)
    LOOP(schedule(monotonic : guided, 4), unsigned long i = 0; i < m; ++i)
    ORDERED(schedule(runtime) ordered, int i = 0; i < n; ++i)
    ORDERED(schedule(static, 5) ordered, unsigned long i = 0; i < m; ++i)
    ORDERED(schedule(dynamic, 2) ordered, int i = 0; i < n; ++i)
#pragma omp for schedule(dynamic) ordered(1)
    for (int i = 0; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      work();
#pragma omp ordered depend(source)
    }
#pragma omp for schedule(runtime) ordered(2)
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < n / 10; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
        work();
#pragma omp ordered depend(source)
      }
    LOOP(schedule(runtime), int i = n; i < n; ++i) // no iterations
  }
  return 14L * n;
}

long sections() {
#pragma omp parallel num_threads(2)
  {
    PRAGMA(omp sections){SECTION SECTION SECTION}
#pragma omp barrier
    PRAGMA(omp sections nowait) {
      SECTION SECTION
    }
  }
  PRAGMA(omp parallel sections num_threads(2)) { SECTION SECTION }
  return 7;
}

/// Loops that are a region, with bounds that the compiler knows and with others.
#define REGION(schedule, ...) PRAGMA(omp parallel for schedule num_threads(2)) for (__VA_ARGS__) work();
long combined() {
  const int n = g_n;
  REGION(schedule(runtime), int i = 0; i < 100; ++i)
  REGION(schedule(dynamic, 3), int i = 100; i > 0; --i)
  REGION(schedule(guided), long i = 0; i < n; ++i)
  REGION(schedule(monotonic : dynamic), int i = 0; i < 100; ++i)
  REGION(schedule(monotonic : runtime), int i = 0; i < 100; ++i)
  return 4L * 100 + n;
}

long nowait() {
  const int n = g_n;
#pragma omp parallel num_threads(3)
  for (int round = 0; round < 5; ++round) {
    LOOP(schedule(runtime) nowait, int i = 0; i < n; ++i)
    LOOP(schedule(monotonic : dynamic, 10) nowait, int i = 0; i < n; ++i)
  }
  return 10L * n;
}

/// The function of the inner region ends with a call of the runtime, of which compilers make a jump.
__attribute__((noinline)) void inner() {
#pragma omp parallel num_threads(2)
  {
    work();
#pragma omp barrier
  }
}

long nested() {
  const int n = g_n;
#pragma omp parallel num_threads(2)
  {
    inner();
#pragma omp parallel num_threads(2)
    LOOP(schedule(runtime), int i = 0; i < n; ++i)
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) {
      work();
      if (i % 25 == 0) inner();
    }
  }
  return 2L * 2 + 2L * n + n + n / 25 * 2;
}

long serialised() {
  const int n = g_n;
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel if (n < 0)
    LOOP(schedule(runtime), int k = 0; k < n; ++k)
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(1)
    work();
  }
  LOOP(schedule(runtime), int k = 0; k < n; ++k) // in no region
  return 4L * n + 2;
}

/// Threads of the program that open regions at once, and end.
long roots() {
  std::thread threads[3];
  for (std::thread& thread : threads) thread = std::thread([] { combined(); });
  for (std::thread& thread : threads) thread.join();
  return 3 * 500 + combined();
}

/// Iterations are lost, as they should.
long cancelled() {
  const int n = g_n;
#pragma omp parallel num_threads(2)
  {
    for (int round = 0; round < 3; ++round) {
#pragma omp for schedule(runtime)
      for (int i = 0; i < n; ++i) {
#pragma omp cancel for if (i == 5)
      }
    }
#pragma omp for schedule(monotonic : dynamic)
    for (int i = 0; i < n; ++i) {
#pragma omp cancel for if (i == 5)
    }
#pragma omp cancel parallel
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) {
#pragma omp cancel for
    }
  }
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp cancel sections
    }
#pragma omp section
    work();
  }
  g_done = 0;
  return 0;
}

/// The child goes on, and both end.
long forks() {
  one();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0 ? one() + 100 : -1;
}

long leaves() {
#pragma omp parallel num_threads(2)
  {
    work();
#pragma omp barrier
#pragma omp master
    std::exit(g_done.load() == 2 ? 0 : 1);
  }
  return -1;
}

struct Named {
  const char* name;
  long (*function)();
};
#define NAMED(function)                                                                                      \
  { #function, function }
constexpr Named k_programs[] = {NAMED(one),       NAMED(loops),  NAMED(sections),   NAMED(combined),
                                NAMED(nowait),    NAMED(nested), NAMED(serialised), NAMED(roots),
                                NAMED(cancelled), NAMED(forks),  NAMED(leaves)};

} // namespace

int main(int count, char** arguments) {
  for (const Named& program : k_programs) {
    if (count < 2 || std::strcmp(program.name, arguments[1]) != 0) continue;
    const long expected = program.function();
    if (g_done.load() == expected) return 0;
    std::fprintf(stderr, "%ld iterations instead of %ld\n", g_done.load(), expected);
  }
  return 1;
}
