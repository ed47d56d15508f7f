/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints what a program can see of how it was started, one fact per line. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <unistd.h>

extern char** environ;

static int show_library(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  (void)data;
  if (info->dlpi_name[0] != '\0') printf("library %s\n", info->dlpi_name);
  return 0;
}

int main(int argc, char** argv) {
  printf("pid %ld\n", (long)getpid());
  for (int i = 0; i < argc; ++i) printf("argument %s\n", argv[i]);
  for (char** entry = environ; *entry != NULL; ++entry) printf("environment %s\n", *entry);
  dl_iterate_phdr(show_library, NULL);
  return 0;
}
