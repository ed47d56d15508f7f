// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time that a construct takes: idle_regions CONSTRUCT THREADS [MODULE...] prints the processor time of
// one execution in nanoseconds, the least of many rounds. With modules the constructs are theirs, in turn.
//
//   region     an empty region
//   runtime    a region with a loop of 100 iterations, schedule(runtime)
//   dynamic    a region with a loop of 25 iterations, schedule(dynamic, 4)
//   orphaned   the second loop in a function that an open region calls
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <string_view>
#include <vector>

#define BARRIER_OF_COMPILER __asm__ volatile("" ::: "memory")

extern "C" void execute_region(int threads, int times) {
  for (int i = 0; i < times; ++i) {
#pragma omp parallel num_threads(threads)
    BARRIER_OF_COMPILER;
  }
}

extern "C" void execute_runtime(int threads, int times) {
  for (int i = 0; i < times; ++i) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int k = 0; k < 100; ++k) BARRIER_OF_COMPILER;
  }
}

extern "C" void execute_dynamic(int threads, int times) {
  for (int i = 0; i < times; ++i) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (int k = 0; k < 25; ++k) BARRIER_OF_COMPILER;
  }
}

[[gnu::noinline]] static void orphan() {
#pragma omp for schedule(dynamic, 4)
  for (int k = 0; k < 25; ++k) BARRIER_OF_COMPILER;
}

extern "C" void execute_orphaned(int threads, int times) {
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < times; ++i) orphan();
}

#ifndef MODULE
namespace {

using Construct = void(int threads, int times);

struct Named {
  std::string_view name;
  const char* symbol;
  Construct* construct;
};
constexpr std::array k_constructs{Named{"region", "execute_region", execute_region},
                                  Named{"runtime", "execute_runtime", execute_runtime},
                                  Named{"dynamic", "execute_dynamic", execute_dynamic},
                                  Named{"orphaned", "execute_orphaned", execute_orphaned}};

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view name = argv[1];
  const auto named = std::find_if(k_constructs.begin(), k_constructs.end(),
                                  [&](const Named& each) { return each.name == name; });
  if (named == k_constructs.end()) return 2;
  const int threads = std::atoi(argv[2]);
  std::vector<Construct*> constructs{named->construct};
  if (argc > 3) constructs.clear();
  for (int i = 3; i < argc; ++i) {
    void* const module = dlopen(argv[i], RTLD_NOW);
    if (module == nullptr) return std::puts(dlerror()), 1;
    constructs.push_back(reinterpret_cast<Construct*>(dlsym(module, named->symbol)));
  }
  const int rounds = 40;
  const int times = constructs.size() > 1 ? 1 : 1000;
  double least = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const double since = processor_time();
    for (Construct* const construct : constructs) construct(threads, times);
    least = std::min(least, (processor_time() - since) / (static_cast<double>(constructs.size()) * times));
  }
  std::printf("%.1f\n", least);
}
#endif
