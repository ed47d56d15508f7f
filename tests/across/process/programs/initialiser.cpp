// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin whose static initialiser, or whose destructor, executes loops in a team while the loader holds its
// lock. WORKER_FIRST: a worker calls the loop's functions before member 0 does. THREAD: the team is that of a
// thread that the initialiser waits for. AT_END: the destructor does it, too. MODULE: it is a module of
// Python.
#ifdef MODULE
#include <Python.h>
#endif
#include <cstdio>
#include <thread>
#include <unistd.h>

extern "C" int omp_get_thread_num();
extern "C" [[gnu::weak]] void after_initial_loops(); // of the host, if it has one

namespace {

constexpr int k_n = 1000;
long table[k_n];
volatile int worker_has_come = 0;

void fill(long factor) {
  worker_has_come = 0;
#pragma omp parallel num_threads(3)
  {
#ifdef WORKER_FIRST
    if (omp_get_thread_num() == 1) __atomic_store_n(&worker_has_come, 1, __ATOMIC_RELEASE);
    // Until the worker is on its way into the loop; it may lose its processor there, which is as well.
    while (omp_get_thread_num() == 0 && __atomic_load_n(&worker_has_come, __ATOMIC_ACQUIRE) == 0)
      std::this_thread::yield();
    if (omp_get_thread_num() == 0) usleep(20'000);
#endif
#pragma omp for schedule(SCHEDULE)
    for (int i = 0; i < k_n; ++i) table[i] = i * factor;
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < k_n; ++i) table[i] = table[i] + 0;
  }
}

void run(long factor) {
#ifdef THREAD
  std::thread([=] { fill(factor); }).join();
#else
  fill(factor);
#endif
}

struct Initialiser {
  Initialiser() {
    run(2);
    if (after_initial_loops != nullptr) after_initial_loops();
  }
  ~Initialiser() {
#ifdef AT_END
    run(3);
    long sum = 0;
    for (const long each : table) sum += each;
    std::printf("end %ld\n", sum); // 1498500
    std::fflush(stdout);
#endif
  }
} initialiser;

} // namespace

extern "C" long sum() {
  long total = 0;
  for (const long each : table) total += each;
  return total; // 999000
}

#ifdef MODULE
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "initialiser", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
PyMODINIT_FUNC PyInit_initialiser() {
  if (sum() != 999'000) return nullptr;
  return PyModule_Create(&definition);
}
#endif
