/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interface that programs were compiled for: the functions of wstree.h and loop.h without the header.
   check_c_interface compares the library with it, and with -DKIND=long one that must not pass. */
#include <stddef.h>

#ifndef KIND
#define KIND int
#endif

const char* wstree_version(void) { return ""; }
int wstree_is_active(void) { return 0; }
void wstree_label(const char* text) { (void)text; }
void wstree_hint(KIND kind, int chunk) { (void)kind, (void)chunk; }
size_t wstree_statistics_json(char* buffer, size_t size) { return buffer == NULL ? 0 : size; }
double wstree_sum_double(const double* numbers, size_t count) { return count != 0 ? *numbers : 0; }
float wstree_sum_float(const float* numbers, size_t count) { return count != 0 ? *numbers : 0; }
double wstree_dot_double(const double* left, const double* right, size_t count) {
  return count != 0 ? *left * *right : 0;
}
float wstree_dot_float(const float* left, const float* right, size_t count) {
  return count != 0 ? *left * *right : 0;
}
unsigned long long wstree_loops_served(void) { return 0; }

typedef struct wstree_loop wstree_loop;
typedef struct wstree_costs wstree_costs;
typedef struct {
  unsigned long long smallest;
  KIND ascending;
  wstree_costs* costs;
  void* memory;
} wstree_loop_options;

size_t wstree_loop_bytes(unsigned members) { return members; }
wstree_loop* wstree_loop_open(unsigned long long n, unsigned members, const wstree_loop_options* options) {
  return n == members && options != NULL ? (wstree_loop*)options->memory : NULL;
}
int wstree_loop_next(wstree_loop* loop, unsigned member, unsigned long long* begin, unsigned long long* end) {
  return loop != NULL && member != 0 && *begin < *end;
}
void wstree_loop_leave(wstree_loop* loop, unsigned member, unsigned long long from) {
  (void)loop, (void)member, (void)from;
}
void wstree_loop_stop(wstree_loop* loop) { (void)loop; }
unsigned long long wstree_loop_left(wstree_loop* loop, unsigned long long* begin, unsigned long long* end) {
  return loop != NULL ? *end - *begin : 0;
}
void wstree_loop_close(wstree_loop* loop) { (void)loop; }
wstree_costs* wstree_costs_new(unsigned members) {
  (void)members;
  return NULL;
}
void wstree_costs_delete(wstree_costs* costs) { (void)costs; }
