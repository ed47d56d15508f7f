/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of wstree.h in the version whose interface is stored, without the header. check_c_interface
   makes c_interface.abi of it, and with -DKIND=long a library that must not pass. */
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
