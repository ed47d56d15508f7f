// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How deep the stack of a thread gets that opens regions: the thread has a stack of its own, which is filled
// with a pattern first. `open N` opens regions of N members; with `none`, the thread does nothing.
// Prints "stack BYTES".
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t k_size = 512 * 1024;
constexpr unsigned char k_pattern = 0xA5;
alignas(4096) unsigned char stack[k_size];
int members = 0;
long sum = 0;

void* run(void*) {
  for (int round = 0; members != 0 && round < 3; ++round) {
#pragma omp parallel num_threads(members) reduction(+ : sum)
    for (int loop = 0; loop < 3; ++loop) {
#pragma omp for schedule(runtime)
      for (long i = 0; i < 1000; ++i) sum += i;
    }
  }
  return nullptr;
}

} // namespace

int main(int argc, char** argv) {
  alarm(100);
  members = argc > 1 ? std::atoi(argv[1]) : 0;
  std::memset(stack, k_pattern, k_size);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstack(&attributes, stack, k_size) != 0) return 9;
  if (pthread_create(&thread, &attributes, run, nullptr) != 0) return 9;
  pthread_join(thread, nullptr);
  std::size_t untouched = 0;
  while (untouched < k_size && stack[untouched] == k_pattern) ++untouched;
  std::printf("stack %zu\n", k_size - untouched);
  return sum == (members == 0 ? 0 : 9 * 499'500L) ? 0 : 8;
}
