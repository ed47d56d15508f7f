// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: memory whose addresses carry a tag, as the C library hands it out where that is asked for
// (glibc.mem.tagging). Links between nodes have no room for the tag, so nodes must not lie in such memory.
// Two threads, because the memory of larger teams comes from the system directly.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main() {
  void* block = std::calloc(1, 100);
  const bool tagged = reinterpret_cast<std::uintptr_t>(block) >> 56 != 0;
  std::free(block);
  if (!tagged) {
    std::puts("memory is not tagged here");
    return 1;
  }
  long sum = 0;
  for (int round = 0; round < 50; ++round) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 3000; ++i) {
      for (int k = 0; k < i % 100 * 3; ++k) asm volatile("");
      sum += i;
    }
  }
  return sum == 50L * 4498500 ? 0 : 1;
}
