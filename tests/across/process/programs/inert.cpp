// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenMP program without a schedule(runtime) loop, or with --idle one that makes no OpenMP call at all.
// Says how many threads and which open descriptors it has at the end.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>

namespace {

std::set<std::string> entries(const char* path) {
  std::set<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(path)) names.insert(each.path().filename());
  return names;
}

} // namespace

int main(int argc, char** argv) {
  long sum = 0;
  if (argc < 2 || std::strcmp(argv[1], "--idle") != 0) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
  }
  std::printf("sum %ld\nthreads %zu\ndescriptors", sum, entries("/proc/self/task").size());
  for (const std::string& name : entries("/proc/self/fd")) std::printf(" %s", name.c_str());
  std::puts("");
}
