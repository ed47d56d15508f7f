/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * A scheduler without threads (C99): the iterations of a loop, shared out among any threads of the program by
 * the work-stealing tree. For programs with pthreads, and for other languages, from which these functions can
 * be called.
 *
 *     wstree_loop* loop = wstree_loop_open(n, 4, NULL);
 *     // each of four threads, with its number as `member`:
 *     unsigned long long begin, end;
 *     while (wstree_loop_next(loop, member, &begin, &end))
 *       for (; begin < end; ++begin) work(begin);
 *     // when they are through:
 *     wstree_loop_close(loop);
 *
 * It makes no threads, sets no signals, and needs neither OpenMP nor settings in the environment. It stands
 * in libwstree.so, which does nothing else in a program without OpenMP, and in libwstree-loop.a.
 *
 * Each iteration is handed out once. A member begins with an even share, in ranges that last some
 * microseconds, and goes on with what other members have left. A member that comes late, or never, holds
 * nothing back: other members do its share. None waits for another one: when a member gets no more, other
 * members may still execute what they got.
 *
 * Thread safety: for one member one thread at a time calls next and leave, and a member passes to another
 * thread where the program synchronises the two. Different members call at the same time; stop may be called
 * by any thread. open, close and left: no other thread is in a function of the loop, and what the members did
 * happens before.
 *
 * Errors: open and costs_new return NULL. The other functions report none, and check no argument.
 *
 * Memory: some 1.7 KB for each member, from malloc or from the caller; more for loops in which much is
 * stolen.
 */
#pragma once

#ifdef WSTREE_WEAK
#define WSTREE_LOOP_API __attribute__((weak))
#else
#define WSTREE_LOOP_API
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A loop that is open. */
typedef struct wstree_loop wstree_loop;

/** What executions of one loop have cost its members, so that the next one begins with ranges that suit. For
 * one loop at a time. */
typedef struct wstree_costs wstree_costs;

/** How a loop is shared out; members that are 0 mean what stands in brackets. */
typedef struct {
  /** Iterations that a member gets at least, if as many are left in one piece [1]. */
  unsigned long long smallest;
  /** Not 0: ranges are handed out in ascending order, so that each member gets its ranges in that order and,
   * at any time, what was handed out lies before what was not, but for what a member leaves behind: that
   * comes last. By factoring (half of the rest in equal chunks) from one counter instead of the tree [0]. */
  int ascending;
  /** Made by wstree_costs_new() for at least as many members [NULL: nothing is remembered]. */
  wstree_costs* costs;
  /** wstree_loop_bytes(members) bytes at a multiple of 128, which the loop uses until it is closed [NULL]. */
  void* memory;
} wstree_loop_options;

/** Returns the bytes of memory for a loop of 1 to 2^20 - 1 members. */
WSTREE_LOOP_API size_t wstree_loop_bytes(unsigned members);

/**
 * Opens a loop of iterations 0 to n-1, n < 2^63 - 1, for 1 to 2^20 - 1 members. `options` may be NULL, and is
 * not used after the call. Returns NULL if an argument is out of its range, `memory` is no multiple of 128,
 * `costs` are for fewer members, or there is no memory. Takes about 100 ns.
 */
WSTREE_LOOP_API wstree_loop* wstree_loop_open(unsigned long long n, unsigned members,
                                              const wstree_loop_options* options);

/**
 * Hands the next iterations, *begin to *end - 1, to a member, 0 <= member < members. Returns 0 if every
 * iteration was handed out, or the loop is stopped. Some 10 ns without contention. After 0 it may be called
 * again: it returns iterations that another member has left behind meanwhile.
 */
WSTREE_LOOP_API int wstree_loop_next(wstree_loop* loop, unsigned member, unsigned long long* begin,
                                     unsigned long long* end);

/**
 * The member gets no more. It has not executed the iterations from `from` on that it got last: other members
 * get them. `from` is not less than *begin of its latest next, or iterations are handed out twice; from *end
 * on, all of them were executed. Once for a member. Not needed after next has returned 0.
 */
WSTREE_LOOP_API void wstree_loop_leave(wstree_loop* loop, unsigned member, unsigned long long from);

/** No iteration is handed out from now on. */
WSTREE_LOOP_API void wstree_loop_stop(wstree_loop* loop);

/**
 * Iterations that were not handed out, or left behind: 0 unless members were stopped, or left when all other
 * members were through. With `begin` and `end` not NULL also the first such iterations, in no order among
 * several.
 */
WSTREE_LOOP_API unsigned long long wstree_loop_left(wstree_loop* loop, unsigned long long* begin,
                                                    unsigned long long* end);

/** Closes the loop, which may be NULL. */
WSTREE_LOOP_API void wstree_loop_close(wstree_loop* loop);

/** Memory of costs for loops of so many members; NULL: there is none, or members is 0 or 2^20 and more. */
WSTREE_LOOP_API wstree_costs* wstree_costs_new(unsigned members);
/** Gives it back; `costs` may be NULL. No loop uses it. */
WSTREE_LOOP_API void wstree_costs_delete(wstree_costs* costs);

#ifdef __cplusplus
}
#endif
