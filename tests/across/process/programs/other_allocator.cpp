// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another library that is preloaded: it takes the place of malloc() and its relatives, counts, and says at
// the end of the process "allocations counted".
#include <cstddef>
#include <cstdio>
#include <unistd.h>

extern "C" {
// What the C library calls its own ones, which needs no search that might allocate.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);
}

namespace {

unsigned long allocations = 0;
void count() { __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED); }

struct AtTheEnd {
  ~AtTheEnd() {
    constexpr char k_text[] = "allocations counted\n";
    if (allocations > 0 && write(STDOUT_FILENO, k_text, sizeof k_text - 1) < 0) _exit(9);
  }
} at_the_end;

} // namespace

extern "C" {
void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  count();
  return __libc_calloc(number, size);
}
void* realloc(void* old, std::size_t size) {
  count();
  return __libc_realloc(old, size);
}
void free(void* block) { __libc_free(block); }
}
