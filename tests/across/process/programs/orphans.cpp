// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops without a region of their own: the members of another object's team call this library's code first.
/// The part of the calling member of 0 + 1 + ... + (n - 1), twice.
long orphaned_loops(int n) {
  long sum = 0;
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < n; ++i) sum += i;
#pragma omp for schedule(guided)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}
