/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stands in for libwstree.so where only the command is tested: at the end of a program it writes the figures that
 * STAND_IN_SERVES asks for ("loop" or "none"; nothing if it is not set) to the file that WSTREE_STATS names. Of the
 * patterns in a path it knows %p.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((destructor)) static void write_figures(void) {
  const char* serves = getenv("STAND_IN_SERVES");
  const char* stats = getenv("WSTREE_STATS");
  if (serves == NULL || stats == NULL || strchr(stats, '=') == NULL) return;
  const int is_json = strncmp(stats, "json", 4) == 0;
  const int is_loop = strcmp(serves, "loop") == 0;
  const char* pattern = strchr(stats, '=') + 1;
  const char* percent = strstr(pattern, "%p");
  char path[4096];
  if (percent != NULL) {
    snprintf(path, sizeof path, "%.*s%ld%s", (int)(percent - pattern), pattern, (long)getpid(), percent + 2);
  } else {
    snprintf(path, sizeof path, "%s", pattern);
  }
  FILE* file = fopen(path, "wx");
  if (file == NULL) return;
  if (is_json) {
    fprintf(file, "{\"version\": \"0\", \"threads\": 2, \"loops\": [%s]}\n", is_loop ? "{\"where\": \"here\", \"calls\": 1}" : "");
  } else {
    fputs(is_loop ? "wstree 0: 1 loop served\n  here  1 call\n" : "wstree: no schedule(runtime) loop was served\n", file);
  }
  fclose(file);
}
