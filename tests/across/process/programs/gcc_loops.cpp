// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops as GCC compiles them, for programs of two compilers on one runtime.
extern "C" long gcc_loops(void (*in_the_body)(void)) {
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp for schedule(runtime)
    for (long i = 0; i < 200; ++i) {
      if (in_the_body != nullptr && i % 100 == 50) in_the_body();
      sum += i;
    }
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 200; i > 0; --i) sum += i - 1;
  }
  return sum; // 39800
}

/// A region of GCC whose members call a function that may hold loops of another compiler.
extern "C" void gcc_region(void (*member)(void*), void* data) {
#pragma omp parallel num_threads(3)
  member(data);
}
