// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is not linked with OpenMP and opens plugins:
// host [--deep] [--together [--start-in-turn]] [--close] PLUGIN...
//   --deep           RTLD_DEEPBIND too
//   --together       all plugins at the same time, on threads of their own
//   --start-in-turn  but their runtimes start one after the other, as two libomps in a process have to
//   --close          closes each one after use
#include "headers.h"

#include <mutex>

namespace {

int flags = RTLD_NOW | RTLD_LOCAL;
bool closes = false;
bool in_turn = false;
std::mutex starting;

void use(const std::string& path, int* wrong) {
  void* plugin = dlopen(path.c_str(), flags);
  if (plugin == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    *wrong = 1;
    return;
  }
  const auto run_loops = reinterpret_cast<long (*)()>(dlsym(plugin, "run_loops"));
  const auto schedule_kind = reinterpret_cast<unsigned (*)()>(dlsym(plugin, "schedule_kind"));
  if (in_turn) {
    const std::lock_guard lock(starting);
    reinterpret_cast<void (*)()>(dlsym(plugin, "start_runtime"))();
  }
  for (int round = 0; round < 20; ++round)
    if (run_loops() != 7'492'500) *wrong = 1;
  std::printf("schedule %#x\n", schedule_kind());
  if (closes) dlclose(plugin);
}

} // namespace

// Stands in front of the C library's, and takes its time. libomp calls it between making the shared memory in
// which a process registers and filling it: another libomp of the process that starts meanwhile dies of
// SIGBUS.
extern "C" int ftruncate(int file, off_t size) noexcept {
  usleep(20'000);
  return static_cast<int>(syscall(SYS_ftruncate, file, size));
}

int main(int argc, char** argv) {
  std::vector<std::string> plugins;
  bool together = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--deep") flags |= RTLD_DEEPBIND;
    together |= argument == "--together";
    in_turn |= argument == "--start-in-turn";
    closes |= argument == "--close";
    if (!argument.starts_with("--")) plugins.push_back(argument);
  }
  std::vector<int> wrong(plugins.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    if (together)
      threads.emplace_back(use, plugins[i], &wrong[i]);
    else
      use(plugins[i], &wrong[i]);
  }
  for (std::thread& thread : threads) thread.join();
  const auto bad = std::count(wrong.begin(), wrong.end(), 1);
  std::printf("wrong %td\n", bad);
  return bad == 0 ? 0 : 8;
}
