// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pthread_atfork() for this library alone. The function of glibc, which would be linked in, refers to a
// function that musl does not have, and musl would not start the program.
#include <pthread.h>

#include <cerrno>

extern "C" {
extern void* const __dso_handle __attribute__((visibility("hidden")));
int __register_atfork(void (*before)(), void (*in_parent)(), void (*in_child)(), void* object) noexcept
    __attribute__((weak));

int pthread_atfork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  if (__register_atfork == nullptr) return ENOSYS;
  return __register_atfork(before, in_parent, in_child, const_cast<void**>(&__dso_handle));
}
}
