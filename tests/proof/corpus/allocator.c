// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that call functions of another library, which have names of the C library's and may count for their
// thread.
#ifdef WSTREE_ALLOCATOR
void* malloc(unsigned long size) { return (void*)size; }
double hypot(double a, double b) {
  static _Thread_local int calls;
  return a + b + calls++;
}
#else
void* malloc(unsigned long);
double hypot(double, double);
void* _Znwm(unsigned long); // operator new of the C++ library, which calls malloc()
void no_new_of_other_allocator(int n, void** a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = _Znwm(8);
}
void no_other_allocator(int n, void** a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = malloc(8);
}
void no_other_function(int n, double* a, double* b) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = hypot(a[i], b[i]);
}
#endif
