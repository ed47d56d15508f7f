/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads the plugin that its argument names. */
#include <dlfcn.h>

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
  if (plugin == 0) return 1;
  void (*assemble)(int) = 0;
  *(void**)&assemble = dlsym(plugin, "assemble");
  if (assemble == 0) return 2;
  assemble(1000);
  return 0;
}
