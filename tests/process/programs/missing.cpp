// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a function of newer OpenMP runtimes in a process that has no runtime, as a program may whose runtime
// is older. The library is there for it.
#include <cstdio>

extern "C" void __kmpc_dispatch_deinit(void* location, int thread) __attribute__((weak));

int main() {
  if (__kmpc_dispatch_deinit != nullptr) {
    __kmpc_dispatch_deinit(nullptr, 0);
    std::puts("called");
  }
  std::puts("end");
}
