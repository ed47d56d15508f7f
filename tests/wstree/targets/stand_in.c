/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stands in for libwstree.so where only the command is tested: at the end of a program it writes the figures
 * that STAND_IN_SERVES asks for ("loop" or "none"; nothing if it is not set) to the file that WSTREE_STATS
 * names. Of the patterns in a path it knows %p and %%.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char* wstree_version(void);
const char* wstree_version(void) { return VERSION; }

/* As the library it has names of the OpenMP runtime. */
void __kmpc_fork_call(void);
void __kmpc_fork_call(void) {}

__attribute__((destructor)) static void write_figures(void) {
  const char* serves = getenv("STAND_IN_SERVES");
  const char* stats = getenv("WSTREE_STATS");
  if (serves == NULL || stats == NULL || strchr(stats, '=') == NULL) return;
  const int is_json = strncmp(stats, "json", 4) == 0;
  const int is_loop = strcmp(serves, "loop") == 0;
  const char* pattern = strchr(stats, '=') + 1;
  char path[4096];
  size_t size = 0;
  for (; *pattern != '\0' && size < sizeof path - 32; ++pattern) {
    if (pattern[0] == '%' && pattern[1] == 'p') {
      size += (size_t)sprintf(path + size, "%ld", (long)getpid());
      ++pattern;
    } else {
      if (pattern[0] == '%' && pattern[1] == '%') ++pattern;
      path[size++] = *pattern;
    }
  }
  path[size] = '\0';
  FILE* file = fopen(path, "wx");
  if (file == NULL) return;
  if (is_json) {
    fputs("{\"version\": \"0\", \"threads\": 2, \"loops\": [", file);
    if (is_loop) fputs("{\"where\": \"here\", \"calls\": 1}", file);
    fputs("]}\n", file);
  } else {
    fputs(is_loop ? "wstree 0: 1 loop served\n  here  1 call\n"
                  : "wstree: no schedule(runtime) loop was served\n",
          file);
  }
  fclose(file);
}
