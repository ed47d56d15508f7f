// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a function of newer OpenMP runtimes in a process that has no runtime, as a program may whose runtime
// is older. The library is there for it.
#include <cstdio>
#include <dlfcn.h>

int main() {
  if (void* const found = dlsym(RTLD_DEFAULT, "__kmpc_dispatch_deinit")) {
    reinterpret_cast<void (*)(void*, int)>(found)(nullptr, 0);
    std::puts("called");
  }
  std::puts("end");
}
