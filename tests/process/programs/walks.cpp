// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// walks here|thread|before PLUGIN: calls the plugin, or has a thread call it, while it walks through the list
// of loaded objects, which the loader keeps locked until then; or calls it before the walk.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <thread>

namespace {

long (*run_loops)() = nullptr;
long sum = 0;

int run(dl_phdr_info*, std::size_t, void* in_thread) {
  if (in_thread != nullptr)
    std::thread([] { sum = run_loops(); }).join();
  else
    sum = run_loops();
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* const plugin = dlopen(argv[2], RTLD_NOW);
  if (plugin == nullptr) return 2;
  run_loops = reinterpret_cast<long (*)()>(dlsym(plugin, "run_loops"));
  if (std::strcmp(argv[1], "before") == 0)
    sum = run_loops();
  else
    dl_iterate_phdr(run, std::strcmp(argv[1], "thread") == 0 ? plugin : nullptr);
  std::printf("sum %ld\n", sum);
}
