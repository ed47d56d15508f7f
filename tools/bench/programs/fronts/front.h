/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A front end: one loop as one language or interface has it, in a shared object of its own. */
#pragma once
#include <stdint.h>

enum front_way {
  front_alone, /* in one thread, without any loop of the front end */
  front_ours,  /* two threads, by the library, which is preloaded where the loop is the compiler's */
  front_own,   /* two threads, as the language does without the library */
};

#ifdef __cplusplus
extern "C"
#endif
    /* results[i] = spin(i, units[i]). */
    __attribute__((visibility("default"))) void
    front_execute(const uint64_t* units, uint64_t* results, uint64_t n, int way);

#ifdef __cplusplus
extern "C" {
#endif
/* Of loop.h: what it costs to open and close a loop for two members, and to get a range where no other member
 * is. */
__attribute__((visibility("default"))) double front_ns_of_open(void);
__attribute__((visibility("default"))) double front_ns_of_next(void);
#ifdef __cplusplus
}
#endif

/* As in measure/kernel.h. */
__attribute__((noinline, const, unused)) static uint64_t front_spin(uint64_t seed, uint64_t units) {
  uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;
  for (uint64_t k = 0; k < units; ++k) {
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
  }
  return x;
}

__attribute__((unused)) static void front_execute_alone(const uint64_t* units, uint64_t* results,
                                                        uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) {
    results[i] = front_spin(i, units[i]);
    __asm__ volatile("" ::: "memory"); /* compilers leave it as it is */
  }
}
