// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A performance tool for the OpenMP runtime's tool interface, of which a process can have one: counts
// parallel regions and says at the end "regions N". The declarations are the standard's,
// as far as they are used.
#include <cstdint>
#include <cstdio>

namespace {

struct Data {
  std::uint64_t value;
};
using Interface = void (*(*)(const char*))();
struct Result {
  int (*initialize)(Interface lookup, int device, Data*);
  void (*finalize)(Data*);
  Data data;
};
constexpr int k_parallel_begin = 3;

long regions = 0;

void parallel_begin(Data*, const void*, Data*, unsigned, int, const void*) {
  __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
}

int initialize(Interface lookup, int, Data*) {
  const auto set_callback = reinterpret_cast<int (*)(int, void (*)())>(lookup("ompt_set_callback"));
  set_callback(k_parallel_begin, reinterpret_cast<void (*)()>(&parallel_begin));
  return 1;
}

void finalize(Data*) { std::printf("regions %ld\n", regions); }

Result result{initialize, finalize, {0}};

} // namespace

extern "C" Result* ompt_start_tool(unsigned, const char*) { return &result; }
