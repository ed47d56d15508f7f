// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// walks here|thread|before PLUGIN [FUNCTION]: calls the plugin, or has a thread call it, while it walks
// through the list of loaded objects, which the loader keeps locked until then; or calls it before the walk.
// With a function of libgomp it calls that one through a pointer, too.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <thread>

namespace {

long (*run_loops)() = nullptr;
int (*function)() = nullptr;
long sum = 0;

void call() {
  sum = run_loops();
  if (function != nullptr) std::printf("function %d\n", function());
}

int run(dl_phdr_info*, std::size_t, void* in_thread) {
  if (in_thread != nullptr)
    std::thread(call).join();
  else
    call();
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* const plugin = dlopen(argv[2], RTLD_NOW);
  if (plugin == nullptr) return 2;
  if (argc > 3 && dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr)
    function = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, argv[3]));
  run_loops = reinterpret_cast<long (*)()>(dlsym(plugin, "run_loops"));
  if (std::strcmp(argv[1], "before") == 0)
    call();
  else
    dl_iterate_phdr(run, std::strcmp(argv[1], "thread") == 0 ? plugin : nullptr);
  std::printf("sum %ld\n", sum);
}
