// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of gcc whose code asks the runtime for its thread's number: without a schedule gcc cuts loops by
// that number. Linked into programs of clang, or opened by them.
#include "omp_decls.h"

#include <array>
#include <cstddef>

/// Iterations that were not executed once in each of both loops, members that were not there once, and
/// singles that were not executed once.
extern "C" int faults_of_team() {
  constexpr int k_members = 2;
  constexpr int k_iterations = 1000;
  std::array<int, k_iterations> hits{};
  std::array<int, k_members> seen{};
  int singles = 0;
#pragma omp parallel num_threads(k_members)
  {
#pragma omp atomic
    ++seen[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp single
    {
#pragma omp atomic
      ++singles;
    }
#pragma omp for schedule(runtime)
    for (std::size_t i = 0; i < k_iterations; ++i) {
#pragma omp atomic
      ++hits[i];
    }
#pragma omp for
    for (std::size_t i = 0; i < k_iterations; ++i) {
#pragma omp atomic
      ++hits[i];
    }
  }
  int faults = singles != 1;
  for (const int times : seen) faults += times != 1;
  for (const int times : hits) faults += times != 2;
  return faults;
}
