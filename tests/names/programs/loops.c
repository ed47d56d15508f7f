/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One loop in a function of its own, and one in a function that is inlined. */
static double cells[1000];

static inline __attribute__((always_inline)) void kernel(int n) {
#pragma omp for schedule(runtime) /* LINE kernel */
  for (int i = 0; i < n; ++i)     /* LINE kernel_head */
    cells[i] += i;                /* LINE kernel_body */
}

void assemble(int n);
void assemble(int n) {
#pragma omp parallel for schedule(runtime) /* LINE assemble */
  for (int i = 0; i < n; ++i) cells[i] += i;
}

void smooth(int n);
void smooth(int n) {
#pragma omp parallel
  kernel(n); /* LINE inlined */
}

#ifndef PLUGIN
int main(void) {
  assemble(1000);
#ifdef BOTH
  smooth(1000);
#endif
  return 0;
}
#endif
