// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of a thread that a timer interrupts all the time: the handler uses 400 KB of stack.
#include <csignal>
#include <cstdio>
#include <sys/time.h>

namespace {

volatile long handled = 0;
void use_stack(int) {
  volatile char memory[400'000];
  for (unsigned i = 0; i < sizeof memory; i += 64) memory[i] = static_cast<char>(i);
  handled = handled + 1 + memory[0];
}

} // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = use_stack;
  action.sa_flags = SA_RESTART;
  const itimerval often{{0, 60}, {0, 60}};
  if (sigaction(SIGALRM, &action, nullptr) != 0 || setitimer(ITIMER_REAL, &often, nullptr) != 0) return 2;
  int wrong = 0;
  for (int region = 0; region < 30 || handled == 0; ++region) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 1000; ++i) sum += i;
    wrong += sum != 499'500;
  }
  std::printf("wrong %d\n", wrong);
  std::fflush(stdout);
  return wrong;
}
