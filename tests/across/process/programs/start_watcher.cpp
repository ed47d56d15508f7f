// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to be preloaded beside the other one, as tools are that watch what a program starts: wraps some
// of the functions, calls on, and says so on stderr once for each.
#include "headers.h"

#include <spawn.h>

namespace {

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

#define WATCH(result, name, parameters, arguments)                                                           \
  extern "C" result name parameters {                                                                        \
    static std::atomic<bool> said; /* nothing is ordered by it */                                            \
    if (!said.exchange(true)) std::fprintf(stderr, "watched %s\n", #name);                                   \
    return next<decltype(name)>(#name) arguments;                                                            \
  }

WATCH(int, pthread_create,
      (pthread_t * thread, const pthread_attr_t* attributes, void* (*function)(void*), void* data) noexcept,
      (thread, attributes, function, data))
WATCH(int, execve, (const char* path, char* const arguments[], char* const variables[]) noexcept,
      (path, arguments, variables))
WATCH(int, posix_spawn,
      (pid_t * child, const char* path, const posix_spawn_file_actions_t* actions,
       const posix_spawnattr_t* attributes, char* const arguments[], char* const variables[]),
      (child, path, actions, attributes, arguments, variables))
WATCH(int, system, (const char* command), (command))
WATCH(FILE*, popen, (const char* command, const char* mode), (command, mode))
