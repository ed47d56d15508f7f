// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// opens now|lazy close|look|stay PLUGIN...: opens one plugin after the other, says what its sum() is, and may
// close it; "look" then says whether it has gone.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  for (int i = 3; i < argc; ++i) {
    void* const plugin = dlopen(argv[i], std::strcmp(argv[1], "lazy") == 0 ? RTLD_LAZY : RTLD_NOW);
    if (plugin == nullptr) {
      std::puts(dlerror());
      return 1;
    }
    std::printf("sum %ld\n", reinterpret_cast<long (*)()>(dlsym(plugin, "sum"))());
    std::fflush(stdout);
    if (std::strcmp(argv[2], "stay") == 0) continue;
    dlclose(plugin);
    if (std::strcmp(argv[2], "look") == 0)
      std::puts(dlopen(argv[i], RTLD_NOW | RTLD_NOLOAD) == nullptr ? "gone" : "there");
  }
}
