// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens regions with 20 ms between them, and prints how long idle threads of LLVM's runtime spin in the end.
// With "begins" the program chooses that time itself before the first region, with "sets" after it.
#include <cstdio>
#include <time.h>

extern "C" int kmp_get_blocktime();
extern "C" void kmp_set_blocktime(int);

int main(int argc, char** argv) {
  long sum = 0;
  const auto region = [&sum] {
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
  };
  const char* const how = argc > 1 ? argv[1] : "";
  if (*how == 'b') kmp_set_blocktime(50);
  region();
  if (*how == 's') kmp_set_blocktime(50);
  for (int i = 0; i < 5; ++i) {
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
    region();
  }
  std::printf("sum %ld\nblocktime %d\n", sum, kmp_get_blocktime());
}
