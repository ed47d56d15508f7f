/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What calls of the C++ library and libwstree.so say to each other, if both are in a process. C, and fixed:
   programs and the library may be of different versions, so fields are only ever added at the end. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call that is about to get a team. */
struct wstree_call {
  uint32_t bytes; /* of this struct, as the program knows it */
  uint32_t line;
  const char* label; /* may be null */
  const char* file;  /* likewise */
  uint64_t elements;
  /* The answers. */
  uint32_t threads;     /* at most so many, by a rule; 0: none says so */
  uint32_t is_measured; /* statistics or a trace record what the members do */
  uint64_t min_chunk;   /* elements of a batch, by a rule; 0: none says so */
  void* site;           /* for the library */
  uint64_t began;       /* in ticks, likewise */
};

/* What one member has done in a call that is measured, or all of them. Times in ticks of the core's clock. */
struct wstree_call_part {
  uint64_t elements, batches, steals, nodes;
  uint64_t busy;     /* in the program's functions */
  uint64_t busy_max; /* of the busiest member */
  uint64_t began, ended;
  uint32_t member, members;
};

/* Returns 0 if no statistics, trace or rule concerns calls, as long as the process lives. Else the answers
   are filled in. Any thread. */
__attribute__((weak)) int wstree_call_begin(struct wstree_call* call);
/* By each member, when it is done: with busy_max 0. */
__attribute__((weak)) void wstree_call_leave(const struct wstree_call* call,
                                             const struct wstree_call_part* part);
/* By the caller, when all are done, with the sums. */
__attribute__((weak)) void wstree_call_end(const struct wstree_call* call,
                                           const struct wstree_call_part* all);

#ifdef __cplusplus
}
#endif
