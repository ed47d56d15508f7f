// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the plugin changes, and loops that it leaves. Prints what all of them have made.
#include <stdio.h>

enum { n = 1000 };
static int visits[n];

void without_clause(void) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) ++visits[i];
}
void with_static(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) ++visits[i];
}
void with_dynamic(void) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; ++i) ++visits[i];
}
void with_chunk(void) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < n; ++i) ++visits[i];
}
int last_one(void) {
  int last = -1;
#pragma omp parallel for lastprivate(last)
  for (int i = n - 1; i >= 0; i -= 3) last = i;
  return last;
}
void in_order(void) {
  int next = 0;
#pragma omp parallel for ordered
  for (int i = 0; i < 100; ++i)
#pragma omp ordered
    if (i == next) ++next;
  if (next != 100) printf("out of order\n");
}
long summed(void) {
  long sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) collapse(2) nowait
    for (int i = 0; i < 30; ++i)
      for (int k = 0; k < 40; ++k) sum += i * k;
#pragma omp for simd
    for (int i = 0; i < n; ++i) ++visits[i];
  }
  return sum;
}
void distributed(void) {
#pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < n; ++i) ++visits[i];
}

int main(void) {
  without_clause();
  with_static();
  with_dynamic();
  with_chunk();
  in_order();
  distributed();
  long all = 0;
  const long sum = summed();
  for (int i = 0; i < n; ++i) all += visits[i] * (i + 1);
  printf("%ld %d %ld\n", all, last_one(), sum);
  return 0;
}
