// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops for rules. Prints how many iterations each of them had, and how many threads its region. ruled sizes:
// prints how many threads regions have that ask for one thread, for two, that are serialised, and that ask
// for nothing.
#include <cstdio>

extern "C" int omp_get_num_threads();

namespace {

long g_done = 0;
int g_threads = 0;

void print(const char* name) {
  std::printf("%s %ld %d\n", name, g_done, g_threads);
  g_done = 0;
}

[[gnu::noinline]] void first_loop() {
#pragma omp parallel
  {
#pragma omp single
    g_threads = omp_get_num_threads();
#pragma omp for schedule(runtime) reduction(+ : g_done)
    for (int i = 0; i < 1000; ++i) ++g_done;
  }
  print("first");
}

[[gnu::noinline]] void second_loop() {
#pragma omp parallel for schedule(runtime) reduction(+ : g_done)
  for (int i = 0; i < 2000; ++i) ++g_done;
  print("second");
}

[[gnu::noinline]] void dynamic_loop() {
#pragma omp parallel for schedule(dynamic, 10) reduction(+ : g_done)
  for (int i = 0; i < 3000; ++i) ++g_done;
  print("dynamic");
}

void print_sizes() {
  int one = 0, two = 0, serialised = 0, any = 0;
#pragma omp parallel num_threads(1)
#pragma omp atomic
  ++one;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  ++two;
#pragma omp parallel if (one == 0)
#pragma omp atomic
  ++serialised;
#pragma omp parallel
#pragma omp atomic
  ++any;
  std::printf("%d %d %d %d\n", one, two, serialised, any);
}

} // namespace

int main(int argc, char**) {
  if (argc > 1) print_sizes();
  for (int k = 0; k < 3 && argc == 1; ++k) {
    first_loop();
    second_loop();
    dynamic_loop();
  }
}
