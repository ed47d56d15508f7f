// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a region takes: idle_regions THREADS [MODULE...] prints the processor time of a region in nanoseconds,
// the least of many rounds. With modules the regions are theirs, in turn.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <vector>

#ifndef MODULE
namespace {

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

} // namespace
#endif

#ifdef MODULE
extern "C" void open_region(int threads) {
#else
void open_region(int threads) {
#endif
#pragma omp parallel num_threads(threads)
  __asm__ volatile("" ::: "memory");
}

#ifndef MODULE
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int threads = std::atoi(argv[1]);
  std::vector<void (*)(int)> regions{open_region};
  if (argc > 2) regions.clear();
  for (int i = 2; i < argc; ++i) {
    void* const module = dlopen(argv[i], RTLD_NOW);
    if (module == nullptr) return std::puts(dlerror()), 1;
    regions.push_back(reinterpret_cast<void (*)(int)>(dlsym(module, "open_region")));
  }
  const int rounds = 12;
  const std::size_t repeats = std::max<std::size_t>(10'000 / regions.size(), 1);
  double least = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const double since = processor_time();
    for (std::size_t i = 0; i < repeats; ++i)
      for (void (*region)(int) : regions) region(threads);
    least = std::min(least, (processor_time() - since) / static_cast<double>(repeats * regions.size()));
  }
  std::printf("%.1f\n", least);
}
#endif
