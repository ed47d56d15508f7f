// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library whose constructor calls the OpenMP runtime, which makes that read its environment before main()
// and before the constructors of ordinary preloaded libraries.
#include "omp_decls.h"

#include <cstdio>

namespace {

struct Early {
  Early() {
    omp_sched_t kind{};
    int chunk = 0;
    omp_get_schedule(&kind, &chunk);
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    std::printf("early %#x %d %ld\n", static_cast<unsigned>(kind), chunk, sum);
  }
} early;

} // namespace

extern "C" int early_is_here() { return 1; }
