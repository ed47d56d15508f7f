/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls main() of a library, whose symbols come before those of preloaded libraries. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
  if (library == NULL) return 1;
  int (*run)(int, char**);
  *(void**)&run = dlsym(library, "main");
  return run == NULL ? 2 : run(1, argv);
}
