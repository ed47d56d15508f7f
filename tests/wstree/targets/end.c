/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends as its arguments say: "status N", "signal N", "leave N" (without exit handlers), "wait": status 7
 * after SIGUSR1, or "schedule": prints OMP_SCHEDULE. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "status") == 0) return atoi(argv[2]);
  if (argc == 3 && strcmp(argv[1], "leave") == 0) _exit(atoi(argv[2]));
  if (argc == 3 && strcmp(argv[1], "signal") == 0) {
    raise(atoi(argv[2]));
    return 99;
  }
  if (argc == 2 && strcmp(argv[1], "wait") == 0) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGUSR1);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    puts("ready");
    fflush(stdout);
    while (sigwaitinfo(&awaited, NULL) != SIGUSR1) {
    }
    return 7;
  }
  if (argc == 2 && strcmp(argv[1], "schedule") == 0) {
    /* As an OpenMP runtime inside the program reads it. */
    const char* schedule = getenv("OMP_SCHEDULE");
    puts(schedule == NULL ? "none" : schedule);
    return 0;
  }
  puts("ran");
  return 0;
}
