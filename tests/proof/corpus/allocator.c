// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region that calls an allocator of another library, which may count for its thread.
#ifdef WSTREE_ALLOCATOR
void* malloc(unsigned long size) { return (void*)size; }
#else
void* malloc(unsigned long);
void no_other_allocator(int n, void** a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = malloc(8);
}
#endif
