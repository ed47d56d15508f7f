// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without OpenMP that tests whether there is a runtime.
#include <cstdio>

extern "C" {
[[gnu::weak]] int omp_get_num_procs();
[[gnu::weak]] void omp_set_schedule(int, int);
[[gnu::weak]] void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned);
[[gnu::weak]] void __kmpc_fork_call(void*, int, void (*)(int*, int*, ...), ...);
[[gnu::weak]] void* ompt_start_tool(unsigned, const char*);
}

int main() {
  const auto say = [](bool is_there) { return is_there ? "parallel" : "serial"; };
  std::printf("%s %s %s %s %s\n", say(omp_get_num_procs != nullptr), say(omp_set_schedule != nullptr),
              say(GOMP_parallel != nullptr), say(__kmpc_fork_call != nullptr),
              say(ompt_start_tool != nullptr));
}
