// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose lists of objects grow while they are read: grows ROUNDS FILLER PLUGIN... opens copies of
// FILLER for all to see, from one thread, while others open plugins and call them, each plugin for the first
// time. Prints how many calls were right.
#include "headers.h"

#include <filesystem>

namespace {

namespace fs = std::filesystem;

constexpr int k_callers = 2;
constexpr long k_expected = 7492500; // what run_loops() of plugin.cpp returns

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int rounds = std::atoi(argv[1]);
  const fs::path folder = fs::temp_directory_path() / ("grows." + std::to_string(getpid()));
  fs::create_directory(folder);
  const auto copy = [&](const char* file, const std::string& name) {
    const fs::path path = folder / name;
    fs::copy_file(file, path, fs::copy_options::overwrite_existing);
    return path;
  };
  std::vector<fs::path> fillers, plugins;
  for (int i = 0; i < 4 * rounds; ++i) fillers.push_back(copy(argv[2], "filler" + std::to_string(i)));
  for (int i = 0; i < rounds; ++i)
    plugins.push_back(copy(argv[3 + i % (argc - 3)], "plugin" + std::to_string(i)));

  std::atomic<std::size_t> next{0};
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (const fs::path& filler : fillers)
      if (dlopen(filler.c_str(), RTLD_LAZY | RTLD_GLOBAL) == nullptr) std::puts(dlerror());
  });
  for (int i = 0; i < k_callers; ++i)
    threads.emplace_back([&] {
      for (std::size_t taken; (taken = next.fetch_add(1)) < plugins.size();) {
        void* const plugin = dlopen(plugins[taken].c_str(), RTLD_LAZY | RTLD_LOCAL);
        const auto run =
            plugin != nullptr ? reinterpret_cast<long (*)()>(dlsym(plugin, "run_loops")) : nullptr;
        if (run != nullptr && run() == k_expected) ++right;
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("right %d of %d\n", right.load(), rounds);
  fs::remove_all(folder);
}
