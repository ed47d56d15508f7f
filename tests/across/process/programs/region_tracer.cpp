// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another library that is preloaded: a tracer that takes the place of GCC's entries for regions and for the
// end of loops, as performance tools do, and hands over to the next library. Says at the end
// "loops left N" and "regions N".
#include <cstdio>
#include <dlfcn.h>

namespace {

unsigned long regions = 0, loops_left = 0;

void count(unsigned long& what) { __atomic_fetch_add(&what, 1, __ATOMIC_RELAXED); }

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct AtTheEnd {
  ~AtTheEnd() {
    if (regions > 0) std::printf("loops left %lu\nregions %lu\n", loops_left, regions);
  }
} at_the_end;

struct Traced {
  void (*body)(void*);
  void* data;
};

void traced_body(void* traced) {
  const Traced& what = *static_cast<Traced*>(traced);
  what.body(what.data);
}

} // namespace

extern "C" {
void GOMP_parallel(void (*body)(void*), void* data, unsigned members, unsigned flags) {
  static auto* const k_next = next<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");
  count(regions);
  Traced traced{body, data};
  k_next(traced_body, &traced, members, flags);
}

void GOMP_parallel_loop_maybe_nonmonotonic_runtime(void (*body)(void*), void* data, unsigned members,
                                                   long start, long end, long increment, unsigned flags) {
  static auto* const k_next = next<void(void (*)(void*), void*, unsigned, long, long, long, unsigned)>(
      "GOMP_parallel_loop_maybe_nonmonotonic_runtime");
  count(regions);
  Traced traced{body, data};
  k_next(traced_body, &traced, members, start, end, increment, flags);
}
}

#define COUNT_END(name)                                                                                      \
  extern "C" void name() {                                                                                   \
    static auto* const k_next = next<void()>(#name);                                                         \
    count(loops_left);                                                                                       \
    k_next();                                                                                                \
  }
COUNT_END(GOMP_loop_end)
COUNT_END(GOMP_loop_end_nowait)
