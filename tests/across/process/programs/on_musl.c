/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program on musl. It does what the library wraps, and says what came of it. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void* answer(void* data) {
  *(int*)data = 2;
  return data;
}

static int status_of(pid_t child) {
  int status = -1;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

int main(void) {
  pthread_t thread;
  int answered = 0;
  if (pthread_create(&thread, NULL, answer, &answered) == 0) pthread_join(thread, NULL);
  const int called = WEXITSTATUS(system("exit 3"));
  char* arguments[] = {"sh", "-c", "exit 4", NULL};
  pid_t spawned = -1;
  posix_spawnp(&spawned, "sh", NULL, NULL, arguments, environ);
  const int spawn_status = status_of(spawned);
  const pid_t forked = fork();
  if (forked == 0) {
    execlp("sh", "sh", "-c", "exit 5", (char*)NULL);
    _exit(1);
  }
  printf("%d %d %d %d\n", answered, called, spawn_status, status_of(forked));
  return 0;
}
