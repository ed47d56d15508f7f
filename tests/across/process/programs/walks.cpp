// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// walks here|thread|before|fork PLUGIN [FUNCTION]: calls the plugin, or has a thread call it, while it walks
// through the list of loaded objects, which the loader keeps locked until then; or calls it before the walk.
// With a function of libgomp it calls that one through a pointer, too. fork: a child, which is forked while a
// thread walks, looks the plugin's function up and calls it.
#include "headers.h"

#include <link.h>

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

enum Stage { before, walking, forked };
std::atomic<int> g_stage{before};

int wait_for_fork(dl_phdr_info*, std::size_t, void*) {
  g_stage = walking;
  while (g_stage != forked) std::this_thread::yield();
  return 1;
}

int look_up_in_child(void* plugin) {
  std::thread walker([] { dl_iterate_phdr(wait_for_fork, nullptr); });
  while (g_stage != walking) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(30); // a child that waits for a lost thread has to end somehow
    run_loops = reinterpret_cast<long (*)()>(dlsym(plugin, "run_loops"));
    std::printf("sum %ld\n", run_loops());
    std::fflush(stdout);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  g_stage = forked;
  walker.join();
  return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* const plugin = dlopen(argv[2], RTLD_NOW);
  if (plugin == nullptr) return 2;
  if (std::strcmp(argv[1], "fork") == 0) return look_up_in_child(plugin);
  if (argc > 3 && dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr)
    function = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, argv[3]));
  run_loops = reinterpret_cast<long (*)()>(dlsym(plugin, "run_loops"));
  if (std::strcmp(argv[1], "before") == 0)
    call();
  else
    dl_iterate_phdr(run, std::strcmp(argv[1], "thread") == 0 ? plugin : nullptr);
  std::printf("sum %ld\n", sum);
}
