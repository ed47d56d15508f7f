// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two static loops in a region, of which the first is uneven, again and again. Prints the iterations of both.
#include "hits.h"

#include <cstdio>

namespace {
constexpr int k_n = 64;
constexpr int k_regions = 40;
} // namespace

int main() {
  long done = 0;
  for (int region = 0; region < k_regions; ++region) {
#pragma omp parallel reduction(+ : done)
    {
#pragma omp for
      for (int i = 0; i < k_n; ++i) {
        check::spin(i < k_n / 2 ? 10 : 20'000);
        ++done;
      }
#pragma omp for nowait
      for (long i = 2 * k_n; i > 0; --i) {
        check::spin(2'000);
        ++done;
      }
    }
  }
  std::printf("%ld\n", done);
}
