// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions for the proof, each in a function of its own. yes_*: pieces of its loop may be executed by any
// thread in any order; no_*: the result would be another one.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
typedef struct {
  int held;
} omp_lock_t;
void omp_set_lock(omp_lock_t*);
void omp_unset_lock(omp_lock_t*);

#define E int
#define NAME(what) what##_int
#define ORDERED(what) yes_##what##_int
#include "typed.inc"
#ifndef WSTREE_FEW_TYPES
#define E long
#define NAME(what) what##_long
#define ORDERED(what) yes_##what##_long
#include "typed.inc"
#define E unsigned
#define NAME(what) what##_unsigned
#define ORDERED(what) yes_##what##_unsigned
#include "typed.inc"
#define E float
#define NAME(what) what##_float
#define ORDERED(what) no_##what##_float
#include "typed.inc"
#endif
#define E double
#define NAME(what) what##_double
#define ORDERED(what) no_##what##_double
#include "typed.inc"

double x[1000], y[1000], z[100][100];
int flags[1000], hits, turn;
long counts[16];
unsigned bits;

// The attributes that every element may have.
void yes_calls(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = sqrt(x[i]) + exp(x[i]) * pow(x[i], 1.5);
}
static __attribute__((noinline)) double helper(double v, int i) { return v * i + 1; }
void yes_local_call(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = helper(x[i], i);
}
static __attribute__((noinline)) void fill(double* to, double v) {
  to[0] = v;
  to[1] = v * 2;
  to[2] = v * 3;
}
void yes_private_words(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double w[3];
    fill(w, x[i]);
    y[i] = w[0] + w[1] * w[2];
  }
}
void yes_nested_loops(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      for (int k = 0; k < j; k++) z[i][j] += x[k];
}
void yes_gather(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = x[flags[i]];
}
void yes_histogram(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    counts[flags[i] & 15]++;
  }
}
void yes_converges(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double v = x[i];
    while (v > 1e-3) v = v * 0.5;
    y[i] = v;
  }
}
void yes_chain(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int at = i, steps = 0;
    while (flags[at] != at) {
      at = flags[at];
      steps++;
    }
    y[i] = steps;
  }
}
void yes_condition(int n, int is_asked) {
#pragma omp parallel for if (is_asked)
  for (int i = 0; i < n; i++) y[i] = x[i];
}
void yes_num_threads(int n) {
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < n; i++) y[i] = x[i];
}
void yes_simd(int n) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) y[i] = x[i] * 2;
}
void yes_allocates(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double* w = malloc(80);
    for (int j = 0; j < 10; j++) w[j] = x[i] + j;
    y[i] = w[flags[i] % 10];
    free(w);
  }
}
void yes_copies(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) memcpy(z[i], x, sizeof z[i]);
}
void yes_bits(int n) {
  unsigned all = 0;
#pragma omp parallel for reduction(| : all)
  for (int i = 0; i < n; i++) all |= 1u << (flags[i] & 31);
  bits = all;
}
void yes_all_bits(int n) {
  unsigned all = ~0u;
#pragma omp parallel for reduction(& : all)
  for (int i = 0; i < n; i++) all &= flags[i];
  bits = all;
}
void yes_parity(int n) {
  unsigned all = 0;
#pragma omp parallel for reduction(^ : all)
  for (int i = 0; i < n; i++) all ^= flags[i];
  bits = all;
}
long yes_count(int n) {
  long c = 0;
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++)
    if (x[i] > 0) c++;
  return c;
}
long yes_counts_all(int n) {
  long c = 0;
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    c++;
    y[i] = 1;
  }
  return c;
}
int yes_last_index(int n) {
  int i;
#pragma omp parallel for lastprivate(i)
  for (i = 0; i < n; i++) y[i] = x[i];
  return i;
}

// An argument that is in no register, where clang changes it without optimisation.
void no_stack_argument(int n, int* a, int* b, int* c, int* d) {
  int v = 0;
#pragma omp parallel for firstprivate(v)
  for (int i = 0; i < n; i++) {
    a[i] = b[i] + c[i] + d[i] + v;
    v++;
  }
}

// Who does it, and how many do.
void no_ticket(int n) {
#pragma omp parallel
  {
    int mine;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = i;
#pragma omp atomic capture
    mine = hits++;
    if (mine < 0) abort();
  }
}
static __attribute__((noinline)) void finish(void) {
#pragma omp atomic
  hits++;
}
void no_tail_call(int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] += i;
    finish();
  }
}
void no_prologue_call(int n) {
#pragma omp parallel
  {
    finish();
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] += i;
  }
}
void no_prints_before(int n) {
#pragma omp parallel
  {
    printf("member\n");
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] += i;
  }
}
void no_prints_behind(int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] += i;
    putchar('.');
  }
}
void no_prints_in_cycle_behind(int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] += i;
    for (int j = 0; j < 2; j++) putchar('.');
  }
}
void no_allocates_before(int n) {
#pragma omp parallel
  {
    char* p = malloc(100);
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      p[i % 100] = (char)(p[(i + 1) % 100] + i);
      y[i] = p[i % 100];
    }
    free(p);
  }
}
void no_lazy_set_up(int n) {
#pragma omp parallel
  {
    char* p = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (p == 0) {
#pragma omp atomic
        hits++;
        p = malloc(100);
      }
      y[i] = *p;
    }
  }
}
void no_lazy_flag(int n) {
#pragma omp parallel
  {
    int first = 1;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (first) {
#pragma omp atomic
        hits++;
        first = 0;
      }
      y[i] = x[i];
    }
  }
}
void no_random(int n, unsigned seed) {
  long inside = 0;
#pragma omp parallel for firstprivate(seed) reduction(+ : inside)
  for (int i = 0; i < n; i++) {
    seed = seed * 1103515245u + 12345u;
    inside += seed >> 31;
  }
  hits = (int)inside;
}
void no_random_r(int n, unsigned seed) {
  long inside = 0;
#pragma omp parallel for firstprivate(seed) reduction(+ : inside)
  for (int i = 0; i < n; i++) inside += rand_r(&seed) & 1;
  hits = (int)inside;
}
static __attribute__((noinline)) unsigned next(unsigned* seed) { return *seed = *seed * 69069u + 1; }
void no_random_by_address(int n) {
#pragma omp parallel
  {
    unsigned seed = 7;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = next(&seed);
  }
}
void no_seed_of_number(int n) {
#pragma omp parallel
  {
    unsigned seed = omp_get_thread_num();
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = next(&seed);
  }
}
typedef struct {
  int me;
  double* to;
} Context;
static __attribute__((noinline)) void process(Context* c, int i) { c->to[i] = c->me; }
void no_number_in_struct(int n) {
#pragma omp parallel
  {
    Context c = {omp_get_thread_num(), y};
#pragma omp for nowait
    for (int i = 0; i < n; i++) process(&c, i);
  }
}
static __attribute__((noinline)) double kept(double v) { return v * 1.5 + 1; }
void no_number_over_call(int n) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      y[i] = kept(y[i]);
      if (me >= 4) {
#pragma omp atomic
        hits++;
      }
    }
  }
}
static __attribute__((noinline)) void scratch(int i) { x[omp_get_thread_num()] += i; }
void no_number_in_callee(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) scratch(i);
}
void no_master_does_more(int n) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) hits++;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = x[i];
  }
}
void no_masked_behind(int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = x[i];
#pragma omp master
    hits++;
  }
}
void no_single(int n) {
#pragma omp parallel
  {
#pragma omp single nowait
    hits++;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = x[i];
  }
}
void no_carved_scratch(int n, int length) {
#pragma omp parallel
  {
    int per = length / omp_get_num_threads();
    double* w = x + omp_get_thread_num() * per;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < per; j++) w[j] = i + j;
      y[i] = w[0];
    }
  }
}
void no_repeated(int n) {
#pragma omp parallel
  for (int it = 0; it < 10; it++) {
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = y[i] * 2 + it;
  }
}
void no_barrier_between(int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++) y[i] = x[i];
#pragma omp for nowait
    for (int i = 0; i < n; i++) x[i] = y[n - 1 - i];
  }
}
void no_critical_behind(int n) {
#pragma omp parallel
  {
    double s = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) s += x[i];
#pragma omp critical
    hits += s > 3;
  }
}
void no_spin_on_next(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    while (__atomic_load_n(flags + i + 1, __ATOMIC_ACQUIRE) == 0)
      ;
    __atomic_store_n(flags + i, 1, __ATOMIC_RELEASE);
  }
}
void no_spin_on_turn(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int wanted = n - 1 - i;
    while (!__atomic_compare_exchange_n(&turn, &wanted, wanted + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      wanted = n - 1 - i;
  }
}
void no_spin_with_fence(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != n - 1 - i) __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&turn, n - i, __ATOMIC_SEQ_CST);
  }
}
void no_spin_lock(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    while (__atomic_exchange_n(flags + i + 1, 1, __ATOMIC_ACQUIRE) == 0)
      ;
}
void no_lock(int n, omp_lock_t* lock) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(lock + i + 1);
    y[i] = 1;
    omp_unset_lock(lock + i);
  }
}
void no_errno(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i == n - 1) errno = 33;
    if (errno == 33 && i != n - 1) y[i] = -1;
  }
}
void no_unknown_call(int n, void (*work)(int)) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) work(i);
}
extern void elsewhere(int);
void no_call_elsewhere(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) elsewhere(i);
}
void no_conditional_last(int n) {
  int last = -1;
#pragma omp parallel for lastprivate(conditional : last)
  for (int i = 0; i < n; i++)
    if (flags[i] == 3) last = i;
  hits = last;
}
double no_last_of_carried(int n) {
  double v = 1;
#pragma omp parallel for firstprivate(v) lastprivate(v)
  for (int i = 0; i < n; i++) {
    y[i] = v;
    if (flags[i]) v = x[i];
  }
  return v;
}
int no_last_of_counter(int n) {
  int j = 0;
#pragma omp parallel for firstprivate(j) lastprivate(j)
  for (int i = 0; i < n; i++) j++;
  return j;
}
void no_linear_by_hand(int n) {
#pragma omp parallel
  {
    double* to = y;
#pragma omp for nowait
    for (int i = 0; i < n; i++) *to++ = x[i];
  }
}
void no_index_and_counter(int n) {
#pragma omp parallel
  {
    int j = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i + j++] = x[i];
  }
}
void no_counter_cancels(int n, int j) {
#pragma omp parallel for firstprivate(j)
  for (int i = 0; i < n; i++) {
    y[i] = i + j;
    j--;
  }
}
void no_counter_cancels_in_address(int n, int j) {
#pragma omp parallel for firstprivate(j)
  for (int i = 0; i < n; i++) {
#pragma omp atomic write
    y[i + j] = 1;
    j--;
  }
}
void no_two_by_counter(int n) {
#pragma omp parallel
  {
    int j = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      y[i + j] = x[i];
      y[i + j + 1] = 3;
      j++;
    }
  }
}
void no_counter_decides(int n) {
#pragma omp parallel
  {
    int j = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (j & 1) y[i] = x[i];
      j++;
    }
  }
}
void no_counter_as_limit(int n) {
#pragma omp parallel
  {
    int j = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (j < 10) y[i] = x[i];
      j++;
    }
  }
}
void no_append(int n) {
#pragma omp parallel
  {
    int j = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      if (x[i] > 0) y[j++] = x[i];
  }
}
void no_stack_of_private(int n) {
#pragma omp parallel
  {
    double stack[16];
    int top = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (top < 16) stack[top++] = x[i];
      y[i] = stack[top - 1];
    }
  }
}
static __attribute__((noinline)) void remember(double* kept, double v, double* to) {
  *to = *kept;
  *kept = v;
}
void no_remembers_by_address(int n) {
#pragma omp parallel
  {
    double before = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) remember(&before, x[i], y + i);
  }
}
void no_flag_done(int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = x[i];
    x[0] += 1;
  }
}
void no_sum_with_const(int n) {
#pragma omp parallel
  {
    long c = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) c += flags[i];
#pragma omp atomic
    hits += (int)c + 1;
  }
}
void no_flag_of_sum(int n) {
#pragma omp parallel
  {
    long c = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) c += flags[i];
#pragma omp atomic
    hits += c != 0;
  }
}
void no_shifted_sum(int n) {
#pragma omp parallel
  {
    unsigned c = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) c += flags[i];
#pragma omp atomic
    bits += c >> 1;
  }
}
void no_other_operator(int n) {
#pragma omp parallel
  {
    unsigned c = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) c += flags[i];
#pragma omp atomic
    bits ^= c;
  }
}
void no_other_operators_inside(int n) {
#pragma omp parallel
  {
    unsigned c = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      c += flags[i];
      c ^= 5;
    }
#pragma omp atomic
    bits += c;
  }
}
void no_both_sums(int n) {
#pragma omp parallel
  {
    unsigned c = 0, d = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      c += flags[i];
      d += c;
    }
#pragma omp atomic
    bits += d;
  }
}
void no_limited_sum(int n) {
#pragma omp parallel
  {
    int c = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      if (c < 100) c += flags[i];
#pragma omp atomic
    hits += c;
  }
}
void no_private_histogram_of_ones(int n) {
#pragma omp parallel
  {
    long own[4] = {1, 1, 1, 1};
#pragma omp for nowait
    for (int i = 0; i < n; i++) own[flags[i] & 3]++;
    for (int j = 0; j < 4; j++) {
#pragma omp atomic
      counts[j] += own[j];
    }
  }
}
void no_last_part_counts(int n) {
#pragma omp parallel
  {
    int threads = omp_get_num_threads(), me = omp_get_thread_num(), part = n / threads, rest = n % threads;
    if (me < rest) {
      part++;
      rest = 0;
    }
    int from = part * me + rest, to = from + part;
    for (int i = from; i < to; i++) y[i] = x[i];
    if (to == n) hits++;
  }
}
void no_counts_if_asked(int n, int is_asked) {
#pragma omp parallel
  {
    if (is_asked) {
#pragma omp atomic
      hits++;
    }
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = x[i];
  }
}
#ifndef __clang__ // which asks apart from the loop, and gets a true answer
void no_alone_or_not(int n) {
#pragma omp parallel
  {
    int is_alone = omp_get_num_threads() == 1;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = is_alone ? x[i] : 1;
  }
}
#endif
void no_copied_to_private(int n) {
#pragma omp parallel
  {
    double own[4] = {0, 0, 0, 0};
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      y[i] = own[1];
      double* p = memcpy(own, x + i, sizeof own);
      p[1] = p[0] + 1;
    }
  }
}
void no_sum_as_index(int n) {
#pragma omp parallel
  {
    int c = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      c += flags[i];
      y[c] = x[i];
    }
  }
}
double __log_finite(double v) { return v + omp_get_thread_num(); }
void no_function_of_a_known_name(int n, double k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = __log_finite(x[i] * k);
}
void no_address_of_frame(int n) {
#pragma omp parallel
  {
    char here;
    size_t place = (size_t)&here >> 12;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = (double)place;
  }
}
void no_waiting_sections(void) {
#pragma omp parallel sections
  {
#pragma omp section
    while (!__atomic_load_n(&turn, __ATOMIC_ACQUIRE))
      ;
#pragma omp section
    __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
  }
}
void no_system_call(int n) {
#pragma omp parallel
  {
#if defined(__x86_64__)
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(39) : "rcx", "r11", "memory");
#endif
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = i;
  }
}
void no_clock(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#if defined(__x86_64__)
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    y[i] = low;
#endif
  }
}
void no_rounding_mode(int n) {
#pragma omp parallel
  {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = x[i];
  }
}
int kept_by_thread;
#pragma omp threadprivate(kept_by_thread)
void no_copyin_counter(int n) {
#pragma omp parallel for copyin(kept_by_thread)
  for (int i = 0; i < n; i++) y[i] = kept_by_thread++;
}
void no_chunks_by_thread(int n) {
#pragma omp parallel
  {
    double before = 0;
#pragma omp for nowait schedule(static, 4)
    for (int i = 0; i < n; i++) {
      y[i] = before;
      before = x[i];
    }
  }
}
void no_ordered(int n) {
#pragma omp parallel for ordered
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    hits = hits * 3 + i;
  }
}
void no_cancelled(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (x[i] > 3) {
#pragma omp cancel for
    }
    y[i] = 1;
  }
}
void no_tasks(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
    y[i] = omp_get_thread_num();
  }
}

// Ends of the program that show what a call has executed.
void no_printed_count(int n) {
#pragma omp parallel
  {
    int count = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      count++;
      if (flags[i] == 77) {
        printf("%d\n", count);
        abort();
      }
      flags[i] = i;
    }
  }
}
void no_exit_count(int n) {
#pragma omp parallel
  {
    int count = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      count++;
      if (flags[i] == 77) exit(count % 251);
      flags[i] = i;
    }
  }
}
void no_exit_decision(int n) {
#pragma omp parallel
  {
    int count = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      count++;
      if (flags[i] == 77) {
        if (count > 500) abort();
        exit(1);
      }
      flags[i] = i;
    }
  }
}
void no_exit_behind(int n, int* a) {
#pragma omp parallel
  {
    int count = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      count++;
      a[i] = i;
    }
    if (count > 1000) abort();
  }
}
void no_exit_stored(int n) {
#pragma omp parallel
  {
    int count = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      count++;
      if (flags[i] == 77) {
        hits = count;
        abort();
      }
      flags[i] = i;
    }
  }
}
void yes_aborts(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (flags[i] == 77) abort();
    flags[i] = i;
  }
}
// Only the first iteration of a call has an effect, and a compiler makes a copy of it.
void no_peeled_read(int n, int* a, volatile int* b) {
  int first = 1;
#pragma omp parallel for firstprivate(first)
  for (int i = 0; i < n; i++) {
    if (first) a[i] = 1;
    first = 0;
    (void)b[i];
  }
}
void no_peeled_prefetch(int n, int* a, int* b) {
  int first = 1;
#pragma omp parallel for firstprivate(first)
  for (int i = 0; i < n; i++) {
    if (first) {
      a[i] = 1;
      first = 0;
    } else
      __builtin_prefetch(b + i);
  }
}
// Waits that end by a counter, or by a compare and exchange that does not try with what it has found.
void no_counted_wait(int n, int* a, int* flag) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int v = 0;
    if (i < n / 2) {
      for (unsigned t = 1; t != 0; t++) {
        v = __atomic_load_n(&flag[n - 1 - i], __ATOMIC_ACQUIRE);
        if (v) break;
      }
      a[i] = v;
    } else {
      a[i] = 3;
      __atomic_store_n(&flag[i], 1, __ATOMIC_RELEASE);
    }
  }
}
void no_exchange_wait(int n, int* a, int* flag) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i < n / 2) {
      int e = 1;
      while (!__atomic_compare_exchange_n(&flag[n - 1 - i], &e, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        e = (e >> 3) + 1;
      a[i] = 7;
    } else {
      a[i] = 3;
      __atomic_store_n(&flag[i], 1, __ATOMIC_RELEASE);
    }
  }
}
#ifdef WSTREE_RECIPROCALS
// The vectorised copy of the loop has approximations, and the rest has none.
void no_reciprocal(int n, float* restrict a, float* b, float* c) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = b[i] / (c[i] + b[i]);
}
#endif
#include "versions.inc"

#include "partial.inc" // its macros are those of versions.inc
#undef PART
#undef KEEP
#include "bounds.inc"
#include "copies.inc"
#include "ends.inc"
#include "equal.inc"
#include "results.inc"
#include "sizes.inc"
#include "sleeps.inc"
#include "snapshots.inc"
#include "waits.inc"
#include "widths.inc"
