/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What loops on MPI ranks tell libwstree.so, if it is in the process. C, and fixed: programs and the library
   may be of different versions, so fields are only ever added at the end. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): C */
/* What a rank has done in the loops of one communicator, ready to be written. Texts may be null. The library
   keeps the struct and its texts until the process ends. */
struct wstree_rank_text {
  uint32_t bytes;         /* of this struct, as the program knows it */
  uint32_t reserved;      /* 0 */
  const char* lines;      /* for people */
  const char* statistics; /* JSON: objects with commas between them */
  const char* events;     /* of a trace: objects, each behind a comma and the end of a line */
  void* kept[4];          /* for the library */
};

/* What the library records. */
enum { WSTREE_RANKS_STATISTICS = 1, WSTREE_RANKS_TRACE = 2 };

/* Adds a text, which may be null, to the report and the trace of this process. Returns what they ask for.
   Any thread. */
__attribute__((weak)) int wstree_ranks_tell(struct wstree_rank_text* text);
/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif
