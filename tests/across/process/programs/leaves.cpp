// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that ends while members are inside a served loop: leaves exit|quick|underscore|abort, called by
// one of them in the middle of an iteration.
#include "check.h"
#include "omp_decls.h"

#include <atomic>

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "exit";
  alarm(30);
  std::atomic<int> inside{0};
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i) { // a loop that is over, for the figures
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < 100'000'000; ++i) {
      inside.store(1, std::memory_order_relaxed);
      if (i == 500) {
        if (how == "exit") std::exit(5);
        if (how == "quick") std::quick_exit(5);
        if (how == "underscore") _exit(5);
        if (how == "abort") std::abort();
      }
      check::spin(20);
    }
  }
  return 0;
}
