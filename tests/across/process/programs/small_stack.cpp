// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that are opened on a stack which the program has chosen:
//   small_stack WHERE BYTES REGIONS [until-decided] [exits]
// WHERE: fiber (of the first thread), handler (of a signal, on an alternate stack), or thread. BYTES: how
// large the stack is, below which lies a page that ends the process; 0: large, and filled with a pattern
// first. REGIONS: runtime, dynamic and static (the schedule of their loops), alone (a thread), nested, or
// captured (more variables than registers hold). There are five, or as many as go into 0.3 seconds. At the
// end the process returns from main, or exits on that stack. Prints "depth BYTES", of the stack that was
// written to, and "wrong 0".
//   small_stack workers BYTES
// A loop while each worker has so many bytes of its own on its stack.
#include "headers.h"
#include "omp_decls.h"

#include <ctime>
#include <ucontext.h>

namespace {

constexpr int k_n = 2000;
constexpr long k_sum = k_n * (k_n - 1L) / 2;
constexpr std::size_t k_guard = std::size_t{64} << 10;
constexpr std::size_t k_large = std::size_t{512} << 10;
constexpr unsigned char k_pattern = 0xA5;

unsigned char* low = nullptr; // of the stack
std::size_t size = 0;
bool is_filled = false, waits = false, exits = false;
const char* regions = nullptr;
int wrong = 0;
ucontext_t main_context, fiber;

#define REGION(name, pragma)                                                                                 \
  void name([[maybe_unused]] int members) {                                                                  \
    long sum = 0;                                                                                            \
    _Pragma(#pragma) for (int i = 0; i < k_n; ++i) sum += i;                                                 \
    wrong += sum != k_sum;                                                                                   \
  }
REGION(open_runtime, omp parallel for schedule(runtime) reduction(+ : sum) num_threads(members))
REGION(open_dynamic, omp parallel for schedule(dynamic) reduction(+ : sum) num_threads(2))
REGION(open_static, omp parallel for schedule(static) reduction(+ : sum) num_threads(2))

void open_nested() {
  long sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(2)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < k_n; ++i) sum += i;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (int i = 0; i < k_n; ++i) sum += i;
  }
  wrong += sum != 3 * k_sum;
}

void open_captured() {
  long sum = 0;
  long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10;
#pragma omp parallel num_threads(2) reduction(+ : sum) shared(a, b, c, d, e, f, g, h, i, j)
  {
#pragma omp for schedule(runtime)
    for (int k = 0; k < k_n; ++k) sum += k;
#pragma omp single
    sum += a + b + c + d + e + f + g + h + i + j - 55;
  }
  wrong += sum != k_sum;
}

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The thread goes to the last CPU that it may use. The library wants its opener on the first one.
void go_away() {
  static cpu_set_t all, last;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  int cpu = CPU_SETSIZE - 1;
  while (cpu > 0 && !CPU_ISSET(cpu, &all)) --cpu;
  CPU_ZERO(&last);
  CPU_SET(cpu, &last);
  sched_setaffinity(0, sizeof last, &last);
  sched_setaffinity(0, sizeof all, &all);
}

void open_one() {
  if (std::strcmp(regions, "dynamic") == 0) return open_dynamic(2);
  if (std::strcmp(regions, "static") == 0) return open_static(2);
  if (std::strcmp(regions, "nested") == 0) return open_nested();
  if (std::strcmp(regions, "captured") == 0) return open_captured();
  open_runtime(std::strcmp(regions, "alone") == 0 ? 1 : 2);
}

void open_regions() {
  const double start = seconds();
  for (int region = 0; region < 5 || (waits && seconds() - start < 0.3); ++region) {
    go_away();
    open_one();
  }
  if (exits) exit(wrong);
}

void handle(int) { open_regions(); }
void* run(void*) {
  open_regions();
  return nullptr;
}

bool run_fiber() {
  if (getcontext(&fiber) != 0) return false;
  fiber.uc_stack.ss_sp = low;
  fiber.uc_stack.ss_size = size;
  fiber.uc_link = &main_context;
  makecontext(&fiber, open_regions, 0);
  return swapcontext(&main_context, &fiber) == 0;
}

bool run_handler() {
  stack_t other{};
  other.ss_sp = low;
  other.ss_size = size;
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_ONSTACK;
  return sigaltstack(&other, nullptr) == 0 && sigaction(SIGUSR1, &action, nullptr) == 0 &&
         raise(SIGUSR1) == 0;
}

bool run_thread() {
  pthread_attr_t attributes;
  pthread_t thread{};
  pthread_attr_init(&attributes);
  return pthread_attr_setstack(&attributes, low, size) == 0 &&
         pthread_create(&thread, &attributes, run, nullptr) == 0 && pthread_join(thread, nullptr) == 0;
}

/// Has a loop executed by workers with `bytes` of variables of their own.
void run_workers(std::size_t bytes) {
  const double start = seconds();
  while (seconds() - start < 0.3) {
    long sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
      const std::size_t own = omp_get_thread_num() != 0 ? bytes : 64;
      auto* variables = static_cast<volatile char*>(__builtin_alloca(own));
      for (std::size_t i = 0; i < own; i += 64) variables[i] = 1;
#pragma omp for schedule(runtime)
      for (int i = 0; i < k_n; ++i) sum += i + variables[0] - 1;
    }
    wrong += sum != k_sum;
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  size = static_cast<std::size_t>(std::atol(argv[2]));
  if (std::strcmp(argv[1], "workers") == 0) {
    run_workers(size);
    std::printf("wrong %d\n", wrong);
    return wrong;
  }
  if (argc < 4) return 2;
  regions = argv[3];
  for (int i = 4; i < argc; ++i) {
    waits |= std::strcmp(argv[i], "until-decided") == 0;
    exits |= std::strcmp(argv[i], "exits") == 0;
  }
  omp_set_max_active_levels(3);
  is_filled = size == 0;
  if (is_filled) size = k_large;
  void* memory = mmap(nullptr, k_guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, k_guard, PROT_NONE) != 0) return 2;
  low = static_cast<unsigned char*>(memory) + k_guard;
  if (is_filled) std::memset(low, k_pattern, size);
  const bool has_run = std::strcmp(argv[1], "fiber") == 0     ? run_fiber()
                       : std::strcmp(argv[1], "handler") == 0 ? run_handler()
                                                              : run_thread();
  if (!has_run) return 2;
  std::size_t untouched = 0;
  while (is_filled && untouched < size && low[untouched] == k_pattern) ++untouched;
  if (is_filled) std::printf("depth %zu\n", size - untouched);
  std::printf("wrong %d\n", wrong);
  return wrong;
}
