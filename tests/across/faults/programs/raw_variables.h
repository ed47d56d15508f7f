// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of the environment for code that may run before the C library knows them: read from the kernel.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace faults {

/// Copies the value of `name` as far as it fits; empty if there is none.
inline void copy_variable(const char* name, char* value, std::size_t size) {
  static constinit char text[16384];
  static constinit long length = -1;
  if (length < 0) {
    const long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/environ", O_RDONLY | O_CLOEXEC);
    length = 0;
    for (long got = 1; file >= 0 && got > 0; length += got > 0 ? got : 0)
      got = syscall(SYS_read, file, text + length, sizeof text - 1 - static_cast<std::size_t>(length));
    if (file >= 0) syscall(SYS_close, file);
  }
  value[0] = '\0';
  const std::size_t name_size = std::strlen(name);
  for (const char* at = text; at < text + length; at += std::strlen(at) + 1) {
    if (std::strncmp(at, name, name_size) != 0 || at[name_size] != '=') continue;
    std::strncpy(value, at + name_size + 1, size - 1);
    value[size - 1] = '\0';
  }
}

inline long number_variable(const char* name) {
  char value[32];
  copy_variable(name, value, sizeof value);
  return std::atol(value);
}

} // namespace faults
