/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads the library that its argument names, and ends when it gets SIGUSR1 or its parent dies. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  sigprocmask(SIG_BLOCK, &awaited, NULL);
  if (argc != 2 || dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) == NULL) return 1;
  while (sigwaitinfo(&awaited, NULL) != SIGUSR1) {
  }
  return 0;
}
