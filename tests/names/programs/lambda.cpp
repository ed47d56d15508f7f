// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in templates that are given lambdas.
#include <vector>

template <class Body> inline __attribute__((always_inline)) void share_out(int n, Body body) {
#pragma omp for schedule(runtime) // LINE share_out
  for (int i = 0; i < n; ++i)     // LINE share_out_head
    body(i);                      // LINE share_out_body
}

namespace heat {
struct Grid {
  std::vector<double> cells = std::vector<double>(1000);
  void step() {
    auto warm = [&](int i) { cells[static_cast<unsigned>(i)] += i; };
#pragma omp parallel
    share_out(1000, warm); // LINE step
  }
};
} // namespace heat

int main() {
  heat::Grid grid;
  grid.step();
  auto all = [&](int n) {
#pragma omp parallel for schedule(runtime) // LINE lambda
    for (int i = 0; i < n; ++i) grid.cells[static_cast<unsigned>(i)] += i;
  };
  all(1000);
  return 0;
}
