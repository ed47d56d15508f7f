// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is not linked with OpenMP and opens plugins: host [--deep] [--together] [--close] PLUGIN...
//   --deep       RTLD_DEEPBIND too          --together   all plugins at the same time, on threads of their
//   own
//   --close      closes each one after use
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

namespace {

int flags = RTLD_NOW | RTLD_LOCAL;
bool closes = false;

void use(const std::string& path, int* wrong) {
  void* plugin = dlopen(path.c_str(), flags);
  if (plugin == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    *wrong = 1;
    return;
  }
  const auto run_loops = reinterpret_cast<long (*)()>(dlsym(plugin, "run_loops"));
  const auto schedule_kind = reinterpret_cast<unsigned (*)()>(dlsym(plugin, "schedule_kind"));
  for (int round = 0; round < 20; ++round)
    if (run_loops() != 7'492'500) *wrong = 1;
  std::printf("schedule %#x\n", schedule_kind());
  if (closes) dlclose(plugin);
}

} // namespace

int main(int argc, char** argv) {
  std::vector<std::string> plugins;
  bool together = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--deep")
      flags |= RTLD_DEEPBIND;
    else if (argument == "--together")
      together = true;
    else if (argument == "--close")
      closes = true;
    else
      plugins.push_back(argument);
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
  int bad = 0;
  for (const int each : wrong) bad += each;
  std::printf("wrong %d\n", bad);
  return bad == 0 ? 0 : 8;
}
