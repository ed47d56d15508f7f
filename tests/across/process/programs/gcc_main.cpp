// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of GCC alone. Says "sum 796000" if it computed right.
#include <cstdio>

extern "C" long gcc_loops(void (*)(void));

int main() {
  long sum = 0;
  for (int round = 0; round < 20; ++round) sum += gcc_loops(nullptr);
  std::printf("sum %ld\n", sum);
  return sum == 796'000 ? 0 : 8;
}
